/* The CUDA back end with a failing driver: a failure of each call of the driver in turn, a lost
 * device, programs that do not compile, strides that the driver does not support, no driver. Uses
 * the fake driver (fake_cuda/control.h), which also reports leaks. One process. Usage: cuda_faults
 * | cuda_faults why WORDS (there is no device, and the reason has the words) */
#include "device/trial.h"
#include "kit/native.h"

#include "device/cuda/cuda_driver.h"
#include "device/fake_cuda/control.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 40000, ROWS = 20, RUN = 100, STRIDE = 1500, MARKER = 0x5c };

static const struct cwi_backend *const back = &cwi_backend_cuda;

/* Objects of a job on the device; NULL if not made, or freed. */
struct job {
  void *device, *memory, *other, *program, *kernel, *event;
  bool pinned;
  cw_device_facts facts;
  struct cwi_device_export name;
  unsigned char from[BYTES], to[BYTES];
};

static struct job job;
static int
    calls; /* number of the driver's calls until the job was done, before anything is freed */

static void job_prepare(void)
{
  job = (struct job){0};
  for (int i = 0; i < BYTES; i++)
    job.from[i] = (unsigned char)(i * 7 + i / 256);
  memset(job.to, MARKER, sizeof job.to);
}

static struct cwi_device_rows all_of(void *memory, void *host)
{
  return (struct cwi_device_rows){.run = BYTES, .rows = 1, .host = host, .memory = memory};
}

static struct cwi_device_rows some_of(void *memory, void *host)
{
  return (struct cwi_device_rows){.run = RUN,
                                  .rows = ROWS,
                                  .host = host,
                                  .host_stride = STRIDE,
                                  .memory = memory,
                                  .stride = STRIDE};
}

static cw_error job_wait(enum cwi_device_queue queue)
{
  bool passed = false;
  CWI_TRY(back->event(job.device, queue, &job.event));
  CWI_TRY(back->passed(job.device, job.event, &passed));
  CWI_TRY(back->wait(job.device, job.event));
  back->forget(job.device, job.event);
  job.event = NULL;
  return CW_OK;
}

/* Copies memory = from, other = memory's rows. */
static cw_error job_move(void)
{
  const struct cwi_device_rows in = all_of(job.memory, job.from),
                               rows = some_of(job.memory, job.from);
  CWI_TRY(back->write(job.device, CWI_QUEUE_IN, &in));
  CWI_TRY(back->write(job.device, CWI_QUEUE_IN, &rows));
  CWI_TRY(back->order(job.device, CWI_QUEUE_WORK, CWI_QUEUE_IN));
  return back->copy(
      job.device, CWI_QUEUE_WORK,
      &(struct cwi_device_copy){.run = BYTES, .rows = 1, .from = job.memory, .to = job.other});
}

static cw_error job_compute(void)
{
  CWI_TRY(back->build(job.device, &trial_source, &job.program));
  CWI_TRY(back->find(job.device, job.program, "trial_copy", &job.kernel));
  const struct cwi_device_argument arguments[] = {{.memory = job.memory}, {.memory = job.other}};
  CWI_TRY(back->launch(
      job.device, CWI_QUEUE_WORK,
      &(struct cwi_device_launch){
          .kernel = job.kernel, .arguments = arguments, .count = 2, .global = {BYTES / 4, 1, 1}}));
  return back->order(job.device, CWI_QUEUE_OUT, CWI_QUEUE_WORK);
}

/* A failed read must leave host memory unchanged. */
static cw_error job_read(const struct cwi_device_rows *rows)
{
  const cw_error error = back->read(job.device, CWI_QUEUE_OUT, rows);
  unsigned char marker[BYTES];
  memset(marker, MARKER, sizeof marker);
  if (error != CW_OK)
    kit_check_bytes(job.to, marker, BYTES, "the host's memory after a read that is refused");
  return error;
}

static cw_error job_do(void)
{
  CWI_TRY(back->open(1, &job.device, &job.facts));
  CWI_TRY(back->allocate(job.device, BYTES, &job.memory));
  CWI_TRY(back->allocate(job.device, BYTES, &job.other));
  CWI_TRY(back->give(job.device, job.memory, &job.name));
  CWI_TRY(back->pin(job.device, job.from, BYTES));
  job.pinned = true;
  CWI_TRY(job_move());
  CWI_TRY(job_compute());
  const struct cwi_device_rows rows = some_of(job.memory, job.to), out = all_of(job.memory, job.to);
  CWI_TRY(job_read(&rows));
  CWI_TRY(job_wait(CWI_QUEUE_OUT));
  memset(job.to, MARKER, sizeof job.to);
  CWI_TRY(job_read(&out));
  return job_wait(CWI_QUEUE_OUT);
}

