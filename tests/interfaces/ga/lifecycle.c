/* GA starts and stops repeatedly and on some of the processes; queries of GA, nodes, types and
 * handles; mutexes. */
#include "kit/kit.h"

#include "region/region.h"
#include "team/team.h"

#include <ga-mpi.h>
#include <ga-sparse.h>
#include <ga.h>

#include <causeway.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void types(void)
{
  kit_check_long(NGA_Register_type(24), 1017, "the first type");
  kit_check_long(NGA_Register_type(3), 1018, "the second type");
  kit_check_long(NGA_Deregister_type(1017), 0, "deregistered");
  kit_check_long(NGA_Register_type(7), 1017, "its code again");
  (void)NGA_Deregister_type(1017);
  (void)NGA_Deregister_type(1018);
}

/* `before`: handles of the previous life. */
static void handles(int before)
{
  int made[3];
  for (int i = 0; i < 3; i++)
    kit_check_long(made[i] = GA_Create_handle(), -1000 + before + i, "handle");
  kit_check_long(GA_Valid_handle(made[0]), 0, "a handle without an array is valid");
  kit_check_long(NGA_Verify_handle(77), 0, "no handle is verified");
  kit_check_long(GA_Get_pgroup(made[1]), GA_Pgroup_get_default(), "group of a handle");
  int dims[2] = {4, 5}, map[3] = {0, 2, 0}, blocks[2] = {2, 1}, width[2] = {1, 0};
  GA_Set_data(made[1], 2, dims, F_DBL);
  GA_Set_array_name(made[1], (char[]){"an array"});
  NGA_Set_chunk(made[1], dims);
  NGA_Set_ghosts(made[1], width);
  NGA_Set_irreg_distr(made[1], map, blocks);
  GA_Set_restricted_range(made[1], 0, 0);
}

/* The flag of a map may be removed and set again. */
static void irregular(void)
{
  int dims[1] = {6}, map[2] = {0, 1}, blocks[1] = {2}, lo[1] = {-1}, hi[1] = {-1};
  const int array = GA_Create_handle();
  GA_Set_data(array, 1, dims, C_INT);
  blocks[0] = GA_Nnodes() > 1 ? 2 : 1;
  NGA_Set_irreg_distr(array, map, blocks);
  GA_Set_irreg_flag(array, 0);
  GA_Set_irreg_flag(array, 1);
  kit_check_long(GA_Allocate(array), 1, "an irregular array is made");
  NGA_Distribution(array, 0, lo, hi);
  kit_check_long(hi[0], GA_Nnodes() > 1 ? 0 : 5, "the last element of process 0");
  GA_Destroy(array);
}

static int host(int number, int count)
{
  const int each = (count + GA_Nnodes() - 1) / GA_Nnodes();
  return number / each;
}

/* Every process holds each mutex in turn, and adds to a number at its host by get and put. */
static void mutexes(void)
{
  enum { COUNT = 5 };
  long *mine = GA_Getmem(C_LONG, COUNT, GA_Pgroup_get_world());
  void **all = kit_alloc((size_t)GA_Nnodes(), sizeof *all);
  memset(mine, 0, COUNT * sizeof *mine);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, kit_comm());
  kit_check_long(GA_Create_mutexes(COUNT), 1, "mutexes are made");
  GA_Sync();
  for (int number = 0; number < COUNT; number++) {
    const int there = host(number, COUNT);
    long *counter = (long *)all[there] + number, value = 0;
    GA_Lock(number);
    kit_check_long(cw_get(&value, counter, sizeof value, there), CW_OK, "get");
    value += GA_Nodeid() + 1;
    kit_check_long(cw_put(&value, counter, sizeof value, there), CW_OK, "put");
    NGA_Unlock(number);
  }
  GA_Sync();
  for (int number = 0; number < COUNT; number++)
    if (host(number, COUNT) == GA_Nodeid())
      kit_check_long(mine[number], (long)GA_Nnodes() * (GA_Nnodes() + 1) / 2, "sum under a mutex");
  kit_check_long(GA_Destroy_mutexes(), 1, "mutexes are destroyed");
  GA_Freemem(mine);
  free(all);
}

static void nodes(void)
{
  int seen = 0;
  for (int node = 0; node < GA_Cluster_nnodes(); node++)
    for (int place = 0; place < GA_Cluster_nprocs(node); place++, seen++)
      kit_check_long(GA_Cluster_proc_nodeid(GA_Cluster_procid(node, place)), node, "node");
  kit_check_long(seen, GA_Nnodes(), "processes of all nodes");
  kit_check_long(GA_Cluster_nodeid(), GA_Cluster_proc_nodeid(GA_Nodeid()), "my node");
  int *list = kit_alloc((size_t)GA_Nnodes(), sizeof *list);
  NGA_List_nodeid(list, GA_Nnodes());
  kit_check_long(list[GA_Nnodes() - 1], GA_Nnodes() - 1, "the last number");
  free(list);
}

/* MPI_Init alone provides a lower level. With windows, no thread of the library calls MPI. */
static void threads(void)
{
  int level = 0;
  MPI_Query_thread(&level);
  if (GA_Cluster_nnodes() > 1 && getenv("CW_ROUTE") == NULL)
    kit_check_long(level, MPI_THREAD_MULTIPLE, "thread level with several nodes");
}

/* A process that allocates nothing still takes part in freeing. */
static void memory(void)
{
  char *mine = GA_Getmem(C_CHAR, kit_me() % 2 * 100, GA_Pgroup_get_world());
  kit_check(mine != NULL, "no address");
  GA_Sync();
  GA_Freemem(mine);
}

