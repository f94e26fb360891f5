/* Misuse that the table of bad arguments (bad_input.def) does not cover: a rejected transfer has
 * moved nothing, whatever was wrong with it; held mutexes; settings. */
#include "kit/native.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096 };

static cw_region region;
static void **slices;
static int target;  /* the last process */
static char *there; /* its slice */
static char *here;  /* a private buffer whose contents are in no slice */

/* Three ways to move contiguous bytes. */
static cw_error put(void *local, void *remote, size_t bytes, int process)
{
  return cw_put(local, remote, bytes, process);
}

static cw_error get(void *local, void *remote, size_t bytes, int process)
{
  return cw_get(local, remote, bytes, process);
}

static cw_error accumulate(void *local, void *remote, size_t bytes, int process)
{
  return cw_accumulate(CW_DOUBLE, NULL, local, remote, bytes, process);
}

static cw_error run_contiguous(void *local, void *remote, size_t bytes, int process)
{
  const cw_transfer transfer = cw_contiguous(CW_PUT, local, remote, bytes, process);
  return cw_transfer_run(&transfer);
}

static cw_error start_contiguous(void *local, void *remote, size_t bytes, int process)
{
  cw_handle handle = {0};
  const cw_transfer transfer = cw_contiguous(CW_GET, local, remote, bytes, process);
  const cw_error error = cw_transfer_start(&transfer, &handle);
  kit_check(handle.index == 0 && handle.generation == 0, "a refused start changed the handle");
  return error;
}

static cw_error run_vector(void *local, void *remote, size_t bytes, int process)
{
  void *locals[] = {here, local}, *remotes[] = {there, remote};
  const cw_vector vector = {locals, remotes, 2, bytes};
  const cw_transfer transfer = cw_vectors(CW_PUT, &vector, 1, process);
  return cw_transfer_run(&transfer);
}

static cw_error run_strided(void *local, void *remote, size_t bytes, int process)
{
  const size_t half = bytes / 2;
  const size_t two = 2;
  const ptrdiff_t near = (ptrdiff_t)half, far = (ptrdiff_t)(bytes - half);
  const cw_transfer transfer =
      cw_strided(CW_PUT, local, &near, remote, &far, half, &two, 1, process);
  return cw_transfer_run(&transfer);
}

/* Reads and modifies the word at `remote`. Uses a misaligned address if local is NULL. */
static cw_error fetch_add(void *local, void *remote, size_t bytes, int process)
{
  (void)local;
  return bytes == 4 ? cw_fetch_add_int32(remote, 1, process, NULL)
                    : cw_fetch_add_int64(remote, 1, process, NULL);
}

struct mover {
  const char *call;
  cw_error (*move)(void *local, void *remote, size_t bytes, int process);
  bool atomic;
};

static const struct mover movers[] = {{"cw_put", put, false},
                                      {"cw_get", get, false},
                                      {"cw_accumulate", accumulate, false},
                                      {"cw_transfer_run", run_contiguous, false},
                                      {"cw_transfer_start", start_contiguous, false},
                                      {"cw_transfer_run", run_vector, false},
                                      {"cw_transfer_run", run_strided, false},
                                      {"cw_fetch_add_int64", fetch_add, true}};

static void check_unmoved(void)
{
  KIT_OK(cw_fence_all());
  char seen[BYTES];
  KIT_OK(cw_get(seen, there, BYTES, target));
  for (int i = 0; i < BYTES; i++)
    if (!kit_check(seen[i] == 3, "byte %d of the slice is %d after a refused call", i, seen[i]))
      return;
  for (int i = 0; i < BYTES; i++)
    if (!kit_check(here[i] == 5, "byte %d of my buffer is %d after a refused call", i, here[i]))
      return;
}

static void expect(const struct mover *mover, const char *what, const char *words, void *local,
                   void *remote, size_t bytes, int process)
{
  char all[128];
  kit_about("%s (mover %d), %s", mover->call, (int)(mover - movers), what);
  snprintf(all, sizeof all, "%s: |%s", mover->call, words);
  kit_call_fails(mover->call, mover->move(local, remote, bytes, process), CW_MISUSE, all);
  check_unmoved();
}

static void number_words(char *words, size_t size, const char *format, int number)
{
  snprintf(words, size, format, number);
}

