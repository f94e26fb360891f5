#include "runtime/report.h"

#include "base/settings.h"
#include "base/statistics.h"
#include "memory/account.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "mpi/workaround.h"
#include "route/route.h"
#include "server/server.h"
#include "team/world.h"

#include <causeway/runtime.h>

#include <stdio.h>
#include <string.h>

cw_error cw_report(FILE *out, bool settings)
{
  if (out == NULL)
    return cwi_misuse("cw_report: out is NULL");
  fprintf(out, "Causeway %s\n", CW_VERSION);
  fprintf(out, "MPI:       %s, %s\n", cwi_mpi_name(), cwi_mpi_thread_level_name());
  if (cw_initialized()) {
    fprintf(out, "processes: %d on %d node%s; %d on this one\n", cwi_world.processes,
            cwi_world.nodes, cwi_world.nodes == 1 ? "" : "s", cwi_world.node_processes);
    fprintf(out, "route:     %s\n", cwi_routes_describe());
    fprintf(out, "server:    %s\n", cwi_servers_describe());
    fprintf(out, "zone:      %s\n", cwi_zone_describe());
    fprintf(out, "memory:    %zu MiB available to this node\n", cwi_memory_available() >> 20);
  }
  cwi_workarounds_print(out);
  if (settings) {
    fprintf(out, "\n");
    cwi_settings_print(out);
  }
  return CW_OK;
}

static void format_bytes(char *text, size_t size, double bytes)
{
  static const char units[] = " kMGTP";
  int unit = 0;
  for (; bytes >= 1024 && unit < 5; unit++)
    bytes /= 1024;
  snprintf(text, size, unit > 0 ? "%.1f %ciB" : "%.0f %cB", bytes, units[unit]);
  if (unit == 0)
    snprintf(text, size, "%.0f B", bytes);
}

static void print_line(const struct cwi_statistics *sum, int what, int where)
{
  static const char *const names[CWI_COUNTED] = {"put",  "get",  "accumulate", "read-modify-write",
                                                 "lock", "fence"};
  static const char *const places[CWI_WHERES] = {"own memory", "node peer", "MPI window", "server"};
  uint64_t total = 0;
  unsigned least = CWI_SIZE_CLASSES, most = 0;
  for (unsigned class = 0; class < CWI_SIZE_CLASSES; class ++) {
    total += sum->count[what][where][class];
    if (sum->count[what][where][class] == 0)
      continue;
    least = class < least ? class : least;
    most = class;
  }
  if (total == 0)
    return;
  char bytes[32], low[32], high[32];
  format_bytes(bytes, sizeof bytes, (double)sum->bytes[what][where]);
  format_bytes(low, sizeof low, (double)(1ull << least));
  format_bytes(high, sizeof high, (double)(2ull << most) - 1);
  printf("  %-18s %-11s %10llu", names[what], places[where], (unsigned long long)total);
  if (sum->bytes[what][where] > 0)
    printf("  %10s in all, each %s to %s", bytes, low, high);
  printf("\n");
}

cw_error cwi_statistics_report(void)
{
  if (!cwi_settings.stats)
    return CW_OK;
  static struct cwi_statistics sum;
  CWI_TRY(CWI_MPI(MPI_Reduce(&cwi_statistics, &sum, sizeof sum / sizeof(uint64_t), MPI_UINT64_T,
                             MPI_SUM, 0, cwi_world.team->internal)));
  if (cwi_world.process == 0) {
    printf("one-sided operations of all %d processes:\n", cwi_world.processes);
    for (int what = 0; what < CWI_COUNTED; what++)
      for (int where = 0; where < CWI_WHERES; where++)
        print_line(&sum, what, where);
    printf("  %-18s %-11s %10llu\n", "region made", "", (unsigned long long)sum.regions);
    fflush(stdout);
  }
  memset(&cwi_statistics, 0, sizeof cwi_statistics);
  return CW_OK;
}
