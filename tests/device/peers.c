/* Tests which process moves data to and from node peers' devices: this process by its own device
 * where the driver shares memory between processes, otherwise the owner's agent. Slices are
 * imported once and released before their owner frees them, in any order and in any team; if an
 * import fails, the agent moves the data. On CUDA, with NVIDIA's driver or the fake one, which
 * knows which imports remain open.
 *
 * Usage: peers [rounds] | peers left (everything is left to cw_finalize) */
#include "kit/native.h"

#include "base/operation_counts.h"
#include "base/settings.h"
#include "device/fake_cuda/control.h"
#include "team/world.h"

#include <causeway/device.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16, WORDS = 3000, BYTES = WORDS * 8, LONG = 3 << 20, PEER_ACCESS = 217 };

static cw_device device;
static int me, processes;

/* --- Counters --------------------------------------------------------------------------------- */

/* Returns a count of the fake driver's; 0 with a real driver. */
static int calls_of(const char *name)
{
  int (*count)(const char *) = NULL;
  *(void **)(void *)&count = fake_cuda_find("fake_cuda_count");
  return count != NULL ? count(name) : 0;
}

static void fail_call(const char *name, int n)
{
  void (*fake)(const char *, int, int) = NULL;
  *(void **)(void *)&fake = fake_cuda_find("fake_cuda_fail_call");
  if (fake != NULL)
    fake(name, n, PEER_ACCESS);
}

static bool is_fake(void)
{
  return fake_cuda_find("fake_cuda_fail_call") != NULL;
}

static bool takes(void)
{
  return cwi_settings.device_peer == CWI_DEVICE_PEER_AUTO;
}

static long imported(void)
{
  return (long)cwi_statistics.imported;
}

static long moved(enum cwi_mover mover)
{
  return (long)cwi_statistics.by_device[mover];
}

/* Numbers of transfers since then, by the process that moved them. */
struct count {
  long myself, agent, imported, opened;
};

static struct count count_now(void)
{
  return (struct count){moved(CWI_MYSELF), moved(CWI_BY_AGENT), imported(),
                        calls_of("cuIpcOpenMemHandle_v2")};
}

static void check_count(const struct count *before, long myself, long agent, long slices,
                        const char *what)
{
  const struct count now = count_now();
  const bool mine = takes();
  kit_about("%s", what);
  kit_check_long(now.myself - before->myself, mine ? myself : 0, "moved by this process");
  kit_check_long(now.agent - before->agent, mine ? agent : myself + agent, "moved by agents");
  kit_check_long(now.imported - before->imported, mine ? slices : 0, "slices imported");
  if (is_fake())
    kit_check_long(now.opened - before->opened, mine ? slices : 0, "memory opened");
}

/* --- Slices ----------------------------------------------------------------------------------- */

static int64_t word_of(int process, size_t place)
{
  return (int64_t)process * 100000 + (int64_t)place;
}

static void fill(int64_t *words, int process, size_t count)
{
  for (size_t i = 0; i < count; i++)
    words[i] = word_of(process, i);
}

/* Makes a region whose slice of this process lies on the device `mine`, and fills this slice with
 * this process's words. */
static void make_on(cw_team team, cw_device mine, size_t bytes, cw_region *region, void **slices)
{
  int64_t *words = kit_alloc(bytes / 8, 8);
  fill(words, me, bytes / 8);
  KIT_MUST(cw_region_create_on(team, mine, bytes, region, slices));
  KIT_OK(cw_put(words, slices[cw_team_rank(team)], bytes, me));
  KIT_OK(cw_barrier(team));
  free(words);
}

static void check_word(const void *slice, int owner, size_t place, int64_t want)
{
  int64_t word = -1;
  KIT_OK(cw_get(&word, (const int64_t *)slice + place, sizeof word, owner));
  kit_check(word == want, "word %zu of process %d is %ld, not %ld", place, owner, (long)word,
            (long)want);
}

/* --- Each operation --------------------------------------------------------------------------- */

