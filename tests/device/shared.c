/* Slices in memory that a device shares with the host (CW_DEVICE_SHARED), and the same tests where
 * it does not:
 *
 *   device_shared shared|apart [rounds]   the expected one of both; the device of CW_DEVICE
 *
 * Kernels and transfers see each other's data in both directions; all kinds of accumulates are
 * atomic with each other; addresses that are not in a device's slice are rejected; slices are freed
 * with kernels in flight. tests/transfer/transfers.c moves data of all shapes. */
#include "kit/native.h"

#include "route/direct_reach.h"

#include <causeway/device.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 16, WORDS = 3000, SLICES = 40 };

static cw_device device;
static cw_device_facts facts;
static int me, processes;

/* --- Kernels ---------------------------------------------------------------------------------- */

static void add(void *const *arguments, const size_t global[3])
{
  int64_t *words = arguments[0], more = 0;
  memcpy(&more, arguments[1], sizeof more);
  for (size_t i = 0; i < global[0]; i++)
    words[i] += more;
}

/* Increments long before it stores. */
static void late(void *const *arguments, const size_t global[3])
{
  int64_t *words = arguments[0], passes = 0;
  memcpy(&passes, arguments[1], sizeof passes);
  for (volatile int64_t i = 0; i < passes;)
    i = i + 1;
  for (size_t i = 0; i < global[0]; i++)
    words[i] = -1;
}

static const char text[] = "kernel void add(global long *words, long more)\n"
                           "{ words[get_global_id(0)] += more; }\n"
                           "kernel void late(global long *words, long turns)\n"
                           "{\n"
                           "  volatile long i = 0;\n"
                           "  while (i < turns)\n"
                           "    i = i + 1;\n"
                           "  words[get_global_id(0)] = -1;\n"
                           "}\n";
static const cw_host_function functions[] = {{"add", add}, {"late", late}, {NULL, NULL}};
static const cw_kernel_source source = {.opencl = text, .functions = functions};

static cw_error start(cw_kernel kernel, const void *memory, int64_t number, size_t words)
{
  const cw_kernel_argument arguments[2] = {{.memory = memory},
                                           {.scalar = &number, .bytes = sizeof number}};
  return cw_kernel_launch(
      kernel, &(cw_kernel_launch_options){.arguments = arguments, .count = 2, .global = {words}});
}

/* --- Slices ----------------------------------------------------------------------------------- */

static void make(cw_device mine, size_t bytes, cw_region *region, void **slices)
{
  char *zeros = kit_alloc(bytes, 1);
  KIT_MUST(cw_region_create_on(cw_team_world(), mine, bytes, region, slices));
  KIT_OK(cw_put(zeros, slices[me], bytes, me));
  KIT_OK(cw_barrier(cw_team_world()));
  free(zeros);
}

static void drop(cw_region *region)
{
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), region));
}

/* Checks words of another process's slice: by a get and, where it is shared on this node, by loads.
 * */
static void check_words(const void *there, int process, const int64_t *want, size_t words,
                        const char *what)
{
  int64_t *got = kit_alloc(words, sizeof *got);
  void *mine = NULL;
  KIT_OK(cw_get(got, there, words * sizeof *got, process));
  kit_check_bytes(got, want, words * sizeof *got, what);
  KIT_OK(cw_address_shared(process, there, words * sizeof *got, &mine));
  kit_check(mine == NULL || facts.shared, "%s: a load reaches memory that is apart", what);
  kit_check(mine != NULL || !facts.shared || cw_nodes() > 1,
            "%s: no load reaches shared memory of process %d", what, process);
  if (mine != NULL)
    kit_check_bytes(mine, want, words * sizeof *got, what);
  free(got);
}

/* --- Kernels and transfers -------------------------------------------------------------------- */

