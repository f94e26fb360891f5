/* Nodes whose zones have different addresses (CW_NODE_SIZE). An address means the same memory in
 * all processes, and the address of another node or process is rejected where it is not valid. A
 * load or store through it faults, and the process reports the owner of the address.
 *
 *   apart             the calls
 *   apart few         the address range has no space for all nodes' zones: transfers are right
 *   apart load|store  process 1 uses the address of process 0's slice as a pointer */
#include "kit/native.h"

#include <causeway/array.h>
#include <causeway/atomic.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 };

static cw_region region;
static void **at; /* [processes] */
static int me, all;

/* Returns a process of another node. */
static int remote_process(void)
{
  int found = all - 1;
  while (found > 0 && cw_process_node(found) == cw_process_node(me))
    found--;
  return found;
}

/* The owner's pointer names the slice in all processes, and no other slice has this address. */
static void test_names(void)
{
  void **own = kit_alloc((size_t)all, sizeof *own);
  MPI_Allgather(&at[me], sizeof at[me], MPI_BYTE, own, sizeof *own, MPI_BYTE, MPI_COMM_WORLD);
  for (int process = 0; process < all; process++) {
    kit_check(own[process] == at[process], "process %d has its slice at %p, which is %p here",
              process, own[process], at[process]);
    for (int other = 0; other < process; other++)
      kit_check(own[process] != own[other], "processes %d and %d have one address, %p", other,
                process, own[process]);
  }
  free(own);
}

/* Every process puts its number to the next one, and gets all of them. */
static void test_moves(void)
{
  const int next = (me + 1) % all;
  KIT_OK(cw_put(&me, at[next], sizeof me, next));
  KIT_OK(cw_barrier(cw_team_world()));
  for (int process = 0; process < all; process++) {
    int got = -1;
    KIT_OK(cw_get(&got, at[process], sizeof got, process));
    kit_about("what process %d got", process);
    kit_check_long(got, (process + all - 1) % all, "the number");
  }
  kit_check_long(*(int *)at[me], (me + all - 1) % all, "my own slice");
  KIT_OK(cw_barrier(cw_team_world()));
}

/* Passes the address of one process with another process as the target. */
static void test_targets(void)
{
  int here[BYTES / sizeof(int)] = {0};
  for (int target = 0; target < all; target++) {
    char words[100];
    const int whose = (target + 1) % all;
    snprintf(words, sizeof words, "remote is|in a slice of process %d, not of process %d", whose,
             target);
    kit_about("the address of process %d for process %d", whose, target);
    KIT_MISUSE(words, cw_put(here, at[whose], 8, target));
    KIT_MISUSE(words, cw_get(here, at[whose], 8, target));
    KIT_MISUSE(words, cw_accumulate(CW_INT, NULL, here, at[whose], 8, target));
    KIT_MISUSE(words, cw_fetch_add_int32(at[whose], 1, target, here));
    KIT_MISUSE(words, cw_notify(at[whose], 1, target));
  }
}

/* Passes the address of another node's process as a buffer: to a node peer, and to that process. */
static void test_buffers(void)
{
  const int whose = remote_process();
  const ptrdiff_t stride = 16;
  const size_t rows = 2;
  char words[100], here[8];
  void *buffers[] = {here, at[whose]};
  snprintf(words, sizeof words, "local is|in a slice of process %d, on node %d", whose,
           cw_process_node(whose));
  for (int target = 0; target < all; target++) {
    void *there[] = {at[target], at[target]};
    const cw_vector vector = {buffers, there, 2, 8};
    const cw_transfer list = cw_vectors(CW_GET, &vector, 1, target);
    const cw_transfer strided =
        cw_strided(CW_PUT, at[whose], &stride, at[target], &stride, 8, &rows, 1, target);
    kit_about("the address of process %d as a buffer, to process %d", whose, target);
    KIT_MISUSE(words, cw_put(at[whose], at[target], 8, target));
    KIT_MISUSE(words, cw_get(at[whose], at[target], 8, target));
    KIT_MISUSE(words, cw_accumulate(CW_INT, NULL, at[whose], at[target], 8, target));
    KIT_MISUSE(words, cw_transfer_run(&strided));
    KIT_MISUSE(words, cw_transfer_run(&list));
  }
}

/* Passes the address of another node's process as the values of a list of elements. */
static void test_values(void)
{
  const int64_t extent = all, index = me;
  const cw_array_options options = {.type = CW_INT64, .dimensions = 1, .extents = &extent};
  int64_t value = me;
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_MISUSE("values is|in a slice of process",
             cw_array_gather(array, 1, &index, at[remote_process()]));
  KIT_MISUSE("values is|in a slice of process",
             cw_array_scatter(array, 1, &index, at[remote_process()]));
  KIT_MISUSE("values is|in a slice of process",
             cw_array_scatter_accumulate(array, 1, &index, at[remote_process()], NULL));
  KIT_OK(cw_array_scatter(array, 1, &index, &value));
  value = -1;
  KIT_OK(cw_array_gather(array, 1, &index, &value));
  kit_check_long(value, me, "my element");
  KIT_OK(cw_array_destroy(&array));
}

static void take_for_pointer(bool store)
{
  volatile int *pointer = at[0];
  if (me == 1 && store)
    *pointer = 1;
  else if (me == 1)
    printf("process 1 went on with %d\n", *pointer);
  KIT_OK(cw_barrier(cw_team_world()));
  printf("process %d went on\n", me);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "apart");
  me = kit_me();
  all = kit_processes();
  kit_make_region(BYTES, &region, &at);
  if (argc > 1 && strcmp(argv[1], "few") != 0) {
    take_for_pointer(strcmp(argv[1], "store") == 0);
  } else {
    test_moves();
    if (argc == 1) {
      test_names();
      test_targets();
      test_buffers();
      test_values();
    }
  }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_free_region(&region, at);
  return kit_finish_native();
}
