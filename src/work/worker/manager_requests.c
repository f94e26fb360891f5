/* Surviving pools on several nodes: their memory, and the requests of workers to the manager. */
#include "worker/manager.h"

#include "base/clock.h"
#include "base/reserve.h"
#include "base/size.h"
#include "region/chunk.h"
#include "route/route.h"
#include "sync/notification.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/waiter.h"
#include "worker/pool.h"

#include <stdlib.h>

enum { LINE = 64 };

/* --- Memory ------------------------------------------------------------------------------------*/

/* The slice of a member has the answers to its workers. That of process 0 begins with the requests
 * of all workers, and a line for the word `hungry`. */
static size_t answer_bytes(const struct cwi_tasks *pool)
{
  return cwi_round_up(sizeof(struct cwi_manager_answer) + pool->slot_bytes, LINE);
}

static size_t requests_bytes(const struct cwi_tasks *pool)
{
  return LINE + (size_t)pool->team->size * (size_t)pool->managed->boxes *
                    sizeof(struct cwi_manager_request);
}

size_t cwi_manager_pool_slice_bytes(const struct cwi_tasks *pool)
{
  return (cwi_world.process == 0 ? requests_bytes(pool) : 0) +
         (size_t)pool->managed->boxes * answer_bytes(pool);
}

static char *manager_slice(const struct cwi_tasks *pool)
{
  return pool->region->slices[cwi_team_rank_of(pool->team, 0)].address;
}

uint64_t *cwi_manager_hungry(const struct cwi_tasks *pool)
{
  return (uint64_t *)(void *)manager_slice(pool);
}

struct cwi_manager_request *cwi_manager_request(const struct cwi_tasks *pool, int rank, int box)
{
  return (struct cwi_manager_request *)(void *)(manager_slice(pool) + LINE) +
         rank * pool->managed->boxes + box;
}

struct cwi_manager_answer *cwi_manager_answer(const struct cwi_tasks *pool, int rank, int box)
{
  char *slice = pool->region->slices[rank].address;
  slice += pool->team->process[rank] == 0 ? requests_bytes(pool) : 0;
  return (struct cwi_manager_answer *)(void *)(slice + (size_t)box * answer_bytes(pool));
}

cw_error cwi_manager_pool_take_memory(cw_tasks pool)
{
  struct cwi_manager_pool *managed = pool->managed = calloc(1, sizeof *managed);
  if (managed == NULL)
    return cwi_outside("no memory for a surviving pool");
  managed->boxes = pool->options.threads + 1;
  managed->clients = calloc((size_t)managed->boxes, sizeof *managed->clients);
  return managed->clients != NULL
             ? CW_OK
             : cwi_outside("no memory for a surviving pool of %d threads", pool->options.threads);
}

/* --- Transactions ------------------------------------------------------------------------------*/

/* Returns the address for the data of a new entry, or NULL if there is no memory. */
static char *add_entry(struct cwi_manager_client *client, const struct cwi_manager_entry *entry)
{
  const size_t bytes = cwi_manager_entry_bytes(entry);
  while (client->capacity - client->used < bytes)
    if (!CWI_RESERVE_BYTES(client->data, 1, client->capacity, client->capacity, 1024))
      return NULL;
  char *at = client->data + client->used;
  memcpy(at, entry, sizeof *entry);
  client->used += bytes;
  return at + sizeof *entry;
}

static bool append_slot(struct cwi_manager_client *client, int kind, struct cwi_slot_head head,
                        const void *body)
{
  const struct cwi_manager_entry entry = {.process = kind, .bytes = sizeof head + head.bytes};
  char *slot = add_entry(client, &entry);
  if (slot != NULL)
    cwi_slot_write(slot, head, body);
  return slot != NULL;
}

bool cwi_manager_add(struct cwi_manager_client *client, struct cwi_slot_head head, const void *body)
{
  const bool added = append_slot(client, CWI_MANAGER_TASK, head, body);
  client->added += added;
  return added;
}

bool cwi_manager_log(struct cwi_manager_client *client, const struct cwi_robust_effect *effect,
                     int process)
{
  const struct cwi_manager_entry entry = {.to = cwi_offset_in(process, effect->to),
                                          .bytes = effect->bytes,
                                          .process = process,
                                          .type = (int32_t)effect->type,
                                          .reduction = (int32_t)effect->reduction};
  char *data = add_entry(client, &entry);
  if (data != NULL)
    memcpy(data, effect->from, effect->bytes);
  return data != NULL;
}

