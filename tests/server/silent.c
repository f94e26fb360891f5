/* A node is cut off that is perhaps no neighbour of the one that needs it, and nobody else waits:
 * the others compute. The last process stops for good; process 0 asks its server, or sends it more
 * than there are credits for (`credits`). The job ends, and names the node. */
#include "kit/native.h"

#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 400, BYTES = 100, COMPUTES = 100 /* seconds */ };

static void need(void *there, int process, bool credits)
{
  static char data[BYTES];
  for (int i = 0; credits && i < MESSAGES; i++)
    KIT_OK(cw_put(data, there, sizeof data, process));
  KIT_OK(cw_get(data, there, sizeof data, process));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "silent");
  const bool credits = argc > 1 && strcmp(argv[1], "credits") == 0;
  const int last = kit_processes() - 1;
  kit_make_region(BYTES, &region, &at);
  kit_meet();
  if (kit_me() == last)
    kill(getpid(), SIGSTOP);
  if (kit_me() == 0)
    need(at[last], last, credits);
  else
    sleep(COMPUTES);
  kit_check(false, "the job has not ended");
  return kit_finish_native();
}
