/* A copy within a device and a dot product on it wait for the program's kernels. No other transfer
 * waits with them, neither of this process nor of others by agents. */
#include "kit/native.h"

#include <causeway/device.h>

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 16, SEGMENTS = 300, WORDS = 1000 };

static cw_device device;
static int me, processes, go_on, runs;

static void await(void *const *arguments, const size_t global[3])
{
  const struct timespec nap = {.tv_nsec = 1000000};
  (void)arguments, (void)global;
  __atomic_store_n(&runs, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&go_on, __ATOMIC_ACQUIRE) == 0)
    nanosleep(&nap, NULL);
}

static void *slices[MOST];
static int64_t *from;

/* Copies every second word of one slice to the first words of the other. */
static cw_error copy(void)
{
  void *local[SEGMENTS], *remote[SEGMENTS];
  for (size_t i = 0; i < SEGMENTS; i++) {
    local[i] = from + 2 * i;
    remote[i] = (int64_t *)slices[me] + i;
  }
  const cw_vector vector = {local, remote, SEGMENTS, 8};
  cw_transfer transfer = cw_vectors(CW_PUT, &vector, 1, me);
  transfer.local_device = true;
  return cw_transfer_run(&transfer);
}

static void *copy_aside(void *error)
{
  *(cw_error *)error = copy();
  return NULL;
}

/* Makes an array of ones with a part of the calling team on this device; its dot product with
 * itself is computed. */
static cw_array make_ones(cw_team team)
{
  const int64_t extent = WORDS, one = 1;
  const cw_array_options options = {
      .name = "ones", .type = CW_LONG, .dimensions = 1, .extents = &extent, .device = device};
  cw_array ones = NULL;
  KIT_MUST(cw_array_create(team, &options, &ones));
  KIT_OK(cw_array_fill(ones, NULL, NULL, &one));
  return ones;
}

static void *dot_aside(void *given)
{
  const cw_operand ones = {.array = given};
  int64_t sum = 0;
  KIT_OK(cw_array_dot(&ones, &ones, &sum));
  kit_check(sum == WORDS, "the dot product is %ld", (long)sum);
  return NULL;
}

/* Gets every second word of the next process's slice, which a kernel packs. */
static void get_short(int next)
{
  int64_t got[SEGMENTS] = {0};
  void *local[SEGMENTS], *remote[SEGMENTS];
  for (size_t i = 0; i < SEGMENTS; i++) {
    local[i] = got + i;
    remote[i] = (int64_t *)slices[next] + SEGMENTS + 2 * i;
  }
  const cw_vector vector = {local, remote, SEGMENTS, 8};
  const cw_transfer transfer = cw_vectors(CW_GET, &vector, 1, next);
  KIT_OK(cw_transfer_run(&transfer));
  for (size_t i = 0; i < SEGMENTS; i++)
    kit_check(got[i] == (int64_t)(SEGMENTS + 2 * i), "short segment %zu is %ld", i, (long)got[i]);
}

static void check_words(const int64_t *words, size_t first, size_t step, size_t count,
                        const char *what)
{
  int64_t got[WORDS];
  KIT_OK(cw_get(got, words, count * 8, me));
  for (size_t i = 0; i < count; i++)
    kit_check(got[i] == (int64_t)(first + step * i), "%s: word %zu is %ld", what, i, (long)got[i]);
}

int main(int argc, char **argv)
{
  static const cw_host_function functions[] = {{"await", await}, {NULL, NULL}};
  static const cw_kernel_source source = {.functions = functions};
  kit_start_native(&argc, &argv, "device_behind");
  kit_need_threads();
  kit_hang_guard();
  me = kit_me();
  processes = kit_processes();
  const int next = (me + 1) % processes;
  const struct timespec while_it_waits = {.tv_nsec = 200000000};
  cw_region region = NULL, of_mine = NULL;
  cw_kernel kernel = NULL;
  cw_error error = CW_MISUSE;
  void *mine[MOST];
  int64_t words[WORDS], ones[SEGMENTS];
  pthread_t thread, dots;
  cw_team alone = NULL;
  for (size_t i = 0; i < WORDS; i++)
    words[i] = (int64_t)i;
  for (size_t i = 0; i < SEGMENTS; i++)
    ones[i] = 1;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, sizeof words, &region, slices));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, sizeof words, &of_mine, mine));
  KIT_MUST(cw_kernel_create(device, &source, "await", &kernel));
  KIT_MUST(cw_team_create(cw_team_world(), 1, &me, 0, &alone));
  cw_array of_ones = make_ones(alone);
  from = mine[me];
  KIT_OK(cw_put(words, from, sizeof words, me));
  KIT_OK(cw_put(words, slices[me], sizeof words, me));
  KIT_OK(cw_kernel_launch(kernel, &(cw_kernel_launch_options){.global = {1}}));
  while (__atomic_load_n(&runs, __ATOMIC_ACQUIRE) == 0)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  pthread_create(&thread, NULL, copy_aside, &error);
  pthread_create(&dots, NULL, dot_aside, of_ones);
  nanosleep(&while_it_waits, NULL);
  KIT_OK(cw_barrier(cw_team_world()));
  get_short(next);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_accumulate(CW_LONG, NULL, ones, (int64_t *)slices[me] + SEGMENTS, sizeof ones, me));
  KIT_OK(cw_accumulate(CW_LONG, NULL, ones, (int64_t *)slices[next] + SEGMENTS, sizeof ones, next));
  KIT_OK(cw_barrier(cw_team_world()));
  check_words((int64_t *)slices[me] + SEGMENTS, SEGMENTS + 2, 1, SEGMENTS, "added meanwhile");
  __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  pthread_join(dots, NULL);
  KIT_OK(error);
  check_words(slices[me], 0, 2, SEGMENTS, "copied behind the kernel");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_kernel_free(&kernel));
  KIT_OK(cw_array_destroy(&of_ones));
  KIT_OK(cw_team_free(&alone));
  KIT_OK(cw_region_free(cw_team_world(), &of_mine));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
