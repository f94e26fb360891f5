/* The memory of a slice must come from its owner's NUMA node, whichever process touches it first:
 * all processes query the kernel for each slice. Run with CW_NUMA=force and off. */
#include "kit/native.h"

#include "base/settings.h"
#include "machine/machine.h"

#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = 1024 / (8 * sizeof(unsigned long)) };

static int policy_at(const void *address, unsigned long nodes[WORDS])
{
  int mode = -1;
  memset(nodes, 0, WORDS * sizeof nodes[0]);
  if (syscall(SYS_get_mempolicy, &mode, nodes, 1024, address, MPOL_F_ADDR) != 0)
    kit_skip("this kernel knows no NUMA policies");
  return mode;
}

static void check(size_t bytes)
{
  cw_region region = NULL;
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  const bool placed = bytes >= 65536 && cwi_settings.numa == CWI_NUMA_FORCE;
  kit_about("slices of %zu bytes", bytes);
  KIT_MUST(cw_region_create(cw_team_world(), bytes, &region, addresses));
  for (int rank = 0; rank < kit_processes(); rank++) {
    unsigned long nodes[WORDS];
    const char *last = (const char *)addresses[rank] + bytes - 1;
    const int first = policy_at(addresses[rank], nodes), end = policy_at(last, nodes);
    kit_check_long(first, placed ? MPOL_PREFERRED : MPOL_DEFAULT, "policy of the first byte");
    kit_check_long(end, placed ? MPOL_PREFERRED : MPOL_DEFAULT, "policy of the last byte");
    /* On a machine with one NUMA node the answer is known. */
    if (placed && cwi_machine_numa_nodes() == 1)
      kit_check(nodes[0] == 1ul << cwi_machine_numa_node(), "the nodes are %lx", nodes[0]);
    memset(addresses[rank], rank, bytes > 4096 ? 4096 : bytes);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  free(addresses);
}

/* The zone must stay one mapping, because a process may have only 65530. */
static int mappings(void)
{
  char line[512];
  int lines = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    lines += strstr(line, "memfd:causeway") != NULL;
  if (file != NULL)
    fclose(file);
  return lines;
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "numa");
  static const size_t sizes[] = {8, 5000, 65536, 100000, 8 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    check(sizes[i]);
  kit_check_long(mappings(), 1, "mappings of the zone");
  return kit_finish_native();
}
