/* The output of cw-info, CW_LOG and CW_STATS, and the values of settings. */
#include "runtime/runtime.h"

#include "base/operation_counts.h"
#include "base/settings.h"
#include "machine/copy.h"
#include "memory/memory_account.h"
#include "memory/zone.h"
#include "mpi/mpi_library.h"
#include "mpi/mpi_progress.h"
#include "mpi/workaround.h"
#include "route/route.h"
#include "server/server.h"
#include "server/server_cores.h"
#include "team/world.h"

#include <causeway/runtime.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

cw_error cw_report(FILE *out, bool settings)
{
  if (out == NULL)
    return cwi_in_call("cw_report", cwi_misuse("out is NULL"));
  fprintf(out, "Causeway %s\n", CW_VERSION);
  fprintf(out, "MPI:       %s, %s\n", cwi_mpi_library()->text, cwi_mpi_thread_level_name());
  if (cwi_world.processes > 0) {
    fprintf(out, "processes: %d on %d node%s; %d on this one\n", cwi_world.processes,
            cwi_world.nodes, cwi_world.nodes == 1 ? "" : "s", cwi_world.node_processes);
    fprintf(out, "cores:     %d of this machine's %ld\n", cwi_cores_count(),
            sysconf(_SC_NPROCESSORS_ONLN));
    fprintf(out, "route:     %s\n", cwi_routes_describe());
    fprintf(out, "server:    %s\n", cwi_servers_describe());
    fprintf(out, "zone:      %s\n", cwi_zone_describe());
    fprintf(out, "memory:    %zu MiB available to this node\n", cwi_memory_available() >> 20);
    fprintf(out, "copies:    %s\n", cwi_copy_describe());
  }
  cwi_workarounds_name(out);
  if (settings) {
    fprintf(out, "\n");
    cwi_settings_print(out);
  }
  return CW_OK;
}

cw_error cw_setting(const char *name, char *value, size_t size)
{
  cw_error error = CW_OK;
  if (cwi_world.processes == 0)
    error = cwi_not_running();
  else if (name == NULL || value == NULL)
    error = cwi_misuse("%s is NULL", name == NULL ? "name" : "value");
  else
    error = cwi_settings_get(name, value, size);
  return cwi_in_call("cw_setting", error);
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
  const uint64_t count = sum->count[what][where], bytes = sum->bytes[what][where];
  if (count == 0)
    return;
  printf("  %-18s %-11s %10llu", names[what], places[where], (unsigned long long)count);
  if (bytes > 0) {
    char all[32];
    format_bytes(all, sizeof all, (double)bytes);
    printf("  %10s in all, each %llu to %llu B", all,
           (unsigned long long)(INT64_MAX - sum->least[what][where]),
           (unsigned long long)sum->most[what][where]);
  }
  printf("\n");
}

/* Prints the number of messages to servers. The average is that of messages with puts or
 * accumulates; many others carry requests. */
static void print_messages(const struct cwi_statistics *sum)
{
  if (sum->messages == 0)
    return;
  printf("  %-18s %-11s %10llu", "message", "server", (unsigned long long)sum->messages);
  if (sum->loaded > 0)
    printf("  %llu of them with puts or accumulates, %.1f in each on average",
           (unsigned long long)sum->loaded, (double)sum->updates / (double)sum->loaded);
  printf("\n");
}

static void print_copies(const char *call, uint64_t count, uint64_t bytes)
{
  char all[32];
  format_bytes(all, sizeof all, (double)bytes);
  printf("  %-18s %-11s %10llu  %10s in all\n", call, "copy", (unsigned long long)count, all);
}

/* Prints transfers to and from devices of node peers. */
static void print_devices(const struct cwi_statistics *sum)
{
  static const char *const movers[CWI_MOVERS] = {"themselves", "agent"};
  for (int mover = 0; mover < CWI_MOVERS; mover++) {
    char all[32];
    format_bytes(all, sizeof all, (double)sum->by_device_bytes[mover]);
    if (sum->by_device[mover] > 0)
      printf("  %-18s %-11s %10llu  %10s in all\n", "peer's device", movers[mover],
             (unsigned long long)sum->by_device[mover], all);
  }
  if (sum->imported + sum->not_imported > 0)
    printf("  %-18s %-11s %10llu  and %llu failed\n", "slice imported", "",
           (unsigned long long)sum->imported, (unsigned long long)sum->not_imported);
}

/* Prints the effects of CW_GA_DISTRIBUTION. */
static void print_arrays(const struct cwi_statistics *sum)
{
  if (cwi_settings.ga_distribution == 0)
    return;
  printf("  %-18s %-11s %10llu\n", "array made cyclic", "",
         (unsigned long long)sum->arrays[CWI_CYCLIC_ARRAYS]);
  printf("  %-18s %-11s %10llu\n", "array kept its blocks", "",
         (unsigned long long)sum->arrays[CWI_KEPT_ARRAYS]);
  print_copies("Access", sum->handed_out, sum->handed_out_bytes);
  print_copies("Release_update", sum->put_back, sum->put_back_bytes);
}

/* Adds up the statistics of all processes. They are numbers of 8 bytes: for those before the member
 * `most` it computes the sum, for the others the maximum. */
static cw_error add_up(struct cwi_statistics *all)
{
  enum {
    SUMS = offsetof(struct cwi_statistics, most) / sizeof(uint64_t),
    NUMBERS = sizeof(struct cwi_statistics) / sizeof(uint64_t)
  };
  const uint64_t *mine = (const uint64_t *)&cwi_statistics;
  uint64_t *numbers = (uint64_t *)all;
  const MPI_Comm comm = cwi_world.team->internal;
  CWI_TRY(CWI_MPI(MPI_Reduce(mine, numbers, SUMS, MPI_UINT64_T, MPI_SUM, 0, comm)));
  return CWI_MPI(
      MPI_Reduce(mine + SUMS, numbers + SUMS, NUMBERS - SUMS, MPI_UINT64_T, MPI_MAX, 0, comm));
}

cw_error cwi_statistics_report(void)
{
  if (!cwi_settings.stats)
    return CW_OK;
  static struct cwi_statistics sum;
  CWI_TRY(add_up(&sum));
  if (cwi_world.process == 0) {
    printf("one-sided operations of all %d processes:\n", cwi_world.processes);
    for (int what = 0; what < CWI_COUNTED; what++)
      for (int where = 0; where < CWI_WHERES; where++)
        print_line(&sum, what, where);
    print_messages(&sum);
    print_devices(&sum);
    if (sum.regions > 0)
      printf("  %-18s %-11s %10llu\n", "region made", "", (unsigned long long)sum.regions);
    print_arrays(&sum);
    fflush(stdout);
  }
  memset(&cwi_statistics, 0, sizeof cwi_statistics);
  return CW_OK;
}
