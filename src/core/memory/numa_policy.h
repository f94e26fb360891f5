/* On which NUMA node the memory of a slice comes to lie. */
#ifndef CWI_MEMORY_NUMA_POLICY_H
#define CWI_MEMORY_NUMA_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/* Decide whether memory is placed at all, once the zone is mapped. */
void cwi_numa_start(void);

/* Memory of these granules is to come from the node of the core that runs this thread, no
 * matter which thread touches it first. A wish: where the kernel does not hear it, nothing happens.
 */
void cwi_numa_here(uint32_t granule, uint32_t length);
#endif