static void try_shapes(void *there, int next)
{
  int64_t local[40] = {0};
  void *mine[3], *remote[3];
  const ptrdiff_t here = 8, apart = 80;
  const size_t rows = 40;
  const cw_transfer gets = cw_strided(CW_GET, local, &here, there, &apart, 8, &rows, 1, next);
  KIT_OK(cw_transfer_run(&gets));
  for (size_t i = 0; i < rows; i++)
    kit_check(local[i] == word_of(next, 10 * i), "row %zu is %ld", i, (long)local[i]);
  for (size_t i = 0; i < 3; i++) {
    mine[i] = local + i;
    remote[i] = (int64_t *)there + 500 - 7 * i;
  }
  const cw_vector list = {mine, remote, 3, 8};
  const cw_transfer lists = cw_vectors(CW_GET, &list, 1, next);
  KIT_OK(cw_transfer_run(&lists));
  for (size_t i = 0; i < 3; i++)
    kit_check(local[i] == word_of(next, 500 - 7 * i), "segment %zu is %ld", i, (long)local[i]);
}

/* Transfers the shapes, then words to the peer: by a put, between devices, and twice by
 * accumulates. */
static void try_operations(void)
{
  cw_region region = NULL, mine_region = NULL;
  void *slices[MOST], *sources[MOST];
  const int next = (me + 1) % processes, before = (me + processes - 1) % processes;
  int64_t words[WORDS];
  make_on(cw_team_world(), device, BYTES, &region, slices);
  make_on(cw_team_world(), device, BYTES, &mine_region, sources);
  int64_t *there = slices[next];
  struct count count = count_now();
  try_shapes(there, next);
  check_count(&count, 2, 0, 1, "shapes");
  KIT_OK(cw_barrier(cw_team_world()));
  count = count_now();
  fill(words, me, WORDS);
  KIT_OK(cw_put(words, there, 1000, next));
  const int copies = calls_of("cuMemcpyDtoDAsync_v2"), to = calls_of("cuMemcpyHtoDAsync_v2");
  KIT_OK(cw_device_put((int64_t *)sources[me] + 1000, there + 1000, 8000, next));
  if (is_fake() && takes()) {
    kit_check_long(calls_of("cuMemcpyDtoDAsync_v2") - copies, 1, "copies between devices");
    kit_check_long(calls_of("cuMemcpyHtoDAsync_v2") - to, 0, "copies from host memory");
  }
  KIT_OK(cw_barrier(cw_team_world())); /* agents copy accumulates' data from host memory */
  KIT_OK(cw_accumulate(CW_LONG, NULL, words, there, 1000, next));
  KIT_OK(cw_device_accumulate(CW_LONG, NULL, sources[me], there, 1000, next));
  check_count(&count, 2, 2, 0, "a put, a copy, accumulates");
  KIT_OK(cw_barrier(cw_team_world()));
  check_word(slices[me], me, 124, 3 * word_of(before, 124));
  check_word(slices[me], me, 125, word_of(me, 125));
  check_word(slices[me], me, 1000, word_of(before, 1000));
  check_word(slices[me], me, 1999, word_of(before, 1999));
  check_word(slices[me], me, 2000, word_of(me, 2000));
  KIT_OK(cw_device_get(sources[me], slices[next], 8000, next));
  check_word(sources[me], me, 124, 3 * word_of(me, 124));
  check_word(sources[me], me, 999, word_of(next, 999));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_region_free(cw_team_world(), &mine_region));
}

/* Long transfers, and some that are not inside one slice. */
static void try_bounds(void)
{
  cw_region region = NULL, other = NULL;
  void *slices[MOST], *others[MOST];
  const int next = (me + 1) % processes;
  int64_t *words = kit_alloc(LONG, 2), *want = kit_alloc(LONG, 1);
  make_on(cw_team_world(), device, LONG, &region, slices);
  make_on(cw_team_world(), device, LONG, &other, others);
  char *there = slices[next];
  fill(want, next, LONG / 8);
  struct count count = count_now();
  KIT_OK(cw_get(words, there, LONG, next));
  check_count(&count, 1, 0, 1, "a long get");
  kit_check_bytes(words, want, LONG, "a long get");
  KIT_MISUSE("remote|past the end", cw_get(words, there + 8, LONG, next));
  KIT_MISUSE("remote|past the end", cw_put(words, there + 8, LONG, next));
  KIT_MISUSE("remote|never allocated", cw_put(words, there - 16, 32, next));
  void *mine[2] = {words, words + 1}, *remote[2] = {there + 80, (char *)others[next] + 88};
  const cw_vector list = {mine, remote, 2, 8};
  const cw_transfer both = cw_vectors(CW_GET, &list, 1, next);
  count = count_now();
  KIT_OK(cw_transfer_run(&both));
  kit_check(words[0] == word_of(next, 10) && words[1] == word_of(next, 11), "a list of two slices");
  kit_check_long(moved(CWI_BY_AGENT) - count.agent, 1, "a list of two slices: the agent's");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_MISUSE("remote|freed", cw_put(words, there, 8, next));
  KIT_MISUSE("remote|freed", cw_device_put(others[me], there, 8, next));
  KIT_OK(cw_region_free(cw_team_world(), &other));
  free(words);
  free(want);
}