void cwi_manager_drop(struct cwi_manager_client *client)
{
  client->used = 0;
  client->added = 0;
}

/* --- Requests ----------------------------------------------------------------------------------*/

static bool is_answered(void *context)
{
  const struct cwi_manager_client *client = context;
  if (CWI_UNLIKELY(cwi_failures_count() > 0))
    cwi_failures_call_handler();
  return __atomic_load_n(&client->answer->answered, __ATOMIC_ACQUIRE) == client->requests;
}

static void put_request(const void *local, void *remote, size_t bytes)
{
  const cw_transfer put = cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, 0);
  if (bytes > 0)
    cwi_task_must(cwi_start_transfer(&put, true, NULL));
}

static void exchange(struct cwi_manager_client *client, const struct cwi_manager_request_head *head,
                     const char *data)
{
  enum { NAP_NANOSECONDS = 20000 };
  put_request(data, client->request->data, head->bytes);
  put_request(head, &client->request->head, sizeof *head);
  client->requests++;
  cwi_task_must(cwi_notify(&client->request->posted, 1, 0));
  cwi_wait_until(is_answered, client, NAP_NANOSECONDS);
}

/* Sends a request with the present transaction and waits for the answer. */
static cw_error demand(struct cwi_manager_client *client, enum cwi_manager_kind kind,
                       uint32_t phase)
{
  struct cwi_manager_request_head head = {CWI_MANAGER_PART, 0, CWI_MANAGER_PART_BYTES};
  size_t sent = 0;
  for (; client->used - sent > CWI_MANAGER_PART_BYTES; sent += CWI_MANAGER_PART_BYTES)
    exchange(client, &head, client->data + sent);
  head = (struct cwi_manager_request_head){kind, phase, client->used - sent};
  exchange(client, &head, client->data + sent);
  cwi_manager_drop(client);
  const struct cwi_manager_answer *answer = client->answer;
  return CWI_LIKELY(answer->head.error == CW_OK)
             ? CW_OK
             : cwi_failure((cw_error)answer->head.error, "%s", answer->message);
}

static const char *answered_slot(const struct cwi_manager_client *client)
{
  return (const char *)(client->answer + 1);
}

/* Sends a request without effects. */
static void demand_quietly(struct cwi_manager_client *client, enum cwi_manager_kind kind)
{
  const cw_error error = demand(client, kind, 0);
  CWI_ASSERT(error == CW_OK);
}

void cwi_manager_publish(struct cwi_manager_client *client)
{
  demand_quietly(client, CWI_MANAGER_ADD);
}

cw_error cwi_manager_continue(struct cwi_manager_client *client, const void *body, uint32_t bytes)
{
  struct cwi_slot_head head = cwi_slot_read(answered_slot(client));
  head.bytes = bytes;
  if (!append_slot(client, CWI_MANAGER_BODY, head, body))
    cwi_abort("no memory for the body of a task that commits", 1);
  return demand(client, CWI_MANAGER_COMMIT, 0);
}

cw_error cwi_manager_take(struct cwi_manager_client *client, uint32_t phase, int *from,
                          struct cwi_slot_head *head, const void **body)
{
  const cw_error error = demand(client, CWI_MANAGER_TAKE, phase);
  *from = client->answer->head.from;
  *head = cwi_slot_read(answered_slot(client));
  *body = answered_slot(client) + sizeof *head;
  return error;
}

uint64_t cwi_manager_clear(struct cwi_manager_client *client)
{
  demand_quietly(client, CWI_MANAGER_CLEAR);
  return client->answer->head.dropped;
}

bool cwi_manager_wanted(cw_tasks pool, struct cwi_manager_client *client)
{
  static const double LOOK_SECONDS = 1e-3;
  uint64_t hungry = 0;
  if (cwi_now() < client->next_look)
    return false;
  const cw_transfer get =
      cw_contiguous(CW_GET, &hungry, cwi_manager_hungry(pool), sizeof hungry, 0);
  cwi_task_must(cwi_start_transfer(&get, true, NULL));
  client->next_look = cwi_now() + LOOK_SECONDS;
  return hungry > 0;
}
