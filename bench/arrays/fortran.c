/* Times of calls of Fortran programs on one process, in turns: loops in Fortran, the same in C, and
 * their limit (a loop, pwrite, pread). Compiled for libcwga and for Debian's Global Arrays, whose
 * programs fortran.sh runs in turns. Prints a line for each case: its name, medians of the limit,
 * of C and of Fortran in ns ("-" if there is none), and the aim: an upper bound in ns or, as ">x",
 * the least part of the limit's speed.
 *
 *   causeway-fortran [ROUNDS [SECONDS]]    number and length of turns; files lie in TMPDIR */
#include <dra.h>
#include <eaf.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXTENT = 256, PATCH = 128, DISK_EXTENT = 1024, MIB = 1 << 20, MOST_ROUNDS = 101 };

static Integer handle, disk_handle, fd;
static int disk, file;
static double local[MIB / sizeof(double)], *elements;

/* --- Fortran's loops: fortran_loops.F90 --- */

#define ELEMENT_LOOP(name)                                                                         \
  void loop_##name##_(Integer *, double *, Integer *);                                             \
  static void fortran_##name(Integer size, Integer times)                                          \
  {                                                                                                \
    (void)size;                                                                                    \
    loop_##name##_(&handle, local, &times);                                                        \
  }
ELEMENT_LOOP(get)
ELEMENT_LOOP(put)
ELEMENT_LOOP(acc)
ELEMENT_LOOP(get_patch)
ELEMENT_LOOP(put_patch)
ELEMENT_LOOP(acc_patch)

#define PLAIN_LOOP(name)                                                                           \
  void loop_##name##_(Integer *);                                                                  \
  static void fortran_##name(Integer size, Integer times)                                          \
  {                                                                                                \
    (void)size;                                                                                    \
    loop_##name##_(&times);                                                                        \
  }
PLAIN_LOOP(create)
PLAIN_LOOP(push)

void loop_eaf_(Integer *, Integer *, double *, Integer *, Integer *);
static void fortran_eaf(bool writes, Integer size, Integer times)
{
  Integer flag = writes;
  loop_eaf_(&flag, &fd, local, &size, &times);
}

static void fortran_eaf_write(Integer size, Integer times)
{
  fortran_eaf(true, size, times);
}

static void fortran_eaf_read(Integer size, Integer times)
{
  fortran_eaf(false, size, times);
}

void loop_dra_(Integer *, Integer *, Integer *);
static void fortran_dra(Integer size, Integer times)
{
  (void)size;
  loop_dra_(&disk_handle, &(Integer){disk}, &times);
}

/* --- The same loops in C --- */

/* Element or patch at which a loop works, in C's order of indices. size: 1 or PATCH. */
struct place {
  int lo[2], hi[2], ld[1];
};

static struct place place_of(Integer size)
{
  const int row = size == 1 ? 8 : 20, column = size == 1 ? 6 : 10;
  return (struct place){{row, column}, {row + (int)size - 1, column + (int)size - 1}, {(int)size}};
}

static void c_get(Integer size, Integer times)
{
  struct place place = place_of(size);
  for (Integer i = 0; i < times; i++)
    NGA_Get((int)handle, place.lo, place.hi, local, place.ld);
}

static void c_put(Integer size, Integer times)
{
  struct place place = place_of(size);
  for (Integer i = 0; i < times; i++)
    NGA_Put((int)handle, place.lo, place.hi, local, place.ld);
}

static void c_acc(Integer size, Integer times)
{
  struct place place = place_of(size);
  double factor = size == 1 ? 1 : 2;
  for (Integer i = 0; i < times; i++)
    NGA_Acc((int)handle, place.lo, place.hi, local, place.ld, &factor);
}

static void c_create(Integer size, Integer times)
{
  static char name[] = "passing";
  int extents[] = {100, 100};
  (void)size;
  for (Integer i = 0; i < times; i++)
    GA_Destroy(NGA_Create(C_DBL, 2, extents, name, NULL));
}

