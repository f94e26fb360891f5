/* Times copies by size and by (destination - source) mod 4096. Compares the C library's memcpy,
 * simple forward and backward loops, the processor's string instruction, Causeway's copy, and whole
 * gets. */
#include "copies.h"

#include "check.h"

#include "machine/copy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 4096, LARGEST = 16 << 20, ROWS = 256, MIB = 1 << 20 };
enum way { MEMCPY, FORWARD, BACKWARD, STRING, COPY, GET, WAYS };
static const char *const names[WAYS] = {"memcpy", "forward", "backward", "string", "copy", "get"};

/* The copy that a row of the table measures. */
struct shape {
  size_t bytes, rows, stride; /* of the source; the destination is dense */
  size_t difference;
};

struct place {
  char *to;
  const char *from;
};

#if defined(__x86_64__)
#define VECTORS __attribute__((target("avx2"), noinline))
#else
#define VECTORS __attribute__((noinline))
#endif
typedef unsigned char block __attribute__((vector_size(32), aligned(1), may_alias));

VECTORS static void *forward(void *to, const void *from, size_t bytes)
{
  char *y = to;
  const char *x = from;
  size_t i = 0;
  for (; i + sizeof(block) <= bytes; i += sizeof(block))
    *(block *)(y + i) = *(const block *)(x + i);
  for (; i < bytes; i++)
    y[i] = x[i];
  return to;
}

VECTORS static void *backward(void *to, const void *from, size_t bytes)
{
  char *y = to;
  const char *x = from;
  size_t i = bytes;
  while (i >= sizeof(block)) {
    i -= sizeof(block);
    *(block *)(y + i) = *(const block *)(x + i);
  }
  while (i > 0) {
    i--;
    y[i] = x[i];
  }
  return to;
}

static void *string(void *to, const void *from, size_t bytes)
{
#if defined(__x86_64__)
  void *y = to;
  __asm__ volatile("rep movsb" : "+D"(y), "+S"(from), "+c"(bytes) : : "memory");
  return to;
#else
  return memcpy(to, from, bytes);
#endif
}

