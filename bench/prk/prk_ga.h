/* Kernels on Global Arrays: rows of the table whose first side calls GA instead of Causeway. */
#ifndef PRK_PRK_GA_H
#define PRK_PRK_GA_H

#include "kernel.h"

/* Add them to the list of kernels; where there is no libcwga, none. */
void ga_add_kernels(void);

#endif
