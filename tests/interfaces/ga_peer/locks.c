/* Mutexes: mutual exclusion, exact totals of unprotected read-modify-write sequences inside
 * critical sections, create and destroy again and again.
 *
 * Not here: holding two mutexes at once. From C, GA 5.8.2 turns every number that GA_Lock is given
 * into the same ARMCI mutex, so the second GA_Lock would wait for its own process. */
#include "ga_kit.h"

#include <stdlib.h>

enum { FIELDS = 3, COUNT = 0, HOLDER = 1, SUM = 2, ROUNDS = 60, GENERATIONS = 4 };

static const double HOLD_SECONDS = 0.03;

static void record_get(int array, int record, long fields[FIELDS])
{
  int lo[2] = {record, 0}, hi[2] = {record, FIELDS - 1}, ld = FIELDS;

  NGA_Get(array, lo, hi, fields, &ld);
}

/* Complete at the target on return, as it must be before the mutex is released. */
static void record_put(int array, int record, long fields[FIELDS])
{
  int lo[2] = {record, 0}, hi[2] = {record, FIELDS - 1}, ld = FIELDS;

  GA_Init_fence();
  NGA_Put(array, lo, hi, fields, &ld);
  GA_Fence();
}

static void enter_and_leave(int array, int mutex, long amount)
{
  long fields[FIELDS] = {-1, -1, -1};

  GA_Lock(mutex);
  record_get(array, mutex, fields);
  kit_check(fields[HOLDER] == 0, "process %ld is inside already", fields[HOLDER] - 1);
  fields[HOLDER] = kit_me() + 1;
  record_put(array, mutex, fields);
  record_get(array, mutex, fields);
  kit_check_long(fields[HOLDER], kit_me() + 1, "holder while inside");
  fields[COUNT]++;
  fields[SUM] += amount;
  fields[HOLDER] = 0;
  record_put(array, mutex, fields);
  GA_Unlock(mutex);
}

/* Checks that the record of each mutex agrees with what all processes did with it. */
static void check_totals(int array, int mutexes, const long *counts, const long *sums)
{
  long *all = kit_alloc((size_t)mutexes, sizeof *all), fields[FIELDS] = {-1, -1, -1};

  GA_Sync();
  MPI_Allreduce(counts, all, mutexes, MPI_LONG, MPI_SUM, kit_comm());
  for (int i = 0; i < mutexes; i++) {
    record_get(array, i, fields);
    if (!kit_check_long(fields[COUNT], all[i], "entries"))
      break;
  }
  MPI_Allreduce(sums, all, mutexes, MPI_LONG, MPI_SUM, kit_comm());
  for (int i = 0; i < mutexes; i++) {
    record_get(array, i, fields);
    if (!kit_check_long(fields[SUM], all[i], "sum"))
      break;
  }
  GA_Sync();
  free(all);
}

/* hot: all processes use one mutex; else each draws its own. */
static void test_sections(int mutexes, bool hot)
{
  int dims[2] = {mutexes, FIELDS}, array = NGA_Create(C_LONG, 2, dims, kit_name, NULL);
  int one = kit_common(mutexes);
  long *counts = kit_alloc((size_t)mutexes, sizeof *counts);
  long *sums = kit_alloc((size_t)mutexes, sizeof *sums);

  kit_about("%d mutexes%s", mutexes, hot ? ", one used by all" : "");
  GA_Zero(array);
  for (int r = 0; r < ROUNDS; r++) {
    int mutex = hot ? one : kit_own(mutexes);
    long amount = 1 + (kit_me() + 1) * 1000L + r;

    enter_and_leave(array, mutex, amount);
    counts[mutex]++;
    sums[mutex] += amount;
  }
  check_totals(array, mutexes, counts, sums);
  GA_Destroy(array);
  free(counts);
  free(sums);
}

/* One process holds the mutex for a while and checks that no other process gets it meanwhile. */
static void test_hold(int mutexes, int holder)
{
  int dims[2] = {mutexes, FIELDS}, array = NGA_Create(C_LONG, 2, dims, kit_name, NULL);
  int mutex = kit_common(mutexes);
  long fields[FIELDS] = {0, 0, 0};

  kit_about("mutex %d of %d held by process %d", mutex, mutexes, holder);
  GA_Zero(array);
  if (kit_me() == holder)
    GA_Lock(mutex);
  GA_Sync();
  if (kit_me() == holder) {
    double end = MPI_Wtime() + HOLD_SECONDS;
    while (MPI_Wtime() < end) {
      record_get(array, mutex, fields);
      if (!kit_check_long(fields[COUNT], 0, "entries while held"))
        break;
    }
    GA_Unlock(mutex);
  }
  enter_and_leave(array, mutex, 1);
  GA_Sync();
  record_get(array, mutex, fields);
  kit_check_long(fields[COUNT], kit_processes(), "entries in the end");
  GA_Destroy(array);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "locks");
  for (int g = 0; g < GENERATIONS; g++) {
    /* fewer than processes, as many, more and no multiple */
    int mutexes = (int[GENERATIONS]){2, kit_processes() + 1, 2 * kit_processes() + 1, 37}[g];

    kit_about("generation %d", g);
    kit_check(GA_Create_mutexes(mutexes) == 1, "cannot create %d mutexes", mutexes);
    test_hold(mutexes, kit_common(kit_processes()));
    kit_stop_if_failed(); /* without exclusion, the rest could wait for ever */
    test_sections(mutexes, true);
    test_sections(mutexes, false);
    kit_check(GA_Destroy_mutexes() == 1, "cannot destroy %d mutexes", mutexes);
  }
  return kit_finish();
}
