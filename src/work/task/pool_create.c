/* Calls that create, empty and free pools. */
#include "base/hash.h"
#include "base/size.h"
#include "base/stop_hooks.h"
#include "collective_call/collective_check.h"
#include "device/device.h"
#include "device_task/accelerator.h"
#include "device_task/planning.h"
#include "mpi/mpi_result.h"
#include "mpi/mpi_threads.h"
#include "profile/profile.h"
#include "route/route.h"
#include "sync/barrier.h"
#include "team/agreement.h"
#include "team/survivors.h"
#include "team/world.h"
#include "worker/pool.h"

#include <stdlib.h>
#include <string.h>

/* --- Options -----------------------------------------------------------------------------------*/

static cw_error check_range(const char *name, size_t value, size_t least, size_t most)
{
  if (value >= least && value <= most)
    return CW_OK;
  return cwi_misuse("%s is %zu; it may be %zu to %zu, or 0 for the default", name, value, least,
                    most);
}

static size_t or_usual(size_t value, size_t usual)
{
  return value == 0 ? usual : value;
}

static size_t round_up_to_power(size_t value)
{
  size_t power = 2;
  while (power < value)
    power *= 2;
  return power;
}

static cw_error check_choices(const cw_tasks_options *options)
{
  if (options->threads < 0 || options->threads > CW_TASKS_MOST_THREADS)
    return cwi_misuse("threads is %d; it may be 1 to %d, or 0 for the default", options->threads,
                      CW_TASKS_MOST_THREADS);
  if (options->amount != CW_STEAL_HALF && options->amount != CW_STEAL_ONE)
    return cwi_misuse("amount is %d; it may be 0 (half) or 1 (one)", (int)options->amount);
  if ((int)options->order < 0 || (int)options->order > CW_STEAL_NOTHING)
    return cwi_misuse("order is %d; it may be 0 (near first), 1 (random) or 2 (steal nothing)",
                      (int)options->order);
  if (options->near_percent < 0 || options->near_percent > 100)
    return cwi_misuse("near_percent is %d; it may be 0 to 100", options->near_percent);
  if ((int)options->where < 0 || (int)options->where > CW_WHERE_DEVICE)
    return cwi_misuse("where is %d; it may be 0 (measured), 1 (host) or 2 (device)",
                      (int)options->where);
  if (options->ahead < 0 || options->ahead > CW_TASKS_MOST_AHEAD)
    return cwi_misuse("ahead is %d; it may be 1 to %d, or 0 for the default", options->ahead,
                      CW_TASKS_MOST_AHEAD);
  return options->device != NULL ? cwi_check_device(options->device) : CW_OK;
}

/* Copies `given` to `options` and replaces zeros by defaults. */
static cw_error pool_complete(const cw_tasks_options *given, cw_tasks_options *options)
{
  enum { USUAL_BODY = 64, USUAL_SLOTS = 8192, USUAL_INBOX = 256, USUAL_AHEAD = 3 };
  *options = given != NULL ? *given : (cw_tasks_options){0};
  options->body = or_usual(options->body, USUAL_BODY);
  options->slots = or_usual(options->slots, USUAL_SLOTS);
  options->inbox = or_usual(options->inbox, USUAL_INBOX);
  CWI_TRY(check_range("body", options->body, 1, CW_TASKS_MOST_BODY));
  CWI_TRY(check_range("slots", options->slots, 2, CW_TASKS_MOST_SLOTS));
  CWI_TRY(check_range("inbox", options->inbox, 2, CW_TASKS_MOST_SLOTS));
  CWI_TRY(check_choices(options));
  options->threads += options->threads == 0;
  options->ahead = options->ahead > 0 ? options->ahead : USUAL_AHEAD;
  options->slots = round_up_to_power(options->slots);
  options->inbox = round_up_to_power(options->inbox);
  return CW_OK;
}

