/* A job whose last process is killed while the others copy memory that its handle names: it must
 * soon end with an error. */
#include "view/handle_kit.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  enum { BYTES = 4 << 20, MICROSECONDS = 200000 };
  kit_start_native(&argc, &argv, "handles_killed");
  char *memory = kit_alloc(BYTES, 1);
  const int last = kit_processes() - 1;
  handle_name handle, all[16];
  KIT_MUST(cw_memory_handle_create(memory, BYTES, &handle));
  share_names(&handle, all);
  if (kit_me() == last) {
    usleep(MICROSECONDS);
    printf("victim dies\n");
    fflush(stdout);
    raise(SIGKILL);
  }
  const struct cwi_memory_handle there = resolved(&all[last]);
  cw_error error = CW_OK;
  while (error == CW_OK) {
    error = complete(move(CW_PUT, &there, memory, 0, BYTES), last);
    if (error == CW_OK)
      error = move(CW_GET, &there, memory, 0, BYTES);
  }
  printf("process %d went on: %s\n", kit_me(), cw_error_message());
  return kit_finish_native();
}
