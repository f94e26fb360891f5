/* Calls of causeway/device.h with the host as a device: slices of the region lie in its memory. */
#include "expect.h"

int main(int argc, char **argv)
{
  start(&argc, &argv);
  const int me = cw_process(), next = (me + 1) % cw_processes();
  int count = 0;
  char why[200] = "";
  CW_MUST(cw_device_count(CW_DEVICE_HOST, &count, why, sizeof why));
  EXPECT(count >= 1);
  cw_device device = NULL;
  CW_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));

  cw_region region = NULL;
  void **address = calloc((size_t)cw_processes(), sizeof *address);
  CW_MUST(cw_region_create_on(cw_team_world(), device, 2 * sizeof(double), &region, address));
  double *mine = address[me], *theirs = address[next];
  const double value = me + 1;
  double back = 0;
  CW_MUST(cw_put(&value, theirs, sizeof value, next)); /* from the host to a device */
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_device_put(mine, theirs + 1, sizeof value, next)); /* from device to device */
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_device_accumulate(CW_DOUBLE, NULL, mine, theirs + 1, sizeof value, next));
  CW_MUST(cw_fence(next));
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_device_get(mine, theirs + 1, sizeof value, next)); /* mine[0] = theirs[1] */
  CW_MUST(cw_get(&back, mine, sizeof back, me));
  EXPECT(back == 2.0 * ((me + cw_processes() - 1) % cw_processes() + 1));

  cw_device_location location;
  CW_MUST(cw_device_locate(mine, &location)); /* for the driver's own calls */
  EXPECT(location.device == device && location.address != 0);

  cw_array array = NULL;
  const int64_t extent = 4L * cw_processes();
  const cw_array_options options = {
      .type = CW_DOUBLE, .dimensions = 1, .extents = &extent, .device = device};
  CW_MUST(cw_array_create(cw_team_world(), &options, &array));
  void *memory = NULL;
  cw_array_view part;
  CW_MUST(cw_array_access_device(array, NULL, NULL, &memory, &part)); /* for cw_kernel_launch */
  EXPECT(part.extents[0] == 4);
  CW_MUST(cw_array_release(array, &part));
  CW_MUST(cw_array_destroy(&array));

  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_region_free(cw_team_world(), &region));
  CW_MUST(cw_device_close(&device));
  free(address);
  return stop();
}
