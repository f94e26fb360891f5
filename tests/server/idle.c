/* The server of an idle job rarely wakes up: its sleeps get longer with the time since the last
 * request. Counts the sleeps, of which a busy machine has only fewer; afterwards a request is
 * answered. */
#include "kit/native.h"

#include "link/link.h"
#include "server/server.h"

#include <unistd.h>

enum {
  SILENT_SECONDS = 2,
  MOST_NAPS = 60
}; /* per second; more would use half a percent of a core */

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "idle");
  kit_make_region(sizeof(long), &region, &at);
  const int other = (kit_me() + 1) % kit_processes();
  *(long *)at[kit_me()] = 7 + kit_me();
  kit_meet();
  struct cwi_server_use before, after;
  sleep(SILENT_SECONDS);
  kit_check(cwi_server_use_now(&before), "there is no server");
  sleep(1);
  kit_check(cwi_server_use_now(&after), "there is no server any more");
  kit_check(after.sleeps - before.sleeps <= MOST_NAPS, "the server woke up %lu times in a second",
            (unsigned long)(after.sleeps - before.sleeps));
  kit_meet();
  long got = 0;
  KIT_OK(cw_get(&got, at[other], sizeof got, other));
  kit_check_long(got, 7 + other, "the answer after silence");
  kit_meet();
  kit_free_region(&region, at);
  return kit_finish_native();
}
