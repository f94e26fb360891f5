/* Device memory is freed while other operations run. Peers with continuous transfers do not delay
 * the freeing of another slice, nor does a copy that waits for the program's kernel. Freeing waits
 * for a kernel of the same device, and delays no other process meanwhile. */
#include "kit/native.h"

#include <causeway/device.h>

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 16, THREADS = 6, WORDS = 1 << 12, FREES = 10 };

static cw_device device;
static int me, processes, stop, moved[THREADS], runs, go_on;
static void *slices[MOST];

static void set(int *flag)
{
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static void await_flag(const int *flag)
{
  const struct timespec nap = {.tv_nsec = 1000000};
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
    nanosleep(&nap, NULL);
}

static void make_and_free(cw_device on)
{
  cw_region region = NULL;
  KIT_MUST(cw_region_create_on(cw_team_world(), on, 4096, &region, NULL));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* --- Peers put continuously ------------------------------------------------------------------- */

/* Each thread has words of its own in the next process's slice, so that the agent there always has
 * a next request while it waits for the last one. */
static void *put_without_end(void *argument)
{
  const int number = (int)(intptr_t)argument, next = (me + 1) % processes;
  int64_t *words = calloc(WORDS, sizeof *words);
  int64_t *there = (int64_t *)slices[next] + number * WORDS;
  int64_t ends[2] = {0};
  for (int64_t pass = 1; __atomic_load_n(&stop, __ATOMIC_ACQUIRE) == 0; pass++) {
    words[0] = words[WORDS - 1] = pass;
    KIT_OK(cw_put(words, there, WORDS * sizeof *words, next));
    set(&moved[number]);
  }
  KIT_OK(cw_get(&ends[0], there, 8, next));
  KIT_OK(cw_get(&ends[1], there + WORDS - 1, 8, next));
  kit_check(ends[0] == words[0] && ends[1] == words[0], "the last put left %ld and %ld, not %ld",
            (long)ends[0], (long)ends[1], (long)words[0]);
  free(words);
  return NULL;
}

static void test_peers(void)
{
  cw_region region = NULL;
  pthread_t threads[THREADS];
  kit_about("peers put without end");
  KIT_MUST(cw_region_create_on(cw_team_world(), device, THREADS * WORDS * sizeof(int64_t), &region,
                               slices));
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, put_without_end, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++)
    await_flag(&moved[i]);
  for (int i = 0; i < FREES; i++)
    make_and_free(device);
  KIT_OK(cw_barrier(cw_team_world()));
  set(&stop);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* --- A kernel waits --------------------------------------------------------------------------- */

static void await_go_on(void *const *arguments, const size_t global[3])
{
  (void)arguments, (void)global;
  set(&runs);
  await_flag(&go_on);
}

static const cw_host_function functions[] = {{"await", await_go_on}, {NULL, NULL}};
static const cw_kernel_source source = {.functions = functions};

static void start_kernel(cw_kernel *kernel)
{
  runs = go_on = 0;
  KIT_MUST(cw_kernel_create(device, &source, "await", kernel));
  KIT_OK(cw_kernel_launch(*kernel, &(cw_kernel_launch_options){.global = {1}}));
  await_flag(&runs);
}

/* Copies the second half of this process's slice to its first half. */
static void *copy(void *error)
{
  int64_t *mine = slices[me];
  *(cw_error *)error = cw_device_put(mine + WORDS / 2, mine, WORDS / 2 * sizeof *mine, me);
  return NULL;
}

static void test_other_device(void)
{
  enum { MICROSECONDS = 100000 };
  const struct timespec while_it_begins = {.tv_nsec = MICROSECONDS * 1000};
  cw_region region = NULL;
  cw_device other = NULL;
  cw_kernel kernel = NULL;
  cw_error error = CW_MISUSE;
  pthread_t thread;
  kit_about("a copy waits for a kernel on another device");
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST, .number = 2}, &other));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, WORDS * sizeof(int64_t), &region, slices));
  start_kernel(&kernel);
  pthread_create(&thread, NULL, copy, &error);
  nanosleep(&while_it_begins, NULL); /* by then it waits; otherwise the test proves less */
  make_and_free(other);
  set(&go_on);
  pthread_join(thread, NULL);
  KIT_OK(error);
  KIT_OK(cw_kernel_free(&kernel));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&other));
}

static void *free_region(void *region)
{
  KIT_OK(cw_region_free(cw_team_world(), region));
  return NULL;
}

static void test_same_device(void)
{
  const struct timespec while_it_begins = {.tv_nsec = 100000000};
  const int next = (me + 1) % processes;
  cw_region region = NULL, freed = NULL;
  cw_kernel kernel = NULL;
  pthread_t thread;
  int64_t word = -1;
  kit_about("a region is freed, which waits for a kernel");
  KIT_MUST(cw_region_create_on(cw_team_world(), device, WORDS * sizeof(int64_t), &region, slices));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, 4096, &freed, NULL));
  start_kernel(&kernel);
  pthread_create(&thread, NULL, free_region, &freed);
  nanosleep(&while_it_begins, NULL); /* by then it waits; otherwise the test proves less */
  KIT_OK(cw_put(&(int64_t){10 + me}, slices[next], sizeof word, next));
  kit_barrier();
  KIT_OK(cw_get(&word, slices[me], sizeof word, me));
  kit_check(word == 10 + (me + processes - 1) % processes, "the word put meanwhile is %ld",
            (long)word);
  kit_barrier();
  set(&go_on);
  pthread_join(thread, NULL);
  KIT_OK(cw_kernel_free(&kernel));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_freeing");
  kit_need_threads();
  kit_hang_guard();
  me = kit_me();
  processes = kit_processes();
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST, .number = 1}, &device));
  test_other_device();
  test_same_device();
  test_peers();
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
