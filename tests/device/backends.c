/* Tests the interface of back ends (device/backend.h): devices, memory and rows here; queues and
 * events in queues.c; programs and kernels in launches.c; the library's own kernels in
 * own_kernels.c. One process. Usage: backends host|opencl|cuda [rounds] */
#include "device/backends.h"

#include "base/clock.h"
#include "base/settings.h"
#include "device/fake_cuda/control.h"
#include "device/trial.h"

#include <stdlib.h>
#include <string.h>

const struct cwi_backend *back;
void *device;
cw_device_facts facts;

void backends_finish(enum cwi_device_queue queue)
{
  void *event = NULL;
  KIT_MUST(back->event(device, queue, &event));
  KIT_OK(back->wait(device, event));
  back->forget(device, event);
}

void backends_write(void *memory, size_t offset, const void *bytes, size_t count)
{
  KIT_OK(back->write(
      device, CWI_QUEUE_IN,
      &(struct cwi_device_rows){
          .run = count, .rows = 1, .host = (char *)bytes, .memory = memory, .offset = offset}));
  backends_finish(CWI_QUEUE_IN);
}

void backends_read(void *memory, size_t offset, void *bytes, size_t count)
{
  KIT_OK(
      back->read(device, CWI_QUEUE_OUT,
                 &(struct cwi_device_rows){
                     .run = count, .rows = 1, .host = bytes, .memory = memory, .offset = offset}));
  backends_finish(CWI_QUEUE_OUT);
}

void backends_random(void *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    ((char *)bytes)[i] = (char)kit_own(256);
}

/* --- Devices ---------------------------------------------------------------------------------- */

static void test_facts(void)
{
  kit_about("facts");
  kit_check(facts.kind == back->kind, "kind %d, not %d", (int)facts.kind, (int)back->kind);
  kit_check_long(facts.number, 1, "number");
  kit_check(facts.name[0] != '\0', "no name");
  kit_check(facts.most > 0 && facts.most <= facts.memory, "at most %zu of %zu bytes", facts.most,
            facts.memory);
  kit_check(facts.alignment > 0 && (facts.alignment & (facts.alignment - 1)) == 0 &&
                facts.alignment <= 4096,
            "alignment %zu", facts.alignment);
}

/* Opens the same device twice. Operations on one must not affect the other. */
static void test_open_twice(void)
{
  kit_about("opened twice");
  char why[256];
  void *first = device, *second = NULL, *memory = NULL;
  cw_device_facts again;
  kit_check(back->count(why, sizeof why) >= 1, "no device any more: %s", why);
  if (!KIT_OK(back->open(1, &second, &again)))
    return;
  kit_check(strcmp(again.name, facts.name) == 0, "now it is called '%s'", again.name);
  KIT_MUST(back->allocate(first, 100, &memory));
  backends_write(memory, 0, "here", 5);
  device = second;
  void *other = NULL;
  KIT_MUST(back->allocate(second, 100, &other));
  backends_write(other, 0, "there", 6);
  back->release(second, other);
  back->close(second);
  device = first;
  char got[5];
  backends_read(memory, 0, got, sizeof got);
  kit_check(strcmp(got, "here") == 0, "another device's close changed memory of mine");
  back->release(first, memory);
}

/* Opens every device that is counted. */
static void test_count(void)
{
  char why[256];
  const int count = back->count(why, sizeof why);
  kit_about("all %d devices", count);
  for (int number = 1; number <= count; number++) {
    void *other = NULL;
    cw_device_facts reported = {0};
    if (!KIT_OK(back->open(number, &other, &reported)))
      continue;
    kit_check_long(reported.number, number, "number");
    back->close(other);
  }
}

