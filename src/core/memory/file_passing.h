/* Handing an open file to the other processes of the node. */
#ifndef CWI_MEMORY_FILE_PASSING_H
#define CWI_MEMORY_FILE_PASSING_H

#include "base/error.h"

#include <stdbool.h>

/* The node's first process hands its `file` to those that want it. Collective over the node. *got
 * is -1 in a process that wanted it and did not get it. */
CWI_CHECKED cw_error cwi_pass_file(int file, bool wanted, int *got);
#endif
