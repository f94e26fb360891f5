/* Start and stop: counted, repeated, by every function; remaining objects are freed silently. */
#include "armci_kit.h"

#include <stdlib.h>
#include <unistd.h>

static void use(int round)
{
  void **slices = armci_kit_malloc(100000, 0);
  const int next = armci_kit_next();
  ARMCI_PutValueInt(round, slices[next], next);
  ARMCI_Barrier();
  kit_check_long(*(int *)slices[kit_me()], round, "number");
  ARMCI_Barrier();
  free(slices); /* the memory itself is left to Finalize */
  ARMCI_Group world, group;
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_split(&world, kit_me() % 2, 0, &group);
  ARMCI_Create_mutexes(2);
}

static int start(int way, int *argc, char ***argv)
{
  MPI_Comm comm;
  int result = -1;
  switch (way % 6) {
  case 0:
    return ARMCI_Init();
  case 1:
    return ARMCI_Init_args(argc, argv);
  case 2:
    return ARMCI_Init_args(NULL, NULL);
  case 3:
    return ARMCI_Init_thread(MPI_THREAD_SINGLE);
  case 4:
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    result = ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, comm);
    MPI_Comm_free(&comm);
    return result;
  default:
    return ARMCI_Init_mpi_comm(MPI_COMM_WORLD) - 1; /* 1 means success */
  }
}

/* Copies of the world group from before a restart still denote the world. */
static void restarts(int *argc, char ***argv)
{
  ARMCI_Group first;
  for (int way = 0; way < 6; way += 2) {
    int size = 0;
    kit_about("start number %d", way);
    kit_check_long(ARMCI_Initialized(), 0, "ARMCI_Initialized");
    kit_check_long(start(way, argc, argv), 0, "result of the start");
    kit_check_long(start(way + 1, argc, argv), 0, "result of the second start");
    if (way == 0)
      ARMCI_Group_get_world(&first);
    use(way);
    kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    kit_check(ARMCI_Initialized(), "one Finalize ended two starts");
    ARMCI_Group_size(&first, &size);
    kit_check_long(size, kit_processes(), "size of the world");
    kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
    kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize too often");
  }
}

/* Runs on some of the processes: absolute ids are ranks of the given communicator. */
static void part(void)
{
  MPI_Comm half;
  kit_about("half of the processes");
  MPI_Comm_split(MPI_COMM_WORLD, kit_me() % 2, -kit_me(), &half);
  int rank = 0, size = 0;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  kit_check_long(ARMCI_Init_mpi_comm(half), 1, "ARMCI_Init_mpi_comm");
  MPI_Comm_free(&half);
  kit_check_long(armci_msg_me(), rank, "armci_msg_me");
  kit_check_long(armci_msg_nproc(), size, "armci_msg_nproc");
  void **slices = kit_alloc((size_t)size, sizeof *slices);
  ARMCI_Malloc(slices, sizeof(int));
  ARMCI_PutValueInt(rank, slices[(rank + 1) % size], (rank + 1) % size);
  ARMCI_Barrier();
  kit_check_long(*(int *)slices[rank], (rank + size - 1) % size, "my neighbour's number");
  ARMCI_Barrier();
  ARMCI_Free(slices[rank]);
  free(slices);
  kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
}

/* TCGMSG makes MPI return errors on its communicator before ARMCI starts. */
int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "armci.lifecycle");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  ARMCI_Cleanup();
  restarts(&argc, &argv);
  part();
  ARMCI_Cleanup();
  ARMCI_Cleanup();
  return kit_finish();
}