static void test_mover(const struct mover *mover)
{
  const int n = kit_processes();
  char words[64];
  static long outside[2];
  expect(mover, "process -1", "process is -1", here, there, 8, -1);
  number_words(words, sizeof words, "process is %d", n);
  expect(mover, "process N", words, here, there, 8, n);
  expect(mover, "process INT_MIN", "process is -2147483648", here, there, 8, -2147483647 - 1);
  expect(mover, "remote NULL", "NULL", here, NULL, 8, target);
  expect(mover, "memory of no region", "no slice", here, outside, 8, target);
  expect(mover, "one past the end", "slice", here, there + BYTES, 8, target);
  expect(mover, "before the start", "slice", here, there - 64, 8, target);
  if (mover->atomic) {
    expect(mover, "misaligned by 4", "multiple of 8", here, there + 4, 8, target);
    expect(mover, "misaligned by 1", "multiple of 8", here, there + 1, 8, target);
    return;
  }
  expect(mover, "over the end", "past the end|offset 4088 of its 4096", here, there + BYTES - 8, 16,
         target);
  expect(mover, "a huge size", "", here, there, (size_t)-16, target);
  expect(mover, "local NULL", "local is NULL", NULL, there, 8, target);
  if (n > 1 && slices[0] != there)
    expect(mover, "a slice of another process", "slice", here, slices[0], 8, target);
}

struct odd {
  const char *what, *words;
  cw_transfer transfer;
};

static void test_odd_transfers(void)
{
  static const size_t counts[8] = {1, 1, 1, 1, 1, 1, 1, 1}, five[] = {5},
                      huge[] = {SIZE_MAX / 4, 8};
  static const ptrdiff_t strides[8] = {8, 8, 8, 8, 8, 8, 8, 8}, wild[] = {(ptrdiff_t)1 << 62};
  static const ptrdiff_t back[] = {-8};
#define BASE(kind)                                                                                 \
  .operation = (kind), .process = target, .local = here, .remote = there, .bytes = 8
#define STRIDED(c, s) .levels = 1, .counts = (c), .local_strides = strides, .remote_strides = (s)
  const cw_vector uneven = {(void *[]){here}, (void *[]){there}, 1, 9};
  const cw_vector no_local = {NULL, (void *[]){there}, 1, 8};
  const cw_vector no_remote = {(void *[]){here}, NULL, 1, 8};
  const struct odd odds[] = {
      {"levels 9",
       "levels is 9",
       {BASE(CW_PUT), .levels = 9, .counts = counts, .local_strides = strides,
        .remote_strides = strides}},
      {"levels -1", "levels is -1", {BASE(CW_PUT), .levels = -1}},
      {"no counts", "levels is 1|NULL", {BASE(CW_PUT), .levels = 1}},
      {"operation 3", "operation is 3", {BASE((cw_operation)3)}},
      {"operation -1", "operation is -1", {BASE((cw_operation)-1)}},
      {"type 7", "type is 7", {BASE(CW_ACCUMULATE), .type = CW_TYPES}},
      {"elements without arithmetic", "type is 64", {BASE(CW_ACCUMULATE), .type = CW_OPAQUE}},
      {"type -1", "type is -1", {BASE(CW_ACCUMULATE), .type = (cw_type)-1}},
      {"half a complex", "bytes is 8|16", {BASE(CW_ACCUMULATE), .type = CW_DOUBLE_COMPLEX}},
      {"nine bytes of longs",
       "bytes is 9|8",
       {.operation = CW_ACCUMULATE,
        .type = CW_LONG,
        .process = target,
        .vectors = &uneven,
        .vector_count = 1}},
      {"vector without local addresses",
       "local addresses",
       {.operation = CW_PUT, .process = target, .vectors = &no_local, .vector_count = 1}},
      {"vector without remote addresses",
       "remote addresses",
       {.operation = CW_PUT, .process = target, .vectors = &no_remote, .vector_count = 1}},
      {"a stride out of the slice",
       "slice",
       {BASE(CW_PUT), STRIDED(five, (ptrdiff_t[]){BYTES / 4})}},
      {"a negative stride out of the slice", "slice", {BASE(CW_GET), STRIDED(five, back)}},
      {"a stride that wraps around", "c", {BASE(CW_PUT), STRIDED(five, wild)}},
      {"more bytes than there are",
       "2^64",
       {BASE(CW_PUT), .levels = 2, .counts = huge, .local_strides = strides,
        .remote_strides = strides}}};
  for (size_t i = 0; i < sizeof odds / sizeof odds[0]; i++) {
    cw_handle handle = {0};
    kit_about("%s", odds[i].what);
    kit_call_fails("cw_transfer_run", cw_transfer_run(&odds[i].transfer), CW_MISUSE, odds[i].words);
    kit_call_fails("cw_transfer_start", cw_transfer_start(&odds[i].transfer, &handle), CW_MISUSE,
                   odds[i].words);
    check_unmoved();
  }
}

