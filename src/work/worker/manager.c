/* Surviving pools on several nodes: the manager, a thread of process 0 that has all tasks. A
 * process that fails may have sent a part of a request. The manager reads requests only when they
 * have been posted, and no longer when it knows that the process has failed, so a transaction takes
 * effect as a whole or not at all. */
#include "worker/manager.h"

#include "base/reserve.h"
#include "mpi/mpi_result.h"
#include "region/chunk.h"
#include "route/route.h"
#include "sync/notification.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/thread.h"
#include "wait/waiter.h"
#include "worker/pool.h"

#include <stdio.h>
#include <stdlib.h>

/* A worker, as the manager sees it. */
struct managed_worker {
  struct cwi_manager_request *request;
  struct cwi_manager_answer *answer; /* in the slice of its process */
  int64_t seen;                      /* number of requests that have been read */
  int rank, process;
  bool lost;    /* the process has failed, and the task has returned to the queue */
  bool demands; /* it waits for a task of `phase` */
  bool runs;    /* it runs the task in `slot` */
  uint32_t phase;
  char *slot;
  char *data; /* the transaction that is being received */
  size_t used, capacity;
  struct cwi_manager_answer_head head; /* of the next answer, with its message */
  char message[CWI_MANAGER_MESSAGE];
};

/* The tasks that a member has added. Those before `first` have been taken. */
struct managed_queue {
  struct cwi_overflow tasks;
  size_t first;
  uint32_t entered; /* phases that the member has entered */
};

struct cwi_manager {
  cw_tasks pool;
  int count; /* of workers */
  struct managed_worker *workers;
  struct managed_queue *queues; /* [team size] */
  uint32_t over;                /* phases that are over */
  int next;                     /* queue from which a task is taken next for another member */
  unsigned failures;            /* failures that the manager has dealt with */
  bool ends;
  pthread_t thread;
};

static void manager_must(bool has_memory)
{
  if (CWI_UNLIKELY(!has_memory))
    cwi_abort("process 0 has no memory for the tasks of a pool on several nodes", 1);
}

/* --- Queues ------------------------------------------------------------------------------------*/

static size_t waiting(const struct managed_queue *queue)
{
  return queue->tasks.count - queue->first;
}

static char *managed_slot(const struct cwi_manager *manager, const struct managed_queue *queue,
                          size_t number)
{
  return queue->tasks.slots + number * manager->pool->slot_bytes;
}

static size_t slot_used(const char *slot)
{
  return sizeof(struct cwi_slot_head) + cwi_slot_read(slot).bytes;
}

static void push_task(struct cwi_manager *manager, int rank, const char *slot)
{
  manager_must(cwi_overflow_push(&manager->queues[rank].tasks, manager->pool->slot_bytes,
                                 cwi_slot_read(slot), slot + sizeof(struct cwi_slot_head)));
}

/* Moves the tasks to the beginning of the memory if half of it has been taken. */
static void compact(struct cwi_manager *manager, struct managed_queue *queue)
{
  const size_t left = waiting(queue);
  if (queue->first < left)
    return;
  if (left > 0)
    memcpy(managed_slot(manager, queue, 0), managed_slot(manager, queue, queue->first),
           left * manager->pool->slot_bytes);
  queue->tasks.count = left;
  queue->first = 0;
}

/* Takes the newest task of a queue, or the oldest. */
static void pop_task(struct cwi_manager *manager, struct managed_queue *queue, bool newest,
                     char *slot)
{
  const char *task = managed_slot(manager, queue, newest ? --queue->tasks.count : queue->first++);
  memcpy(slot, task, slot_used(task));
  compact(manager, queue);
}

/* Returns the queue from which a worker of a member gets its next task, or -1. */
static int choose_queue(struct cwi_manager *manager, int rank)
{
  const cw_tasks pool = manager->pool;
  if (waiting(&manager->queues[rank]) > 0)
    return rank;
  for (int i = 0; i < pool->team->size; i++) {
    const int next = (manager->next + i) % pool->team->size;
    if (waiting(&manager->queues[next]) > 0 &&
        (pool->shares || cwi_has_failed(pool->team->process[next]))) {
      manager->next = (next + 1) % pool->team->size;
      return next;
    }
  }
  return -1;
}

