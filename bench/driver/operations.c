/* The operations, written with the ARMCI API. Compiled twice: as bench_ours with Causeway's armci.h
 * and library into a module, and as bench_peer with Debian's into the driver. */
#include "side.h"

#include <armci.h>

static void check(int failed, const char *what)
{
  if (failed != 0)
    ARMCI_Error(what, failed);
}

static void start(void)
{
  check(ARMCI_Init(), "ARMCI_Init");
  check(ARMCI_Create_mutexes(1), "ARMCI_Create_mutexes");
}

static void stop(void)
{
  check(ARMCI_Destroy_mutexes(), "ARMCI_Destroy_mutexes");
  check(ARMCI_Finalize(), "ARMCI_Finalize");
}

static void allocate(size_t bytes, char **slices)
{
  void *bases[2] = {NULL, NULL};
  check(ARMCI_Malloc(bases, (armci_size_t)bytes), "ARMCI_Malloc");
  slices[0] = bases[0];
  slices[1] = bases[1];
}

static void release(char *mine)
{
  check(ARMCI_Free(mine), "ARMCI_Free");
}

static void access_begin(char *mine)
{
  ARMCI_Access_begin(mine);
}

static void access_end(char *mine)
{
  ARMCI_Access_end(mine);
}

static void put8(const struct bench_work *work, size_t times)
{
  int failed = 0;
  for (size_t i = 0; i < times; i++) {
    failed |= ARMCI_Put(work->local, work->remote, 8, work->process);
    if (work->fence)
      ARMCI_Fence(work->process);
  }
  ARMCI_Fence(work->process);
  check(failed, "ARMCI_Put of 8 bytes");
}

static void get8(const struct bench_work *work, size_t times)
{
  int failed = 0;
  for (size_t i = 0; i < times; i++)
    failed |= ARMCI_Get(work->remote, work->local, 8, work->process);
  check(failed, "ARMCI_Get of 8 bytes");
}

static void fetch_add(const struct bench_work *work, size_t times)
{
  int failed = 0;
  for (size_t i = 0; i < times; i++)
    failed |= ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, work->local, work->remote, 1, work->process);
  check(failed, "ARMCI_Rmw");
}

static void put(const struct bench_work *work, size_t times)
{
  int failed = 0;
  for (size_t i = 0; i < times; i++) {
    failed |= ARMCI_Put(work->local, work->remote, (int)work->bytes, work->process);
    if (work->fence)
      ARMCI_Fence(work->process);
  }
  ARMCI_Fence(work->process);
  check(failed, "ARMCI_Put");
}

static void get(const struct bench_work *work, size_t times)
{
  int failed = 0;
  for (size_t i = 0; i < times; i++)
    failed |= ARMCI_Get(work->remote, work->local, (int)work->bytes, work->process);
  check(failed, "ARMCI_Get");
}

static void acc(const struct bench_work *work, size_t times)
{
  int failed = 0;
  double scale = work->scale;
  for (size_t i = 0; i < times; i++) {
    failed |= ARMCI_Acc(ARMCI_ACC_DBL, &scale, work->local, work->remote, (int)work->bytes,
                        work->process);
    if (work->fence)
      ARMCI_Fence(work->process);
  }
  ARMCI_Fence(work->process);
  check(failed, "ARMCI_Acc");
}

static void put_rows(const struct bench_work *work, size_t times)
{
  int failed = 0;
  int count[2] = {(int)work->bytes, (int)work->rows};
  int local = (int)work->bytes, remote = BENCH_STRIDE;
  for (size_t i = 0; i < times; i++) {
    failed |= ARMCI_PutS(work->local, &local, work->remote, &remote, count, 1, work->process);
    if (work->fence)
      ARMCI_Fence(work->process);
  }
  ARMCI_Fence(work->process);
  check(failed, "ARMCI_PutS");
}

static void get_rows(const struct bench_work *work, size_t times)
{
  int failed = 0;
  int count[2] = {(int)work->bytes, (int)work->rows};
  int local = (int)work->bytes, remote = BENCH_STRIDE;
  for (size_t i = 0; i < times; i++)
    failed |= ARMCI_GetS(work->remote, &remote, work->local, &local, count, 1, work->process);
  check(failed, "ARMCI_GetS");
}

static void acc_rows(const struct bench_work *work, size_t times)
{
  int failed = 0;
  double scale = work->scale;
  int count[2] = {(int)work->bytes, (int)work->rows};
  int local = (int)work->bytes, remote = BENCH_STRIDE;
  for (size_t i = 0; i < times; i++) {
    failed |= ARMCI_AccS(ARMCI_ACC_DBL, &scale, work->local, &local, work->remote, &remote, count,
                         1, work->process);
    if (work->fence)
      ARMCI_Fence(work->process);
  }
  ARMCI_Fence(work->process);
  check(failed, "ARMCI_AccS");
}

static void create_free(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    char *slices[2];
    int me = armci_msg_me();
    allocate(work->bytes, slices);
    release(slices[me]);
  }
}

static void synchronise(void)
{
  ARMCI_Barrier();
}

static void barrier(const struct bench_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    ARMCI_Barrier();
}

static void fence(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++)
    ARMCI_Fence(work->process);
}

static void lock(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    ARMCI_Lock(0, work->process);
    ARMCI_Unlock(0, work->process);
  }
}

const struct bench_side BENCH_SIDE = {
    .start = start,
    .stop = stop,
    .allocate = allocate,
    .release = release,
    .access = access_begin,
    .access_end = access_end,
    .synchronise = synchronise,
    .loops = {[BENCH_PUT8] = put8,
              [BENCH_GET8] = get8,
              [BENCH_FETCH_ADD] = fetch_add,
              [BENCH_PUT] = put,
              [BENCH_GET] = get,
              [BENCH_ACC] = acc,
              [BENCH_PUT_ROWS] = put_rows,
              [BENCH_GET_ROWS] = get_rows,
              [BENCH_ACC_ROWS] = acc_rows,
              [BENCH_CREATE_FREE] = create_free,
              [BENCH_BARRIER] = barrier,
              [BENCH_FENCE] = fence,
              [BENCH_LOCK] = lock},
};