/* --- Created and freed repeatedly ------------------------------------------------------------- */

/* Regions of equal size, for which drivers tend to reuse the same memory. */
static void try_again(int rounds)
{
  for (int round = 0; round < rounds; round++) {
    cw_region region = NULL;
    void *slices[MOST];
    const struct count count = count_now();
    make_on(cw_team_world(), device, BYTES, &region, slices);
    for (int p = 0; p < processes; p++) {
      int64_t word = round;
      check_word(slices[p], p, 77, word_of(p, 77));
      KIT_OK(cw_put(&word, (int64_t *)slices[p] + me, sizeof word, p));
    }
    check_count(&count, 2L * (processes - 1), 0, processes - 1, "again and again");
    KIT_OK(cw_barrier(cw_team_world()));
    check_word(slices[me], me, (size_t)processes - 1, round);
    KIT_OK(cw_region_free(cw_team_world(), &region));
  }
}

/* --- Several regions of teams that overlap ---------------------------------------------------- */

enum { REGIONS = 6 };

/* Slice addresses, which are sent to processes that are not members. 0 if there is no slice. */
struct place {
  cw_team team;
  cw_region region;
  int64_t number; /* first word of its slices, because a driver may open the wrong memory */
  int64_t addresses[MOST];
};

static void place_make(struct place *place, cw_team team)
{
  static int64_t made;
  void *slices[MOST];
  int64_t mine = 0;
  place->team = team;
  place->number = -++made;
  if (team != NULL) {
    make_on(team, device, BYTES, &place->region, slices);
    void *slice = slices[cw_team_rank(team)];
    KIT_OK(cw_put(&place->number, slice, sizeof place->number, me));
    KIT_OK(cw_barrier(team));
    mine = (int64_t)(uintptr_t)slice;
  }
  MPI_Allgather(&mine, 1, MPI_INT64_T, place->addresses, 1, MPI_INT64_T, kit_comm());
}

static void place_free(struct place *place)
{
  KIT_OK(cw_barrier(cw_team_world())); /* no process uses it any more */
  if (place->region != NULL)
    KIT_OK(cw_region_free(place->team, &place->region));
  *place = (struct place){0};
}

/* Returns how many slices of other processes it has used. */
static int place_use(const struct place *place)
{
  int used = 0;
  for (int p = 0; p < processes; p++)
    if (place->addresses[p] != 0) {
      used += p != me;
      const void *slice = (const void *)(uintptr_t)place->addresses[p]; /* NOLINT */
      const size_t word = 1 + (size_t)kit_own(WORDS - 1);
      check_word(slice, p, word, word_of(p, word));
      check_word(slice, p, 0, place->number);
    }
  return used;
}

static void try_teams(int rounds)
{
  struct place places[REGIONS] = {{0}};
  cw_team teams[3] = {cw_team_world(), NULL, NULL};
  KIT_MUST(cw_team_split(cw_team_world(), me % 2, -me, &teams[1]));
  KIT_MUST(cw_team_split(cw_team_world(), me < processes - 1 ? 0 : MPI_UNDEFINED, me, &teams[2]));
  const struct count count = count_now();
  int used = 0;
  for (int round = 0; round < 5 * rounds; round++) {
    struct place *place = &places[kit_common(REGIONS)];
    const int team = kit_common(3);
    if (place->addresses[0] != 0)
      place_free(place);
    else
      place_make(place, teams[team]);
    used += place_use(&places[kit_own(REGIONS)]);
  }
  for (int i = 0; i < REGIONS; i++)
    place_free(&places[i]);
  kit_check((imported() > count.imported) == (takes() && used > 0), "slices were imported");
  KIT_OK(cw_team_free(&teams[1]));
  KIT_OK(cw_team_free(&teams[2]));
}

