/* Every bad argument of TCGMSG's calls: before pbeginf, while it runs, after the end, and in a
 * second life. Each ends the job with a message that names the call and the argument; here cw_abort
 * returns. The tables are the .def files. */
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

/* Sends a message of 16 bytes, of type 5. */
static void to_myself(void)
{
  tcg_snd(5, words, 16, tcg_nodeid(), 0);
}

static void add_values(void)
{
  bad_add(&negatives, "-1", -1);
  bad_add(&negatives, "LONG_MIN", LONG_MIN);
  tags = sizes = wide = negatives;
  bad_add(&sizes, "INT_MAX + 1", (intptr_t)INT_MAX + 1);
  bad_add(&sizes, "LONG_MAX", LONG_MAX);
  bad_add(&wide, "LONG_MAX", LONG_MAX);
  bad_add(&tags, "LONG_MAX", LONG_MAX);
}

static void begin_axes(void)
{
  const int count = kit_processes();
  processes.count = strangers.count = 0;
  bad_add_numbers(&processes, count);
  bad_add(&processes, "2^32", (intptr_t)1 << 32);
  bad_add(&strangers, "-2", -2);
  bad_add(&strangers, "the number behind the last", count);
  bad_add(&strangers, "2^32", (intptr_t)1 << 32);
}

static void end(void)
{
  kit_check(cw_finalize() == CW_OK, "the end");
}

static const struct bad_program program = {.name = "tcgmsg.bad_input",
                                           .manner = BAD_ENDS,
                                           .outside_mpi = true,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = tcg_pbeginf,
                                           .end = end};

#define BAD_RUNNING "interfaces/tcgmsg/bad_input.def"
#define BAD_IDLE "interfaces/tcgmsg/not_running.def"
#include "kit/bad_program.inc"
