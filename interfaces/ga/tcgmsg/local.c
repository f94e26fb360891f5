/* Local calls of TCGMSG: sizes, clocks, random numbers, priority. */
#include "ga/tcgmsg/run.h"

#include "base/clock.h"

#include "tcgmsg.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

cw_error cwi_tcg_sizes(long count, size_t from, size_t to, long *result)
{
  CWI_TRY(cwi_check_not_negative("n", count));
  if ((size_t)count > (size_t)LONG_MAX / 2 / from)
    return cwi_misuse("n is %ld; no memory has that many elements", count);
  *result = (long)(((size_t)count * from + to - 1) / to);
  return CW_OK;
}

double cwi_tcg_seconds(void)
{
  static double first;
  if (first == 0)
    first = cwi_now();
  return cwi_now() - first;
}

double cwi_tcg_random(void)
{
  return (double)random() / 2147483648.0;
}

/* --- The calls in C --- */

#define SIZES(call, from, to)                                                                      \
  long call(long n)                                                                                \
  {                                                                                                \
    long result = 0;                                                                               \
    (void)CWI_TCG(__func__, cwi_tcg_sizes(n, from, to, &result));                                  \
    return result;                                                                                 \
  }
SIZES(tcg_mdtob, sizeof(double), 1)
SIZES(tcg_mitob, sizeof(long), 1)
SIZES(tcg_mdtoi, sizeof(double), sizeof(long))
SIZES(tcg_mitod, sizeof(long), sizeof(double))

double tcg_time(void)
{
  return cwi_tcg_seconds();
}

long tcg_mtime(void)
{
  return (long)(100 * cwi_tcg_seconds());
}

double tcg_drand48(void)
{
  return cwi_tcg_random();
}

void tcg_srand48(long seed)
{
  srandom((unsigned)seed);
}

long tcg_niceftn(long ival)
{
  return nice((int)ival);
}
