/* Chooses the NUMA node from which the memory of a slice comes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Decides whether memory is placed at all. Called once the zone is mapped. */
void cwi_numa_start(void);

/* Asks the kernel to take the memory of these granules from the NUMA node of the core that runs
 * this thread, no matter which thread touches it first. If the kernel cannot do that, nothing
 * happens. */
void cwi_numa_here(uint32_t granule, uint32_t length);
