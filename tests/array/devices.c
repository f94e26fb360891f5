/* Arrays with parts on devices: rejected calls and their messages, the reported locations of parts,
 * and a kernel of the program on its part. Transfers and arithmetic are in tests/array/patches.c
 * and tests/arithmetic/. */
#include "kit/native.h"

#include <causeway/device.h>

#include <stdio.h>

enum { ROWS = 6, COLUMNS = 10 };

static cw_device device;

/* Rows are distributed evenly; members with odd ranks have their part on a device. */
static bool on_device(int rank)
{
  return rank % 2 == 1 || kit_processes() == 1;
}

static cw_array make(const char *name, const int64_t *ghosts, cw_device mine)
{
  const int grid[2] = {kit_processes(), 1};
  const int64_t extents[2] = {ROWS * kit_processes(), COLUMNS};
  const cw_array_options options = {.name = name,
                                    .type = CW_LONG,
                                    .dimensions = 2,
                                    .extents = extents,
                                    .distribution = {.grid = grid, .ghosts = ghosts},
                                    .device = mine};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

static cw_device mine_or_host(void)
{
  return on_device(kit_me()) ? device : NULL;
}

/* Sets the first and the last index of a rank's part. */
static void part_of(int rank, int64_t lo[2], int64_t hi[2])
{
  lo[0] = (int64_t)rank * ROWS;
  hi[0] = lo[0] + ROWS - 1;
  lo[1] = 0;
  hi[1] = COLUMNS - 1;
}

static void check_description(cw_array array)
{
  cw_array copy = NULL;
  cw_array_description what;
  KIT_OK(cw_array_describe(array, &what));
  kit_check(what.device == mine_or_host(), "my part is said to lie on %p", (void *)what.device);
  kit_check(what.on_devices, "no part is said to lie on a device");
  KIT_OK(cw_array_duplicate(array, "copy", &copy));
  KIT_OK(cw_array_describe(copy, &what));
  kit_check(what.device == mine_or_host(), "the copy of my part lies on %p", (void *)what.device);
  KIT_OK(cw_array_destroy(&copy));
  copy = make("host", NULL, NULL);
  KIT_OK(cw_array_describe(copy, &what));
  kit_check(what.device == NULL && !what.on_devices,
            "an array on the host is said to be on devices");
  KIT_OK(cw_array_destroy(&copy));
}

/* Each process requests access to each part, for loads and stores and for kernels. */
static void check_access(cw_array array)
{
  int64_t lo[2], hi[2], before = 0;
  cw_array_view view = {.address = NULL};
  char words[80];
  for (int rank = 0; rank < kit_processes(); rank++) {
    part_of(rank, lo, hi);
    snprintf(words, sizeof words, "on a device|process %d|%scw_array_get", rank,
             rank == kit_me() ? "cw_array_access_device|" : "");
    if (on_device(rank)) {
      KIT_MISUSE(words, cw_array_access(array, lo, hi, &view));
      KIT_MISUSE(words, cw_array_access_block(array, rank, false, &view));
      KIT_MISUSE(words, cw_array_access_local(array, rank, &view));
    }
    if (on_device(rank))
      KIT_MISUSE("on a device|cw_array_accumulate", cw_array_read_increment(array, lo, 1, &before));
    if (!on_device(rank))
      KIT_MISUSE("host memory|cw_array_access", cw_array_access_device(array, lo, hi, NULL, &view));
    else if (rank != kit_me())
      KIT_MISUSE(words, cw_array_access_device(array, lo, hi, NULL, &view));
  }
  part_of(kit_me(), lo, hi);
  if (!on_device(kit_me()))
    return;
  KIT_MISUSE("cw_array_access_device|view|NULL", cw_array_access_device(array, lo, hi, NULL, NULL));
  KIT_MISUSE("lo is NULL", cw_array_access_device(array, NULL, hi, NULL, &view));
  hi[1] = -1;
  KIT_MISUSE("empty", cw_array_access_device(array, lo, hi, NULL, &view));
  KIT_MISUSE("device still has", cw_device_close(&device));
}

/* Kernel that increments its elements. arguments: memory; bytes to the first element and from row
 * to row; rows and columns. */
static void count_on(void *const *arguments, const size_t global[3])
{
  const int64_t *places = arguments[1];
  (void)global;
  for (int64_t row = 0; row < places[2]; row++)
    for (int64_t column = 0; column < places[3]; column++)
      ((long *)(void *)((char *)arguments[0] + places[0] + row * places[1]))[column] += 1000;
}

static void run_kernel(cw_array array)
{
  const cw_host_function functions[] = {{"count_on", count_on}, {NULL, NULL}};
  const cw_kernel_source source = {.functions = functions};
  void *memory = NULL;
  cw_array_view view;
  cw_kernel kernel = NULL;
  KIT_MUST(cw_array_access_device(array, NULL, NULL, &memory, &view));
  KIT_MUST(cw_kernel_create(device, &source, "count_on", &kernel));
  const int64_t places[4] = {(char *)view.address - (char *)memory, view.strides[0],
                             view.extents[0], view.extents[1]};
  const cw_kernel_argument arguments[2] = {{.memory = memory},
                                           {.scalar = places, .bytes = sizeof places}};
  KIT_OK(cw_kernel_launch(kernel, &(cw_kernel_launch_options){.arguments = arguments, .count = 2}));
  KIT_OK(cw_device_finish(device));
  KIT_OK(cw_array_release(array, &view));
  KIT_OK(cw_kernel_free(&kernel));
}

/* All processes put, kernels of the owners increment, and all processes see the result. */
static void check_kernel(cw_array array)
{
  long row[COLUMNS];
  int64_t lo[2], hi[2];
  part_of((kit_me() + 1) % kit_processes(), lo, hi);
  for (hi[0] = lo[0]; hi[0] < lo[0] + ROWS; hi[0]++) {
    for (int i = 0; i < COLUMNS; i++)
      row[i] = hi[0] * COLUMNS + i;
    KIT_OK(cw_array_put(array, (int64_t[]){hi[0], 0}, hi, row, NULL));
  }
  KIT_OK(cw_array_sync(array));
  if (on_device(kit_me()))
    run_kernel(array);
  KIT_OK(cw_array_sync(array));
  for (int64_t i = 0; i < ROWS * kit_processes(); i++) {
    KIT_OK(cw_array_get(array, (int64_t[]){i, 0}, (int64_t[]){i, COLUMNS - 1}, row, NULL));
    for (int j = 0; j < COLUMNS; j++)
      kit_check_long(row[j], i * COLUMNS + j + (on_device((int)(i / ROWS)) ? 1000 : 0),
                     "an element");
  }
  KIT_OK(cw_array_sync(array));
}

/* One member has no such device, or too little memory: all members get the error. */
static void check_rejected(void)
{
  const int64_t extents[1] = {(int64_t)1 << 44};
  cw_array array = NULL;
  cw_device closed = NULL;
  cw_array_options options = {.name = "huge",
                              .type = CW_DOUBLE,
                              .dimensions = 1,
                              .extents = extents,
                              .distribution = {.members = 1},
                              .device = device};
  KIT_OUTSIDE(kit_me() == 0 ? "cw_array_create|more than a slice on this device|for array 'huge'"
                            : "cw_array_create|process 0|more than a slice on this device",
              cw_array_create(cw_team_world(), &options, &array));
  KIT_MUST(cw_device_open(NULL, &closed));
  const cw_device closed_device = closed;
  KIT_OK(cw_device_close(&closed));
  options.extents = (int64_t[]){100};
  options.device = kit_me() == 0 ? closed_device : NULL;
  KIT_MISUSE(kit_me() == 0 ? "device is|not an open device" : "process 0|not an open device",
             cw_array_create(cw_team_world(), &options, &array));
  kit_check(array == NULL, "there is an array that was refused");
}

/* A member without elements has no memory on its device, which may be closed. */
static void check_without_elements(void)
{
  const cw_array_options options = {.name = "small",
                                    .type = CW_DOUBLE,
                                    .dimensions = 1,
                                    .extents = (int64_t[]){5},
                                    .distribution = {.members = 1},
                                    .device = device};
  cw_array array = NULL;
  cw_array_view view = {.address = &view};
  void *memory = &view;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_access_device(array, NULL, NULL, &memory, &view));
  kit_check((view.address != NULL) == (kit_me() == 0) && memory == view.address,
            "my elements are at %p, and the memory of them at %p", view.address, memory);
  KIT_OK(cw_array_release(array, &view));
  KIT_OK(cw_array_destroy(&array));
}