static void c_push(Integer size, Integer times)
{
  static char name[] = "passing";
  Integer block = 0;
  MA_AccessIndex at = 0;
  (void)size;
  for (Integer i = 0; i < times; i++)
    if (!MA_push_get(MT_C_DBL, 100, name, &block, &at) || !MA_pop_stack(block))
      GA_Error((char *)"MA", 1);
}

static void c_eaf_write(Integer size, Integer times)
{
  for (Integer i = 1; i <= times; i++)
    if (EAF_Write((int)fd, (double)size * (double)(i % 64), local, (size_t)size) != 0)
      GA_Error((char *)"EAF_Write", 1);
}

static void c_eaf_read(Integer size, Integer times)
{
  for (Integer i = 1; i <= times; i++)
    if (EAF_Read((int)fd, (double)size * (double)(i % 64), local, (size_t)size) != 0)
      GA_Error((char *)"EAF_Read", 1);
}

static void c_dra(Integer size, Integer times)
{
  int request = 0;
  (void)size;
  for (Integer i = 0; i < times; i++) {
    NDRA_Write((int)disk_handle, disk, &request);
    DRA_Wait(request);
  }
}

/* --- Limits --- */

static double *row_of(Integer row)
{
  return elements + (20 + row) * EXTENT + 10;
}

static void limit_get(Integer size, Integer times)
{
  for (Integer i = 0; i < times; i++)
    for (Integer row = 0; row < size; row++)
      memcpy(local + row * size, row_of(row), (size_t)size * sizeof *local);
}

static void limit_put(Integer size, Integer times)
{
  for (Integer i = 0; i < times; i++)
    for (Integer row = 0; row < size; row++)
      memcpy(row_of(row), local + row * size, (size_t)size * sizeof *local);
}

static void limit_acc(Integer size, Integer times)
{
  for (Integer i = 0; i < times; i++)
    for (Integer row = 0; row < size; row++) {
      double *restrict to = row_of(row);
      const double *restrict from = local + row * size;
      for (Integer column = 0; column < size; column++)
        to[column] += 2 * from[column];
    }
}

static void limit_write(Integer size, Integer times)
{
  for (Integer i = 1; i <= times; i++)
    if (pwrite(file, local, (size_t)size, (off_t)(size * (i % 64))) != (ssize_t)size)
      GA_Error((char *)"pwrite", 1);
}

static void limit_read(Integer size, Integer times)
{
  for (Integer i = 1; i <= times; i++)
    if (pread(file, local, (size_t)size, (off_t)(size * (i % 64))) != (ssize_t)size)
      GA_Error((char *)"pread", 1);
}

/* Writes or reads as many bytes as the array has, as one stream. */
static void limit_stream(Integer size, Integer times)
{
  for (Integer i = 0; i < times; i++)
    for (Integer at = 0; at < size; at += MIB)
      if (pwrite(file, local, MIB, (off_t)at) != MIB)
        GA_Error((char *)"pwrite", 1);
}

/* --- Measuring --- */

typedef void side(Integer size, Integer times);
static const struct {
  const char *name;
  Integer size;
  side *limit, *c, *fortran;
  const char *aim;
} cases[] = {
    {"ga_get 1", 1, NULL, c_get, fortran_get, "40"},
    {"ga_put 1", 1, NULL, c_put, fortran_put, "40"},
    {"ga_acc 1", 1, NULL, c_acc, fortran_acc, "40"},
    {"ga_get 128 x 128", PATCH, limit_get, c_get, fortran_get_patch, ">0.9"},
    {"ga_put 128 x 128", PATCH, limit_put, c_put, fortran_put_patch, ">0.9"},
    {"ga_acc 128 x 128", PATCH, limit_acc, c_acc, fortran_acc_patch, ">0.9"},
    {"ga_create, ga_destroy", 0, NULL, c_create, fortran_create, "2500"},
    {"ma_push_get, ma_pop_stack", 0, NULL, c_push, fortran_push, "50"},
    {"eaf_write 8 B", 8, limit_write, c_eaf_write, fortran_eaf_write, ">0.9"},
    {"eaf_read 8 B", 8, limit_read, c_eaf_read, fortran_eaf_read, ">0.9"},
    {"eaf_write 4 KiB", 4096, limit_write, c_eaf_write, fortran_eaf_write, ">0.9"},
    {"eaf_read 4 KiB", 4096, limit_read, c_eaf_read, fortran_eaf_read, ">0.9"},
    {"eaf_write 1 MiB", MIB, limit_write, c_eaf_write, fortran_eaf_write, ">0.9"},
    {"eaf_read 1 MiB", MIB, limit_read, c_eaf_read, fortran_eaf_read, ">0.9"},
    {"dra_write 8 MiB", DISK_EXTENT *DISK_EXTENT * 8, limit_stream, c_dra, fortran_dra, ">0.8"},
};