static uint64_t hash_options(const cw_tasks_options *options)
{
  const uint64_t numbers[] = {options->body,
                              options->slots,
                              options->inbox,
                              (uint64_t)options->threads,
                              (uint64_t)options->amount,
                              (uint64_t)options->order,
                              (uint64_t)options->near_percent,
                              options->survive};
  uint64_t hash = CWI_HASH_EMPTY;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    hash = cwi_hash_add(hash, numbers[i]);
  return hash;
}

/* Lists the options that hash_options hashes, for the message that names the difference. */
enum { AGREED_OPTIONS = 9 };

static void list_options(const cw_tasks_options *options, struct cwi_argument *list)
{
  static const char *const amounts[] = {"CW_STEAL_HALF", "CW_STEAL_ONE"};
  static const char *const orders[] = {"CW_STEAL_NEAR_FIRST", "CW_STEAL_RANDOM",
                                       "CW_STEAL_NOTHING"};
  static const char *const truths[] = {"false", "true"};
  const struct cwi_argument all[AGREED_OPTIONS] = {
      cwi_argument_size("body", options->body),
      cwi_argument_size("slots", options->slots),
      cwi_argument_size("inbox", options->inbox),
      cwi_argument_int("threads", &options->threads),
      cwi_argument_choice("amount", amounts, options->amount),
      cwi_argument_choice("order", orders, options->order),
      cwi_argument_int("near_percent", &options->near_percent),
      cwi_argument_choice("survive", truths, options->survive),
      CWI_ARGUMENTS_END,
  };
  memcpy(list, all, sizeof all);
}

/* - The slice: the wave's counters, the inbox, the queues - */

enum { LINE = 64 };

static size_t inbox_bytes(const struct cwi_tasks *pool)
{
  return cwi_round_up(cwi_inbox_bytes(pool->options.inbox, pool->slot_bytes), LINE);
}

static size_t queue_bytes(const struct cwi_tasks *pool)
{
  return cwi_round_up(cwi_queue_bytes(pool->options.slots, pool->slot_bytes), LINE);
}

static size_t bytes_before_queues(const struct cwi_tasks *pool)
{
  return sizeof(struct cwi_wave_shared) + inbox_bytes(pool);
}

static size_t slice_bytes(const struct cwi_tasks *pool)
{
  if (pool->options.survive)
    return cwi_surviving_slice_bytes(pool);
  return bytes_before_queues(pool) + (size_t)pool->worker_count * queue_bytes(pool);
}

/* Returns the number of workers of a member. Some members have one more, which drives a device. */
static int workers_of(const struct cwi_tasks *pool, int rank)
{
  return (int)((pool->region->slices[rank].bytes - bytes_before_queues(pool)) / queue_bytes(pool));
}

static void *slice_of(const void *pool, int rank)
{
  return ((const struct cwi_tasks *)pool)->region->slices[rank].address;
}

static int process_of(const void *pool, int rank)
{
  return ((const struct cwi_tasks *)pool)->team->process[rank];
}

static void *inbox_of(const struct cwi_tasks *pool, int rank)
{
  return (char *)slice_of(pool, rank) + sizeof(struct cwi_wave_shared);
}

static void *queue_of(const struct cwi_tasks *pool, int rank, int worker)
{
  return (char *)inbox_of(pool, rank) + inbox_bytes(pool) + (size_t)worker * queue_bytes(pool);
}

/* --- Making ------------------------------------------------------------------------------------*/

/* Returns true if processor instructions of this process may update words of that member. */
static bool updates(const struct cwi_tasks *pool, int rank)
{
  struct cwi_location place = {0};
  return cwi_route_is_direct(
      cwi_atomic_route(process_of(pool, rank), slice_of(pool, rank), &place));
}

static void begin_workers(cw_tasks pool)
{
  const int me = pool->team->rank;
  const bool near = updates(pool, me);
  for (int i = 0; i < pool->worker_count; i++) {
    struct cwi_worker *worker = &pool->workers[i];
    cwi_queue_begin(&worker->queue, queue_of(pool, me, i), pool->options.slots, pool->slot_bytes);
    worker->queue.near = near;
    worker->queue.one = pool->options.amount == CW_STEAL_ONE;
    worker->queue.process = cwi_world.process;
    worker->pool = pool;
    worker->number = i;
    worker->random = ((uint64_t)cwi_world.process << 32) + (uint64_t)i * 7919 + 1;
  }
}

