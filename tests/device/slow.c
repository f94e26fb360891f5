/* A kernel that does not end does not delay transfers, and a long wait for a peer's device is
 * reported (CW_WAIT_REPORT). */
#include "kit/native.h"

#include <causeway/device.h>

#include <unistd.h>

static int released; /* set when the kernel may end */

static void stay(void *const *arguments, const size_t global[3])
{
  (void)arguments, (void)global;
  while (__atomic_load_n(&released, __ATOMIC_ACQUIRE) == 0)
    usleep(1000);
}

int main(int argc, char **argv)
{
  static const cw_host_function functions[] = {{"stay", stay}, {NULL, NULL}};
  kit_start_native(&argc, &argv, "device_slow");
  cw_device device = NULL;
  cw_region region = NULL;
  cw_kernel kernel = NULL;
  void *slices[2];
  int64_t one = 1, sum = 0;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, sizeof one, &region, slices));
  KIT_MUST(cw_kernel_create(device, &(cw_kernel_source){.functions = functions}, "stay", &kernel));
  KIT_OK(cw_put(&sum, slices[kit_me()], sizeof sum, kit_me()));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 1)
    KIT_OK(cw_kernel_launch(kernel, &(cw_kernel_launch_options){0}));
  kit_barrier();
  if (kit_me() == 0) {
    KIT_OK(cw_accumulate(CW_LONG, NULL, &one, slices[1], sizeof one, 1));
    KIT_OK(cw_get(&sum, slices[1], sizeof sum, 1));
    kit_check_long(sum, 1, "while the kernel runs");
  }
  kit_barrier();
  __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
  KIT_OK(cw_kernel_free(&kernel));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
