/* The CPUs of this machine that the job may use, and those of a server's thread.
 *
 * Launchers may bind each process to a core of its own. A server's thread would then share the core
 * of the process that it belongs to. So the thread moves to cores that the job may use and to which
 * no process of the machine is bound, if there are any. It prefers whole cores to the free
 * hyperthread of a used core, and cores near its process's memory.
 *
 * The job may use the CPUs of its launcher, the parent of its processes, as far as the cgroup
 * allows them. If Slurm gave the job fewer CPUs than that, the remaining CPUs belong to other jobs,
 * although processes that are not bound may run on them. If a process is not bound, no core is
 * free, and the thread does not move. */
#include "server/server_cores.h"
#include "base/log.h"
#include "base/settings.h"
#include "machine/machine.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cpu_set_t mine, taken; /* CPUs to which my process is bound; CPUs to which any process of the
                                 machine is bound */
static cpu_set_t launcher;    /* CPUs of my process's launcher */
static int given; /* number of the launcher's CPUs that belong to the job; 0 if all do */
static int count; /* number of CPUs that the processes of the machine may use */

/* Returns the CPUs that a process may use; 0 stands for the calling process. Returns all CPUs if
 * that is not known, or if the machine has more CPUs than cpu_set_t can hold. */
static cpu_set_t cpus_of(pid_t process)
{
  cpu_set_t cpus;
  if (sched_getaffinity(process, sizeof cpus, &cpus) != 0)
    memset(&cpus, 0xff, sizeof cpus);
  return cpus;
}

/* Returns the number of CPUs that Slurm gave the job, or 0 if the job has all CPUs of its launcher.
 * The launcher is a daemon of Slurm. Without cgroups it may use all CPUs of the machine, and Slurm
 * reports only the number of CPUs that belong to the job. */
static int given_by_slurm(void)
{
  const char *text = getenv("SLURM_CPUS_ON_NODE");
  const long number = text != NULL ? strtol(text, NULL, 10) : 0;
  return number > 0 && number < CPU_COUNT(&launcher) ? (int)number : 0;
}

static int fewer_cores(int a, size_t b)
{
  return (size_t)a < b ? a : (int)b;
}

cw_error cwi_cores_start(void)
{
  mine = cpus_of(0);
  launcher = cpus_of(getppid());
  given = given_by_slurm();
  struct {
    cpu_set_t bound, launchers;
  } all = {mine, launcher};
  CWI_TRY(cwi_mpi_allreduce(&all, sizeof all, MPI_BYTE, MPI_BOR, cwi_world.machine_comm));
  taken = all.bound;
  CPU_OR(&all.launchers, &all.launchers, &taken);
  count = CPU_COUNT(&all.launchers);
  if (given > 0) /* Processes that are not bound use as many CPUs as the job was given. Bound
                    processes may use all CPUs to which they are bound, even if these are more. */
    count =
        CPU_EQUAL(&taken, &all.launchers) || given > CPU_COUNT(&taken) ? given : CPU_COUNT(&taken);
  if (count == CPU_SETSIZE) /* the machine may have more CPUs than the type can hold */
    count = INT_MAX;
  count = fewer_cores(count, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
  count = fewer_cores(count, cwi_machine_quota());
  return CW_OK;
}

int cwi_cores_count(void)
{
  return count;
}

/* Reads a CPU list of the kernel, such as "0-3,8,10-11". Returns an empty set if the file does not
 * exist. */
static cpu_set_t read_list(const char *path)
{
  char text[4096] = "";
  cpu_set_t list;
  CPU_ZERO(&list);
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return list;
  const char *at = fgets(text, sizeof text, file);
  fclose(file);
  while (at != NULL && *at >= '0' && *at <= '9') {
    char *end = NULL;
    const long first = strtol(at, &end, 10);
    const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
      CPU_SET((size_t)cpu, &list);
    at = *end == ',' ? end + 1 : NULL;
  }
  return list;
}

static cpu_set_t topology(int cpu, const char *name)
{
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
  return read_list(path);
}

/* Returns the CPUs of the NUMA node to which `cpu` belongs. */
static cpu_set_t near_memory(int cpu)
{
  char path[128];
  int node = -1;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d", cpu);
  DIR *directory = opendir(path);
  if (directory != NULL) {
    for (const struct dirent *entry = readdir(directory); entry != NULL && node < 0;
         entry = readdir(directory))
      if (strncmp(entry->d_name, "node", 4) == 0)
        node = (int)strtol(entry->d_name + 4, NULL, 10);
    closedir(directory);
  }
  snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
  return read_list(path);
}

/* Returns true if no process is bound to any hyperthread of the core to which `cpu` belongs. */
static bool is_whole_core(int cpu)
{
  const cpu_set_t threads = topology(cpu, "thread_siblings_list");
  cpu_set_t both;
  CPU_AND(&both, &threads, &taken);
  return CPU_COUNT(&both) == 0;
}

/* Keeps the CPUs with the highest score. A whole core counts most, then the NUMA node of my
 * process, then its package. */
static void keep_best(cpu_set_t *cpus)
{
  int first_cpu = 0, scores[CPU_SETSIZE], best = 0;
  while (first_cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)first_cpu, &mine))
    first_cpu++;
  const cpu_set_t memory = near_memory(first_cpu),
                  package = topology(first_cpu, "core_siblings_list");
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    scores[cpu] = -1;
    if (CPU_ISSET((size_t)cpu, cpus))
      scores[cpu] = 4 * is_whole_core(cpu) + 2 * (CPU_ISSET((size_t)cpu, &memory) != 0) +
                    (CPU_ISSET((size_t)cpu, &package) != 0);
    best = scores[cpu] > best ? scores[cpu] : best;
  }
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (scores[cpu] != best)
      CPU_CLR((size_t)cpu, cpus);
}

/* Moves the thread to those of the launcher's CPUs to which no process is bound. Returns false if
 * there are none. The kernel ignores CPUs that the cgroup does not allow, and fails if none is
 * left. *cpus receives the CPUs that the thread may use then. */
static bool move_to_free(cpu_set_t *cpus)
{
  if (CPU_COUNT(&launcher) == CPU_SETSIZE || given > 0)
    return false;
  CPU_AND(cpus, &launcher, &taken);
  CPU_XOR(cpus, cpus, &launcher);
  return CPU_COUNT(cpus) > 0 && sched_setaffinity(0, sizeof *cpus, cpus) == 0 &&
         sched_getaffinity(0, sizeof *cpus, cpus) == 0;
}

void cwi_cores_take(void)
{
  cpu_set_t cpus;
  if (!cwi_settings.server_place || !move_to_free(&cpus))
    return;
  keep_best(&cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) == 0)
    cwi_log(CWI_LOG_INFO, "the server's thread runs on the %d CPUs to which no process is bound",
            CPU_COUNT(&cpus));
}