/* --- Effects -----------------------------------------------------------------------------------*/

/* Records an error of a worker's transaction. The memory of lost nodes is gone, and effects on it
 * are dropped. */
static void note_effect(struct managed_worker *worker, cw_error error)
{
  if (CWI_LIKELY(error == CW_OK) || error == CW_FAILED || worker->head.error != CW_OK)
    return;
  if (cwi_error_is_from_mpi())
    cwi_task_must(error);
  worker->head.error = (int32_t)error;
  snprintf(worker->message, sizeof worker->message, "%s", cwi_error_message());
}

static bool is_lost(int process)
{
  return cwi_node_is_lost(cwi_world.node_of[process]);
}

static void apply_effect(struct managed_worker *worker, const struct cwi_manager_entry *entry,
                         const char *data)
{
  if (is_lost(entry->process))
    return;
  cw_transfer update = cw_contiguous(
      entry->reduction == CW_REPLACE ? CW_PUT : CW_ACCUMULATE, (void *)(uintptr_t)data,
      cwi_address_in(entry->process, entry->to), entry->bytes, entry->process);
  update.type = (cw_type)entry->type;
  update.reduction = (cw_reduction)entry->reduction;
  note_effect(worker, cwi_start_transfer(&update, true, NULL));
}

/* Calls `visit` for each entry of the transaction. */
#define EACH_ENTRY(worker, entry)                                                                  \
  for (const struct cwi_manager_entry *entry = (const void *)(worker)->data;                       \
       (const char *)entry < (worker)->data + (worker)->used;                                      \
       entry = (const void *)((const char *)entry + cwi_manager_entry_bytes(entry)))

/* Applies the transaction: first the effects, so that the tasks that follow find them. */
static void apply_transaction(struct cwi_manager *manager, struct managed_worker *worker)
{
  bool has_effects = false;
  EACH_ENTRY(worker, entry)
  if (entry->process >= 0) {
    apply_effect(worker, entry, (const char *)(entry + 1));
    has_effects = true;
  }
  if (has_effects)
    note_effect(worker, cwi_routes_fence_all());
  EACH_ENTRY(worker, entry)
  {
    const char *slot = (const char *)(entry + 1);
    if (entry->process == CWI_MANAGER_TASK)
      push_task(manager, worker->rank, slot);
    else if (entry->process == CWI_MANAGER_BODY)
      memcpy(worker->slot, slot, entry->bytes);
  }
  worker->used = 0;
}

/* --- Requests ----------------------------------------------------------------------------------*/

static void put_answer(struct managed_worker *worker, const void *local, void *remote, size_t bytes)
{
  const cw_transfer put =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, worker->process);
  const cw_error error = cwi_start_transfer(&put, true, NULL);
  if (error != CW_FAILED)
    cwi_task_must(error);
}

/* Answers a request, with a task if `slot` is not NULL. A worker whose process has failed needs no
 * answer. */
static void answer_request(struct managed_worker *worker, const char *slot)
{
  if (cwi_has_failed(worker->process) || is_lost(worker->process))
    return;
  if (slot != NULL)
    put_answer(worker, slot, worker->answer + 1, slot_used(slot));
  if (worker->head.error != CW_OK)
    put_answer(worker, worker->message, worker->answer->message, sizeof worker->message);
  put_answer(worker, &worker->head, &worker->answer->head, sizeof worker->head);
  const cw_error error = cwi_notify(&worker->answer->answered, 1, worker->process);
  if (error != CW_FAILED)
    cwi_task_must(error);
}

static uint64_t clear(struct cwi_manager *manager, int rank)
{
  struct managed_queue *queue = &manager->queues[rank];
  const uint64_t dropped = waiting(queue);
  queue->tasks.count = queue->first = 0;
  return dropped;
}

static void receive(struct managed_worker *worker)
{
  const size_t bytes = worker->request->head.bytes;
  while (worker->capacity - worker->used < bytes)
    manager_must(CWI_RESERVE_BYTES(worker->data, 1, worker->capacity, worker->capacity, 1024));
  memcpy(worker->data + worker->used, worker->request->data, bytes);
  worker->used += bytes;
}

