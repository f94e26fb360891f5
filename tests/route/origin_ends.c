/* A thread's origin ends with its world. In a later world without servers, where origins do not
 * matter, the thread acts for the process. */
#include "kit/native.h"

#include "mpi/origin.h"

#include <mpi.h>
#include <stdlib.h>

static void check_origin(const char *world, bool has_own)
{
  uint32_t origin = 77;
  kit_about("%s", world);
  KIT_OK(cwi_origin_mine(&origin));
  kit_check(has_own ? origin != 0 && origin < CWI_ORIGINS : origin == 0, "the thread has origin %u",
            origin);
}

static void start_again(const char *node_size)
{
  KIT_MUST(cw_finalize());
  setenv("CW_NODE_SIZE", node_size, 1);
  KIT_MUST(cw_init(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "the ends of origins");
  kit_need_threads();
  check_origin("several nodes", true);
  start_again("2");
  check_origin("one node", false);
  start_again("1");
  check_origin("several nodes again", true);
  return kit_finish_native();
}
