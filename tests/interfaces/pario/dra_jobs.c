/* One job of several that share an array on disk; dra_jobs.sh runs them.
 *
 *   write PATH SEED FILES    makes an array
 *   limited PATH SEED FILES  the same, where files may have 142 KiB
 *   late PATH SEED FILES     the same, but the limit of 100 KiB is set when the files exist
 *   delete PATH              deletes it
 *   again PATH SEED          writes other numbers into it
 *   forever PATH             writes the numbers of seeds 1 and 2 alternately, and reports it
 *   read PATH SEED [SEED]    checks that each number is of one of the seeds
 *   broken PATH              checks that it cannot be opened */
#include "kit/kit.h"

#include <dra.h>
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PLANES = 37, ROWS = 23, COLUMNS = 41, ALL = PLANES * ROWS * COLUMNS };

static int dims[] = {PLANES, ROWS, COLUMNS}, zeros[3], last[] = {PLANES - 1, ROWS - 1, COLUMNS - 1};
static double numbers[ALL];
static int array, disk, request;

static double number_of(int seed, int place)
{
  return 1000000. * seed + place;
}

static void write_numbers(int seed)
{
  for (int i = 0; i < ALL; i++)
    numbers[i] = number_of(seed, i);
  if (GA_Nodeid() == 0)
    NGA_Put(array, zeros, last, numbers, dims + 1);
  GA_Sync();
  kit_check_long(NDRA_Write(array, disk, &request), 0, "writing");
  kit_check_long(DRA_Wait(request), 0, "waiting");
}

/* The signal would end the job without a message. */
static void limit(rlim_t bytes)
{
  const struct rlimit small = {bytes, bytes};
  kit_check(setrlimit(RLIMIT_FSIZE, &small) == 0, "the limit");
}

static void make(char *path, int seed, int files, bool limited)
{
  dra_size_t extents[] = {PLANES, ROWS, COLUMNS}, unknown[] = {-1, -1, -1};
  DRA_Set_default_config(files, 0);
  kit_check_long(NDRA_Create(C_DBL, 3, extents, (char *)"job", path, DRA_RW, unknown, &disk), 0,
                 "creating");
  if (limited)
    limit(100 << 10);
  write_numbers(seed);
}

static void check_numbers(int seed, int other)
{
  kit_check_long(NDRA_Read(array, disk, &request), 0, "reading");
  kit_check_long(DRA_Wait(request), 0, "waiting");
  NGA_Get(array, zeros, last, numbers, dims + 1);
  for (int i = 0; i < ALL; i++)
    if (!kit_check(numbers[i] == number_of(seed, i) || numbers[i] == number_of(other, i),
                   "number %d is %.0f", i, numbers[i]))
      return;
}

static void run(int argc, char **argv)
{
  const char *mode = argv[1];
  char *path = argv[2];
  if (strcmp(mode, "limited") == 0)
    limit(142 << 10);
  const bool late = strcmp(mode, "late") == 0;
  if (late || strcmp(mode, "write") == 0 || strcmp(mode, "limited") == 0) {
    make(path, atoi(argv[3]), atoi(argv[4]), late);
  } else if (strcmp(mode, "broken") == 0) {
    kit_check_long(DRA_Open(path, DRA_RW, &disk), -1, "opening");
    return;
  } else {
    kit_check_long(DRA_Open(path, strcmp(mode, "read") == 0 ? DRA_R : DRA_RW, &disk), 0, "opening");
    if (strcmp(mode, "delete") == 0) {
      kit_check_long(DRA_Delete(disk), 0, "deleting");
      return;
    }
    if (strcmp(mode, "read") == 0)
      check_numbers(atoi(argv[3]), atoi(argv[argc - 1]));
    else if (strcmp(mode, "again") == 0)
      write_numbers(atoi(argv[3]));
    for (int seed = 1; strcmp(mode, "forever") == 0; seed = 3 - seed) {
      write_numbers(seed);
      kit_check(printf("written\n") > 0 && fflush(stdout) == 0, "printing");
    }
  }
  kit_check_long(DRA_Close(disk), 0, "closing");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "pario.dra_jobs");
  GA_Initialize();
  kit_use_world(GA_MPI_Comm());
  if (argc < 3)
    GA_Error((char *)"what to do?", 2);
  kit_check_long(DRA_Init(1, 0, 0, 0), 0, "starting");
  /* Uneven blocks, different ones for each number of processes. */
  array = NGA_Create(C_DBL, 3, dims, (char *)"numbers", NULL);
  run(argc, argv);
  GA_Terminate();
  return kit_finish();
}
