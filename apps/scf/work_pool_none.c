/* No tasks from a pool, for scf on another Global Arrays library: --tasks says so. */
#include "work.h"

#include <stddef.h>

const struct work_source work_pool = {"pool", NULL, NULL, NULL};