static double now(void)
{
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
    bench_fail("no monotonic clock");
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void copy_rows(cwi_copy_function copy, const struct shape *shape, struct place at)
{
  for (size_t row = 0; row < shape->rows; row++)
    copy(at.to + row * shape->bytes, at.from + row * shape->stride, shape->bytes);
}

/* Returns the seconds that `times` copies take. */
static double repeat(enum way way, const struct shape *shape, struct place at,
                     const struct bench_side *ours, const struct bench_work *work, size_t times)
{
  const cwi_copy_function copies[WAYS] = {memcpy, forward,           backward,
                                          string, cwi_copy_ways.run, NULL};
  const double start = now();
  if (way == GET)
    ours->loops[work->operation](work, times);
  else
    for (size_t i = 0; i < times; i++) {
      copy_rows(copies[way], shape, at);
      __asm__ volatile("" ::: "memory");
    }
  return now() - start;
}

/* Like repeat, after a first round of copies that brings the caches into the state in which this
 * way leaves them. */
static double timed(enum way way, const struct shape *shape, struct place at,
                    const struct bench_side *ours, const struct bench_work *work, size_t times)
{
  repeat(way, shape, at, ours, work, times / 4 + 1);
  return repeat(way, shape, at, ours, work, times);
}

/* Measures each way and keeps its fastest turn, because other guests of the machine only add time.
 * */
static void measure(const struct shape *shape, struct place at, const struct bench_side *ours,
                    struct bench_work *work, int rounds, double seconds, double best[WAYS])
{
  size_t times[WAYS];
  work->operation = shape->rows > 1 ? BENCH_GET_ROWS : BENCH_GET;
  work->bytes = shape->bytes;
  work->rows = shape->rows;
  work->local = (double *)(void *)at.to;
  work->remote = (char *)(uintptr_t)at.from;
  for (int way = 0; way < WAYS; way++) {
    best[way] = 1e9;
    for (times[way] = 1; timed(way, shape, at, ours, work, times[way]) < seconds;)
      times[way] *= 2;
  }
  for (int round = 0; round < rounds; round++)
    for (int way = 0; way < WAYS; way++) {
      const double each = timed(way, shape, at, ours, work, times[way]) / (double)times[way];
      best[way] = each < best[way] ? each : best[way];
    }
}

/* Chooses the way of copying as the library does; the library reads CW_COPY itself. */
static void choose_way(void)
{
  const char *setting = getenv("CW_COPY");
  const enum cwi_copies way =
      cwi_copy_named(setting != NULL && setting[0] != '\0' ? setting : "auto");
  if (!cwi_copy_choose(way))
    bench_fail("CW_COPY is %s: there is no such way to copy here", setting);
  printf("copy: %s%s\n\n", way != CWI_COPY_AUTO ? "CW_COPY requests " : "", cwi_copy_describe());
}

static double best_other(const double best[WAYS])
{
  double other = best[MEMCPY];
  for (int way = FORWARD; way < COPY; way++)
    other = best[way] < other ? best[way] : other;
  return other;
}

static void heads(FILE *csv)
{
  printf("| %12s | %10s |", "bytes", "difference");
  for (int way = 0; way < WAYS; way++)
    printf(" %8s ns |", names[way]);
  printf(" copy/best | get/best |\n|-------------:|-----------:|");
  for (int way = 0; way < WAYS; way++)
    printf("------------:|");
  printf("----------:|---------:|\n");
  if (csv != NULL)
    fprintf(csv,
            "bytes,rows,difference,memcpy_ns,forward_ns,backward_ns,string_ns,copy_ns,get_ns\n");
}

static void print_row(const struct shape *shape, const double best[WAYS], FILE *csv)
{
  const double other = best_other(best);
  char bytes[32];
  const int length = shape->rows > 1 ? snprintf(bytes, sizeof bytes, "%zux", shape->rows) : 0;
  snprintf(bytes + length, sizeof bytes - (size_t)length, "%zu", shape->bytes);
  printf("| %12s | %10zu |", bytes, shape->difference);
  for (int way = 0; way < WAYS; way++)
    printf(" %11.1f |", 1e9 * best[way]);
  printf(" %9.2f | %8.2f |\n", best[COPY] / other, best[GET] / other);
  fflush(stdout);
  if (csv == NULL)
    return;
  fprintf(csv, "%zu,%zu,%zu", shape->bytes, shape->rows, shape->difference);
  for (int way = 0; way < WAYS; way++)
    fprintf(csv, ",%.2f", 1e9 * best[way]);
  fprintf(csv, "\n");
}

struct bench_copies bench_copies(const struct bench_side *ours, char *slice, int process,
                                 int rounds, double seconds, FILE *csv)
{
  static const size_t sizes[] = {64,    256,    1024,    4096,    16384,
                                 65536, 262144, 1 * MIB, 4 * MIB, 16 * MIB};
  static const size_t row_sizes[] = {64, 256, 1024, 4096};
  static const size_t differences[] = {0, 1, 8, 16, 32, 48, 64, 4064, 4080};
  enum { SIZES = sizeof sizes / sizeof *sizes, ALL = SIZES + sizeof row_sizes / sizeof *row_sizes };
  char *local = aligned_alloc(PAGE, LARGEST + 2 * PAGE);
  if (local == NULL)
    bench_fail("no memory for %d bytes", LARGEST);
  memset(local, 0, LARGEST + 2 * PAGE);
  struct bench_copies sum = {0, 0, 0};
  struct bench_work work = {.process = process, .scale = 1};
  char *from = slice + (-(uintptr_t)slice & (PAGE - 1));
  memset(from, 1,
         LARGEST); /* touch the pages first: a copy from untouched pages would time page faults */
  choose_way();
  heads(csv);
  for (size_t s = 0; s < ALL; s++)
    for (size_t d = 0; d < sizeof differences / sizeof *differences; d++) {
      const bool rows = s >= SIZES;
      const struct shape shape = {.bytes = rows ? row_sizes[s - SIZES] : sizes[s],
                                  .rows = rows ? ROWS : 1,
                                  .stride = BENCH_STRIDE,
                                  .difference = differences[d]};
      double best[WAYS];
      measure(&shape, (struct place){local + differences[d], from}, ours, &work, rounds, seconds,
              best);
      print_row(&shape, best, csv);
      const double ratio = best[COPY] / best_other(best);
      sum.rows++;
      sum.slow += ratio > 1.1;
      sum.worst = ratio > sum.worst ? ratio : sum.worst;
    }
  free(local);
  return sum;
}
