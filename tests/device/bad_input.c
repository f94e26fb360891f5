/* Every bad argument of the calls of device.h, and device memory where other calls need host
 * memory, while Causeway runs and while it does not. */
#include "kit/bad_input.h"
#include "device/trial.h"
#include "kit/native.h"

#include <string.h>

enum { BYTES = 4000, MOST_PROCESSES = 16, ARGUMENTS = 65, SEGMENTS = 500, FAR = 1 << 20 };

static struct bad_axis devices, devices_not_null, kernels, kernels_not_null, mines, remotes,
    host_only, numbers, sizes, kinds, negatives, teams, types, operations;
static cw_region region, host_region;
static cw_device device, closed;
static cw_kernel kernel, freed_kernel;
static int target, me;
static void *slices[MOST_PROCESSES], *host_slices[MOST_PROCESSES];
static char *mine, *there, *freed_slice, *host_there;
static char here[BYTES];

/* Valid objects that a rejected call may use. */
static struct {
  cw_device device;
  cw_device_facts facts;
  cw_region region;
  cw_device_location location;
  cw_kernel kernel;
  int64_t value;
  int number;
  bool flag;
  void *address;
  size_t offset;
  char handle[CW_MEMORY_HANDLE_BYTES];
} out;

#define DEVICE ((cw_device)at(bad))
#define KERNEL ((cw_kernel)at(bad))
#define TEAM ((cw_team)at(bad))
#define ADDRESS at(bad)

static const cw_device_options *of_kind(intptr_t kind, intptr_t number)
{
  static cw_device_options options;
  options = (cw_device_options){.kind = (cw_device_kind)kind, .number = (int)number};
  return &options;
}

/* Returns options for a context of the program. */
static const cw_device_options *of_context(cw_device_kind kind, int number, void *context,
                                           void *native)
{
  static cw_device_options options;
  options =
      (cw_device_options){.kind = kind, .number = number, .context = context, .native = native};
  return &options;
}

static cw_error close_device(cw_device given)
{
  cw_device handle = given;
  return cw_device_close(&handle);
}

static cw_error free_kernel(cw_kernel given)
{
  cw_kernel handle = given;
  return cw_kernel_free(&handle);
}