/* Other processes put, kernels add, others get and put again: each sees the previous results. */
static void try_rounds(cw_kernel kernel, int rounds)
{
  static const size_t counts[] = {1, 100, 1024, WORDS}; /* PoCL compiles for each */
  cw_region region = NULL;
  void *slices[MOST];
  int64_t words[WORDS];
  const int next = (me + 1) % processes;
  make(device, sizeof words, &region, slices);
  for (int round = 0; round < rounds; round++) {
    const size_t count = counts[kit_common(4)];
    for (size_t i = 0; i < count; i++)
      words[i] = (int64_t)i * 3 + round + next;
    KIT_OK(cw_put(words, slices[next], count * sizeof *words, next));
    KIT_OK(cw_barrier(cw_team_world()));
    for (int64_t i = 1; i <= 3; i++)
      KIT_OK(start(kernel, slices[me], i, count));
    KIT_OK(cw_device_finish(device));
    KIT_OK(cw_barrier(cw_team_world()));
    for (size_t i = 0; i < count; i++)
      words[i] += 6;
    check_words(slices[next], next, words, count, "behind kernels");
    KIT_OK(cw_barrier(cw_team_world()));
  }
  drop(&region);
}

/* Transfers through this process's own slice, and by lists with segments on two of its devices. */
static void try_mine(void)
{
  cw_region region = NULL, from = NULL, beside = NULL;
  cw_device second = NULL;
  void *slices[MOST], *sources[MOST], *others[MOST];
  int64_t words[WORDS];
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &second));
  make(device, 2 * sizeof words, &region, slices);
  make(device, sizeof words, &from, sources);
  make(second, sizeof words, &beside, others);
  const int next = (me + 1) % processes;
  for (size_t i = 0; i < WORDS; i++)
    words[i] = (int64_t)i - me;
  KIT_OK(cw_put(words, sources[me], sizeof words, me));
  KIT_OK(cw_put(words, others[me], sizeof words, me));
  KIT_OK(cw_device_put(sources[me], slices[next], sizeof words, next));
  KIT_OK(cw_device_put(others[me], (int64_t *)slices[next] + WORDS, sizeof words, next));
  KIT_OK(cw_fence(next));
  check_words(slices[next], next, words, WORDS, "from my device");
  check_words((int64_t *)slices[next] + WORDS, next, words, WORDS, "from the other one");
  void *local[2] = {sources[me], (int64_t *)others[me] + 5};
  void *remote[2] = {(int64_t *)slices[next] + 7, (int64_t *)slices[next] + WORDS};
  const cw_vector vector = {local, remote, 2, 80};
  cw_transfer list = cw_vectors(CW_PUT, &vector, 1, next);
  list.local_device = true;
  KIT_OK(cw_transfer_run(&list));
  KIT_OK(cw_fence(next));
  check_words((int64_t *)slices[next] + 7, next, words, 10, "the first segment");
  check_words((int64_t *)slices[next] + WORDS, next, words + 5, 10, "the second segment");
  KIT_OK(cw_device_put(sources[me], (int64_t *)sources[me] + 100, 800, me));
  check_words((int64_t *)sources[me] + 100, me, words, 100, "within my slice");
  KIT_OK(cw_device_get(sources[me], (int64_t *)slices[next] + 7, 80, next));
  drop(&region);
  drop(&from);
  drop(&beside);
  KIT_OK(cw_device_close(&second));
}

/* A put by MPI into this process's slice must be complete before a copy within its device, which
 * leaves the slice to MPI. */
static void try_order(void)
{
  cw_region region = NULL, from = NULL;
  void *slices[MOST], *sources[MOST];
  int64_t words[WORDS];
  for (size_t i = 0; i < WORDS; i++)
    words[i] = (int64_t)i + me;
  make(device, sizeof words, &region, slices);
  make(device, sizeof words, &from, sources);
  const bool was_ready = cwi_is_ready(me);
  KIT_OK(cw_put(words, slices[me], sizeof words, me));
  KIT_OK(cw_device_get(sources[me], slices[me], sizeof words, me));
  kit_check(cwi_is_ready(me) == was_ready, "after a copy within my device another route moves");
  check_words(sources[me], me, words, WORDS, "put, and copied");
  drop(&region);
  drop(&from);
}

