/* Kernels on Global Arrays: rows of the table whose first side calls GA instead of Causeway. */
#pragma once

#include "kernel.h"

/* Adds them to the list of kernels. Adds none in builds without libcwga. */
void ga_add_kernels(void);
