/* Places slices near their owners. By default the kernel places a page near the process that
 * touches it first, which is often another one that puts into the slice. The kernel keeps a policy
 * for each range of a memory file, and it holds in all processes. The policy is set through a
 * short-lived mapping of the range. Set on the zone's own mapping, it would split that mapping into
 * pieces, and a process may have only 65530 of them. Setting the policy costs 10 us once for a
 * range; touching the pages instead would cost more than 100 us per MiB. */
#include "memory/numa_policy.h"

#include "base/log.h"
#include "base/settings.h"
#include "machine/machine.h"
#include "memory/zone.h"
#include "memory/zone_file.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_NODES = 1024, WORD = 8 * sizeof(unsigned long) };

static bool active;

void cwi_numa_start(void)
{
  const bool several = cwi_settings.numa == CWI_NUMA_FORCE || cwi_machine_numa_nodes() > 1;
  active = cwi_settings.numa != CWI_NUMA_OFF && several && cwi_zone_file_file() >= 0;
}

/* Returns true if the policy of the range has been set before. It remains when ranges are freed and
 * taken again. */
static bool is_placed(uint32_t granule, uint32_t length, int node)
{
  for (uint32_t i = 0; i < length; i++)
    if (cwi_zone.granules[granule + i].place != node + 1)
      return false;
  return true;
}

void cwi_numa_here(uint32_t granule, uint32_t length)
{
  unsigned long nodes[MOST_NODES / WORD] = {0};
  const int node = active ? cwi_machine_numa_node() : -1;
  if (node < 0 || node >= MOST_NODES || is_placed(granule, length, node))
    return;
  nodes[(size_t)node / WORD] = 1ul << ((size_t)node % WORD);
  const size_t bytes = (size_t)length << CWI_GRANULE_SHIFT;
  void *range = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, cwi_zone_file_file(),
                     (off_t)granule << CWI_GRANULE_SHIFT);
  if (range == MAP_FAILED)
    return;
  const bool placed = syscall(SYS_mbind, range, bytes, MPOL_PREFERRED, nodes, MOST_NODES, 0) == 0;
  if (!placed)
    cwi_log(CWI_LOG_DEBUG, "memory cannot be placed on NUMA node %d: %s", node,
            cwi_system_error(errno));
  for (uint32_t i = 0; i < length; i++)
    cwi_zone.granules[granule + i].place = (uint16_t)(placed ? node + 1 : 0);
  munmap(range, bytes);
}
