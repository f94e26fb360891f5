/* Every bad argument of TCGMSG's calls: before pbeginf, while it runs, after the end, in a second
 * life. Each ends the job with a sentence that names the call and the argument; here the end of the
 * job comes back. The tables are the .def files. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <causeway/runtime.h>
#include <tcgmsg.h>

#include <limits.h>

static struct bad_axis negatives, sizes, wide, tags, processes, strangers;
static long words[8], length, sender;
static double reals[8];
static char plus[] = "+", wrong[] = "!", bits[] = "or", empty[] = "", nowhere[] = "/nowhere/file",
            stop[] = "stop here", early[] = "too early";

/* A message of 16 bytes, of type 5. */
static void to_myself(void)
{
  tcg_snd(5, words, 16, tcg_nodeid(), 0);
}

#define BAD_TABLE "interfaces/tcgmsg/bad_input.def"
#define BAD_PREFIX running
#include "kit/bad_table.inc"

#define BAD_TABLE "interfaces/tcgmsg/not_running.def"
#define BAD_PREFIX idle
#include "kit/bad_table.inc"

#define TRY(rows, when) bad_try(rows, BAD_COUNT(rows), BAD_ENDS, when)

static void begin(void)
{
  bad_add(&negatives, "-1", -1);
  bad_add(&negatives, "LONG_MIN", LONG_MIN);
  tags = sizes = wide = negatives;
  bad_add(&sizes, "INT_MAX + 1", (intptr_t)INT_MAX + 1);
  bad_add(&sizes, "LONG_MAX", LONG_MAX);
  bad_add(&wide, "LONG_MAX", LONG_MAX);
  bad_add(&tags, "LONG_MAX", LONG_MAX);
}

static void live(const char *when)
{
  tcg_pbeginf();
  processes.count = strangers.count = 0;
  bad_add_numbers(&processes, (int)tcg_nnodes());
  bad_add(&processes, "2^32", (intptr_t)1 << 32);
  bad_add(&strangers, "-2", -2);
  bad_add(&strangers, "the number behind the last", tcg_nnodes());
  bad_add(&strangers, "2^32", (intptr_t)1 << 32);
  TRY(running_rows, when);
  if (bad_failures() > 0)
    bad_judge();
  kit_check(cw_finalize() == CW_OK, "the end");
}

int main(int argc, char **argv)
{
  int level = 0;
  begin();
  TRY(idle_rows, "before MPI_Init");
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "tcgmsg.bad_input");
  TRY(idle_rows, "before pbeginf");
  live("first life");
  TRY(idle_rows, "after the end");
  live("second life");
  bad_judge();
  return kit_finish();
}