/* Closing is rejected, because the device has slices and a kernel. */
static cw_error close_mine(void)
{
  cw_device handle = device;
  const cw_error error = cw_device_close(&handle);
  kit_check(handle == device, "a device that could not be closed keeps its handle");
  return error;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static const cw_host_function broken[] = {{"trial_step", NULL}, {NULL, NULL}};
static const cw_host_function none[] = {{NULL, NULL}};

static const cw_kernel_source *with_functions(const cw_host_function *functions)
{
  static cw_kernel_source source;
  source = (cw_kernel_source){.functions = functions};
  return &source;
}

static const cw_kernel_launch_options *launch_of(const void *memory, int count)
{
  static cw_kernel_argument arguments[ARGUMENTS];
  static uint32_t factor;
  static cw_kernel_launch_options launch;
  for (int i = 0; i < ARGUMENTS; i++)
    arguments[i] = (cw_kernel_argument){.scalar = &factor, .bytes = sizeof factor};
  arguments[0].memory = memory;
  launch = (cw_kernel_launch_options){.arguments = arguments, .count = count, .global = {8}};
  return &launch;
}

static const cw_kernel_launch_options *launch_scalar(const void *scalar, size_t bytes)
{
  static cw_kernel_argument arguments[2];
  static cw_kernel_launch_options launch;
  arguments[0] = (cw_kernel_argument){.memory = mine};
  arguments[1] = (cw_kernel_argument){.scalar = scalar, .bytes = bytes};
  launch = (cw_kernel_launch_options){.arguments = arguments, .count = 2, .global = {8}};
  return &launch;
}

static const cw_kernel_launch_options *launch_groups(size_t global, size_t local)
{
  static cw_kernel_launch_options launch;
  launch = *launch_of(mine, 2);
  launch.global[1] = global;
  launch.local[1] = local;
  return &launch;
}

static const cw_kernel_launch_options *launch_without(int count)
{
  static cw_kernel_launch_options launch;
  launch = (cw_kernel_launch_options){.count = count};
  return &launch;
}

/* --- Transfers of other shapes ---------------------------------------------------------------- */

/* Operation of the next transfer. Rows with the axis of operations set it; other rows use the three
 * operations in turn. */
static cw_operation chosen;

static void as(intptr_t operation)
{
  chosen = (cw_operation)operation;
}

static cw_error each(cw_transfer transfer)
{
  transfer.operation = chosen;
  transfer.type = CW_INT;
  chosen = (chosen + 1) % 3;
  return cw_transfer_run(&transfer);
}

static cw_error rows(bool local_device, void *local, ptrdiff_t local_stride, void *remote,
                     ptrdiff_t remote_stride, size_t run, size_t count, int process)
{
  cw_transfer transfer =
      cw_strided(CW_PUT, local, &local_stride, remote, &remote_stride, run, &count, 1, process);
  transfer.local_device = local_device;
  return each(transfer);
}

/* Transfers a shape of two levels. */
static cw_error boxes(bool local_device, void *local, void *remote, ptrdiff_t stride)
{
  const ptrdiff_t tight[] = {8, 16}, wide[] = {8, stride};
  const size_t counts[] = {2, 3};
  cw_transfer transfer = cw_strided(CW_PUT, local, local_device ? wide : tight, remote,
                                    local_device ? tight : wide, 8, counts, 2, target);
  transfer.local_device = local_device;
  return each(transfer);
}

static cw_error levels(int given)
{
  const ptrdiff_t strides[16] = {8, 8, 8, 8, 8, 8, 8, 8, 8};
  const size_t counts[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  cw_transfer transfer =
      cw_strided(CW_PUT, mine, strides, there, strides, 8, counts, given, target);
  transfer.local_device = true;
  return each(transfer);
}

/* Transfers many segments, of which the last is bad. `other`: every second good segment lies there.
 * */
static cw_error list(bool local_device, void *local_last, void *other, void *last, size_t bytes)
{
  static void *local[SEGMENTS], *remote[SEGMENTS];
  for (size_t i = 0; i < SEGMENTS; i++) {
    local[i] = local_device ? mine + 8 * (i % 100) : here + 8 * (i % 100);
    remote[i] = other != NULL && i % 2 == 1 ? (char *)other + 8 * (i % 100) : there + 8 * (i % 100);
  }
  remote[SEGMENTS - 1] = last;
  local[SEGMENTS - 1] = local_last;
  const cw_vector vector = {local, remote, SEGMENTS, bytes};
  cw_transfer transfer = cw_vectors(CW_PUT, &vector, 1, target);
  transfer.local_device = local_device;
  return each(transfer);
}

static cw_error null_list(bool local, bool remote)
{
  static void *addresses[1];
  addresses[0] = there;
  const cw_vector vector = {local ? NULL : addresses, remote ? NULL : addresses, 1, 8};
  cw_transfer transfer = cw_vectors(CW_PUT, &vector, 1, target);
  transfer.local_device = true;
  return each(transfer);
}

static cw_error lock_free(void *remote)
{
  cw_transfer transfer = cw_contiguous(CW_ACCUMULATE, here, remote, 8, target);
  transfer.lock_free = true;
  return cw_transfer_run(&transfer);
}

/* Gets with a bad remote side, which must not change memory on the device; end_objects checks that.
 * */
static cw_error get_badly(void *remote, size_t bytes)
{
  return cw_device_get(mine, remote, bytes, target);
}

static cw_error started(void *remote, size_t bytes)
{
  cw_handle handle = {0, 0};
  const cw_transfer transfer = cw_contiguous(CW_PUT, here, remote, bytes, target);
  const cw_error error = cw_transfer_start(&transfer, &handle);
  return error != CW_OK ? error : cw_wait(&handle);
}

static bool shares_nothing(void)
{
  out.address = here;
  return cw_address_shared(me, mine, 8, &out.address) == CW_OK && out.address == NULL;
}

static bool finds_mine(void)
{
  return cw_region_find(me, mine + 8, &out.region, &out.offset) == CW_OK && out.region == region &&
         out.offset == 8;
}

static bool moves_nothing(void)
{
  return cw_device_put(here, NULL, 0, target) == CW_OK &&
         cw_device_get(NULL, there, 0, target) == CW_OK &&
         cw_device_accumulate(CW_INT, NULL, mine, here, 0, target) == CW_OK;
}

static void begin_object(struct bad_axis *axis, bool null, const char *what, const void *freed_one)
{
  bad_begin_objects(axis, null);
  bad_add_address(axis, what, freed_one);
}

/* Adds addresses where the local or the remote side must not lie; some exist only while there are
 * objects. */
static void add_places(struct bad_axis *axis, const char *slice)
{
  bad_add(axis, "NULL", 0);
  bad_add(axis, "-8", -8);
  bad_add_address(axis, "private memory", here);
  if (slice == NULL)
    return;
  bad_add_address(axis, "behind the slice", slice + BYTES);
  bad_add_address(axis, "before the slice", slice - 8);
  bad_add_address(axis, "far behind the slice", slice + ((ptrdiff_t)1 << 42));
  bad_add_address(axis, "a freed slice", freed_slice);
}

static void begin_axes(void)
{
  begin_object(&devices, true, "a closed device", closed);
  begin_object(&devices_not_null, false, "a closed device", closed);
  begin_object(&kernels, true, "a freed kernel", freed_kernel);
  begin_object(&kernels_not_null, false, "a freed kernel", freed_kernel);
  begin_object(&teams, true, "a device", device);
  if (mine != NULL) {
    bad_add_address(&devices, "a kernel", kernel);
    bad_add_address(&kernels, "a device", device);
    bad_add_address(&devices, "the inside of a device", (char *)device + 16);
  }
  numbers.count = mines.count = remotes.count = host_only.count = 0;
  bad_add_numbers(&numbers, kit_processes());
  add_places(&mines, mine);
  add_places(&remotes, there);
  if (mine == NULL)
    return;
  bad_add_address(&mines, "host memory of a region of mine", host_slices[me]);
  if (target != me) {
    bad_add_address(&mines, "another one's slice", there);
    bad_add_address(&remotes, "my slice", mine);
  }
  bad_add_address(&host_only, "device memory", there);
  bad_add_address(&host_only, "the end of device memory", there + BYTES - 8);
}

static void fill(int value)
{
  memset(here, value, BYTES);
  KIT_OK(cw_put(here, mine, BYTES, me));
  memset(host_slices[me], value, BYTES);
  memset(here, 5, BYTES);
}

/* Uses different numbers of addresses, so that those of different processes differ. */
static void use_addresses(void)
{
  cw_team self = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), me, 0, &self));
  for (int i = 0; i < 5 * me; i++) {
    cw_region used = NULL;
    KIT_MUST(cw_region_create_on(self, device, BYTES, &used, NULL));
    KIT_OK(cw_region_free(self, &used));
  }
  KIT_OK(cw_team_free(&self));
}

