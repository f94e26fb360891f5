/* Checks that the public collective calls share. */
#pragma once

#include "base/error.h"
#include "collective_call/collective_check.h"

#include <causeway/collective.h>

/* Checks that `root` is a rank of the team. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_root(cw_team team, int root);

/* Checks that the buffer called `name` is not NULL and can hold `count` pieces of `bytes` bytes.
 * For messages, `number` and `given` are the name and the value of the argument from which the
 * length is computed. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_buffer(const char *name, const void *buffer, const char *number,
                                      size_t given, size_t count, size_t bytes);

/* These functions also check the team. */
CWI_CHECKED cw_error cwi_check_broadcast(cw_team team, int root, const void *buffer, size_t bytes);
CWI_CHECKED cw_error cwi_check_reduce(cw_team team, cw_type type, cw_reduction kind, size_t count,
                                      const void *buffer);
CWI_CHECKED cw_error cwi_check_allgather(cw_team team, const void *mine, size_t bytes,
                                         const void *all);
CWI_CHECKED cw_error cwi_check_alltoall(cw_team team, const void *mine, size_t bytes,
                                        const void *all);
