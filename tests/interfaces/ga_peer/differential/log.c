/* The log of the differential test, and its random numbers. */
#include "differ.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

session run;

static struct {
  FILE *file;
  char *text; /* text written by own() */
  size_t length;
  FILE *own;
  char where[32];
  uint64_t shared;
  long spoil;
} out;

static uint64_t common, layouts;

uint64_t mix(uint64_t x)
{
  /* splitmix64 */
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void draw_from(uint64_t seed, int round, int step)
{
  common = mix(mix(seed) + ((uint64_t)round << 32) + (uint64_t)step);
  layouts = mix(common);
}

int draw(int count)
{
  common = mix(common);
  return (int)(common % (uint64_t)count);
}

bool chance(int percent)
{
  return draw(100) < percent;
}

int draw_layout(int count)
{
  layouts = mix(layouts);
  return (int)(layouts % (uint64_t)count);
}

bool acts(int actor)
{
  return actor % run.processes == run.me;
}

void *take(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);

  if (!memory) {
    fprintf(stderr, "differ: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
  }
  return memory;
}

void log_open(const char *prefix, long spoil_at)
{
  char name[512];

  snprintf(name, sizeof name, "%s.%d", prefix, run.rank);
  out.file = fopen(name, "w");
  out.own = open_memstream(&out.text, &out.length);
  if (!out.file || !out.own) {
    fprintf(stderr, "differ: cannot write %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  out.spoil = spoil_at;
}

void log_close(void)
{
  fclose(out.own);
  free(out.text);
  fclose(out.file);
}

/* Flushed at once: if the library crashes, the log's last line names the call. */
void log_text(const char *format, ...)
{
  va_list list;

  va_start(list, format);
  vfprintf(out.file, format, list);
  va_end(list);
  fflush(out.file);
}

void log_begin(int round, int step, const char *name)
{
  snprintf(out.where, sizeof out.where, "%d.%d", round, step);
  log_text("%s = %s", out.where, name);
  rewind(out.own);
  out.shared = 0;
}

void own(const char *format, ...)
{
  va_list list;

  va_start(list, format);
  vfprintf(out.own, format, list);
  va_end(list);
}

void log_ints(const char *what, int count, const int *values)
{
  log_text(" %s", what);
  for (int i = 0; i < count; i++)
    log_text("%s%d", i ? "," : " ", values[i]);
}

void own_ints(const char *what, int count, const int *values)
{
  own(" %s", what);
  for (int i = 0; i < count; i++)
    own("%s%d", i ? "," : " ", values[i]);
}

void log_near(double value, double error)
{
  log_text(" ~%.17g+-%.3g", value, error);
}

void share(uint64_t value)
{
  out.shared += mix(value);
}

void log_end(void)
{
  MPI_Allreduce(MPI_IN_PLACE, &out.shared, 1, MPI_UINT64_T, MPI_SUM, run.comm);
  if (out.shared)
    log_text(" actors %016llx", (unsigned long long)out.shared);
  log_text("\n");
  fflush(out.own);
  if (ftell(out.own) > 0)
    log_text("%s @%.*s\n", out.where, (int)ftell(out.own), out.text);
}

void spoil(double *value)
{
  if (out.spoil > 0 && --out.spoil == 0)
    *value += 1;
}