/* Checks that element i has the value i times a factor. */
static void check_all(cw_array array, long factor)
{
  long row[COLUMNS];
  KIT_OK(cw_array_sync(array));
  cw_array_description what;
  KIT_OK(cw_array_describe(array, &what));
  for (int64_t i = 0; i < what.extents[0]; i++) {
    KIT_OK(cw_array_get(array, (int64_t[]){i, 0}, (int64_t[]){i, COLUMNS - 1}, row, NULL));
    for (int j = 0; j < COLUMNS; j++)
      kit_check_long(row[j], factor * (i * COLUMNS + j), "an element");
  }
  KIT_OK(cw_array_sync(array));
}

static void number_all(cw_array array)
{
  long row[COLUMNS];
  for (int64_t i = 0; i < ROWS * kit_processes(); i++) {
    for (int j = 0; j < COLUMNS; j++)
      row[j] = i * COLUMNS + j;
    if (i % kit_processes() == kit_me())
      KIT_OK(cw_array_put(array, (int64_t[]){i, 0}, (int64_t[]){i, COLUMNS - 1}, row, NULL));
  }
  KIT_OK(cw_array_sync(array));
}

/* Copies from and to an array of some of the processes. Only these call. */
static void check_nested(void)
{
  const int members = (kit_processes() + 1) / 2;
  const int64_t extents[2] = {ROWS * kit_processes(), COLUMNS};
  cw_array large = make("large", NULL, mine_or_host()), small = NULL;
  cw_team team = NULL;
  number_all(large);
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() < members ? 0 : 1, 0, &team));
  if (kit_me() < members) {
    const cw_array_options options = {.name = "small",
                                      .type = CW_LONG,
                                      .dimensions = 2,
                                      .extents = extents,
                                      .device = kit_me() % 2 == 0 ? device : NULL};
    const long two = 2;
    KIT_MUST(cw_array_create(team, &options, &small));
    KIT_OK(cw_array_copy(&(cw_operand){.array = large}, &(cw_operand){.array = small}));
    check_all(small, 1);
    KIT_OK(cw_array_apply(small, NULL, NULL, CW_SCALE, &two));
    KIT_OK(cw_array_copy(&(cw_operand){.array = small}, &(cw_operand){.array = large}));
    KIT_OK(cw_array_destroy(&small));
  }
  check_all(large, 2);
  KIT_OK(cw_team_free(&team));
  KIT_OK(cw_array_destroy(&large));
}

