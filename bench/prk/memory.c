/* The memory of a side, and signals in it. */
#include "memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

MPI_Comm prk_comm = MPI_COMM_NULL;

const char *const side_names[SIDES] = {"Causeway", "two-sided", "shared", "one-sided"};

void *allocate(size_t bytes)
{
  void *memory = aligned_alloc(LINE, lines(bytes + 1));
  if (memory != NULL)
    memset(memory, 0, lines(bytes + 1));
  else
    cw_abort("prk: no memory; choose a smaller size with --size", 1);
  return memory;
}

static void memory_share(struct memory *memory)
{
  MPI_Aint bytes;
  int unit;
  MPI_Win_allocate_shared((MPI_Aint)memory->bytes, 1, MPI_INFO_NULL, prk_comm, &memory->mine,
                          &memory->window);
  for (int i = 0; i < cw_processes(); i++)
    MPI_Win_shared_query(memory->window, i, &bytes, &unit, &memory->all[i]);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, memory->window);
}

/* These assertions let MPI optimise: no kernel mixes operations on a location or relies on their
 * order. */
static void memory_open(struct memory *memory)
{
  enum { UNUSED_TAG = 32767 };
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "same_size", "true");
  MPI_Info_set(info, "same_disp_unit", "true");
  MPI_Info_set(info, "accumulate_ops", "same_op");
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Win_allocate((MPI_Aint)memory->bytes, 1, info, prk_comm, &memory->mine, &memory->window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, memory->window);
  MPI_Info_free(&info);
  MPI_Irecv(NULL, 0, MPI_BYTE, cw_process(), UNUSED_TAG, prk_comm, &memory->never);
}

static void memory_close(struct memory *memory)
{
  if (memory->side == WINDOWS) {
    MPI_Cancel(&memory->never);
    MPI_Wait(&memory->never, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(memory->window);
  MPI_Win_free(&memory->window);
}

/* Ends the job if the node has too little space for MPI's shared memory. Its file is created larger
 * than the space, and a process would crash when it touches a missing page. */
static void memory_check(size_t bytes)
{
  struct statvfs space;
  if (cw_process() != 0 || statvfs("/dev/shm", &space) != 0)
    return;
  if ((double)bytes * cw_processes() > (double)space.f_bavail * (double)space.f_frsize)
    cw_abort("prk: /dev/shm is too small for MPI's windows; choose a smaller size with --size, or "
             "--without shared and --without one-sided",
             1);
}

void memory_create(enum side_number side, size_t bytes, struct memory *memory)
{
  uint64_t most = lines(bytes + 1);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, prk_comm);
  *memory = (struct memory){.side = side,
                            .bytes = most,
                            .all = allocate((size_t)cw_processes() * sizeof(void *)),
                            .touched = allocate((size_t)cw_processes() * sizeof(bool)),
                            .window = MPI_WIN_NULL,
                            .never = MPI_REQUEST_NULL,
                            .crowded = cw_processes() > sysconf(_SC_NPROCESSORS_ONLN)};
  if (cw_nodes() == 1 && cw_processes() > 1 && (side == SHARED || side == WINDOWS))
    memory_check(most);
  switch (side) {
  case CAUSEWAY:
    CW_MUST(cw_region_create(cw_team_world(), most, &memory->region, memory->all));
    memory->mine = memory->all[cw_process()];
    break;
  case SHARED:
    memory_share(memory);
    break;
  case WINDOWS:
    memory_open(memory);
    break;
  default:
    memory->mine = allocate(most);
  }
  memset(memory->mine, 0, most); /* touches the pages on the core that uses them */
  MPI_Barrier(prk_comm);
}

void memory_destroy(struct memory *memory)
{
  if (memory->region != NULL)
    CW_MUST(cw_region_free(cw_team_world(), &memory->region));
  else if (memory->window != MPI_WIN_NULL)
    memory_close(memory);
  else
    free(memory->mine);
  free(memory->all);
  free(memory->touched);
}

void *memory_address(const struct memory *memory, int process)
{
  void *address = process == cw_process() ? memory->mine : NULL;
  if (memory->side == CAUSEWAY)
    CW_MUST(cw_address_shared(process, memory->all[process], memory->bytes, &address));
  else if (memory->side == SHARED)
    address = memory->all[process];
  return address;
}

/* The target polls a number while it is being written. MPI does not promise that a put is written
 * at once and only once. All implementations write 8 aligned bytes at once, and a number that only
 * grows does no harm if it is written twice. An accumulate, which MPI promises to be atomic, takes
 * Open MPI milliseconds between hosts. */
void memory_signal(const struct memory *memory, int process, size_t place, const int64_t *numbers,
                   int count)
{
  if (memory->side == WINDOWS) {
    memory->touched[process] = true;
    MPI_Put(numbers, count, MPI_INT64_T, process, (MPI_Aint)place, count, MPI_INT64_T,
            memory->window);
    return;
  }
  int64_t *there = (int64_t *)(void *)((char *)memory->all[process] + place);
  for (int i = 0; i < count; i++)
    __atomic_store_n(&there[i], numbers[i], __ATOMIC_RELEASE);
}

/* MPI_Win_flush_all of MPICH 4.0.2 returns before long gets are complete, so targets are flushed
 * one by one. While this process waits for one, the puts to the others progress. */
void memory_push(const struct memory *memory)
{
  for (int i = 0; memory->side == WINDOWS && i < cw_processes(); i++)
    if (memory->touched[i]) {
      MPI_Win_flush(i, memory->window);
      memory->touched[i] = false;
    }
}

void memory_sync(const struct memory *memory)
{
  if (memory->side == WINDOWS)
    MPI_Win_sync(memory->window);
}

/* Causeway or MPI may need progress by this process for others' transfers, and processes may
 * outnumber the cores. An MPI_Test that finds nothing drives all of MPI's progress. Open MPI's
 * probe does not: only one of 100 probes polls the windows (opal_common_ucx_progress_iterations).
 * Polls of the number come between the steps that may take time. */
static void memory_help(const struct memory *memory, unsigned polls)
{
  enum { SOME = 64, MANY = 1024 };
  const unsigned often = memory->crowded ? SOME : MANY;
  if (polls % SOME == 0 && memory->side == CAUSEWAY)
    cw_progress();
  else if (polls % SOME == 0 && memory->side == WINDOWS) {
    MPI_Request never = memory->never;
    int flag;
    MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
  }
  if (polls % often == often / 2)
    sched_yield();
}

bool memory_reached(const struct memory *memory, size_t place, int64_t least)
{
  const int64_t *number = (const int64_t *)(const void *)(memory->mine + place);
  return __atomic_load_n(number, __ATOMIC_ACQUIRE) >= least;
}

void memory_await(const struct memory *memory, size_t place, int64_t least)
{
  for (unsigned polls = 1; !memory_reached(memory, place, least); polls++)
    memory_help(memory, polls);
  memory_sync(memory);
}

uint64_t memory_await_change(const struct memory *memory, size_t place, uint64_t before)
{
  const uint64_t *word = (const uint64_t *)(const void *)(memory->mine + place);
  uint64_t seen;
  for (unsigned polls = 1; (seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == before; polls++)
    memory_help(memory, polls);
  memory_sync(memory);
  return seen;
}

void wait_for_all(int count, MPI_Request *requests)
{
  for (int i = 0; i < count; i++)
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

void free_all(int count, MPI_Request *requests)
{
  for (int i = 0; i < count; i++)
    MPI_Request_free(&requests[i]);
}
