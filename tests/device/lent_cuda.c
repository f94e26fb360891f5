/* A device in a CUDA context of the program that is not the primary one
 * (cw_device_options.context). On the fake driver. One process. */
#include "device/fake_cuda/control.h"
#include "kit/native.h"

enum { NUMBERS = 500, SECOND = 1 };

static void try_slices(cw_device device)
{
  int numbers[NUMBERS], got[NUMBERS] = {0};
  cw_region region = NULL;
  void *slices[1];
  cw_device_location location;
  for (int i = 0; i < NUMBERS; i++)
    numbers[i] = 3 * i;
  KIT_MUST(cw_region_create_on(cw_team_world(), device, sizeof numbers, &region, slices));
  KIT_OK(cw_put(numbers, slices[0], sizeof numbers, 0));
  KIT_OK(cw_accumulate(CW_INT, NULL, numbers, slices[0], sizeof numbers, 0));
  KIT_OK(cw_get(got, slices[0], sizeof got, 0));
  for (int i = 0; i < NUMBERS; i++)
    kit_check_long(got[i], 6L * i, "in the context of the program");
  KIT_OK(cw_device_locate(slices[0], &location));
  kit_check(location.address != 0, "the slice has no address of the driver's");
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

static void try_lent(void *context)
{
  const cw_device_options options = {.kind = CW_DEVICE_CUDA, .context = context};
  cw_device device = NULL;
  cw_device_facts facts;
  const int before = fake_cuda_alive();
  fake_cuda_count_anew();
  KIT_MUST(cw_device_open(&options, &device));
  KIT_OK(cw_device_describe(device, &facts));
  kit_check_long(facts.number, SECOND + 1, "the number of the context's device");
  try_slices(device);
  KIT_OK(cw_device_close(&device));
  kit_check_long(fake_cuda_count("cuDevicePrimaryCtxRetain"), 0, "primary contexts");
  kit_check_long(fake_cuda_count("cuDevicePrimaryCtxRelease_v2"), 0, "primary contexts given up");
  kit_check_long(fake_cuda_alive(), before, "what lives afterwards");
}

/* Each call of opening fails in turn: nothing is left. */
static void try_failing(void *context)
{
  static const char *const names[] = {"cuCtxGetDevice", "cuDeviceGetName", "cuStreamCreate",
                                      "cuEventCreate"};
  const cw_device_options options = {.kind = CW_DEVICE_CUDA, .context = context};
  const int before = fake_cuda_alive();
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    cw_device device = NULL;
    fake_cuda_fail_call(names[i], 1, 2);
    KIT_OUTSIDE(names[i], cw_device_open(&options, &device));
    fake_cuda_fail_call(names[i], 0, 0);
    kit_check_long(fake_cuda_alive(), before, names[i]);
  }
}

/* Passes invalid and destroyed contexts. */
static void try_wrong(void *context)
{
  cw_device device = NULL;
  cw_device_options options = {.kind = CW_DEVICE_CUDA, .context = &options};
  KIT_MISUSE("options->context|existing CUDA context|201", cw_device_open(&options, &device));
  options.context = context;
  KIT_MISUSE("options->context|existing CUDA context|201", cw_device_open(&options, &device));
}

int main(int argc, char **argv)
{
  void *context = NULL, *popped = NULL;
  int count = 0;
  kit_start_native(&argc, &argv, "lent_cuda");
  KIT_MUST(cw_device_count(CW_DEVICE_CUDA, &count, NULL, 0));
  kit_check_long(cuCtxCreate_v2(&context, 0, SECOND), 0, "cuCtxCreate");
  kit_check_long(cuCtxPopCurrent_v2(&popped), 0, "cuCtxPopCurrent");
  try_lent(context);
  try_failing(context);
  cw_device_options options = {.kind = CW_DEVICE_CUDA, .context = context, .native = context};
  cw_device device = NULL;
  KIT_MISUSE("options->native|for OpenCL", cw_device_open(&options, &device));
  kit_check_long(cuCtxDestroy_v2(context), 0, "cuCtxDestroy");
  try_wrong(context);
  return kit_finish_native();
}
