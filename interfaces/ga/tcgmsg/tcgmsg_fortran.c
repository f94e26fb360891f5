/* TCGMSG's calls in Fortran. Messages use the argument names of tcgmsg.h. */
#include "ga/tcgmsg/run.h"

#include "ga/arguments/fortran_names.h"

#include "typesf2c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Start and end --- */

CWI_FORTRAN(void, pbeginf_, (void))
{
  (void)CWI_TCG("pbeginf", cwi_tcg_start());
}

CWI_FORTRAN(void, pbginf_, (void))
{
  (void)CWI_TCG("pbginf", cwi_tcg_start());
}

CWI_FORTRAN(void, pend_, (void))
{
  (void)CWI_TCG("pend", cwi_tcg_stop());
  exit(0);
}

CWI_FORTRAN(void, parerr_, (const Integer *code))
{
  cwi_tcg_give_up("the program has called parerr", *code);
}

CWI_FORTRAN(Integer, nnodes_, (void))
{
  return CWI_TCG("nnodes", cwi_tcg_running()) == 0 ? cw_processes() : 0;
}

CWI_FORTRAN(Integer, nodeid_, (void))
{
  return CWI_TCG("nodeid", cwi_tcg_running()) == 0 ? cw_process() : -1;
}

CWI_FORTRAN(Integer, tcgready_, (void))
{
  return cwi_tcg_runs();
}

CWI_FORTRAN(void, setdbg_, (const Integer *on))
{
  cwi_tcg_trace(*on != 0);
}

/* --- Messages --- */

CWI_FORTRAN(void, snd_,
            (const Integer *type, void *buf, const Integer *bytes, const Integer *to,
             const Integer *sync))
{
  const struct cwi_tcg_message message = {*type, buf, *bytes, *to, *sync != 0};
  (void)CWI_TCG("snd", cwi_tcg_send(&message));
}

CWI_FORTRAN(void, rcv_,
            (const Integer *type, void *buf, const Integer *size, Integer *bytes,
             const Integer *select, Integer *from, const Integer *sync))
{
  long length = 0, sender = 0;
  const struct cwi_tcg_message message = {*type, buf, *size, *select, *sync != 0};
  (void)CWI_TCG("rcv", cwi_tcg_receive(&message, &length, &sender));
  *bytes = (Integer)length;
  *from = (Integer)sender;
}

CWI_FORTRAN(Integer, probe_, (const Integer *type, const Integer *node))
{
  bool there = false;
  (void)CWI_TCG("probe", cwi_tcg_probe(*type, *node, &there));
  return there;
}

CWI_FORTRAN(void, waitcom_, (const Integer *node))
{
  (void)node;
  (void)CWI_TCG("waitcom", cwi_tcg_wait());
}

/* --- All processes --- */

CWI_FORTRAN(void, brdcst_,
            (const Integer *type, void *buf, const Integer *bytes, const Integer *root))
{
  (void)type;
  (void)CWI_TCG("brdcst", cwi_tcg_broadcast(buf, *bytes, *root));
}

/* The name of an operation as a C string. In Fortran it has no null character. */
struct operation {
  char name[16];
};

static struct operation operation_of(const char *op, size_t length)
{
  struct operation operation = {""};
  snprintf(operation.name, sizeof operation.name, "%.*s", (int)cwi_fortran_length(op, length), op);
  return operation;
}

CWI_FORTRAN(void, dgop_,
            (const Integer *type, DoublePrecision *x, const Integer *n, const char *op,
             size_t length))
{
  (void)type;
  (void)CWI_TCG("dgop", cwi_tcg_reduce(CW_DOUBLE, x, *n, operation_of(op, length).name));
}

CWI_FORTRAN(void, igop_,
            (const Integer *type, Integer *x, const Integer *n, const char *op, size_t length))
{
  const cw_type integer = sizeof *x == sizeof(int) ? CW_INT : CW_LONG;
  (void)type;
  (void)CWI_TCG("igop", cwi_tcg_reduce(integer, x, *n, operation_of(op, length).name));
}