/* Lists the workers of all members, in two lists: near and far. */
static void list_victims(cw_tasks pool)
{
  for (int rank = 0; rank < pool->team->size; rank++) {
    const int process = process_of(pool, rank);
    const bool loads = cwi_route_direct_reaches(process);
    const bool is_near = loads || process == cwi_world.process;
    for (int i = 0; i < workers_of(pool, rank); i++) {
      struct cwi_victim *victim =
          is_near ? &pool->near[pool->near_count++] : &pool->far[pool->far_count++];
      *victim = (struct cwi_victim){queue_of(pool, rank, i), process, loads, updates(pool, rank)};
    }
  }
  pool->shares = pool->near_count + pool->far_count > 1 && pool->options.order != CW_STEAL_NOTHING;
  pool->progresses = !cwi_route_direct_reaches_all(pool->team) && !cwi_routes_served();
}

static void begin_inboxes(cw_tasks pool)
{
  const int me = pool->team->rank;
  cwi_inbox_begin(&pool->inbox, inbox_of(pool, me), pool->inbox.seen, pool->options.inbox,
                  pool->slot_bytes);
  pool->inbox.near = updates(pool, me);
  pool->inbox.process = cwi_world.process;
  for (int rank = 0; rank < pool->team->size; rank++)
    pool->targets[rank] =
        (struct cwi_inbox_target){.shared = inbox_of(pool, rank),
                                  .process = process_of(pool, rank),
                                  .last = (int64_t)((uint64_t)pool->options.inbox << 32)};
}

static cw_error pool_take_memory(cw_tasks pool)
{
  const size_t threads = (size_t)pool->worker_count, members = (size_t)pool->team->size;
  const size_t victims = ((size_t)pool->options.threads + 1) * members;
  pool->workers = aligned_alloc(LINE, threads * sizeof *pool->workers);
  if (pool->workers != NULL)
    memset(pool->workers, 0, threads * sizeof *pool->workers);
  pool->near = calloc(victims, sizeof *pool->near);
  pool->far = calloc(victims, sizeof *pool->far);
  pool->targets = calloc(members, sizeof *pool->targets);
  pool->inbox.seen = calloc(pool->options.inbox, sizeof *pool->inbox.seen);
  if (pool->workers == NULL || pool->near == NULL || pool->far == NULL || pool->targets == NULL ||
      pool->inbox.seen == NULL)
    return cwi_outside("no memory for a pool of %zu processes with %zu threads each", members,
                       threads);
  for (size_t i = 0; i < threads; i++) {
    pool->workers[i].body = aligned_alloc(LINE, cwi_round_up(pool->options.body, LINE));
    if (pool->workers[i].body == NULL)
      return cwi_outside("no memory for a task of %zu bytes", pool->options.body);
  }
  return pool->options.survive ? cwi_surviving_take_memory(pool) : CW_OK;
}

/* Frees the memory of this process for the pool, without the region. */
static void pool_discard(cw_tasks pool)
{
  for (int i = 0; pool->workers != NULL && i < pool->worker_count; i++) {
    free(pool->workers[i].body);
    cwi_overflow_free(&pool->workers[i].overflow);
  }
  free(pool->workers);
  free(pool->near);
  free(pool->far);
  free(pool->targets);
  free(pool->inbox.seen);
  cwi_overflow_free(&pool->aside);
  cwi_names_clear(&pool->classes);
  cwi_names_clear(&pool->objects);
  cwi_planning_end(pool);
  cwi_surviving_discard(pool);
  cwi_tasks_end(pool);
}

/* Frees the pools that the program did not free. Their regions have been freed before. */
static void pool_end_all(void)
{
  cw_tasks pool = NULL;
  while ((pool = cwi_tasks_next(NULL)) != NULL) {
    cwi_pool_threads_stop(pool);
    pool_discard(pool);
  }
}