static void limits(void)
{
  kit_check_long(GA_Memory_limited(), 0, "limited at first");
  kit_check(GA_Memory_avail() == SIZE_MAX, "there is an end of memory");
  GA_Set_memory_limit(1000);
  kit_check_long(NGA_Memory_limited(), 1, "limited then");
  kit_check_long((long)GA_Memory_avail(), 1000, "available");
  kit_check_long((long)GA_Inquire_memory(), 0, "in use");
  GA_Set_memory_limit((size_t)-1);
}

static void fences(void)
{
  GA_Init_fence();
  NGA_Fence();
  GA_Mask_sync(1, 0);
  GA_Sync();
  kit_check_long(GA_Uses_ma() + GA_Uses_fapi(), 0, "neither MA nor Fortran");
  GA_Set_debug(3);
  kit_check_long(NGA_Get_debug(), 3, "the flag");
  kit_check(GA_Wtime() <= NGA_Wtime(), "time goes back");
}

/* 10,000 numbers: half of them are in each half of the range, and no two successive ones are equal.
 * */
static void random_numbers(void)
{
  double last = GA_Rand(7), sum = 0;
  int outside = 0, alike = 0;
  kit_about("GA_Rand");
  for (int i = 0; i < 10000; i++) {
    const double number = i % 2 == 0 ? NGA_Rand(7) : GA_Rand(i);
    outside += number < 0 || number >= 1;
    alike += number == last;
    sum += number;
    last = number;
  }
  kit_check(outside == 0, "%d numbers are not from 0 to 1", outside);
  kit_check(alike == 0, "%d numbers are those before", alike);
  kit_check(sum > 4800 && sum < 5200, "the mean is %g", sum / 10000);
}

/* Returns the amount of memory and teams that exist. */
static size_t alive(void)
{
  size_t count = cwi_regions_alive();
  for (cw_team team = cwi_team_next(NULL); team != NULL; team = cwi_team_next(team))
    count += !team->inner;
  return count;
}

static void sparse_array(int assembled)
{
  const double one = 1;
  const int handle = NGA_Sprs_array_create(6, 6, C_DBL);
  NGA_Sprs_array_add_element(handle, 0, 0, (void *)&one);
  if (assembled)
    NGA_Sprs_array_assemble(handle);
}

/* Overlapping groups: arrays, and the destruction of the groups, in another order on each process.
 * */
static void leave_all(void)
{
  char name[] = "left";
  int dims[1] = {9}, own[2];
  const int world = GA_Pgroup_get_world(), odd = kit_me() % 2;
  own[0] = GA_Pgroup_split_irreg(world, odd);
  own[1] = GA_Pgroup_split(world, GA_Nnodes() > 1 ? 2 : 1);
  for (int i = 0; i < 2; i++)
    NGA_Create_config(C_DBL, 1, dims, name, NULL, own[i]);
  NGA_Create(C_DBL, 1, dims, name, NULL);
  NGA_Create_config(C_DBL, 1, dims, name, NULL, GA_Pgroup_get_mirror());
  GA_Pgroup_set_default(own[1]);
  sparse_array(1);
  sparse_array(0);
  GA_Pgroup_set_default(world);
  sparse_array(0);
  GA_Pgroup_destroy(own[odd]);
  GA_Create_mutexes(2);
}

/* Where Causeway keeps running, GA frees the remaining objects. */
static void continues(void)
{
  kit_about("Causeway goes on");
  kit_check_long(cw_init(kit_comm()), CW_OK, "cw_init");
  const size_t before = alive();
  for (int lives = 0; lives < 2; lives++) {
    GA_Initialize();
    leave_all();
    GA_Terminate();
    kit_check_long((long)alive(), (long)before, "regions and teams");
  }
  kit_check_long(cw_finalize(), CW_OK, "cw_finalize");
}

static void life(int handles_before)
{
  kit_check_long(GA_Initialized(), 1, "running");
  GA_Initialize(); /* does nothing */
  types();
  handles(handles_before);
  irregular();
  mutexes();
  nodes();
  threads();
  memory();
  limits();
  fences();
  random_numbers();
  GA_Terminate();
  kit_check_long(NGA_Initialized(), 0, "running after the end");
  GA_Terminate(); /* does nothing */
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "lifecycle");
  kit_about("first life");
  GA_Initialize_args(&argc, &argv);
  kit_check_long(GA_Nnodes(), kit_processes(), "all processes");
  kit_check_long(GA_Nodeid(), kit_me(), "my number");
  life(0);
  kit_about("second life, with a limit");
  NGA_Initialize_ltd(1 << 20);
  kit_check_long((long)GA_Memory_avail(), 1 << 20, "the limit");
  GA_Set_memory_limit((size_t)-1);
  life(4);

  continues();

  kit_about("on some of the processes, backwards");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(kit_comm(), kit_me() % 2, -kit_me(), &half);
  if (kit_me() % 2 == 0) {
    kit_check_long(GA_Initialize_comm(half), 1, "started");
    kit_check_long(GA_Nnodes(), (kit_processes() + 1) / 2, "half of the processes");
    kit_check_long(GA_Nodeid(), (kit_processes() - 1) / 2 - kit_me() / 2, "my number from behind");
    GA_Sync();
    GA_Terminate();
  }
  MPI_Comm_free(&half);
  return kit_finish();
}
