/* Tests programs and kernels of a back end. */
#include "device/backends.h"
#include "device/trial.h"

#include <stdlib.h>
#include <string.h>

static void *program;

static void *find(const char *name)
{
  void *kernel = NULL;
  KIT_MUST(back->find(device, program, name, &kernel));
  return kernel;
}

static struct cwi_device_argument memory_at(void *memory, size_t offset)
{
  return (struct cwi_device_argument){.memory = memory, .offset = offset};
}

static struct cwi_device_argument scalar(const void *value, size_t bytes)
{
  return (struct cwi_device_argument){.scalar = value, .bytes = bytes};
}

static void test_programs(void)
{
  kit_about("programs");
  void *built = NULL, *kernel = NULL;
  static const char wrong[] = "no_such_word kernel ( {";
  static const cw_kernel_source none = {NULL, NULL, NULL, NULL};
  const cw_kernel_source broken = {wrong, NULL, wrong, NULL};
  KIT_MISUSE("", back->build(device, &none, &built));
  if (back->kind == CW_DEVICE_OPENCL) /* the compiler's log quotes the source */
    KIT_OUTSIDE("no_such_word", back->build(device, &broken, &built));
  if (back->kind == CW_DEVICE_CUDA)
    KIT_OUTSIDE("", back->build(device, &broken, &built));
  kit_check(built == NULL, "a program came of a wrong text");
  KIT_MUST(back->build(device, &trial_source, &built));
  KIT_MISUSE("trial_nothing", back->find(device, built, "trial_nothing", &kernel));
  back->drop(device, built);
}

/* Runs items in one, two and three dimensions, in groups of the device's choice and of the
 * caller's. */
static void test_dimensions(void)
{
  enum { MOST = 300000 };
  static const size_t sizes[][2][3] = {
      {{1, 1, 1}, {0}},           {{997, 1, 1}, {0}},        {{4096, 1, 1}, {0}},
      {{4096, 1, 1}, {64, 1, 1}}, {{31, 41, 1}, {0}},        {{64, 32, 1}, {8, 4, 1}},
      {{7, 11, 13}, {0}},         {{16, 8, 6}, {4, 2, 3}},   {{1, 1, 50}, {0}},
      {{1, 300, 1}, {1, 100, 1}}, {{12, 1, 12}, {12, 1, 1}}, {{1, 5003, 1}, {0}},
      {{3, 70000, 1}, {0}},       {{4, 1, 70000}, {0}}};
  void *memory = NULL, *kernel = find("trial_index");
  uint32_t *zeros = kit_alloc(MOST, sizeof *zeros), *want = kit_alloc(MOST, sizeof *want),
           *got = kit_alloc(MOST, sizeof *got);
  KIT_MUST(back->allocate(device, facts.alignment + MOST * sizeof *got, &memory));
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const size_t *global = sizes[i][0], *local = sizes[i][1];
    kit_about("%zu by %zu by %zu items in groups of %zu by %zu by %zu", global[0], global[1],
              global[2], local[0], local[1], local[2]);
    const uint32_t size0 = (uint32_t)global[0], size1 = (uint32_t)global[1];
    const struct cwi_device_argument arguments[] = {memory_at(memory, facts.alignment),
                                                    scalar(&size0, 4), scalar(&size1, 4)};
    struct cwi_device_launch launch = {.kernel = kernel, .arguments = arguments, .count = 3};
    memcpy(launch.global, global, sizeof launch.global);
    memcpy(launch.local, local, sizeof launch.local);
    backends_write(memory, facts.alignment, zeros, MOST * sizeof *zeros);
    KIT_OK(back->launch(device, CWI_QUEUE_WORK, &launch));
    backends_finish(CWI_QUEUE_WORK);
    memset(want, 0, MOST * sizeof *want);
    for (size_t item = 0; item < global[0] * global[1] * global[2]; item++)
      want[item] = (uint32_t)(item % size0 + 1000 * (item / size0 % size1) +
                              1000000 * (item / size0 / size1));
    backends_read(memory, facts.alignment, got, MOST * sizeof *got);
    kit_check_bytes(got, want, MOST * sizeof *want, "what the items wrote");
  }
  if (back->kind == CW_DEVICE_CUDA) { /* a prime number of items: each is a group */
    const struct cwi_device_launch launch = {.kernel = kernel, .global = {1, 65537, 1}};
    KIT_MISUSE("65535", back->launch(device, CWI_QUEUE_WORK, &launch));
  }
  back->leave(device, kernel);
  back->release(device, memory);
  free(zeros);
  free(want);
  free(got);
}