static void make_objects(void)
{
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  cw_team world = cw_team_world();
  me = kit_me();
  target = kit_processes() - 1;
  KIT_MUST(cw_device_open(NULL, &closed));
  cw_device handle = closed;
  KIT_OK(cw_device_close(&handle));
  KIT_MUST(cw_device_open(of_kind(CW_DEVICE_HOST, 0), &device));
  use_addresses();
  KIT_MUST(cw_region_create_on(world, device, BYTES, &region, slices));
  cw_region freed = NULL;
  void *freed_slices[MOST_PROCESSES];
  KIT_MUST(cw_region_create_on(world, device, BYTES, &freed, freed_slices));
  freed_slice = freed_slices[target];
  KIT_OK(cw_region_free(world, &freed));
  KIT_MUST(cw_region_create(world, BYTES, &host_region, host_slices));
  mine = slices[me];
  there = slices[target];
  host_there = host_slices[target];
  KIT_MUST(cw_kernel_create(device, &trial_source, "trial_step", &kernel));
  KIT_MUST(cw_kernel_create(device, &trial_source, "trial_step", &freed_kernel));
  KIT_OK(free_kernel(freed_kernel));
  fill(3);
  KIT_OK(cw_barrier(world));
}

/* Checks that no data was moved. */
static void end_objects(void)
{
  char seen[BYTES], threes[BYTES], fives[BYTES];
  memset(threes, 3, BYTES);
  memset(fives, 5, BYTES);
  kit_check_bytes(here, fives, BYTES, "private memory after all refused calls");
  KIT_OK(cw_device_finish(device));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_get(seen, mine, BYTES, me));
  kit_check_bytes(seen, threes, BYTES, "my device slice after all refused calls");
  kit_check_bytes(host_slices[me], threes, BYTES, "my host slice after all refused calls");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_region_free(cw_team_world(), &host_region));
  freed_kernel = kernel;
  closed = device;
  KIT_OK(free_kernel(kernel));
  KIT_OK(close_device(device));
  mine = there = NULL;
  KIT_MUST(cw_finalize());
}

static void add_values(void)
{
  bad_add_sizes(&sizes);
  bad_add(&kinds, "-1", -1);
  bad_add(&kinds, "the number of kinds", CW_DEVICE_KINDS);
  bad_add(&kinds, "INT_MAX", INT32_MAX);
  bad_add_negatives(&negatives);
  bad_add(&operations, "put", CW_PUT);
  bad_add(&operations, "get", CW_GET);
  bad_add(&operations, "accumulate", CW_ACCUMULATE);
  bad_add(&types, "-1", -1);
  bad_add(&types, "between", 8);
  bad_add(&types, "24", 24);
  bad_add(&types, "an opaque one", CW_OPAQUE);
}

static const struct bad_program program = {.name = "device_bad_input",
                                           .manner = BAD_RETURNS,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "device/bad_input.def"
#define BAD_IDLE "device/not_running.def"
#include "kit/bad_program.inc"
