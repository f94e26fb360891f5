/* The device of an owner fails for one of the messages of an AXPY epoch: the epoch ends with the
 * contents of the other messages, and the owner gets the error. A back end of this test wraps that
 * of the host. */
#include "device/device.h"
#include "kit/native.h"

#include <causeway/matrix.h>

enum { ROWS = 8, COLUMNS = 5, TIMES = 3 };

static const struct cwi_backend *real;
static struct cwi_backend faulty;
static int countdown; /* writes that still succeed; all do if it is negative */

static cw_error write_rows(void *device, enum cwi_device_queue queue,
                           const struct cwi_device_rows *rows)
{
  if (__atomic_fetch_sub(&countdown, 1, __ATOMIC_RELAXED) == 0)
    return cwi_outside("the device does not like it");
  return real->write(device, queue, rows);
}

static void stand_before(cw_device device)
{
  real = device->backend;
  faulty = *real;
  faulty.write = write_rows;
  device->backend = &faulty;
}

/* The last process has all of it, on its device. */
static cw_array make(cw_device device)
{
  const int64_t extents[] = {ROWS, COLUMNS};
  const int owner[] = {kit_processes() - 1};
  const double zero = 0;
  const cw_array_options options = {.type = CW_DOUBLE,
                                    .dimensions = 2,
                                    .extents = extents,
                                    .distribution = {.members = 1, .ranks = owner},
                                    .device = device};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &zero));
  return array;
}

static void check_sums(cw_array array, double want)
{
  double got[ROWS * COLUMNS];
  const int64_t lo[] = {0, 0}, hi[] = {ROWS - 1, COLUMNS - 1};
  int wrong = 0;
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_get(array, lo, hi, got, NULL));
  for (int i = 0; i < ROWS * COLUMNS; i++)
    wrong += got[i] != want;
  kit_check_long(wrong, 0, "elements with another sum");
  KIT_OK(cw_array_sync(array));
}

static void try_fault(cw_device device, cw_axpy_end end)
{
  const bool owns = kit_me() == kit_processes() - 1;
  double ones[ROWS * COLUMNS];
  cw_array array = make(device);
  cw_axpy axpy = NULL;
  kit_about(end == CW_CONSENSUS ? "a consensus" : "an end of messages");
  for (int i = 0; i < ROWS * COLUMNS; i++)
    ones[i] = 1;
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, end, &axpy));
  const cw_local_matrix all = {.data = ones, .height = ROWS, .width = COLUMNS};
  __atomic_store_n(&countdown, owns ? 0 : -1, __ATOMIC_RELAXED);
  for (int n = 0; n < TIMES && !owns; n++)
    KIT_OK(cw_axpy_add(axpy, NULL, &all, 0, 0));
  if (owns)
    KIT_OUTSIDE("cw_axpy_detach|does not like it", cw_axpy_detach(&axpy));
  else
    KIT_OK(cw_axpy_detach(&axpy));
  check_sums(array, TIMES * (kit_processes() - 1) - 1);
  KIT_OK(cw_array_destroy(&array));
}

int main(int argc, char **argv)
{
  cw_device device = NULL;
  kit_start_native(&argc, &argv, "matrix_devices");
  kit_hang_guard();
  KIT_MUST(cw_device_open(NULL, &device));
  stand_before(device);
  try_fault(device, CW_CONSENSUS);
  try_fault(device, CW_END_OF_MESSAGES);
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