/* --- Threads ---------------------------------------------------------------------------------- */

enum { THREADS = 4 };
static pthread_barrier_t together;
static void *shared_slice;

static void *thread_run(void *number)
{
  const int next = (me + 1) % processes, thread = (int)(intptr_t)number;
  pthread_barrier_wait(&together);
  for (int i = 0; i < 20; i++) {
    int64_t word = i;
    const size_t place = (size_t)(thread * 20 + i);
    KIT_OK(cw_put(&word, (int64_t *)shared_slice + place, sizeof word, next));
    check_word(shared_slice, next, place, i);
  }
  return NULL;
}

/* All threads use the same slice at once. */
static void try_threads(int rounds)
{
  pthread_t threads[THREADS];
  pthread_barrier_init(&together, NULL, THREADS);
  for (int round = 0; round < rounds; round++) {
    cw_region region = NULL;
    void *slices[MOST];
    make_on(cw_team_world(), device, BYTES, &region, slices);
    shared_slice = slices[(me + 1) % processes];
    const struct count count = count_now();
    for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, thread_run, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
    kit_check_long(imported() - count.imported, takes() ? 1 : 0,
                   "slices imported by threads at once");
    KIT_OK(cw_barrier(cw_team_world()));
    KIT_OK(cw_region_free(cw_team_world(), &region));
  }
  pthread_barrier_destroy(&together);
}

/* --- Failures --------------------------------------------------------------------------------- */

/* An import fails: the agent moves the data, and the driver is not called again for this slice. */
static void try_failing_import(const char *call)
{
  cw_region region = NULL;
  void *slices[MOST];
  const int next = (me + 1) % processes;
  int64_t word = 5;
  make_on(cw_team_world(), device, BYTES, &region, slices);
  const int calls = calls_of(call);
  const struct count count = count_now();
  const long failed_imports = (long)cwi_statistics.not_imported;
  KIT_OK(cw_barrier(cw_team_world()));
  fail_call(call, 1);
  KIT_OK(cw_barrier(cw_team_world()));
  for (size_t i = 0; i < 3; i++)
    KIT_OK(cw_put(&word, (int64_t *)slices[next] + i, sizeof word, next));
  check_word(slices[next], next, 2, 5);
  kit_about("%s is refused", call);
  kit_check_long(moved(CWI_BY_AGENT) - count.agent, 4, "moved by agents");
  kit_check_long((long)cwi_statistics.not_imported - failed_imports, takes() ? 1 : 0,
                 "slices not imported");
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long(calls_of(call) - calls, takes() ? 1 : 0, "calls of the driver");
  fail_call(call, 0);
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* --- Devices of this process ------------------------------------------------------------------ */

/* Transfers through each of two devices of this process. */
static void try_two(void)
{
  cw_device second = NULL;
  cw_region theirs = NULL, first = NULL, other = NULL;
  void *slices[MOST], *firsts[MOST], *others[MOST];
  const int next = (me + 1) % processes;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_CUDA, .number = 2}, &second));
  make_on(cw_team_world(), device, BYTES, &theirs, slices);
  make_on(cw_team_world(), device, BYTES, &first, firsts);
  make_on(cw_team_world(), second, BYTES, &other, others);
  struct count count = count_now();
  KIT_OK(cw_device_get(firsts[me], slices[next], 800, next));
  KIT_OK(cw_device_get((char *)others[me] + 800, slices[next], 1600, next));
  KIT_OK(cw_device_get(firsts[me], (char *)slices[next] + 800, 800, next));
  check_count(&count, 3, 0, 2, "by two devices");
  check_word(firsts[me], me, 99, word_of(next, 199));
  check_word(others[me], me, 299, word_of(next, 199));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &other));
  count = count_now();
  KIT_OK(cw_device_close(&second)); /* releases the imports that were made through it */
  check_word(slices[next], next, 0, word_of(next, 0));
  check_count(&count, 1, 0, 0, "by the first one alone");
  KIT_OK(cw_region_free(cw_team_world(), &theirs));
  KIT_OK(cw_region_free(cw_team_world(), &first));
}