/* Frees everything, as the device module does, when nothing is in flight any more or the device is
 * lost. */
static void job_give_up(void)
{
  if (job.device == NULL)
    return;
  for (int queue = 0; queue < CWI_DEVICE_QUEUES; queue++) {
    void *event = NULL;
    if (back->event(job.device, (enum cwi_device_queue)queue, &event) == CW_OK) {
      (void)!back->wait(job.device, event);
      back->forget(job.device, event);
    }
  }
  if (job.event != NULL)
    back->forget(job.device, job.event);
  if (job.kernel != NULL)
    back->leave(job.device, job.kernel);
  if (job.program != NULL)
    back->drop(job.device, job.program);
  if (job.pinned)
    back->unpin(job.device, job.from);
  if (job.other != NULL)
    back->release(job.device, job.other);
  if (job.memory != NULL)
    back->release(job.device, job.memory);
  back->close(job.device);
}

static void check_nothing_left(void)
{
  kit_check_long(fake_cuda_alive(), 0, "things of the driver's that are left");
  for (int i = 0; i < BYTES; i++)
    if (job.from[i] != (unsigned char)(i * 7 + i / 256)) {
      kit_check(false, "byte %d that was written to the device has changed here", i);
      return;
    }
}

static int driver_calls(void)
{
  int count = 0;
#define X(name, ...) count += fake_cuda_count(#name);
#include "device/cuda/cuda.def"
#undef X
  return count;
}

/* --- Each call fails -------------------------------------------------------------------------- */