CWI_FORTRAN(void, synch_, (const Integer *type))
{
  (void)type;
  (void)CWI_TCG("synch", cwi_tcg_synchronise());
}

static cw_error next(Integer processes, Integer *value)
{
  long wide = 0;
  CWI_TRY(cwi_tcg_next(processes, &wide));
  return cwi_fortran_error("the next value", wide, value);
}

CWI_FORTRAN(Integer, nxtval_, (const Integer *processes))
{
  Integer value = 0;
  (void)CWI_TCG("nxtval", next(*processes, &value));
  return value;
}

CWI_FORTRAN(void, pfcopy_,
            (const Integer *type, const Integer *root, const char *name, size_t length))
{
  char *ended = strndup(name, cwi_fortran_length(name, length));
  (void)type;
  (void)CWI_TCG("pfcopy", cwi_tcg_copy_file(*root, ended));
  free(ended);
}

CWI_FORTRAN(void, llog_, (void))
{
  (void)CWI_TCG("llog", cwi_tcg_log());
}

/* --- Local --- */

static cw_error sizes(Integer n, size_t from, size_t to, Integer *result)
{
  long wide = 0;
  CWI_TRY(cwi_tcg_sizes(n, from, to, &wide));
  *result = (Integer)wide;
  if (*result == wide)
    return CW_OK;
  return cwi_misuse("n is %ld; the result is %ld, more than an INTEGER can hold", (long)n, wide);
}

#define SIZES(name, from, to)                                                                      \
  CWI_FORTRAN(Integer, name##_, (const Integer *n))                                                \
  {                                                                                                \
    Integer result = 0;                                                                            \
    (void)CWI_TCG(#name, sizes(*n, from, to, &result));                                            \
    return result;                                                                                 \
  }
SIZES(mdtob, sizeof(DoublePrecision), 1)
SIZES(mitob, sizeof(Integer), 1)
SIZES(mdtoi, sizeof(DoublePrecision), sizeof(Integer))
SIZES(mitod, sizeof(Integer), sizeof(DoublePrecision))

CWI_FORTRAN(Integer, mtime_, (void))
{
  return (Integer)(100 * cwi_tcg_seconds());
}

CWI_FORTRAN(DoublePrecision, tcgtime_, (void))
{
  return cwi_tcg_seconds();
}

CWI_FORTRAN(DoublePrecision, drand48_, (void))
{
  return cwi_tcg_random();
}

CWI_FORTRAN(void, srand48_, (const Integer *seed))
{
  srandom((unsigned)*seed);
}

/* Returns a random number. A seed other than 0 starts another sequence. */
CWI_FORTRAN(DoublePrecision, drand_, (const Integer *seed))
{
  if (*seed != 0)
    srandom((unsigned)*seed);
  return cwi_tcg_random();
}

CWI_FORTRAN(Integer, niceftn_, (const Integer *ival))
{
  return nice((int)*ival);
}

/* --- Calls that do nothing and ignore their arguments: events and statistics (CW_STATS=1 prints
 * some), and BLACS grids, which Causeway opens and closes itself. --- */

#define NOTHING(name)                                                                              \
  CWI_FORTRAN(void, name, (void)) {}
NOTHING(stats_)
NOTHING(evon_)
NOTHING(evoff_)
NOTHING(evbgin_)
NOTHING(evend_)
NOTHING(event_)
NOTHING(slinit_)
NOTHING(slinit2_)
NOTHING(slinit3_)
NOTHING(slinit4_)
NOTHING(slexit_)
NOTHING(slexit2_)
NOTHING(slexit3_)
NOTHING(slexit4_)

/* Not implemented, because no known program calls it. */
CWI_FORTRAN(void, pfilecopy_, (const Integer *type, const Integer *root, void *name))
{
  (void)type;
  (void)root;
  (void)name;
  cwi_tcg_give_up(
      "pfilecopy: this call is not in Causeway's TCGMSG: call pfcopy (docs/reference/fortran.md)",
      1);
}
