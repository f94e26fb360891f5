/* A device on which a call of each kind fails, or that is lost, during transfers, kernels and array
 * operations: the error is returned, host memory is unchanged, everything can be freed, and later
 * calls work. A back end of this test wraps that of the host. One or two processes: the device
 * belongs to the first, and the other one reaches it through the agent. */
#include "base/settings.h"
#include "device/device.h"
#include "kit/native.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum {
  BYTES = 6000,
  RUN = 24,
  ROWS = 100,
  SIDE = 20,
  MARKER = 0x5c,
  LATENCY = 1000000,
  LATE_MICROSECONDS = 3000
};

/* --- The back end ----------------------------------------------------------------------------- */

enum fault { NONE, ALLOCATE, WRITE, READ, COPY, LAUNCH, BUILD, FIND, EVENT, LOST, FAULTS };

static const struct cwi_backend *const real = &cwi_backend_host;
static struct cwi_backend faulty;
static enum fault fault;
static int countdown; /* number of calls that still succeed */
static bool lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* agents and threads call */

static bool must_fail(enum fault here)
{
  pthread_mutex_lock(&lock);
  bool fails = false;
  if (fault == LOST)
    fails = lost = lost || countdown-- <= 0;
  else if (fault == here)
    fails = countdown-- == 0;
  pthread_mutex_unlock(&lock);
  return fails;
}

#define FAIL_IF_CHOSEN(here)                                                                       \
  if (must_fail(here))                                                                             \
  return cwi_outside("the device does not like it")

static cw_error fault_allocate(void *device, size_t bytes, void **memory)
{
  FAIL_IF_CHOSEN(ALLOCATE);
  return real->allocate(device, bytes, memory);
}

static cw_error fault_write(void *device, enum cwi_device_queue queue,
                            const struct cwi_device_rows *rows)
{
  FAIL_IF_CHOSEN(WRITE);
  return real->write(device, queue, rows);
}

static cw_error fault_read(void *device, enum cwi_device_queue queue,
                           const struct cwi_device_rows *rows)
{
  FAIL_IF_CHOSEN(READ);
  if (fault == EVENT) /* the device copies at once and then sleeps: a second copy comes late */
    CWI_TRY(real->read(device, queue, rows));
  return real->read(device, queue, rows);
}

static cw_error fault_copy(void *device, enum cwi_device_queue queue,
                           const struct cwi_device_copy *copy)
{
  FAIL_IF_CHOSEN(COPY);
  return real->copy(device, queue, copy);
}

static cw_error fault_launch(void *device, enum cwi_device_queue queue,
                             const struct cwi_device_launch *launch)
{
  FAIL_IF_CHOSEN(LAUNCH);
  return real->launch(device, queue, launch);
}

static cw_error fault_build(void *device, const cw_kernel_source *source, void **program)
{
  FAIL_IF_CHOSEN(BUILD);
  return real->build(device, source, program);
}

static cw_error fault_find(void *device, void *program, const char *name, void **kernel)
{
  FAIL_IF_CHOSEN(FIND);
  return real->find(device, program, name, kernel);
}

static cw_error fault_event(void *device, enum cwi_device_queue queue, void **event)
{
  FAIL_IF_CHOSEN(EVENT);
  return real->event(device, queue, event);
}

/* An operation that has failed has ended, too. */
static cw_error fault_passed(void *device, void *event, bool *passed)
{
  const cw_error error = real->passed(device, event, passed);
  if (*passed)
    FAIL_IF_CHOSEN(LOST);
  return error;
}

static cw_error fault_wait(void *device, void *event)
{
  const cw_error error = real->wait(device, event);
  FAIL_IF_CHOSEN(LOST);
  return error;
}

static void stand_before(cw_device device)
{
  faulty = *real;
  faulty.allocate = fault_allocate;
  faulty.write = fault_write;
  faulty.read = fault_read;
  faulty.copy = fault_copy;
  faulty.launch = fault_launch;
  faulty.build = fault_build;
  faulty.find = fault_find;
  faulty.event = fault_event;
  faulty.passed = fault_passed;
  faulty.wait = fault_wait;
  device->backend = &faulty;
}

static void set_fault(enum fault chosen, int after)
{
  pthread_mutex_lock(&lock);
  fault = kit_me() == 0 ? chosen : NONE;
  countdown = after;
  lost = false;
  pthread_mutex_unlock(&lock);
}

/* --- Tried operations ------------------------------------------------------------------------- */

static unsigned char from[BYTES], to[BYTES];
static int failures;

static bool works(const char *call, cw_error error)
{
  if (error == CW_OK)
    return true;
  failures++;
  kit_check(error == CW_OUTSIDE, "%s gave %d: %s", call, (int)error, cw_error_message());
  kit_check(strstr(cw_error_message(), "does not like it") != NULL, "%s failed: '%s'", call,
            cw_error_message());
  return false;
}
#define WORKS(call) works(#call, call)

static unsigned char byte_at(int i)
{
  return (unsigned char)(i * 7 + i / 256);
}

static void check_from(void)
{
  for (int i = 0; i < BYTES; i++)
    if (!kit_check_long(from[i], byte_at(i), "host memory that was put"))
      return;
}

/* The destination of a failed get must not change any more. */
static void get(void *slice)
{
  unsigned char left[BYTES];
  memset(to, MARKER, sizeof to);
  if (WORKS(cw_get(to, slice, BYTES, 0)))
    return;
  memset(to, MARKER, sizeof to);
  memcpy(left, to, sizeof left);
  usleep(LATE_MICROSECONDS);
  kit_check_bytes(to, left, BYTES, "host memory after a get that failed");
}