/* A mutex that is held. */
static void test_held(void)
{
  const int me = kit_me();
  cw_mutexes mutexes = NULL;
  bool acquired = true;
  kit_about("mutexes");
  KIT_MUST(cw_mutexes_create(cw_team_world(), me == target ? 2 : 1, &mutexes));
  const size_t past = me == target ? 2 : 1;
  KIT_MISUSE("cw_mutex_lock: |mutex is ", cw_mutex_lock(mutexes, past, me));
  KIT_MISUSE("cw_mutex_trylock: |mutex is ", cw_mutex_trylock(mutexes, past, me, &acquired));
  kit_check(!acquired, "a refused trylock acquired");
  KIT_MISUSE("cw_mutex_unlock: |not locked", cw_mutex_unlock(mutexes, 0, me));
  KIT_OK(cw_mutex_lock(mutexes, 0, me));
  KIT_MISUSE("cw_mutex_lock: |already", cw_mutex_lock(mutexes, 0, me));
  KIT_MISUSE("cw_mutex_trylock: |already", cw_mutex_trylock(mutexes, 0, me, &acquired));
  KIT_MISUSE("cw_mutexes_free: |locked", cw_mutexes_free(&mutexes));
  KIT_OK(cw_mutex_unlock(mutexes, 0, me));
  KIT_MISUSE("cw_mutex_unlock: |not locked", cw_mutex_unlock(mutexes, 0, me));
  KIT_OK(cw_mutexes_free(&mutexes));
}

static void test_settings(void)
{
  static const struct {
    const char *name, *value;
  } bad[] = {{"CW_ROUTE", "foo"},      {"CW_ROUTE", ""},        {"CW_NODE_SIZE", "-1"},
             {"CW_NODE_SIZE", "two"},  {"CW_ZONE", "disk"},     {"CW_CHUNK_SIZE", "1"},
             {"CW_CHUNK_SIZE", "16Q"}, {"CW_RMA_METHOD", "x"},  {"CW_RMA_BATCH", "1x"},
             {"CW_RMA_STAGE", "2"},    {"CW_TEAM_METHOD", "?"}, {"CW_LOG", "4"},
             {"CW_SPIN", "-7"},        {"CW_STATS", "maybe"},   {"CW_PUNCH_SIZE", "99999999T"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const char *given = getenv(bad[i].name);
    char *before = given != NULL ? strdup(given) : NULL;
    char words[64];
    kit_about("%s=%s", bad[i].name, bad[i].value);
    snprintf(words, sizeof words, "cw_init: |%s|'%s'", bad[i].name, bad[i].value);
    setenv(bad[i].name, bad[i].value, 1);
    kit_call_fails("cw_init", cw_init(MPI_COMM_WORLD), CW_MISUSE, words);
    kit_check(!cw_initialized(), "Causeway runs after a refused cw_init");
    if (before != NULL)
      setenv(bad[i].name, before, 1);
    else
      unsetenv(bad[i].name);
    free(before);
  }
}

static void begin_data(void)
{
  target = kit_processes() - 1;
  slices = kit_alloc((size_t)kit_processes(), sizeof *slices);
  here = kit_alloc(BYTES, 1);
  memset(here, 5, BYTES);
  KIT_MUST(cw_region_create(cw_team_world(), BYTES, &region, slices));
  memset(slices[kit_me()], 3, BYTES);
  there = slices[target];
  KIT_OK(cw_barrier(cw_team_world()));
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "misuse");
  test_settings();
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  kit_use_world(cw_team_comm(cw_team_world()));
  begin_data();
  for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++)
    test_mover(&movers[i]);
  test_odd_transfers();
  test_held();
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_MUST(cw_finalize());
  free(slices);
  free(here);
  return kit_finish();
}
