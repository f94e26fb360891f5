/* Which way to copy: measured on the processor that the program runs on. Lists of processors are
 * never complete, and what is best on one of a maker's is the worst on the next. */
#include "base/clock.h"
#include "base/copy.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Short runs, what fits the first cache, and lengths for which libraries take another way. */
enum { SIZES = 3, DIFFERENCES = 6, TURNS = 4, PAGE = 4096, LONGEST = 8192 };
static const size_t sizes[SIZES] = {128, 3072, LONGEST}, times[SIZES] = {64, 12, 4};

/* (to - from) mod 4096. At 8 and 16, and shortly before a page, one or the other way is known to
 * stumble. */
static const size_t differences[DIFFERENCES] = {0, 8, 16, 64, 2056, 4080};

/* Another way than the library's must be worth it: processes of a job shall not differ by chance.
 */
static const double WORTH = 0.95;

static const char *const names[CWI_COPIES] = {[CWI_COPY_AUTO] = "auto",
                                              [CWI_COPY_LIBRARY] = "library",
                                              [CWI_COPY_LOOP] = "loop",
                                              [CWI_COPY_STRING] = "string",
                                              [CWI_COPY_WIDE] = "wide"};

/* What each way needs of the processor. */
static const char *const needs[CWI_COPIES] = {
    [CWI_COPY_LOOP] = "AVX2", [CWI_COPY_STRING] = "AVX2", [CWI_COPY_WIDE] = "AVX-512F"};

static enum cwi_copies chosen = CWI_COPY_LIBRARY, fastest = CWI_COPY_AUTO; /* not yet known */
static double ratios[CWI_COPIES]; /* a way's time, by that of the best way for each run; 0: none */

/* Nanoseconds of these copies, the least of a few turns: others on the machine only add to it. */
static double least(cwi_copy_function copy, void *to, const void *from, size_t bytes, size_t count)
{
  uint64_t best = UINT64_MAX;
  for (int turn = 0; turn < TURNS; turn++) {
    const uint64_t begin = cwi_nanoseconds();
    for (size_t i = 0; i < count; i++) {
      copy(to, from, bytes);
      __asm__ volatile("" ::: "memory");
    }
    const uint64_t took = cwi_nanoseconds() - begin;
    best = took < best ? took : best;
  }
  return best > 0 ? (double)best : 1;
}

/* Adds each way's part for one run. */
static void compare(void *to, const void *from, size_t bytes, size_t count)
{
  double took[CWI_COPIES] = {0}, best = 1e18;
  for (int way = CWI_COPY_LIBRARY; way < CWI_COPIES; way++) {
    const cwi_copy_function copy = cwi_copy_by((enum cwi_copies)way);
    if (copy == NULL)
      continue;
    took[way] = least(copy, to, from, bytes, count);
    best = took[way] < best ? took[way] : best;
  }
  for (int way = CWI_COPY_LIBRARY; way < CWI_COPIES; way++)
    ratios[way] += took[way] / best / (SIZES * DIFFERENCES);
}

static enum cwi_copies probe(void)
{
  char rooms[2][LONGEST + 2 * PAGE];
  memset(rooms, 1, sizeof rooms);
  char *to = rooms[0] + (-(uintptr_t)rooms[0] & (PAGE - 1));
  const char *from = rooms[1] + (-(uintptr_t)rooms[1] & (PAGE - 1));
  for (int size = 0; size < SIZES; size++)
    for (int i = 0; i < DIFFERENCES; i++)
      compare(to + differences[i], from, sizes[size], times[size]);
  enum cwi_copies best = CWI_COPY_LIBRARY;
  for (int way = CWI_COPY_LIBRARY + 1; way < CWI_COPIES; way++)
    if (ratios[way] > 0 && ratios[way] < ratios[best] &&
        ratios[way] < WORTH * ratios[CWI_COPY_LIBRARY])
      best = (enum cwi_copies)way;
  return best;
}

static bool is_choice(void)
{
  return cwi_copy_by(CWI_COPY_LOOP) != NULL; /* every other way needs more */
}

enum cwi_copies cwi_copy_named(const char *name)
{
  int way = CWI_COPY_AUTO;
  while (way < CWI_COPIES && strcmp(names[way], name) != 0)
    way++;
  return (enum cwi_copies)way;
}

unsigned cwi_copies_here(void)
{
  unsigned here = 1U << CWI_COPY_AUTO;
  for (int way = CWI_COPY_LIBRARY; way < CWI_COPIES; way++)
    if (cwi_copy_by((enum cwi_copies)way) != NULL)
      here |= 1U << way;
  return here;
}

void cwi_copy_refusal(enum cwi_copies way, unsigned here, char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "CW_COPY is %s: this processor lacks %s; choose",
                                 names[way], needs[way] != NULL ? needs[way] : "nothing");
  for (int other = CWI_COPY_AUTO; other < CWI_COPIES && used < size; other++)
    if ((here >> other & 1) != 0)
      used += (size_t)snprintf(text + used, size - used, "%s %s",
                               other > CWI_COPY_AUTO ? here >> (other + 1) == 0 ? " or" : "," : "",
                               names[other]);
}

bool cwi_copy_choose(enum cwi_copies way)
{
  if (way == CWI_COPY_AUTO) {
    if (fastest == CWI_COPY_AUTO)
      fastest = is_choice() ? probe() : CWI_COPY_LIBRARY;
    way = fastest;
  }
  const cwi_copy_function copy = cwi_copy_by(way);
  if (copy == NULL)
    return false;
  chosen = way;
  cwi_copy_way = copy;
  return true;
}

const char *cwi_copy_describe(void)
{
  static char text[200];
  int length = snprintf(text, sizeof text, "%s", names[chosen]);
  if (fastest == CWI_COPY_AUTO || !is_choice())
    return text;
  length += snprintf(text + length, sizeof text - (size_t)length, "; times of the best way:");
  for (int way = CWI_COPY_LIBRARY; way < CWI_COPIES; way++)
    if (ratios[way] > 0)
      length += snprintf(text + length, sizeof text - (size_t)length, " %s %.2f%s", names[way],
                         ratios[way], way < CWI_COPIES - 1 ? "," : "");
  return text;
}
