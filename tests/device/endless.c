/* A process that waits for a kernel of its own device: MPI progresses meanwhile, the wait is
 * reported (CW_WAIT_REPORT), and a device that is being closed does not delay other calls. The test
 * ends the kernels. Two processes. */
#include "kit/native.h"

#include <causeway/device.h>

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONG = 16 << 20, MICROSECONDS = 3000000 };

static int64_t *kernels_to_end; /* on process 1: kernels end when it has reached their number */

static void stay(void *const *arguments, const size_t global[3])
{
  (void)global;
  while (__atomic_load_n(kernels_to_end, __ATOMIC_ACQUIRE) < *(const int64_t *)arguments[0])
    usleep(1000);
}

static cw_device device;

static void launch(int64_t until)
{
  static const cw_host_function functions[] = {{"stay", stay}, {NULL, NULL}};
  const cw_kernel_argument argument = {.scalar = &until, .bytes = sizeof until};
  cw_kernel kernel = NULL;
  KIT_MUST(cw_kernel_create(device, &(cw_kernel_source){.functions = functions}, "stay", &kernel));
  KIT_OK(cw_kernel_launch(
      kernel, &(cw_kernel_launch_options){.arguments = &argument, .count = 1, .global = {1}}));
  KIT_OK(cw_kernel_free(&kernel)); /* it is still running */
}

/* A long message needs its receiver to progress. */
static void wait_and_receive(void)
{
  char *data = kit_alloc(LONG, 1);
  MPI_Request request = MPI_REQUEST_NULL;
  launch(1);
  MPI_Irecv(data, LONG, MPI_BYTE, 0, 0, kit_comm(), &request);
  KIT_OK(cw_device_finish(device));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(data);
}

static void send_and_open(void *counter)
{
  char *data = kit_alloc(LONG, 1);
  MPI_Send(data, LONG, MPI_BYTE, 1, 0, kit_comm());
  usleep(MICROSECONDS);
  KIT_OK(cw_notify(counter, 1, 1));
  free(data);
}

static void *close_it(void *copy)
{
  KIT_OK(cw_device_close(copy));
  return NULL;
}

static void close_meanwhile(void)
{
  cw_device closed = device, other = NULL;
  cw_device_facts facts;
  pthread_t thread;
  launch(2);
  pthread_create(&thread, NULL, close_it, &closed);
  while (cw_device_describe(device, &facts) == CW_OK)
    usleep(1000);
  KIT_MISUSE("is being closed", cw_device_finish(device));
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &other));
  KIT_OK(cw_device_close(&other));
  __atomic_store_n(kernels_to_end, 2, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  kit_check(closed == NULL, "the device is still open");
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "device_endless");
  kit_need_threads();
  kit_hang_guard();
  kernels_to_end = kit_make_region(sizeof *kernels_to_end, &region, &at);
  if (kit_me() == 1) {
    KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
    wait_and_receive();
    close_meanwhile();
  } else {
    send_and_open(at[1]);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_free_region(&region, at);
  return kit_finish_native();
}
