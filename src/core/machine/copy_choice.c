/* Chooses the way to copy by measurements on the processor on which the program runs. Tables of
 * processors are never complete, and the fastest way on one model may be the slowest on the next of
 * the same maker. */
#include "base/clock.h"
#include "machine/copy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `sizes` has the lengths of the measured runs: short ones, runs that fit into the first-level
 * cache, and runs for which libraries use another algorithm. `times` has the number of copies of
 * each. */
enum { SIZES = 3, DIFFERENCES = 6, ROUNDS = 4, PAGE = 4096, LONGEST = 8192 };
enum { ROWS = 32, ROW = 1024, MEMORY = (ROWS + 3) * PAGE + ROWS * ROW };
static const size_t sizes[SIZES] = {128, 3072, LONGEST}, times[SIZES] = {64, 12, 4};

/* Values of (to - from) mod 4096. At 8, 16 and shortly before a page, some ways are known to be
 * slow. */
static const size_t differences[DIFFERENCES] = {0, 8, 16, 64, 2056, 4080};

/* A way is chosen only if it takes less than this share of the library's time. A smaller difference
 * may be chance, and the processes of a job would then choose different ways. */
static const double WORTH = 0.95;

static const char *const names[CWI_COPIES] = {[CWI_COPY_AUTO] = "auto",
                                              [CWI_COPY_LIBRARY] = "library",
                                              [CWI_COPY_LOOP] = "loop",
                                              [CWI_COPY_STRING] = "string",
                                              [CWI_COPY_WIDE] = "wide"};

/* Instruction set that each way needs. */
static const char *const needs[CWI_COPIES] = {
    [CWI_COPY_LOOP] = "AVX2", [CWI_COPY_STRING] = "AVX2", [CWI_COPY_WIDE] = "AVX-512F"};

/* Measurements of one kind of copies. */
struct contest {
  /* mean over the cases of a way's time divided by the best time; 0 if not measured */
  double ratios[CWI_COPIES];
  enum cwi_copies fastest; /* CWI_COPY_AUTO before it is measured */
  enum cwi_copies chosen;
};
static struct contest runs = {.chosen = CWI_COPY_LIBRARY}, rows = {.chosen = CWI_COPY_LIBRARY};

/* One case: `count` copies of `bytes` bytes, at distances of `to_stride` and `from_stride`. */
struct copies {
  char *to;
  const char *from;
  size_t bytes, count, to_stride, from_stride;
};

/* Returns the nanoseconds that these copies take: the least of a few rounds, because other programs
 * only add time. */
static double least_time(cwi_copy_function copy, const struct copies *copies)
{
  uint64_t best = UINT64_MAX;
  for (int round = 0; round < ROUNDS; round++) {
    const uint64_t begin = cwi_nanoseconds();
    for (size_t i = 0; i < copies->count; i++) {
      copy(copies->to + i * copies->to_stride, copies->from + i * copies->from_stride,
           copies->bytes);
      __asm__ volatile("" ::: "memory");
    }
    const uint64_t took = cwi_nanoseconds() - begin;
    best = took < best ? took : best;
  }
  return best > 0 ? (double)best : 1;
}

/* Measures one of `cases` cases and adds the result to each way's mean. */
static void compare(struct contest *contest, struct copies copies, int cases)
{
  double took[CWI_COPIES] = {0}, best = 1e18;
  for (int way = CWI_COPY_LIBRARY; way < CWI_COPIES; way++) {
    const cwi_copy_function copy = cwi_copy_by((enum cwi_copies)way);
    if (copy == NULL)
      continue;
    took[way] = least_time(copy, &copies);
    best = took[way] < best ? took[way] : best;
  }
  for (int way = CWI_COPY_LIBRARY; way < CWI_COPIES; way++)
    contest->ratios[way] += took[way] / best / cases;
}

static void choose_fastest(struct contest *contest)
{
  const double *ratios = contest->ratios;
  enum cwi_copies best = CWI_COPY_LIBRARY;
  for (int way = CWI_COPY_LIBRARY + 1; way < CWI_COPIES; way++)
    if (ratios[way] > 0 && ratios[way] < ratios[best] &&
        ratios[way] < WORTH * ratios[CWI_COPY_LIBRARY])
      best = (enum cwi_copies)way;
  contest->fastest = best;
}

static void measure_runs(char *to, const char *from)
{
  for (int size = 0; size < SIZES; size++)
    for (int i = 0; i < DIFFERENCES; i++)
      compare(&runs, (struct copies){to + differences[i], from, sizes[size], times[size], 0, 0},
              SIZES * DIFFERENCES);
  choose_fastest(&runs);
}

/* Measures copies of dense rows into columns of a matrix whose rows begin on pages. The beginnings
 * of pages map to few sets of the first-level cache, so that the order of stores matters. */
static void measure_rows(char *to, const char *from)
{
  for (size_t bytes = 256; bytes <= ROW; bytes *= 2)
    for (size_t difference = 0; difference <= 16; difference += 16)
      compare(&rows, (struct copies){to + difference, from, bytes, ROWS, PAGE, bytes}, 6);
  choose_fastest(&rows);
}

static bool is_choice(void)
{
  /* every other way needs at least what the loop needs */
  return cwi_copy_by(CWI_COPY_LOOP) != NULL;
}

static void measure(void)
{
  runs.fastest = rows.fastest = CWI_COPY_LIBRARY;
  char *memory = is_choice() ? malloc(MEMORY) : NULL;
  if (memory == NULL)
    return;
  memset(memory, 1, MEMORY);
  char *to = memory + (-(uintptr_t)memory & (PAGE - 1)), *from = to + (ROWS + 1) * PAGE;
  measure_runs(to, from);
  measure_rows(to, from);
  free(memory);
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

void cwi_copy_unavailable(enum cwi_copies way, unsigned here, char *text, size_t size)
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
  if (way == CWI_COPY_AUTO && runs.fastest == CWI_COPY_AUTO)
    measure();
  const enum cwi_copies run = way == CWI_COPY_AUTO ? runs.fastest : way;
  const enum cwi_copies row = way == CWI_COPY_AUTO ? rows.fastest : way;
  const cwi_copy_function copy = cwi_copy_by(run);
  if (copy == NULL)
    return false;
  runs.chosen = run;
  rows.chosen = row;
  cwi_copy_ways = (struct cwi_copy_ways){copy, cwi_copy_by(row)};
  return true;
}

/* Appends the way in use for one kind of copies, and the measurements, to the text. Returns the new
 * length. */
static size_t describe(const struct contest *contest, char *text, size_t used, size_t size)
{
  const char *separator = " (times of the best way:";
  used += (size_t)snprintf(text + used, size - used, "%s", names[contest->chosen]);
  for (int way = CWI_COPY_LIBRARY; way < CWI_COPIES; way++)
    if (contest->ratios[way] > 0) {
      used += (size_t)snprintf(text + used, size - used, "%s %s %.2f", separator, names[way],
                               contest->ratios[way]);
      separator = ",";
    }
  return used + (size_t)snprintf(text + used, size - used, "%s", *separator == ',' ? ")" : "");
}

const char *cwi_copy_describe(void)
{
  static char text[300];
  size_t used = describe(&runs, text, 0, sizeof text);
  if (rows.ratios[CWI_COPY_LIBRARY] > 0) {
    used += (size_t)snprintf(text + used, sizeof text - used, "; short rows: ");
    describe(&rows, text, used, sizeof text);
  }
  return text;
}
