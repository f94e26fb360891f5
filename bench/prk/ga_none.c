/* No kernels on Global Arrays: this build has no libcwga. */
#include "prk_ga.h"

void ga_add_kernels(void) {}
