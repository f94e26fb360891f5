/* One number of a message becomes another one: for tests that say again what was recorded. */
#ifndef TESTS_VOCL_MUTATE_H
#define TESTS_VOCL_MUTATE_H

#include "wire/message.h"

#include <stddef.h>

/* Changes a message at random. draw(count) returns a random number below count. `object` is the
 * number of one of the session's objects, which are numbered consecutively. The size of a launch
 * stays, because a huge number of items would run for ever. */
void mutate(struct vocl_msg_header *said, size_t bytes, uint32_t object, int (*draw)(int count));

#endif