/* The emulated device takes at least the time of a device of its speed. */
static void test_clock(void)
{
  enum { WRITES = 50 };
  const double latency = 1e-9 * (double)cwi_settings.device_host_latency;
  if (back->kind != CW_DEVICE_HOST || cwi_settings.device_host_rate == 0)
    return;
  kit_about("the device's own clock");
  void *memory = NULL;
  const size_t bytes = 100 * (size_t)cwi_settings.device_host_rate; /* 100 microseconds */
  char *host = kit_alloc(bytes, 1);
  KIT_MUST(back->allocate(device, bytes, &memory));
  const double begin = cwi_now();
  for (int i = 0; i < WRITES; i++)
    KIT_OK(back->write(
        device, CWI_QUEUE_IN,
        &(struct cwi_device_rows){.run = bytes, .rows = 1, .host = host, .memory = memory}));
  backends_finish(CWI_QUEUE_IN);
  const double took = cwi_now() - begin, least = WRITES * (latency + 1e-4);
  kit_check(took >= 0.999 * least, "%g s, which a device of that speed needs %g for", took, least);
  back->release(device, memory);
  free(host);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void test_too_large(void)
{
  kit_about("too large");
  void *memory = NULL;
  char limit[32];
  snprintf(limit, sizeof limit, "%zu", facts.most);
  KIT_OUTSIDE(limit, back->allocate(device, facts.most + 1, &memory));
  kit_check(memory == NULL, "memory was given although it is refused");
  KIT_OUTSIDE(limit, back->allocate(device, SIZE_MAX / 2, &memory));
  if (KIT_OK(back->allocate(device, 1, &memory)))
    back->release(device, memory);
}

/* Allocates all memory: the next allocation fails, and freed memory becomes available again. */
static void test_full(void)
{
  kit_about("a full device");
  void *whole = NULL, *more = NULL;
  if (back->kind == CW_DEVICE_OPENCL || facts.most != facts.memory ||
      facts.memory > (size_t)1 << 30) /* not guaranteed there, or too much on a real device */
    return;
  KIT_MUST(back->allocate(device, facts.most, &whole));
  KIT_OUTSIDE("", back->allocate(device, 1, &more));
  back->release(device, whole);
  if (KIT_OK(back->allocate(device, facts.most, &more)))
    back->release(device, more);
}

static void test_many(void)
{
  kit_about("memories that come and go");
  enum { MANY = 40 };
  void *memories[MANY] = {NULL};
  char mine[MANY][64], got[64];
  for (int i = 0; i < 400; i++) {
    const int which = kit_own(MANY);
    if (memories[which] != NULL) {
      backends_read(memories[which], 100, got, sizeof got);
      kit_check_bytes(got, mine[which], sizeof got, "a memory");
      back->release(device, memories[which]);
      memories[which] = NULL;
    } else if (KIT_OK(back->allocate(device, 164 + (size_t)kit_own(100000), &memories[which]))) {
      backends_random(mine[which], sizeof mine[which]);
      backends_write(memories[which], 100, mine[which], sizeof mine[which]);
    }
  }
  for (int i = 0; i < MANY; i++)
    if (memories[i] != NULL)
      back->release(device, memories[i]);
}

/* A device may reject this if it is not the processor. */
static void test_wrap(void)
{
  enum { BYTES = 8192 };
  kit_about("wrapped memory of the host");
  void *memory = NULL;
  char *host = NULL, got[BYTES];
  if (back->wrap == NULL || posix_memalign((void **)&host, facts.alignment, BYTES) != 0)
    return;
  char *model = kit_alloc(BYTES, 1);
  backends_random(host, BYTES);
  memcpy(model, host, BYTES);
  if (back->wrap(device, host, BYTES, &memory) == CW_OK) {
    backends_read(memory, 0, got, BYTES);
    kit_check_bytes(got, model, BYTES, "what the host stored");
    backends_random(model, BYTES);
    backends_write(memory, 0, model, BYTES);
    kit_check_bytes(host, model, BYTES, "what the device stored");
    back->release(device, memory);
    kit_check_bytes(host, model, BYTES, "what the device stored, after the release");
  } else {
    kit_check(cw_error_message()[0] != '\0', "a refusal without a sentence");
  }
  free(host);
  free(model);
}

static void test_locate(void)
{
  kit_about("places");
  void *memory = NULL;
  KIT_MUST(back->allocate(device, 1000, &memory));
  cw_device_location first = {0}, later = {0};
  back->locate(device, memory, 0, &first);
  back->locate(device, memory, 640, &later);
  if (back->kind == CW_DEVICE_OPENCL)
    kit_check(first.buffer != NULL && later.buffer == first.buffer && first.address == 0 &&
                  later.offset == first.offset + 640,
              "buffer and offset");
  else
    kit_check(first.buffer == NULL && first.address != 0 && later.address == first.address + 640,
              "addresses %lx and %lx", (long)first.address, (long)later.address);
  back->release(device, memory);
}

/* --- Rows ------------------------------------------------------------------------------------- */

enum { BUFFER_BYTES = 60000 };

/* Random rows, which sometimes begin at the first byte or end at the last one. */
struct block {
  size_t offset, stride;
};

static struct block random_block(size_t run, size_t rows)
{
  struct block block = {0, run};
  if (rows > 1)
    block.stride += (size_t)kit_own((int)((BUFFER_BYTES - rows * run) / (rows - 1)) + 1) /
                    (size_t)(1 + kit_own(9));
  const size_t left = BUFFER_BYTES - (rows - 1) * block.stride - run;
  const int edge = kit_own(4);
  block.offset = edge == 0 ? 0 : edge == 1 ? left : (size_t)kit_own((int)left + 1);
  return block;
}

static void move_rows(char *to, struct block into, const char *from, struct block of, size_t run,
                      size_t rows)
{
  for (size_t i = 0; i < rows; i++)
    memcpy(to + into.offset + i * into.stride, from + of.offset + i * of.stride, run);
}

/* Two device memories and a host buffer, with a model of each. */
static void test_rows(long rounds)
{
  void *memories[2] = {NULL};
  char *models[2], *host = kit_alloc(BUFFER_BYTES, 1), *host_model = kit_alloc(BUFFER_BYTES, 1),
                   *got = kit_alloc(BUFFER_BYTES, 1);
  for (int i = 0; i < 2; i++) {
    models[i] = kit_alloc(BUFFER_BYTES, 1);
    backends_random(models[i], BUFFER_BYTES);
    KIT_MUST(back->allocate(device, BUFFER_BYTES, &memories[i]));
    backends_write(memories[i], 0, models[i], BUFFER_BYTES);
  }
  for (long round = 0; round < rounds; round++) {
    const size_t rows = 1 + (size_t)kit_own(kit_own(3) == 0 ? 300 : 8);
    const size_t run = 1 + (size_t)kit_own((int)(BUFFER_BYTES / rows)) / (size_t)(1 + kit_own(50));
    const struct block there = random_block(run, rows), here = random_block(run, rows);
    const int which = kit_own(2), way = kit_own(3), queue = kit_own(CWI_DEVICE_QUEUES);
    kit_about("round %ld: %s %zu rows of %zu bytes, %zu by %zu there, %zu by %zu here", round,
              way == 0   ? "write"
              : way == 1 ? "read"
                         : "copy",
              rows, run, there.offset, there.stride, here.offset, here.stride);
    const struct cwi_device_rows given = {.run = run,
                                          .rows = rows,
                                          .host = host + here.offset,
                                          .host_stride = here.stride,
                                          .memory = memories[which],
                                          .offset = there.offset,
                                          .stride = there.stride};
    if (way == 0) {
      backends_random(host, BUFFER_BYTES / 8);
      memcpy(host_model, host, BUFFER_BYTES);
      KIT_OK(back->write(device, (enum cwi_device_queue)queue, &given));
      move_rows(models[which], there, host, here, run, rows);
    } else if (way == 1) {
      KIT_OK(back->read(device, (enum cwi_device_queue)queue, &given));
      move_rows(host_model, here, models[which], there, run, rows);
    } else {
      KIT_OK(back->copy(device, (enum cwi_device_queue)queue,
                        &(struct cwi_device_copy){.run = run,
                                                  .rows = rows,
                                                  .from = memories[which],
                                                  .to = memories[1 - which],
                                                  .from_offset = there.offset,
                                                  .from_stride = there.stride,
                                                  .to_offset = here.offset,
                                                  .to_stride = here.stride}));
      move_rows(models[1 - which], here, models[which], there, run, rows);
    }
    backends_finish((enum cwi_device_queue)queue);
    kit_check_bytes(host, host_model, BUFFER_BYTES, "the host's buffer");
    for (int i = 0; i < 2; i++) {
      backends_read(memories[i], 0, got, BUFFER_BYTES);
      kit_check_bytes(got, models[i], BUFFER_BYTES, "a memory");
    }
  }
  for (int i = 0; i < 2; i++) {
    back->release(device, memories[i]);
    free(models[i]);
  }
  free(host);
  free(host_model);
  free(got);
}

/* Copies within one memory, between disjoint ranges. */
static void test_copy_within(void)
{
  kit_about("copy within a memory");
  enum { HALF = 5000 };
  void *memory = NULL;
  char model[2 * HALF], got[2 * HALF];
  backends_random(model, sizeof model);
  KIT_MUST(back->allocate(device, sizeof model, &memory));
  backends_write(memory, 0, model, sizeof model);
  KIT_OK(back->copy(device, CWI_QUEUE_WORK,
                    &(struct cwi_device_copy){.run = 7,
                                              .rows = 100,
                                              .from = memory,
                                              .to = memory,
                                              .from_offset = 3,
                                              .from_stride = 41,
                                              .to_offset = HALF,
                                              .to_stride = 7}));
  backends_finish(CWI_QUEUE_WORK);
  for (int i = 0; i < 100; i++)
    memcpy(model + HALF + 7 * i, model + 3 + 41 * i, 7);
  backends_read(memory, 0, got, sizeof got);
  kit_check_bytes(got, model, sizeof got, "the memory");
  back->release(device, memory);
}

int main(int argc, char **argv)
{
  static const struct cwi_backend *const known[] = {CWI_TESTED_BACKENDS};
  kit_start_native(&argc, &argv, "backends");
  const char *wanted = argc > 1 ? argv[1] : "host";
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(known[i]->name, wanted) == 0)
      back = known[i];
  if (back == NULL)
    kit_skip("this build has no such back end");
  char why[256] = "";
  if (back->count(why, sizeof why) == 0)
    kit_skip(why);
  fake_cuda_give(trial_functions);
  KIT_MUST(back->open(1, &device, &facts));
  const long rounds = kit_rounds(argc > 2 ? argv[2] : NULL, 200);
  printf("backends: %s device 1 is %s\n", back->name, facts.name);
  test_facts();
  test_count();
  test_clock();
  test_too_large();
  test_full();
  test_many();
  test_wrap();
  test_locate();
  test_rows(rounds);
  test_copy_within();
  test_queues();
  test_launches();
  test_own_kernels(rounds);
  test_open_twice();
  back->close(device);
  return kit_finish_native();
}