static double seconds_of(side *loop, Integer size, Integer times)
{
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  loop(size, times);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static Integer times_of(side *loop, Integer size, double seconds)
{
  Integer times = 1;
  while (times < 1 << 24 && seconds_of(loop, size, times) < seconds)
    times *= 2;
  return times;
}

static int compare(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void print_median(double *samples, int rounds)
{
  qsort(samples, (size_t)rounds, sizeof *samples, compare);
  printf(";%.1f", samples[rounds / 2]);
}

static void measure(size_t number, int rounds, double seconds)
{
  static double samples[3][MOST_ROUNDS];
  side *const sides[] = {cases[number].limit, cases[number].c, cases[number].fortran};
  const Integer size = cases[number].size, times = times_of(sides[1], size, seconds);
  for (int round = 0; round < rounds; round++)
    for (int s = 0; s < 3; s++)
      if (sides[s] != NULL)
        samples[s][round] = 1e9 * seconds_of(sides[s], size, times) / (double)times;
  printf("%s", cases[number].name);
  for (int s = 0; s < 3; s++)
    if (sides[s] != NULL)
      print_median(samples[s], rounds);
    else
      printf(";-");
  printf(";%s\n", cases[number].aim);
}

static void begin(void)
{
  static char name[] = "numbers", path[] = "bench_dra";
  int extents[] = {EXTENT, EXTENT}, large[] = {DISK_EXTENT, DISK_EXTENT}, lo[] = {0, 0},
      hi[] = {EXTENT - 1, EXTENT - 1}, ld[1], number = 0;
  dra_size_t on_disk[] = {DISK_EXTENT, DISK_EXTENT}, request[] = {-1, -1};
  handle = NGA_Create(C_DBL, 2, extents, name, NULL);
  disk_handle = NGA_Create(C_DBL, 2, large, name, NULL);
  GA_Zero((int)handle);
  GA_Zero((int)disk_handle);
  NGA_Access((int)handle, lo, hi, &elements, ld);
  file = open("bench_limit", O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || EAF_Open("bench_eaf", EAF_RW, &number) != 0)
    GA_Error((char *)"files", 1);
  fd = number;
  limit_write(MIB, 64);
  fortran_eaf_write(MIB, 64);
  DRA_Init(1, 1e9, 1e9, 1e8);
  if (NDRA_Create(C_DBL, 2, on_disk, name, path, DRA_RW, request, &disk) != 0)
    GA_Error((char *)"DRA", 1);
}

static void end(void)
{
  DRA_Delete(disk);
  DRA_Terminate();
  EAF_Close((int)fd);
  EAF_Delete("bench_eaf");
  close(file);
  unlink("bench_limit");
  GA_Destroy((int)disk_handle);
  GA_Destroy((int)handle);
}

int main(int argc, char **argv)
{
  const char *folder = getenv("TMPDIR");
  const int rounds = argc > 1 ? atoi(argv[1]) : 15;
  const double seconds = argc > 2 ? atof(argv[2]) : 0.002;
  if (rounds < 1 || rounds > MOST_ROUNDS || chdir(folder != NULL ? folder : "/tmp") != 0)
    return 2;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
    return 1;
  GA_Initialize();
  MA_init(C_DBL, 1 << 20, 1 << 20);
  begin();
  for (size_t number = 0; number < sizeof cases / sizeof cases[0]; number++)
    measure(number, rounds, seconds);
  end();
  GA_Terminate();
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