static int stop;

static void *put_until_stop(void *unused)
{
  for (int64_t i = 0; __atomic_load_n(&stop, __ATOMIC_RELAXED) == 0; i++) {
    KIT_OK(cw_put(&i, shared_slice, sizeof i, 1));
    check_word(shared_slice, 1, 0, i);
  }
  return unused;
}

/* Process 0's device is closed and opened while another thread uses it implicitly. */
static void try_closing(void)
{
  cw_region region = NULL;
  void *slices[MOST];
  pthread_t thread;
  KIT_MUST(cw_region_create_on(cw_team_world(), me == 0 ? NULL : device, me == 0 ? 0 : BYTES,
                               &region, slices));
  KIT_OK(cw_barrier(cw_team_world()));
  if (me == 0) {
    shared_slice = slices[1];
    pthread_create(&thread, NULL, put_until_stop, NULL);
    for (int round = 0; round < 20; round++) {
      usleep(2000);
      KIT_OK(cw_device_close(&device));
      KIT_MUST(cw_device_open(NULL, &device));
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* Process 0 has no slice, and later no device either. Its peers' slices remain usable. */
static void try_without(void)
{
  cw_region region = NULL;
  void *slices[MOST];
  KIT_MUST(cw_region_create_on(cw_team_world(), me == 0 ? NULL : device, me == 0 ? 0 : BYTES,
                               &region, slices));
  KIT_OK(cw_barrier(cw_team_world()));
  for (int pass = 0; pass < 3 && me == 0; pass++) {
    const struct count count = count_now();
    int64_t word = pass;
    if (pass == 1)
      KIT_OK(cw_device_close(&device));
    if (pass == 2)
      KIT_MUST(cw_device_open(NULL, &device));
    KIT_OK(cw_put(&word, slices[1], sizeof word, 1));
    check_word(slices[1], 1, 0, pass);
    check_count(&count, pass == 1 ? 0 : 2, pass == 1 ? 2 : 0, pass == 1 ? 0 : 1,
                pass == 1 ? "without a device" : "with a device");
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device)); /* the owner's: no process has imports of it */
  KIT_MUST(cw_device_open(NULL, &device));
}

/* --- All -------------------------------------------------------------------------------------- */

/* Runs twice, because state that cw_finalize releases must be initialised again in the next life.
 * */
static int leave_all(void)
{
  for (int life = 0; life < 2; life++) {
    cw_region region = NULL;
    void *slices[MOST];
    if (life > 0) {
      KIT_MUST(cw_init(MPI_COMM_WORLD));
      KIT_MUST(cw_device_open(NULL, &device));
    }
    const struct count count = count_now();
    make_on(cw_team_world(), device, BYTES, &region, slices);
    for (int p = 0; p < processes; p++)
      check_word(slices[p], p, 5, word_of(p, 5));
    check_count(&count, processes - 1, 0, processes - 1, "what is left");
    if (life == 0)
      KIT_MUST(cw_finalize());
  }
  return kit_finish_native();
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_peers");
  kit_hang_guard();
  me = kit_me();
  processes = kit_processes();
  char why[512];
  int devices = 0;
  KIT_MUST(cw_device_count(CW_DEVICE_CUDA, &devices, why, sizeof why));
  if (devices == 0)
    kit_skip(why);
  KIT_MUST(cw_device_open(NULL, &device));
  if (argc > 1 && strcmp(argv[1], "left") == 0)
    return leave_all();
  kit_need_threads();
  const int rounds = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 10);
  try_operations();
  try_bounds();
  try_again(rounds);
  try_teams(rounds);
  try_threads(rounds);
  if (is_fake()) {
    try_failing_import("cuIpcOpenMemHandle_v2");
    try_failing_import("cuIpcGetMemHandle");
  }
  if (devices > 1)
    try_two();
  try_without();
  try_closing();
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
