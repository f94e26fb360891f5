/* Replaces work_pool.c when scf is built on another Global Arrays library: --tasks pool is an
 * error. */
#include "work.h"

#include <stddef.h>

const struct work_source work_pool = {"pool", NULL, NULL, NULL};