/* Returns true for calls that release something; their result is not used. */
static bool is_end(const char *name)
{
  static const char *const ends[] = {"cuDevicePrimaryCtxRelease_v2",
                                     "cuCtxPopCurrent_v2",
                                     "cuMemFree_v2",
                                     "cuMemHostUnregister",
                                     "cuStreamDestroy_v2",
                                     "cuEventDestroy_v2",
                                     "cuModuleUnload",
                                     "cuIpcCloseMemHandle"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    if (strcmp(name, ends[i]) == 0)
      return true;
  return false;
}

static void test_failing_call(const char *name, int count)
{
  char words[128];
  snprintf(words, sizeof words, "%s|2, CUDA_ERROR_OUT_OF_MEMORY (out of memory)|fake device 1",
           name);
  for (int n = 1; n <= count; n++) {
    kit_about("call %d of %d of %s is refused", n, count, name);
    job_prepare();
    fake_cuda_fail_call(name, n, 2);
    const cw_error error = job_do();
    if (is_end(name))
      KIT_OK(error);
    else if (strcmp(name, "cuDeviceGet") == 0 || strcmp(name, "cuDeviceGetName") == 0)
      KIT_OUTSIDE(name, error); /* the device has no name yet */
    else
      KIT_OUTSIDE(words, error);
    fake_cuda_fail_call("", 0, 0);
    job_give_up();
    check_nothing_left();
  }
}

static void test_each_call(void)
{
  kit_about("nothing is refused");
  fake_cuda_count_anew();
  job_prepare();
  KIT_OK(job_do());
  kit_check_bytes(job.to, job.from, BYTES, "what came back");
  calls = driver_calls();
  int counts[64], at = 0;
#define X(name, ...) counts[at++] = fake_cuda_count(#name);
#include "device/cuda/cuda.def"
#undef X
  job_give_up();
  check_nothing_left();
  static const char *const names[] = {
#define X(name, ...) #name,
#include "device/cuda/cuda.def"
#undef X
  };
  /* Called when the library is opened, after failures, by other processes, and for a context of the
   * program (lent_cuda.c). */
  static const char others[] =
      "cuInit cuDeviceGetCount cuGetErrorName cuGetErrorString "
      "cuCtxGetDevice cuMemGetInfo_v2 cuStreamSynchronize cuIpcOpenMemHandle_v2 "
      "cuIpcCloseMemHandle cuDevicePrimaryCtxRelease_v2 cuMemFree_v2 "
      "cuMemHostUnregister cuStreamDestroy_v2 cuEventDestroy_v2 "
      "cuModuleUnload";
  for (int i = 0; i < at; i++) {
    kit_about("%s", names[i]);
    kit_check(counts[i] > 0 || strstr(others, names[i]) != NULL, "the job does not call it");
    test_failing_call(names[i], counts[i]);
  }
}

/* Calls that release something do so even if they report an error. */
static void test_failing_ends(void)
{
  static const char *const ends[] = {"cuMemFree_v2",       "cuMemHostUnregister",
                                     "cuStreamDestroy_v2", "cuEventDestroy_v2",
                                     "cuModuleUnload",     "cuDevicePrimaryCtxRelease_v2"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    kit_about("%s reports an earlier failure", ends[i]);
    job_prepare();
    KIT_OK(job_do());
    fake_cuda_fail_call(ends[i], 1, 719);
    job_give_up();
    check_nothing_left();
  }
}

/* The driver cannot describe its own errors, nor report free memory. */
static void test_without_names(void)
{
  kit_about("a driver without names of errors");
  job_prepare();
  KIT_OK(back->open(1, &job.device, &job.facts));
  fake_cuda_fail_call("cuGetErrorName", 1, 1);
  KIT_OUTSIDE("cuMemAlloc_v2 returned 2, a result without a name",
              back->allocate(job.device, SIZE_MAX / 2, &job.memory));
  fake_cuda_fail_call("cuMemGetInfo_v2", 1, 1);
  KIT_OUTSIDE("cuMemAlloc_v2 returned 2, CUDA_ERROR_OUT_OF_MEMORY",
              back->allocate(job.device, SIZE_MAX / 2, &job.memory));
  job_give_up();
  check_nothing_left();
}

/* --- A lost device ---------------------------------------------------------------------------- */

/* The device is lost at each call in turn. Objects that were made before can be freed, and a new
 * device can be opened when the driver has one again. */
static void test_lost(void)
{
  for (int n = 1; n < calls; n++) {
    kit_about("lost from call %d of %d on", n, calls);
    job_prepare();
    fake_cuda_lose(n);
    KIT_OUTSIDE("719, CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)", job_do());
    job_give_up();
    void *again = NULL;
    KIT_OUTSIDE("719", back->open(1, &again, &job.facts));
    fake_cuda_lose(0);
    fake_cuda_heal();
    check_nothing_left();
  }
}

/* A copy or kernel fails after it has been enqueued: the wait for it returns the error. */
static void test_failed_later(void)
{
  for (int n = 1; n <= 6; n++) {
    kit_about("copy or kernel %d fails", n);
    job_prepare();
    fake_cuda_fail(n);
    KIT_OUTSIDE("719, CUDA_ERROR_LAUNCH_FAILED", job_do());
    bool passed = false;
    void *event = job.event;
    if (event != NULL)
      KIT_OUTSIDE("719", back->passed(job.device, event, &passed));
    job_give_up();
    fake_cuda_fail(0);
    fake_cuda_heal();
    check_nothing_left();
  }
}

/* --- Programs --------------------------------------------------------------------------------- */

static void test_log(void)
{
  static const char wrong[] = ".version 6.3\n.target sm_75\n.visible .entry wrong()\n{\n"
                              "no_such_instruction %r1;\n}\n";
  kit_about("PTX that does not compile");
  job_prepare();
  const cw_kernel_source source = {NULL, NULL, wrong, NULL}, none = {"kernel", NULL, NULL, NULL};
  KIT_OK(back->open(1, &job.device, &job.facts));
  KIT_OUTSIDE("cuModuleLoadDataEx returned 218, CUDA_ERROR_INVALID_PTX|line 5|no_such_instruction",
              back->build(job.device, &source, &job.program));
  KIT_MISUSE("ptx is NULL", back->build(job.device, &none, &job.program));
  job_give_up();
  check_nothing_left();
}

static void test_launch_limits(void)
{
  kit_about("launches that cannot be");
  job_prepare();
  KIT_OK(back->open(1, &job.device, &job.facts));
  KIT_OK(back->build(job.device, &trial_source, &job.program));
  KIT_OK(back->find(job.device, job.program, "trial_copy", &job.kernel));
  static struct cwi_device_argument many[129];
  struct cwi_device_launch launch = {
      .kernel = job.kernel, .arguments = many, .count = 129, .global = {1, 1, 1}};
  KIT_MISUSE("129 arguments|at most 128", back->launch(job.device, CWI_QUEUE_WORK, &launch));
  launch.count = 2;
  launch.global[0] = (size_t)1 << 50;
  KIT_MISUSE("1125899906842624 x 1 x 1", back->launch(job.device, CWI_QUEUE_WORK, &launch));
  job_give_up();
  check_nothing_left();
}

/* --- Strides that the driver does not support ------------------------------------------------- */

static void check_rows(const unsigned char *got, const char *what)
{
  for (int row = 0; row < ROWS; row++)
    kit_check_bytes(got + row * STRIDE, job.from + row * STRIDE, RUN, what);
}

static void test_strides(void)
{
  kit_about("strides that the driver does not take");
  job_prepare();
  fake_cuda_pitch(STRIDE - 1);
  KIT_OK(back->open(1, &job.device, &job.facts));
  KIT_OK(back->allocate(job.device, BYTES, &job.memory));
  KIT_OK(back->allocate(job.device, BYTES, &job.other));
  const struct cwi_device_rows in = some_of(job.memory, job.from), out = some_of(job.other, job.to);
  KIT_OK(back->write(job.device, CWI_QUEUE_WORK, &in));
  KIT_OK(back->copy(job.device, CWI_QUEUE_WORK,
                    &(struct cwi_device_copy){.run = RUN,
                                              .rows = ROWS,
                                              .from = job.memory,
                                              .to = job.other,
                                              .from_stride = STRIDE,
                                              .to_stride = STRIDE}));
  KIT_OK(back->read(job.device, CWI_QUEUE_WORK, &out));
  KIT_OK(job_wait(CWI_QUEUE_WORK));
  check_rows(job.to, "rows there and back, one by one");

  /* When a row fails that is copied by itself, the rows before it have completed by the time the
   * caller gets the error. */
  kit_about("row 7 is refused");
  memset(job.to, MARKER, sizeof job.to);
  fake_cuda_slow(1000);
  fake_cuda_fail_call("cuMemcpyDtoHAsync_v2", 7, 2);
  KIT_OUTSIDE("cuMemcpyDtoHAsync_v2 returned 2", back->read(job.device, CWI_QUEUE_WORK, &out));
  kit_check_bytes(job.to + 5 * STRIDE, job.from + 5 * STRIDE, RUN, "the row before");
  kit_check(job.to[6 * STRIDE] == MARKER, "the refused row is there");
  fake_cuda_fail_call("", 0, 0);
  fake_cuda_slow(0);
  fake_cuda_pitch(0x7fffffff);
  job_give_up();
  check_nothing_left();
}

/* --- Events ----------------------------------------------------------------------------------- */

static void test_not_yet(void)
{
  kit_about("a event behind work that has not begun");
  job_prepare();
  KIT_OK(back->open(1, &job.device, &job.facts));
  KIT_OK(back->allocate(job.device, BYTES, &job.memory));
  const struct cwi_device_rows in = all_of(job.memory, job.from), out = all_of(job.memory, job.to);
  bool passed = true;
  fake_cuda_hold(true);
  KIT_OK(back->write(job.device, CWI_QUEUE_IN, &in));
  KIT_OK(back->order(job.device, CWI_QUEUE_OUT, CWI_QUEUE_IN));
  KIT_OK(back->read(job.device, CWI_QUEUE_OUT, &out));
  KIT_OK(back->event(job.device, CWI_QUEUE_OUT, &job.event));
  KIT_OK(back->passed(job.device, job.event, &passed));
  kit_check(!passed, "it is passed");
  kit_check(job.to[0] == MARKER, "the data is there");
  fake_cuda_hold(false);
  KIT_OK(back->wait(job.device, job.event));
  KIT_OK(back->passed(job.device, job.event, &passed));
  kit_check(passed, "it is not passed when it has been waited for");
  kit_check_bytes(job.to, job.from, BYTES, "what came back");
  job_give_up();
  check_nothing_left();
}

/* --- Host memory that is registered ----------------------------------------------------------- */

static void test_pins(void)
{
  kit_about("registered host memory");
  job_prepare();
  KIT_OK(back->open(1, &job.device, &job.facts));
  KIT_OK(back->pin(job.device, job.to, 10000));
  KIT_OK(back->pin(job.device, job.to + 5000, 10000)); /* partly registered already */
  back->unpin(job.device, job.to + 5000);              /* was not registered by this library */
  KIT_OK(back->pin(job.device, job.to + 20000, 10000));
  back->unpin(job.device, job.to);
  back->unpin(job.device, job.to + 20000);
  job_give_up();
  check_nothing_left();
}

static void test_why(const char *words)
{
  char why[512] = "";
  kit_check_long(back->count(why, sizeof why), 0, "devices");
  kit_check(strstr(why, words) != NULL, "the reason is '%s'; it should have '%s'", why, words);
  why[0] = '\0';
  kit_check(back->count(why, sizeof why) == 0 && strstr(why, words) != NULL,
            "the second time the reason is '%s'", why);
}

int main(int argc, char **argv)
{
  char why[512] = "";
  kit_start_native(&argc, &argv, "cuda_faults");
  if (argc > 2) {
    test_why(argv[2]);
    return kit_finish_native();
  }
  if (!kit_check_long(back->count(why, sizeof why), 2, "devices"))
    return kit_finish_native();
  fake_cuda_functions(trial_functions);
  test_each_call();
  test_failing_ends();
  test_without_names();
  test_lost();
  test_failed_later();
  test_log();
  test_launch_limits();
  test_strides();
  test_not_yet();
  test_pins();
  return kit_finish_native();
}