static cw_error check_threads(const cw_tasks_options *options)
{
  if (options->threads == 1 || cwi_mpi_threads())
    return CW_OK;
  return cwi_outside("threads is %d, but MPI was started with %s: several threads of a pool need "
                     "MPI_THREAD_MULTIPLE",
                     options->threads, cwi_mpi_thread_level_name());
}

/* Adds one more worker if there is a device that a thread may drive. */
static cw_error pool_take_device(cw_tasks pool)
{
  pool->worker_count = pool->options.threads;
  if (pool->options.device == NULL)
    return CW_OK;
  CWI_TRY(cwi_planning_begin(pool));
  CWI_TRY(cwi_accelerator_open(pool));
  pool->worker_count += pool->planning->accelerator != NULL;
  return CW_OK;
}

/* Does the part of the creation that a member can do alone. `made` stays NULL on an error. */
static cw_error begin_pool(cw_team team, const cw_tasks_options *given, cw_tasks *made)
{
  static struct cwi_stop_hook end = {.run = pool_end_all};
  cw_tasks_options options;
  CWI_TRY(pool_complete(given, &options));
  CWI_TRY(cwi_surviving_check(team, &options));
  CWI_TRY(check_threads(&options));
  cwi_stop_hook_add(&end);
  cw_tasks pool = cwi_tasks_make();
  if (pool == NULL)
    return cwi_outside("no memory for a pool");
  pool->team = team;
  pool->options = options;
  pool->slot_bytes = cwi_slot_bytes(options.body);
  cw_error error = pool_take_device(pool);
  if (error == CW_OK)
    error = pool_take_memory(pool);
  if (error != CW_OK)
    pool_discard(pool);
  else
    *made = pool;
  return error;
}

/* Prepares all parts of the pool before the members agree, so that no member uses the parts of
 * another member too early. */
static cw_error set_up(cw_tasks pool)
{
  const struct cwi_wave_members members = {slice_of, process_of, pool, pool->team->rank,
                                           pool->team->size};
  cw_error mine = CW_OK;
  if (pool->options.survive) {
    mine = cwi_surviving_set_up(pool);
  } else {
    begin_workers(pool);
    list_victims(pool);
    begin_inboxes(pool);
    cwi_wave_begin(&pool->wave, &members);
  }
  if (mine == CW_OK)
    mine = cwi_pool_threads_start(pool);
  const cw_error error = cwi_team_agree(pool->team, mine);
  if (error == CW_OK)
    return CW_OK;
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  cwi_pool_threads_stop(pool);
  if (pool->options.survive)
    cwi_surviving_stop(pool);
  cwi_first_note(&first, cwi_region_release(pool->team, pool->region, CW_OK));
  return cwi_first_return(&first);
}

static cw_error pool_create(cw_team team, const cw_tasks_options *given, cw_tasks *made)
{
  cw_tasks pool = NULL;
  const cw_error mine = begin_pool(team, given, &pool);
  struct cwi_argument list[AGREED_OPTIONS] = {CWI_ARGUMENTS_END};
  if (pool != NULL)
    list_options(&pool->options, list);
  const struct cwi_entry entry = {.key = mine == CW_OK ? hash_options(&pool->options) : 0};
  cw_error error = cwi_team_agree_on(team, mine, &entry, list, NULL);
  if (error == CW_OK) {
    CWI_ASSERT(pool != NULL);
    error = cwi_region_create(team, slice_bytes(pool), &pool->region);
  }
  if (error == CW_OK && CWI_UNLIKELY(cwi_is_profiled()))
    cwi_profile_name(pool->region->key, slice_bytes(pool), NULL,
                     "task pool, %zu bytes of each process", slice_bytes(pool));
  if (error == CW_OK)
    error = set_up(pool);
  if (error == CW_OK)
    *made = pool;
  else if (pool != NULL)
    pool_discard(pool);
  return error;
}