/* Passes scalars of each size. They are copied at the call, so this test changes them at once. */
static void test_scalars(void)
{
  kit_about("scalars");
  void *memory = NULL, *kernel = find("trial_scalars");
  uint64_t got[56], want[56] = {0x11, 0x2222, 0x33333333, 0x4444444444444444, 5, 6};
  uint8_t one = 0x11;
  uint16_t two = 0x2222;
  uint32_t four = 0x33333333, table[50];
  uint64_t eight = 0x4444444444444444, sixteen[2] = {5, 6};
  for (uint32_t i = 0; i < 50; i++)
    want[6 + i] = table[i] = 7 * i + 1;
  KIT_MUST(back->allocate(device, sizeof got, &memory));
  struct cwi_device_argument arguments[] = {
      memory_at(memory, 0), scalar(&one, 1),     scalar(&two, 2),   scalar(&four, 4),
      scalar(&eight, 8),    scalar(sixteen, 16), scalar(table, 200)};
  KIT_OK(
      back->launch(device, CWI_QUEUE_WORK,
                   &(struct cwi_device_launch){
                       .kernel = kernel, .arguments = arguments, .count = 7, .global = {1, 1, 1}}));
  one = 0, two = 0, four = 0, eight = 0;
  memset(sixteen, 0, sizeof sixteen);
  memset(table, 0, sizeof table);
  memset(arguments, 0, sizeof arguments);
  backends_finish(CWI_QUEUE_WORK);
  backends_read(memory, 0, got, sizeof got);
  kit_check_bytes(got, want, sizeof got, "what came of the scalars");
  back->leave(device, kernel);
  back->release(device, memory);
}

/* Runs many kernels in a row whose result depends on their order, with a transfer between two that
 * wait for it. */
static void test_sequence(void)
{
  enum { COUNT = 1000, STEPS = 100 };
  kit_about("kernels in a row");
  void *memory = NULL, *copy = NULL, *kernel = find("trial_step"), *copier = find("trial_copy");
  uint32_t *got = kit_alloc(COUNT, 4), *want = kit_alloc(COUNT, 4);
  KIT_MUST(back->allocate(device, COUNT * 4, &memory));
  KIT_MUST(back->allocate(device, COUNT * 4, &copy));
  struct cwi_device_rows rows = {.run = COUNT * 4, .rows = 1, .host = (char *)want};
  rows.memory = memory;
  for (uint32_t i = 0; i < COUNT; i++)
    want[i] = i;
  KIT_OK(back->write(device, CWI_QUEUE_IN, &rows));
  KIT_OK(back->order(device, CWI_QUEUE_WORK, CWI_QUEUE_IN));
  for (uint32_t step = 0; step < STEPS; step++) {
    const struct cwi_device_argument arguments[] = {memory_at(memory, 0), scalar(&step, 4)};
    KIT_OK(back->launch(
        device, CWI_QUEUE_WORK,
        &(struct cwi_device_launch){
            .kernel = kernel, .arguments = arguments, .count = 2, .global = {COUNT, 1, 1}}));
  }
  const struct cwi_device_argument both[] = {memory_at(copy, 0), memory_at(memory, 0)};
  KIT_OK(
      back->launch(device, CWI_QUEUE_WORK,
                   &(struct cwi_device_launch){
                       .kernel = copier, .arguments = both, .count = 2, .global = {COUNT, 1, 1}}));
  KIT_OK(back->order(device, CWI_QUEUE_OUT, CWI_QUEUE_WORK));
  rows.memory = copy;
  rows.host = (char *)got;
  KIT_OK(back->read(device, CWI_QUEUE_OUT, &rows));
  backends_finish(CWI_QUEUE_OUT);
  for (uint32_t i = 0; i < COUNT; i++)
    for (uint32_t step = 0; step < STEPS; step++)
      want[i] = 3 * want[i] + step;
  kit_check_bytes(got, want, COUNT * 4, "the result of all of them");
  back->leave(device, kernel);
  back->leave(device, copier);
  back->release(device, memory);
  back->release(device, copy);
  free(got);
  free(want);
}

/* Copies blocks of one memory, more than a back end remembers, to each other in random order. */
static void test_blocks(void)
{
  enum { BLOCKS = 20, COPIES = 400 };
  kit_about("blocks of one memory");
  const size_t bytes = facts.alignment < 64 ? 64 : facts.alignment, words = bytes / 4;
  void *memory = NULL, *kernel = find("trial_copy");
  uint32_t *want = kit_alloc(BLOCKS * words, 4), *got = kit_alloc(BLOCKS * words, 4);
  for (size_t i = 0; i < BLOCKS * words; i++)
    want[i] = (uint32_t)i;
  KIT_MUST(back->allocate(device, BLOCKS * bytes, &memory));
  backends_write(memory, 0, want, BLOCKS * bytes);
  for (int copy = 0; copy < COPIES; copy++) {
    const size_t to = (size_t)kit_common(BLOCKS),
                 from = (to + 1 + (size_t)kit_common(BLOCKS - 1)) % BLOCKS;
    const struct cwi_device_argument both[] = {memory_at(memory, to * bytes),
                                               memory_at(memory, from * bytes)};
    KIT_OK(back->launch(
        device, CWI_QUEUE_WORK,
        &(struct cwi_device_launch){
            .kernel = kernel, .arguments = both, .count = 2, .global = {words, 1, 1}}));
    memcpy(want + to * words, want + from * words, bytes);
  }
  backends_finish(CWI_QUEUE_WORK);
  backends_read(memory, 0, got, BLOCKS * bytes);
  kit_check_bytes(got, want, BLOCKS * bytes, "the blocks");
  back->leave(device, kernel);
  back->release(device, memory);
  free(got);
  free(want);
}

void test_launches(void)
{
  test_programs();
  KIT_MUST(back->build(device, &trial_source, &program));
  test_dimensions();
  test_scalars();
  test_sequence();
  test_blocks();
  back->drop(device, program);
}
