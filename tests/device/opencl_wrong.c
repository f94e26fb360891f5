/* Runs an incorrect kernel, to prove that Oclgrind reports such kernels. Usage: opencl_wrong
 * access|race */
#include "device/backend.h"
#include "kit/native.h"

int main(int argc, char **argv)
{
  static const cw_kernel_source source = {
      .opencl =
          "kernel void access(global int *to) { to[get_global_id(0) + 1] = 1; }\n"
          "kernel void race(global int *to) { to[get_global_id(0) / 2] = get_global_id(0); }\n"};
  enum { ITEMS = 64 };
  const struct cwi_backend *back = &cwi_backend_opencl;
  void *device = NULL, *memory = NULL, *program = NULL, *kernel = NULL, *event = NULL;
  cw_device_facts facts;
  char why[256];
  kit_start(&argc, &argv, "opencl_wrong");
  kit_check(back->count(why, sizeof why) > 0, "no device: %s", why);
  KIT_MUST(back->open(1, &device, &facts));
  KIT_MUST(back->allocate(device, ITEMS * sizeof(int), &memory));
  KIT_MUST(back->build(device, &source, &program));
  KIT_MUST(back->find(device, program, argc > 1 ? argv[1] : "access", &kernel));
  const struct cwi_device_argument argument = {.memory = memory};
  const struct cwi_device_launch launch = {
      .kernel = kernel, .arguments = &argument, .count = 1, .global = {ITEMS, 1, 1}};
  KIT_OK(back->launch(device, CWI_QUEUE_WORK, &launch));
  KIT_MUST(back->event(device, CWI_QUEUE_WORK, &event));
  KIT_OK(back->wait(device, event));
  back->forget(device, event);
  back->leave(device, kernel);
  back->drop(device, program);
  back->release(device, memory);
  back->close(device);
  return kit_finish();
}
