/* A job whose last process is killed while the others put to its device. It must soon end with an
 * error. */
#include "kit/native.h"

#include <causeway/device.h>

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  enum { BYTES = 4 << 20, MICROSECONDS = 200000 };
  kit_start_native(&argc, &argv, "device_killed");
  char *memory = kit_alloc(BYTES, 1);
  const int last = kit_processes() - 1;
  cw_device device = NULL;
  cw_region region = NULL;
  void *slices[16];
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, BYTES, &region, slices));
  if (kit_me() == last) {
    usleep(MICROSECONDS);
    printf("victim dies\n");
    fflush(stdout);
    raise(SIGKILL);
  }
  cw_error error = CW_OK;
  while (error == CW_OK) {
    error = cw_put(memory, slices[last], BYTES, last);
    if (error == CW_OK)
      error = cw_device_get(slices[kit_me()], slices[last], BYTES, last);
  }
  printf("process %d went on: %s\n", kit_me(), cw_error_message());
  return kit_finish_native();
}