/* Executes a request. A worker that demands a task is answered later. */
static void serve(struct cwi_manager *manager, struct managed_worker *worker)
{
  const enum cwi_manager_kind kind = (enum cwi_manager_kind)worker->request->head.kind;
  worker->head = (struct cwi_manager_answer_head){.from = -1};
  if (worker->request->head.bytes > 0)
    receive(worker);
  if (kind != CWI_MANAGER_PART && worker->used > 0)
    apply_transaction(manager, worker);
  if (kind == CWI_MANAGER_CLEAR)
    worker->head.dropped = clear(manager, worker->rank);
  if (kind != CWI_MANAGER_TAKE) {
    answer_request(worker, NULL);
    return;
  }
  worker->runs = false;
  worker->demands = true;
  worker->phase = worker->request->head.phase;
  struct managed_queue *queue = &manager->queues[worker->rank];
  if ((int32_t)(worker->phase - queue->entered) > 0)
    queue->entered = worker->phase;
}

/* Returns the running task of a failed process to the queue. */
static void lose(struct cwi_manager *manager, struct managed_worker *worker)
{
  if (worker->runs)
    push_task(manager, worker->rank, worker->slot);
  worker->runs = worker->demands = false;
  worker->lost = true;
}

static bool has_posted(const struct managed_worker *worker)
{
  return !worker->lost &&
         __atomic_load_n(&worker->request->posted, __ATOMIC_ACQUIRE) != worker->seen;
}

static void serve_all(struct cwi_manager *manager)
{
  manager->failures = cwi_failures_count();
  for (int i = 0; i < manager->count; i++) {
    struct managed_worker *worker = &manager->workers[i];
    if (!worker->lost && cwi_has_failed(worker->process))
      lose(manager, worker);
    if (!has_posted(worker))
      continue;
    worker->seen++;
    serve(manager, worker);
  }
}

/* --- Phases ------------------------------------------------------------------------------------*/

/* Returns true if no requests of a member are read any more. serve_all finds that for the first
 * worker of a process no later than for the others. */
static bool member_is_lost(const struct cwi_manager *manager, int rank)
{
  return manager->workers[rank * manager->pool->managed->boxes].lost;
}

/* Returns true if the phase after those that are over has ended: all members have entered it or are
 * lost, no task waits, and none runs. A member may have failed and be not yet lost: its last
 * request can still add tasks. */
static bool phase_ends(const struct cwi_manager *manager)
{
  for (int rank = 0; rank < manager->pool->team->size; rank++)
    if (waiting(&manager->queues[rank]) > 0 ||
        (manager->queues[rank].entered == manager->over && !member_is_lost(manager, rank)))
      return false;
  for (int i = 0; i < manager->count; i++)
    if (manager->workers[i].runs)
      return false;
  return true;
}

/* Gives tasks to the workers that demand some, and returns the number of those that get none. */
static uint64_t give_tasks(struct cwi_manager *manager)
{
  uint64_t hungry = 0;
  for (int i = 0; i < manager->count; i++) {
    struct managed_worker *worker = &manager->workers[i];
    if (!worker->demands)
      continue;
    const bool is_over = (int32_t)(worker->phase - manager->over) <= 0;
    const int rank = is_over ? -1 : choose_queue(manager, worker->rank);
    hungry += !is_over && rank < 0;
    if (!is_over && rank < 0)
      continue;
    worker->demands = false;
    worker->runs = !is_over;
    if (worker->runs) {
      pop_task(manager, &manager->queues[rank], rank == worker->rank, worker->slot);
      worker->head.from = manager->pool->team->process[rank];
    }
    answer_request(worker, worker->runs ? worker->slot : NULL);
  }
  return hungry;
}

static bool has_work(void *context)
{
  const struct cwi_manager *manager = context;
  if (__atomic_load_n(&manager->ends, __ATOMIC_ACQUIRE) ||
      manager->failures != cwi_failures_count())
    return true;
  for (int i = 0; i < manager->count; i++)
    if (has_posted(&manager->workers[i]))
      return true;
  return false;
}