cw_error cw_tasks_create(cw_team team, const cw_tasks_options *options, cw_tasks *pool)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(
      cwi_in_call("cw_tasks_create", cwi_check_not_null("pool, which receives the handle,", pool)));
  *pool = NULL;
  CWI_TRY(cwi_in_call("cw_tasks_create", cwi_check_team("team", team)));
  return CWI_COLLECTIVELY("cw_tasks_create", team, cwi_argument_nothing(),
                          pool_create(team, options, pool));
}

/* --- Emptying and freeing ----------------------------------------------------------------------*/

static cw_error check_quiet(cw_tasks pool)
{
  CWI_TRY(cwi_check_tasks(pool));
  return pool->running ? cwi_misuse("this process is in a phase of this pool") : CW_OK;
}

/* Drops the tasks of the pool and returns their number. */
static uint64_t drop_tasks(cw_tasks pool)
{
  if (pool->options.survive)
    return cwi_surviving_clear(pool);
  uint64_t dropped = cwi_tasks_clear(pool);
  for (int i = 0; i < pool->worker_count; i++) {
    struct cwi_worker *worker = &pool->workers[i];
    struct cwi_slot_head head;
    for (; cwi_queue_pop(&worker->queue, &head, worker->body); dropped++)
      ;
    dropped += worker->overflow.count;
    cwi_overflow_free(&worker->overflow);
  }
  return dropped;
}

static void empty(cw_tasks pool)
{
  pool->done_aside += drop_tasks(pool);
  for (int i = 0; i < pool->worker_count; i++) {
    struct cwi_worker *worker = &pool->workers[i];
    worker->counts = (cw_tasks_counts){0};
    worker->added_before = worker->added;
    worker->done_before = worker->done;
  }
  pool->added_aside_before = pool->added_aside;
  pool->sent_aside = 0;
  pool->waves = pool->phases = 0;
}

/* Empties the pool between two barriers, so that no tasks arrive at the same time. If the first
 * barrier fails, the pool is unchanged, and no member enters the second. */
static cw_error reset(cw_tasks pool)
{
  struct cwi_first_error first;
  bool arrived = false;
  cwi_first_begin(&first, cwi_synchronise_first(pool->team, &arrived));
  if (arrived) {
    empty(pool);
    cwi_first_note(&first, cwi_synchronise(pool->team));
  }
  return cwi_first_return(&first);
}

cw_error cw_tasks_reset(cw_tasks pool)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_tasks_reset", check_quiet(pool)));
  const struct cwi_argument agreed[] = {cwi_argument_region("pool", pool->region),
                                        CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_tasks_reset", pool->team, agreed, reset(pool));
}

static cw_error free_pool(cw_tasks pool, bool *freed)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_routes_fence_all());
  /* Operations that targets rejected are complete; only an error of MPI prevents the release. */
  const cw_error quiet = cwi_first_is_from_mpi(&first) ? first.error : CW_OK;
  if (pool->options.survive)
    cwi_surviving_release(pool);
  const cw_error error = cwi_region_release(pool->team, pool->region, quiet);
  cwi_first_note(&first, error);
  if (error != CW_OK)
    return cwi_first_return(&first);
  cwi_pool_threads_stop(pool);
  pool_discard(pool);
  *freed = true;
  return cwi_first_return(&first);
}

cw_error cw_tasks_free(cw_tasks *pool)
{
  CWI_PROFILED(CW_CALL_MAKE);
  bool freed = false;
  CWI_TRY(
      cwi_in_call("cw_tasks_free", cwi_check_not_null("the address of the pool's handle", pool)));
  CWI_TRY(cwi_in_call("cw_tasks_free", check_quiet(*pool)));
  const struct cwi_argument agreed[] = {cwi_argument_region("pool", (*pool)->region),
                                        CWI_ARGUMENTS_END};
  const cw_error error = CWI_COLLECTIVELY("cw_tasks_free", (*pool)->team, agreed,
                                          CWI_AMONG_SURVIVORS(free_pool(*pool, &freed)));
  if (freed)
    *pool = NULL;
  return error;
}
