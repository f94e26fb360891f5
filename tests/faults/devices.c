/* Like native.c, for devices: each allocation of the device module, of a back end and of an agent
 * fails once, and the call that needed it is repeated. */
#include "verdict.h"

#include <causeway/device.h>

#include <string.h>

enum { WORDS = 300, STRIDE = 2, LONG = 1 << 20 };

static cw_device device;

static void twice(void *const *arguments, const size_t global[3])
{
  int64_t *words = arguments[0];
  for (size_t i = 0; i < global[0]; i++)
    words[i] *= *(const int64_t *)arguments[1];
}

static const cw_host_function functions[] = {{"twice", twice}, {NULL, NULL}};

static void run_kernel(void *memory)
{
  const int64_t two = 2;
  const cw_kernel_argument arguments[] = {{.memory = memory},
                                          {.scalar = &two, .bytes = sizeof two}};
  const cw_kernel_launch_options launch = {.arguments = arguments, .count = 2, .global = {WORDS}};
  cw_kernel kernel = NULL;
  MUST(cw_kernel_create(device, &(cw_kernel_source){.functions = functions}, "twice", &kernel));
  MUST(cw_kernel_launch(kernel, &launch));
  MUST(cw_device_finish(device));
  MUST(cw_kernel_free(&kernel));
}

/* Moves every second word of a slice. */
static void move_rows(cw_operation operation, int64_t *words, int64_t *remote, int process)
{
  const ptrdiff_t local = sizeof(int64_t), stride = STRIDE * sizeof(int64_t);
  const size_t rows = WORDS / STRIDE;
  const cw_transfer transfer =
      cw_strided(operation, words, &local, remote, &stride, sizeof(int64_t), &rows, 1, process);
  MUST(cw_transfer_run(&transfer));
}

/* Moves words[i] in rows, adds them once more, and lets the owner double them. */
static void use_slices(void **slices, int64_t *words, int64_t *got)
{
  int64_t *there = slices[peer];
  for (int i = 0; i < WORDS; i++)
    words[i] = i;
  MUST(cw_put(words, there, WORDS * sizeof *words, peer));
  move_rows(CW_PUT, words, there, peer);
  MUST(cw_accumulate(CW_LONG, NULL, words, there, WORDS * sizeof *words, peer));
  MUST(cw_fence(peer));
  MUST(cw_barrier(cw_team_world()));
  run_kernel(slices[me]);
  MUST(cw_barrier(cw_team_world()));
  MUST(cw_get(got, there, WORDS * sizeof *got, peer));
  for (int i = 0; i < WORDS; i++)
    expect(got[i] == 2 * (i + (i % STRIDE == 0 ? i / STRIDE : i)), "words on a device are wrong");
  memset(got, 0, WORDS * sizeof *got);
  move_rows(CW_GET, got, there, peer);
  expect(got[1] == 2 * (2 + 1), "rows of a device are wrong");
}

static void use_lists(void **slices, int64_t *words, int64_t *got)
{
  int64_t *there = slices[peer];
  void *local[] = {words, words + 10}, *remote[] = {there + 20, there};
  const cw_vector vector = {local, remote, 2, 10 * sizeof *words};
  const cw_transfer list = cw_vectors(CW_PUT, &vector, 1, peer);
  MUST(cw_transfer_run(&list));
  MUST(cw_get(got, there, 30 * sizeof *got, peer));
  expect(got[0] == 10 && got[20] == 0 && got[29] == 9, "a list on a device is wrong");
}

/* Moves four pieces, and copies within the slice. */
static void use_long(void **slices)
{
  char *mine = slices[me], *there = slices[peer];
  MUST(cw_device_put(mine, there + LONG, LONG, peer));
  MUST(cw_device_get(mine + LONG / 2, there, LONG / 2, peer));
  MUST(cw_device_put(mine, mine + LONG / 2, LONG / 2, me));
}

int main(int argc, char **argv)
{
  static int64_t words[WORDS], got[WORDS];
  cw_region region = NULL;
  void *slices[2];
  faults_start(&argc, &argv);
  doing = "device";
  MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  TOGETHER(2, cw_region_create_on(cw_team_world(), device, 2 * LONG, &region, slices));
  use_slices(slices, words, got);
  MUST(cw_barrier(cw_team_world()));
  use_lists(slices, words, got);
  MUST(cw_barrier(cw_team_world()));
  use_long(slices);
  MUST(cw_barrier(cw_team_world()));
  TOGETHER(2, cw_region_free(cw_team_world(), &region));
  MUST(cw_device_close(&device));
  return faults_finish();
}
