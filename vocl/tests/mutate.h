/* Changes a number of a message, for tests that repeat recorded messages. */
#pragma once

#include "wire/message.h"

#include <stddef.h>

/* Changes a random number of the message. draw(count) returns a random number below count. `object`
 * is the first number of the session's objects. Keeps the size of a launch, which could otherwise
 * run for ever. */
void mutate(struct vocl_msg_header *msg, size_t bytes, uint32_t object, int (*draw)(int count));
