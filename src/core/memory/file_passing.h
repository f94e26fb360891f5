/* Passes an open file to the other processes of the node. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Passes `file`, a descriptor of the node's first process, to the processes that pass wanted =
 * true. Collective over the node. *got receives the descriptor, or -1 if the process did not want
 * the file or could not receive it. */
CWI_CHECKED cw_error cwi_pass_file(int file, bool wanted, int *got);