static cw_error move_rows(cw_operation operation, void *host, char *slice)
{
  static const ptrdiff_t here[] = {RUN}, there[] = {2 * RUN};
  static const size_t counts[] = {ROWS};
  cw_transfer rows = cw_strided(operation, host, here, slice, there, RUN, counts, 1, 0);
  rows.type = CW_INT;
  return cw_transfer_run(&rows);
}

static void touch(void *const *arguments, const size_t global[3])
{
  (void)arguments, (void)global;
}

static void launch(cw_device device)
{
  static const cw_host_function functions[] = {{"touch", touch}, {NULL, NULL}};
  const cw_kernel_source source = {.functions = functions};
  cw_kernel kernel = NULL;
  if (!WORKS(cw_kernel_create(device, &source, "touch", &kernel)))
    return;
  WORKS(cw_kernel_launch(kernel, &(cw_kernel_launch_options){.global = {1}}));
  WORKS(cw_device_finish(device));
  KIT_OK(cw_kernel_free(&kernel));
}

/* Transfers data. Collective. */
static void move(cw_device device)
{
  cw_region region = NULL;
  void *slices[2];
  if (!WORKS(cw_region_create_on(cw_team_world(), device, 2 * BYTES, &region, slices)))
    return;
  char *slice = (char *)slices[0] + (kit_me() == 0 ? 0 : BYTES);
  WORKS(cw_put(from, slice, BYTES, 0));
  WORKS(move_rows(CW_PUT, from, slice));
  WORKS(move_rows(CW_ACCUMULATE, from, slice));
  WORKS(move_rows(CW_GET, to, slice));
  get(slice);
  if (device != NULL) {
    WORKS(cw_device_put(slice, slice + BYTES / 2, BYTES / 2, 0));
    launch(device);
  }
  check_from();
  kit_barrier();
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* Computes. Collective. */
static void compute(cw_device device)
{
  static const int64_t extents[] = {SIDE, SIDE}, lo[] = {0, 0}, hi[] = {SIDE - 1, SIDE - 1};
  const cw_array_options options = {
      .type = CW_DOUBLE, .dimensions = 2, .extents = extents, .device = device};
  const double two = 2, three = 3;
  double sum = 0, all[SIDE * SIDE];
  cw_array array = NULL, other = NULL;
  if (!WORKS(cw_array_create(cw_team_world(), &options, &array)))
    return;
  if (!WORKS(cw_array_create(cw_team_world(), &options, &other))) {
    KIT_OK(cw_array_destroy(&array));
    return;
  }
  const cw_operand a = {.array = array, .lo = lo, .hi = hi},
                   b = {.array = other, .lo = lo, .hi = hi};
  bool whole = WORKS(cw_array_fill(array, lo, hi, &two));
  whole = WORKS(cw_array_fill(other, lo, hi, &three)) && whole;
  whole = WORKS(cw_array_apply(array, lo, hi, CW_SCALE, &three)) && whole;
  whole = WORKS(cw_array_combine(CW_ELEMENT_SUM, NULL, &a, NULL, &b, &b)) && whole;
  if (WORKS(cw_array_dot(&a, &b, &sum)) && whole)
    kit_check(sum == 6.0 * 9 * SIDE * SIDE, "the dot product is %g", sum);
  if (WORKS(cw_array_get(array, lo, hi, all, NULL)) && whole)
    kit_check(all[SIDE * SIDE - 1] == 6, "the last element is %g", all[SIDE * SIDE - 1]);
  KIT_OK(cw_array_destroy(&array));
  KIT_OK(cw_array_destroy(&other));
}

/* Returns true if the fault occurred. */
static bool try_fault(enum fault chosen, int after, void (*tried)(cw_device device))
{
  cw_device device = NULL;
  kit_about("fault %d after %d calls", (int)chosen, after);
  if (kit_me() == 0) {
    KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
    stand_before(device);
  }
  failures = 0;
  cwi_settings.device_host_latency = chosen == EVENT ? LATENCY : 0;
  set_fault(chosen, after);
  kit_barrier();
  tried(device);
  int failed = failures > 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, kit_comm());
  if (chosen != LOST) { /* later calls work */
    set_fault(NONE, 0);
    kit_barrier();
    failures = 0;
    tried(device);
    kit_check_long(failures, 0, "failures after the fault");
    if (tried == move)
      kit_check_bytes(to + 2 * RUN * ROWS, from + 2 * RUN * ROWS, BYTES - 2 * RUN * ROWS,
                      "what came back behind the rows");
  }
  if (chosen == LOST)
    WORKS(cw_device_close(&device)); /* may return the error, but closes */
  else
    KIT_OK(cw_device_close(&device));
  kit_check(device == NULL, "the device is still open");
  set_fault(NONE, 0);
  return failed;
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_faults");
  kit_hang_guard();
  for (int i = 0; i < BYTES; i++)
    from[i] = byte_at(i);
  kit_check(!try_fault(NONE, 0, move) && !try_fault(NONE, 0, compute), "failures without a fault");
  for (int chosen = ALLOCATE; chosen < FAULTS; chosen++) {
    bool any = false;
    for (int after = 0; after < 30; after += 1 + after / 4) {
      any = try_fault((enum fault)chosen, after, move) || any;
      any = try_fault((enum fault)chosen, after, compute) || any;
    }
    kit_check(any, "nothing has failed");
  }
  return kit_finish_native();
}