static void *manage(void *context)
{
  enum { NAP_NANOSECONDS = 20000 };
  struct cwi_manager *manager = context;
  cwi_failures_without_handler();
  while (true) {
    cwi_wait_until(has_work, manager, NAP_NANOSECONDS);
    if (__atomic_load_n(&manager->ends, __ATOMIC_ACQUIRE))
      return NULL;
    serve_all(manager);
    uint64_t hungry = give_tasks(manager);
    if (phase_ends(manager)) {
      manager->over++;
      hungry = give_tasks(manager);
    }
    __atomic_store_n(cwi_manager_hungry(manager->pool), hungry, __ATOMIC_RELEASE);
  }
}

/* --- Start and stop ----------------------------------------------------------------------------*/

static void manager_free(struct cwi_manager *manager)
{
  for (int i = 0; manager->workers != NULL && i < manager->count; i++) {
    free(manager->workers[i].slot);
    free(manager->workers[i].data);
  }
  for (int rank = 0; manager->queues != NULL && rank < manager->pool->team->size; rank++)
    cwi_overflow_free(&manager->queues[rank].tasks);
  free(manager->workers);
  free(manager->queues);
  free(manager);
}

static bool manager_fill_in(struct cwi_manager *manager)
{
  const cw_tasks pool = manager->pool;
  const int boxes = pool->managed->boxes;
  manager->workers = calloc((size_t)manager->count, sizeof *manager->workers);
  manager->queues = calloc((size_t)pool->team->size, sizeof *manager->queues);
  if (manager->workers == NULL || manager->queues == NULL)
    return false;
  for (int i = 0; i < manager->count; i++) {
    struct managed_worker *worker = &manager->workers[i];
    worker->rank = i / boxes;
    worker->process = pool->team->process[worker->rank];
    worker->request = cwi_manager_request(pool, worker->rank, i % boxes);
    worker->answer = cwi_manager_answer(pool, worker->rank, i % boxes);
    worker->slot = malloc(pool->slot_bytes);
    if (worker->slot == NULL)
      return false;
  }
  return true;
}

static cw_error manager_start(cw_tasks pool)
{
  struct cwi_manager *manager = calloc(1, sizeof *manager);
  if (manager == NULL)
    return cwi_outside("no memory for a surviving pool");
  manager->pool = pool;
  manager->count = pool->team->size * pool->managed->boxes;
  if (!manager_fill_in(manager)) {
    manager_free(manager);
    return cwi_outside("no memory for a surviving pool of %d processes", pool->team->size);
  }
  const int code = cwi_thread_start(&manager->thread, manage, manager);
  if (code != 0) {
    manager_free(manager);
    return cwi_outside("the thread that keeps the tasks of a pool cannot be started: %s",
                       cwi_system_error(code));
  }
  pool->managed->manager = manager;
  return CW_OK;
}

static void manager_stop(struct cwi_manager *manager)
{
  __atomic_store_n(&manager->ends, true, __ATOMIC_RELEASE);
  pthread_join(manager->thread, NULL);
  manager_free(manager);
}

cw_error cwi_manager_pool_set_up(cw_tasks pool)
{
  memset(pool->region->slices[pool->team->rank].address, 0, cwi_manager_pool_slice_bytes(pool));
  for (int i = 0; i < pool->managed->boxes; i++) {
    pool->managed->clients[i].request = cwi_manager_request(pool, pool->team->rank, i);
    pool->managed->clients[i].answer = cwi_manager_answer(pool, pool->team->rank, i);
  }
  if (cwi_world.process != 0)
    return CW_OK;
  return manager_start(pool);
}

void cwi_manager_pool_stop(cw_tasks pool)
{
  if (pool->managed->manager != NULL)
    manager_stop(pool->managed->manager);
  pool->managed->manager = NULL;
}

void cwi_manager_pool_discard(cw_tasks pool)
{
  if (pool->managed == NULL)
    return;
  cwi_manager_pool_stop(pool);
  for (int i = 0; pool->managed->clients != NULL && i < pool->managed->boxes; i++)
    free(pool->managed->clients[i].data);
  free(pool->managed->clients);
  free(pool->managed);
}