/* All processes add to the same words, from host memory and from their devices. */
static void try_adding(void)
{
  enum { TIMES = 200 };
  cw_region region = NULL, from = NULL;
  void *slices[MOST], *sources[MOST];
  double ones[20], want[20];
  for (int i = 0; i < 20; i++)
    ones[i] = 1;
  make(device, sizeof ones, &region, slices);
  make(device, sizeof ones, &from, sources);
  KIT_OK(cw_put(ones, sources[me], sizeof ones, me));
  for (int i = 0; i < TIMES; i++) {
    const int target = (me + i) % processes;
    KIT_OK(cw_accumulate(CW_DOUBLE, NULL, ones, slices[target], sizeof ones, target));
    KIT_OK(cw_device_accumulate(CW_DOUBLE, NULL, sources[me], slices[target], sizeof ones, target));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  double sum = 0;
  for (int p = 0; p < processes; p++) {
    KIT_OK(cw_get(want, slices[p], sizeof want, p));
    for (int i = 1; i < 20; i++)
      kit_check(want[i] == want[0], "word %d is %g, another one %g", i, want[i], want[0]);
    sum += want[0];
  }
  kit_check(sum == 2.0 * TIMES * processes, "all sums are %g", sum);
  drop(&region);
  drop(&from);
}

/* Words of shared slices can be used wherever host memory is required. */
static void try_words(void)
{
  cw_region region = NULL;
  void *slices[MOST];
  int64_t before = -1;
  make(device, 64, &region, slices);
  if (!facts.shared) {
    KIT_MISUSE("device memory", cw_fetch_add_int64(slices[0], 1, 0, &before));
    KIT_MISUSE("device memory", cw_access_begin(slices[me]));
  } else {
    for (int i = 0; i < 50; i++)
      KIT_OK(cw_fetch_add_int64(slices[0], 1, 0, &before));
    KIT_OK(cw_barrier(cw_team_world()));
    check_words(slices[0], 0, (int64_t[]){50L * processes}, 1, "a counter");
    KIT_OK(cw_barrier(cw_team_world()));
    KIT_OK(cw_access_begin(slices[me]));
    *(volatile int64_t *)slices[me] = me + 7;
    KIT_OK(cw_access_end(slices[me]));
    KIT_OK(cw_barrier(cw_team_world()));
    check_words(slices[processes - 1], processes - 1, (int64_t[]){processes + 6}, 1, "a store");
  }
  drop(&region);
}

/* --- Slices that are created and freed -------------------------------------------------------- */

/* Creates short and long slices and frees them in another order. Each must be found by its address.
 * */
static void try_many(cw_kernel kernel)
{
  static const size_t sizes[] = {8, 24, 64, 128, 1000, 8192, 8200, 65536, 100000, 1 << 20};
  cw_region regions[SLICES] = {NULL};
  void *slices[SLICES][MOST];
  for (int pass = 0; pass < 4 * SLICES; pass++) {
    const int i = kit_common(SLICES);
    const size_t bytes = sizes[kit_common(10)];
    if (regions[i] != NULL) {
      cw_device_location location;
      KIT_OK(cw_device_locate(slices[i][me], &location));
      kit_check(location.device == device, "a slice lies on %p", (void *)location.device);
      KIT_OK(start(kernel, slices[i][me], 5, 1));
      KIT_OK(cw_device_finish(device));
      check_words(slices[i][me], me, (int64_t[]){5}, 1, "one of many");
      drop(&regions[i]);
      continue;
    }
    make(device, bytes, &regions[i], slices[i]);
    char more[16] = {0};
    KIT_MISUSE("past the end", cw_put(more, (char *)slices[i][me] + bytes - 8, sizeof more, me));
    KIT_MISUSE("past the end",
               cw_device_put((char *)slices[i][me] + bytes - 8, slices[i][me], 16, me));
  }
  for (int i = 0; i < SLICES; i++)
    if (regions[i] != NULL)
      drop(&regions[i]);
}

/* Frees a slice while a kernel is accessing it, after which its memory belongs to another object.
 * If the slice is shared, freeing waits for all kernels. */
static void try_freeing(cw_kernel kernel, cw_kernel slow)
{
  cw_region kept_region = NULL;
  void *kept[MOST];
  make(device, sizeof(int64_t), &kept_region, kept);
  for (int round = 0; round < 5; round++) {
    cw_region region = NULL, next = NULL;
    void *slices[MOST], *words[MOST];
    int64_t zeros[WORDS] = {0};
    make(device, sizeof zeros, &region, slices);
    KIT_OK(start(slow, slices[me], 5000000, 10));
    KIT_OK(start(kernel, kept[me], 1, 1));
    drop(&region);
    if (facts.shared)
      kit_check_long(*(volatile int64_t *)kept[me], round + 1, "a kernel before the freed slice");
    KIT_MUST(cw_region_create(cw_team_world(), sizeof zeros, &next, words));
    memset(words[me], 0, sizeof zeros);
    KIT_OK(cw_device_finish(device));
    kit_check_bytes(words[me], zeros, sizeof zeros, "behind a freed slice");
    drop(&next);
  }
  drop(&kept_region);
}

/* --- Rejected calls --------------------------------------------------------------------------- */

static void try_failing(cw_kernel kernel)
{
  cw_region region = NULL, host = NULL, freed_region = NULL;
  void *slices[MOST], *others[MOST], *freed[MOST];
  int64_t words[WORDS] = {0};
  cw_device_location location;
  make(device, sizeof words, &region, slices);
  make(NULL, sizeof words, &host, others);
  make(device, sizeof words, &freed_region, freed);
  drop(&freed_region);
  void *const wrong[] = {others[me], words, freed[me]};
  for (int i = 0; i < 3; i++) {
    KIT_MISUSE("mine|no device slice", cw_device_put(wrong[i], slices[me], 8, me));
    KIT_MISUSE("mine|no device slice", cw_device_get(wrong[i], slices[me], 8, me));
    KIT_MISUSE("mine|no device slice", cw_device_locate(wrong[i], &location));
    KIT_MISUSE("arguments[0].memory|no device slice", start(kernel, wrong[i], 1, 1));
  }
  KIT_MISUSE("after the start|multiples", start(kernel, (char *)slices[me] + 8, 1, 1));
  KIT_MISUSE("past the end|device slice",
             cw_device_put((int64_t *)slices[me] + WORDS - 1, others[me], 16, me));
  if (processes > 1 && facts.shared &&
      cw_nodes() == 1) /* otherwise its address may also be one of this process's */
    KIT_MISUSE("mine|no device slice",
               cw_device_put(slices[(me + 1) % processes], slices[me], 8, me));
  KIT_MISUSE("1 slices", cw_device_close(&device));
  for (int failing = 0; failing < processes; failing++) {
    cw_region none = NULL;
    KIT_OUTSIDE(failing == me ? "more than a slice on this device" : "process",
                cw_region_create_on(cw_team_world(), device, failing == me ? (size_t)1 << 50 : 4096,
                                    &none, NULL));
  }
  drop(&region);
  drop(&host);
}

/* Some members have no device, some have no bytes. */
static void try_mixed(cw_kernel kernel)
{
  cw_region region = NULL, none = NULL;
  void *slices[MOST];
  const bool has = me % 2 == 0;
  int64_t words[WORDS];
  make(has ? device : NULL, sizeof words, &region, slices);
  KIT_OK(cw_region_create_on(cw_team_world(), device, 0, &none, NULL));
  if (has)
    KIT_OK(start(kernel, slices[me], me + 1, WORDS));
  else
    KIT_MISUSE("no device slice", start(kernel, slices[me], 1, WORDS));
  KIT_OK(cw_device_finish(device));
  KIT_OK(cw_barrier(cw_team_world()));
  for (int p = 0; p < processes; p += 2) {
    for (int i = 0; i < WORDS; i++)
      words[i] = p + 1;
    check_words(slices[p], p, words, WORDS, "of a member with a device");
  }
  KIT_OK(cw_region_free(cw_team_world(), &none));
  drop(&region);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_shared");
  kit_hang_guard();
  me = kit_me();
  processes = kit_processes();
  cw_kernel kernel = NULL, slow = NULL;
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_OK(cw_device_describe(device, &facts));
  const bool shared = argc > 1 && strcmp(argv[1], "shared") == 0;
  kit_check(facts.shared == shared, "slices on %s are %s", facts.name,
            facts.shared ? "shared" : "apart");
  KIT_MUST(cw_kernel_create(device, &source, "add", &kernel));
  KIT_MUST(cw_kernel_create(device, &source, "late", &slow));
  try_rounds(kernel, (int)kit_rounds(argc > 2 ? argv[2] : NULL, 30));
  try_mine();
  try_order();
  try_adding();
  try_words();
  try_many(kernel);
  try_freeing(kernel, slow);
  try_failing(kernel);
  try_mixed(kernel);
  KIT_OK(cw_kernel_free(&kernel));
  KIT_OK(cw_kernel_free(&slow));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
