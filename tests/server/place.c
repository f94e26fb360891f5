/* The CPUs of the server's thread. The program itself binds the processes:
 *   place shared    all to the first CPU: the thread runs on others
 *   place each      each to its own, as long as there are any: if no CPU is left, the thread stays
 *   place loose     not bound: the thread is not bound either
 *   place off       like shared, with CW_SERVER_PLACE=0: the thread stays with its process
 *   place job       like shared, with SLURM_CPUS_ON_NODE=1: it stays. There, and with `loose`, the
 *                   processes have the number of cores that the variable gives */
#include "kit/native.h"

#include "server/server_cores.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gets the CPU set of this process's thread with that name. */
static bool find_thread(const char *name, cpu_set_t *cpus)
{
  bool found = false;
  DIR *directory = opendir("/proc/self/task");
  for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    char path[300], text[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
      continue;
    if (fgets(text, sizeof text, file) != NULL && strncmp(text, name, strlen(name)) == 0)
      found = sched_getaffinity(atoi(entry->d_name), sizeof *cpus, cpus) == 0;
    fclose(file);
  }
  closedir(directory);
  return found;
}

static int nth_cpu(const cpu_set_t *cpus, int n)
{
  n %= CPU_COUNT(cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET((size_t)cpu, cpus) && n-- == 0)
      return cpu;
  return 0;
}

static void bind_to(int cpu)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)cpu, &one);
  kit_check(sched_setaffinity(0, sizeof one, &one) == 0, "cannot bind to CPU %d", cpu);
}

/* The thread moves when it starts, which may be a little later. */
static void check_thread(const cpu_set_t *mine, bool moves)
{
  enum { TRIES = 60000, MICROSECONDS = 1000 };
  cpu_set_t its, both;
  bool right = false;
  for (int i = 0; i < TRIES && !right; i++) {
    CPU_ZERO(&its);
    if (find_thread("cw-server", &its))
      CPU_AND(&both, &its, mine);
    right = CPU_COUNT(&its) > 0 && (moves ? CPU_COUNT(&both) == 0 : CPU_EQUAL(&its, mine));
    if (!right)
      usleep(MICROSECONDS);
  }
  kit_check(CPU_COUNT(&its) > 0, "there is no thread of the server");
  kit_check(right, moves ? "the thread shares a CPU with its process"
                         : "the thread left the CPUs of its process");
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "loose";
  const bool each = strcmp(mode, "each") == 0, loose = strcmp(mode, "loose") == 0;
  cpu_set_t all, mine;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  kit_start(&argc, &argv, "server.place");
  sched_getaffinity(0, sizeof all, &all);
  if (CPU_COUNT(&all) < 2)
    kit_skip("there is only one CPU");
  if (!loose)
    bind_to(nth_cpu(&all, each ? kit_me() : 0));
  sched_getaffinity(0, sizeof mine, &mine);
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  check_thread(&mine, strcmp(mode, "shared") == 0 || (each && kit_processes() < CPU_COUNT(&all)));
  if (getenv("SLURM_CPUS_ON_NODE") != NULL)
    kit_check_long(cwi_cores_count(), atoi(getenv("SLURM_CPUS_ON_NODE")), "cores");
  sched_getaffinity(0, sizeof all, &all);
  kit_check(CPU_EQUAL(&all, &mine), "the process itself was moved");
  return kit_finish_native();
}
