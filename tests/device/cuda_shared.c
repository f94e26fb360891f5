/* Memory of another process's CUDA device: two processes write and read each other's memory, and
 * close it before the owner frees it. With the real driver or the fake one. */
#include "kit/native.h"

#include "device/backend.h"
#include "device/fake_cuda/control.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 3 << 20, PART = 1000 };

static const struct cwi_backend *const back = &cwi_backend_cuda;
static void *device;

static void finish(enum cwi_device_queue queue)
{
  void *event = NULL;
  KIT_MUST(back->event(device, queue, &event));
  KIT_OK(back->wait(device, event));
  back->forget(device, event);
}

static void move(bool there, void *memory, size_t offset, void *host, size_t bytes)
{
  const struct cwi_device_rows rows = {
      .run = bytes, .rows = 1, .host = host, .memory = memory, .offset = offset};
  const enum cwi_device_queue queue = there ? CWI_QUEUE_IN : CWI_QUEUE_OUT;
  KIT_OK(there ? back->write(device, queue, &rows) : back->read(device, queue, &rows));
  finish(queue);
}

static char letter(int process, size_t place)
{
  return (char)(process * 101 + (int)(place % 251));
}

static void fill(char *host, int process, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    host[i] = letter(process, i);
}

/* This process fills its memory; the other one reads all of it and overwrites the first part. */
static void exchange(void *mine, const struct cwi_device_export *name, int other)
{
  void *theirs = NULL;
  char *host = kit_alloc(BYTES, 1), *want = kit_alloc(BYTES, 1);
  fill(host, kit_me(), BYTES);
  move(true, mine, 0, host, BYTES);
  kit_barrier();
  KIT_MUST(back->take(device, name, BYTES, &theirs));
  fill(want, other, BYTES);
  move(false, theirs, 0, host, BYTES);
  kit_check_bytes(host, want, BYTES, "the other's memory");
  kit_barrier();
  fill(host, kit_me(), PART);
  move(true, theirs, 0, host, PART);

  /* Copies within the device, from this process's memory to the other's. */
  KIT_OK(back->copy(device, CWI_QUEUE_WORK,
                    &(struct cwi_device_copy){.run = 100,
                                              .rows = 5,
                                              .from = mine,
                                              .to = theirs,
                                              .from_offset = PART,
                                              .from_stride = 200,
                                              .to_offset = (size_t)2 * PART + 1000,
                                              .to_stride = 150}));
  finish(CWI_QUEUE_WORK);
  back->back(device, theirs);
  kit_barrier();
  fill(want, kit_me(), BYTES);
  fill(want, other, PART);
  for (size_t i = 0; i < 5; i++)
    for (size_t j = 0; j < 100; j++)
      want[(size_t)2 * PART + 1000 + 150 * i + j] = letter(other, PART + 200 * i + j);
  move(false, mine, 0, host, BYTES);
  kit_check_bytes(host, want, BYTES, "my memory, in which the other has written");
  free(host);
  free(want);
}

static void test_failures(void *mine)
{
  void *taken = NULL;
  struct cwi_device_export name = {{0}};
  kit_about("refusals");
  KIT_OUTSIDE("cuIpcOpenMemHandle_v2", back->take(device, &name, BYTES, &taken));
  KIT_OK(back->give(device, mine, &name));
  KIT_OUTSIDE("cuIpcOpenMemHandle_v2", back->take(device, &name, BYTES, &taken));
  kit_check(taken == NULL, "memory was taken although it is refused");
}

/* Fake driver only: the owner's memory is gone, or a call fails. */
static void test_stale(const struct cwi_device_export *name)
{
  void *taken = NULL;
  kit_about("memory that has been freed");
  if (fake_cuda_find("fake_cuda_functions") != NULL)
    KIT_OUTSIDE("cuIpcOpenMemHandle_v2|CUDA_ERROR_INVALID_VALUE",
                back->take(device, name, BYTES, &taken));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "cuda_shared");
  char why[512] = "";
  if (back->count(why, sizeof why) == 0)
    kit_skip(why);
  cw_device_facts facts;
  KIT_MUST(back->open(1, &device, &facts));
  const int other = 1 - kit_me();
  for (int round = 0; round < 3; round++) {
    void *mine = NULL;
    struct cwi_device_export name, others;
    kit_about("round %d", round);
    KIT_MUST(back->allocate(device, BYTES, &mine));
    KIT_OK(back->give(device, mine, &name));
    MPI_Sendrecv(&name, (int)sizeof name, MPI_BYTE, other, 0, &others, (int)sizeof others, MPI_BYTE,
                 other, 0, kit_comm(), MPI_STATUS_IGNORE);
    exchange(mine, &others, other);
    test_failures(mine);
    kit_barrier();
    back->release(device, mine);
    kit_barrier();
    test_stale(&others);
  }
  back->close(device);
  return kit_finish_native();
}
