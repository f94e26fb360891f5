/* Threads of a process call GA at once, as docs/reference/ga.md allows: transfers, fences, handles,
 * types and queries on several threads, and collective calls on a group of each thread, while one
 * thread creates and destroys groups. */
#include "kit/kit.h"

#include <ga.h>

#include <pthread.h>
#include <stdlib.h>

enum { WORKERS = 3, COLUMNS = 8 };

static int rounds, me, all, shared, line;
static char name[] = "array";

/* A row of the shared array belongs to this thread alone. */
static void transfers(int number)
{
  int lo[2] = {(me + 1) % all * WORKERS + number, 0}, hi[2] = {lo[0], COLUMNS - 1},
      ld[1] = {COLUMNS};
  int mine[COLUMNS], seen[COLUMNS];
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < COLUMNS; i++)
      mine[i] = round + number + i;
    GA_Init_fence();
    NGA_Put(shared, lo, hi, mine, ld);
    GA_Fence();
    NGA_Get(shared, lo, hi, seen, ld);
    kit_check_bytes(seen, mine, sizeof mine, "my row");
  }
}

/* A part of the process's patch of the line belongs to this thread alone. */
static void accesses(int number)
{
  int lo[1], hi[1], ld[1] = {0}, seen[COLUMNS], *mine = NULL;
  NGA_Distribution(line, me, lo, hi);
  lo[0] += number * COLUMNS;
  hi[0] = lo[0] + COLUMNS - 1;
  for (int round = 0; round < rounds; round++) {
    NGA_Access(line, lo, hi, &mine, ld);
    for (int i = 0; i < COLUMNS; i++)
      mine[i] = round + number + i;
    NGA_Release_update(line, lo, hi);
    NGA_Get(line, lo, hi, seen, NULL);
    for (int i = 0; i < COLUMNS; i++)
      kit_check_long(seen[i], round + number + i, "my element");
  }
}

/* Each GA_Fence must find a GA_Init_fence. */
static void fences(void)
{
  for (int i = 0; i < 1000 * rounds; i++) {
    GA_Init_fence();
    GA_Fence();
  }
}

static void handles(void)
{
  int dims[2] = {3, 4};
  for (int round = 0; round < rounds; round++) {
    const int handle = GA_Create_handle(), type = NGA_Register_type((size_t)(1 + round % 50));
    GA_Set_data(handle, 2, dims, type);
    kit_check_long(GA_Ndim(handle), 2, "dimensions of my handle");
    kit_check_long(GA_Get_pgroup(handle), GA_Pgroup_get_world(), "group of my handle");
    GA_Destroy(handle);
    kit_check_long(NGA_Deregister_type(type), 0, "my type");
  }
}

/* An array of the thread's group, and queries of it. */
static void own_group(int group)
{
  int dims[1] = {6 * all}, one = 1, found = 0;
  for (int round = 0; round < rounds; round++) {
    kit_check_long(GA_Pgroup_nnodes(group), all, "size of my group");
    kit_check_long(GA_Pgroup_nodeid(group), me, "my number");
    kit_check_long(GA_Pgroup_absolute_id(group, all - 1), all - 1, "the last one");
    if (round % 20 != 0)
      continue;
    const int array = NGA_Create_config(C_INT, 1, dims, name, NULL, group);
    GA_Fill(array, &one);
    NGA_Get(array, &(int){me}, &(int){me}, &found, NULL);
    kit_check_long(found, 1, "an element");
    GA_Destroy(array);
  }
}

struct worker {
  pthread_t thread;
  int number, group;
};

static void *work(void *argument)
{
  const struct worker *worker = argument;
  fences();
  own_group(worker->group);
  transfers(worker->number);
  accesses(worker->number);
  handles();
  return NULL;
}

/* Many at a time, so that a table has to grow. */
static void make_groups(void)
{
  enum { MOST = 40 };
  int made[MOST];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < MOST; i++) {
      made[i] = GA_Pgroup_self();
      kit_check_long(GA_Pgroup_absolute_id(made[i], 0), me, "I am alone");
    }
    for (int i = 0; i < MOST; i++)
      kit_check_long(GA_Pgroup_destroy(made[i]), 1, "destroyed");
  }
}

int main(int argc, char **argv)
{
  struct worker workers[WORKERS];
  int level = 0;
  rounds = argc > 1 ? atoi(argv[1]) : 200;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "threads");
  if (level < MPI_THREAD_MULTIPLE)
    kit_skip("MPI has no MPI_THREAD_MULTIPLE");
  GA_Initialize();
  me = GA_Nodeid();
  all = GA_Nnodes();
  int dims[2] = {all * WORKERS, COLUMNS};
  shared = NGA_Create(C_INT, 2, dims, name, NULL);
  line = NGA_Create(C_INT, 1, (int[]){all * WORKERS * COLUMNS}, name, NULL);
  for (int i = 0; i < WORKERS; i++) {
    workers[i].number = i;
    workers[i].group = GA_Pgroup_duplicate(GA_Pgroup_get_world());
  }
  for (int i = 0; i < WORKERS; i++)
    kit_check(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
  make_groups();
  for (int i = 0; i < WORKERS; i++)
    pthread_join(workers[i].thread, NULL);
  GA_Sync();
  GA_Terminate();
  return kit_finish();
}