/* Uses operands on two devices of one process. */
static void check_two_devices(void)
{
  cw_device other = NULL;
  const long three = 3;
  long product = 0, want = 0;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &other));
  cw_array a = make("a", NULL, device), b = make("b", NULL, other), c = make("c", NULL, device);
  const cw_operand pa = {.array = a}, pb = {.array = b}, pc = {.array = c};
  number_all(a);
  KIT_OK(cw_array_copy(&pa, &pb));
  KIT_OK(cw_array_combine(CW_ELEMENT_SUM, NULL, &pa, &three, &pb, &pc));
  check_all(c, 4);
  KIT_OK(cw_array_dot(&pa, &pb, &product));
  for (long i = 0; i < ROWS * COLUMNS * kit_processes(); i++)
    want += i * i;
  kit_check_long(product, want, "the product of arrays on two devices");
  KIT_OK(cw_array_destroy(&a));
  KIT_OK(cw_array_destroy(&b));
  KIT_OK(cw_array_destroy(&c));
  KIT_OK(cw_device_close(&other));
}

int main(int argc, char **argv)
{
  const int64_t ghosts[2] = {1, 2};
  kit_start_native(&argc, &argv, "array_devices");
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  for (int with = 0; with < 2; with++) {
    cw_array array = make("mixed", with > 0 ? ghosts : NULL, mine_or_host());
    check_description(array);
    check_access(array);
    check_kernel(array);
    KIT_OK(cw_array_destroy(&array));
  }
  check_rejected();
  check_without_elements();
  check_nested();
  check_two_devices();
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
