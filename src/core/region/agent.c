/* Agents: a thread that works on the memory of its process for others of the node. */
#include "region/agent.h"

#include "memory/arena.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/chunk.h"
#include "region/peers.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "wait/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* LONG_BUFFERS is the number of buffers that an agent lends to servers. */
enum { NAP_NANOSECONDS = 1000000, SLEEP_NANOSECONDS = 100000000, POLLS = 200, LONG_BUFFERS = 6 };

/* Phases of a place. In its k-th use they are 3k (free), 3k + 1 (requested) and 3k + 2 (answered).
 */
enum phase { FREE, REQUESTED, ANSWERED, PHASES };

struct cwi_agent_place {
  struct cwi_signal phase;
  uint32_t kind, error;
  uint64_t buffer; /* offset in the zone */
  char message[512];
  _Alignas(16) unsigned char body[CWI_AGENT_BODY];
};

/* The requests to one agent, in the zone. */
struct ring {
  uint64_t taken; /* number of requests so far */
  uint32_t kinds; /* set of kinds that the agent serves, one bit each */
  uint32_t stop;
  uint32_t in_use;       /* set of long buffers that are lent, one bit each */
  uint64_t long_buffers; /* offset of the first of them; 0 if the zone had no space */
  struct cwi_agent_place places[CWI_AGENT_REQUESTS];
};

/* The agents of a process. The one for devices waits for the devices. The one for private memory
 * never waits, so a thread that waits for it may hold a lock. */
enum agent_number { ON_DEVICES, ON_MEMORY, AGENTS };

/* My agents. The bookkeeping lock guards starting and ending them. */
static struct agent {
  struct ring *ring;
  pthread_t thread;
  bool runs;
} mine[AGENTS];
static cwi_agent_serve serve[CWI_AGENT_KINDS];
static __thread bool is_agent;

static enum agent_number agent_number_of(enum cwi_agent_kind kind)
{
  return kind == CWI_AGENT_MEMORY_HANDLE ? ON_MEMORY : ON_DEVICES;
}

/* --- The agent -------------------------------------------------------------------------------- */

static uint32_t phase_of(uint64_t ticket, enum phase phase)
{
  return (uint32_t)(ticket / CWI_AGENT_REQUESTS * PHASES + phase);
}

static void agent_answer(struct cwi_agent_place *place, cw_error error)
{
  place->error = (uint32_t)error;
  if (error != CW_OK)
    snprintf(place->message, sizeof place->message, "%s", cwi_error_message());
  cwi_signal_advance(&place->phase);
}

/* A request that has begun. `place` is NULL if there is none. */
struct agent_begun {
  struct cwi_agent_place *place;
  struct cwi_agent_later later;
};

/* The last request that has begun, and space for the next. */
struct agent_pair {
  struct agent_begun begun[2];
  unsigned last;
};

static void agent_end(struct agent_begun *begun)
{
  if (begun->place != NULL)
    agent_answer(begun->place, begun->later.end(&begun->later));
  begun->place = NULL;
}

/* Begins a request and then completes the one before, so that two may overlap. */
static void agent_begin(struct cwi_agent_place *place, struct agent_pair *pair)
{
  struct agent_begun *last = &pair->begun[pair->last], *next = &pair->begun[!pair->last];
  const cwi_agent_serve begin = __atomic_load_n(&serve[place->kind], __ATOMIC_ACQUIRE);
  next->later.end = NULL;
  const cw_error error = begin(place->body, cwi_address_at(place->buffer), &next->later);
  if (next->later.end == NULL) {
    agent_answer(place, error);
    return;
  }
  next->place = place;
  agent_end(last);
  pair->last = !pair->last;
}

/* Polls a while and then sleeps until the phase changes. `free` is its value while there is no
 * request. */
static void sleep_until_requested(struct cwi_signal *phase, uint32_t free)
{
  for (int poll_count = 0; poll_count < POLLS && cwi_signal_value(phase) == free; poll_count++)
    cwi_pause();
  if (cwi_signal_value(phase) == free)
    cwi_signal_nap(phase, free, SLEEP_NANOSECONDS);
}

/* The agent's thread. It serves the places in turn. When no request waits, it completes the last
 * one that it has begun. If there is no such request either, it sleeps. */
static void *agent_run(void *given)
{
  struct ring *ring = given;
  uint64_t ticket = 0;
  struct agent_pair pair = {.last = 0};
  is_agent = true;
  while (__atomic_load_n(&ring->stop, __ATOMIC_ACQUIRE) == 0) {
    struct cwi_agent_place *place = &ring->places[ticket % CWI_AGENT_REQUESTS];
    const uint32_t phase = cwi_signal_value(&place->phase);
    if (phase == phase_of(ticket, REQUESTED)) {
      agent_begin(place, &pair);
      ticket++;
    } else if (pair.begun[pair.last].place != NULL)
      agent_end(&pair.begun[pair.last]);
    else
      sleep_until_requested(&place->phase, phase);
  }
  agent_end(&pair.begun[pair.last]);
  return NULL;
}

bool cwi_is_agent(void)
{
  return is_agent;
}

/* --- Starting and ending ---------------------------------------------------------------------- */

/* Returns the offsets of the rings of my node's processes, AGENTS for each. If `make` is true and
 * there is no array yet, allocates it. */
static uint64_t *rings(bool make)
{
  uint64_t *offset = &cwi_zone.header->agents;
  uint64_t at = __atomic_load_n(offset, __ATOMIC_ACQUIRE);
  if (at != 0 || !make)
    return at != 0 ? (uint64_t *)(void *)cwi_address_at(at) : NULL;
  const size_t bytes = (size_t)cwi_world.node_processes * AGENTS * sizeof(uint64_t);
  uint64_t *made = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  if (made == NULL)
    return NULL;
  memset(made, 0, bytes);
  if (__atomic_compare_exchange_n(offset, &at, cwi_offset_of(made), false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  cwi_heap_free(&cwi_zone.internal, made);
  return (uint64_t *)(void *)cwi_address_at(at);
}

/* Returns NULL and records an error if the zone has no space. */
static struct ring *allocate_ring(char **buffers)
{
  struct ring *ring = cwi_heap_allocate(&cwi_zone.internal, sizeof *ring, 0);
  if (ring == NULL)
    return NULL;
  *buffers =
      cwi_heap_allocate(&cwi_zone.internal, (size_t)CWI_AGENT_REQUESTS * CWI_AGENT_BUFFER, 0);
  if (*buffers != NULL)
    return ring;
  cwi_heap_free(&cwi_zone.internal, ring);
  return NULL;
}

/* Allocates the buffers that servers borrow for long transfers to devices. */
static uint64_t make_long_buffers(void)
{
  const char *long_buffers =
      cwi_heap_allocate(&cwi_zone.internal, (size_t)LONG_BUFFERS * CWI_AGENT_BUFFER_LONG, 0);
  return long_buffers != NULL ? cwi_offset_of(long_buffers) : 0;
}

/* Allocates a ring and its buffers in the zone. Both stay there until the zone ends. */
static cw_error make_ring(bool has_long_buffers, struct ring **made)
{
  char *buffers = NULL;
  struct ring *ring = allocate_ring(&buffers);
  if (ring == NULL)
    return CW_OUTSIDE;
  memset(ring, 0, sizeof *ring);
  for (size_t i = 0; i < CWI_AGENT_REQUESTS; i++)
    ring->places[i].buffer = cwi_offset_of(buffers + i * CWI_AGENT_BUFFER);
  ring->long_buffers = has_long_buffers ? make_long_buffers() : 0;
  *made = ring;
  return CW_OK;
}

static cw_error start_thread(struct agent *agent)
{
  const int code = cwi_thread_start(&agent->thread, agent_run, agent->ring);
  return code == 0
             ? CW_OK
             : cwi_outside("no thread to act for other processes: %s", cwi_system_error(code));
}

/* Returns where the offset of the ring of a process's agent is published. */
static uint64_t *ring_place(uint64_t *all, int process, enum agent_number number)
{
  return &all[cwi_node_index(process) * AGENTS + (int)number];
}

/* An agent that was just about to sleep may have missed `stop` and needs another wake-up. */
static void agent_wake_until_ended(struct agent *agent)
{
  enum { MOMENT_NANOSECONDS = 20000 };
  while (pthread_tryjoin_np(agent->thread, NULL) == EBUSY) {
    for (int i = 0; i < CWI_AGENT_REQUESTS; i++)
      cwi_word_wake(&agent->ring->places[i].phase.value);
    cwi_nap(MOMENT_NANOSECONDS);
  }
}

/* The memory of the ring is freed with the zone. */
static void agent_end_thread(struct agent *agent, enum agent_number number)
{
  if (agent->runs) {
    __atomic_store_n(ring_place(rings(false), cwi_world.process, number), 0, __ATOMIC_RELEASE);
    __atomic_store_n(&agent->ring->stop, 1, __ATOMIC_RELEASE);
    agent_wake_until_ended(agent);
  }
  *agent = (struct agent){.ring = NULL};
}

void cwi_agent_stop(void)
{
  for (int number = 0; number < AGENTS; number++)
    agent_end_thread(&mine[number], (enum agent_number)number);
}

/* Starts the thread and then publishes the ring, so that other processes find only agents that run.
 */
static cw_error agent_start(struct agent *agent, enum agent_number number)
{
  uint64_t *all = rings(true);
  if (all == NULL)
    return CW_OUTSIDE;
  if (agent->ring == NULL) /* else it is left from a start that failed for lack of a thread */
    CWI_TRY(make_ring(number == ON_DEVICES, &agent->ring));
  CWI_TRY(start_thread(agent));
  agent->runs = true;
  __atomic_store_n(ring_place(all, cwi_world.process, number), cwi_offset_of(agent->ring),
                   __ATOMIC_RELEASE);
  return CW_OK;
}

cw_error cwi_agent_open(enum cwi_agent_kind kind, cwi_agent_serve serves)
{
  const enum agent_number number = agent_number_of(kind);
  struct agent *agent = &mine[number];
  cwi_threads_lock();
  __atomic_store_n(&serve[kind], serves, __ATOMIC_RELEASE);
  const cw_error error = agent->runs ? CW_OK : agent_start(agent, number);
  if (error == CW_OK)
    __atomic_fetch_or(&agent->ring->kinds, 1u << kind, __ATOMIC_RELEASE);
  cwi_threads_unlock();
  return error;
}

void cwi_agent_memories(struct cwi_agent_memory memories[CWI_AGENT_MEMORIES])
{
  const struct ring *ring = mine[ON_DEVICES].ring;
  memset(memories, 0, CWI_AGENT_MEMORIES * sizeof *memories);
  if (ring != NULL)
    memories[0] = (struct cwi_agent_memory){cwi_address_at(ring->places[0].buffer),
                                            (size_t)CWI_AGENT_REQUESTS * CWI_AGENT_BUFFER};
  if (ring != NULL && ring->long_buffers != 0)
    memories[1] = (struct cwi_agent_memory){cwi_address_at(ring->long_buffers),
                                            (size_t)LONG_BUFFERS * CWI_AGENT_BUFFER_LONG};
}

/* --- Finding an agent ------------------------------------------------------------------------- */

/* Returns the ring of an agent of the process, or NULL if it has none. */
static struct ring *ring_of(int process, enum agent_number number)
{
  uint64_t *all = rings(false);
  const uint64_t at =
      all != NULL ? __atomic_load_n(ring_place(all, process, number), __ATOMIC_ACQUIRE) : 0;
  return at != 0 ? (struct ring *)(void *)cwi_address_at(at) : NULL;
}

bool cwi_agent_is_open(int process, enum cwi_agent_kind kind)
{
  const struct ring *ring = ring_of(process, agent_number_of(kind));
  return ring != NULL && (__atomic_load_n(&ring->kinds, __ATOMIC_ACQUIRE) >> kind & 1) != 0;
}

/* --- Lending buffers -------------------------------------------------------------------------- */

void *cwi_agent_buffer_take(int process)
{
  struct ring *ring = ring_of(process, ON_DEVICES);
  if (ring == NULL || ring->long_buffers == 0)
    return NULL;
  uint32_t in_use = __atomic_load_n(&ring->in_use, __ATOMIC_RELAXED);
  while (in_use != ((uint32_t)1 << LONG_BUFFERS) - 1) {
    const int number = __builtin_ctz(~in_use);
    if (__atomic_compare_exchange_n(&ring->in_use, &in_use, in_use | (uint32_t)1 << number, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return cwi_address_at(ring->long_buffers) + (size_t)number * CWI_AGENT_BUFFER_LONG;
  }
  return NULL;
}

static bool buffer_of(struct ring *ring, uint64_t offset)
{
  const size_t number = (size_t)(offset - ring->long_buffers) / CWI_AGENT_BUFFER_LONG;
  if (ring->long_buffers == 0 || offset < ring->long_buffers || number >= LONG_BUFFERS)
    return false;
  __atomic_fetch_and(&ring->in_use, ~((uint32_t)1 << number), __ATOMIC_RELEASE);
  return true;
}

/* If the agent has ended, there is no ring to return the buffer to. */
bool cwi_agent_buffer_give(void *memory)
{
  if (memory == NULL || !cwi_zone_has(memory))
    return false;
  for (int i = 0; i < cwi_world.node_processes; i++) {
    struct ring *ring = ring_of(cwi_world.peers[i], ON_DEVICES);
    if (ring != NULL && buffer_of(ring, cwi_offset_of(memory)))
      break;
  }
  return true;
}

/* --- Requests --------------------------------------------------------------------------------- */

/* Ends the job if the agent's process has failed. Only calls that were under way when it failed
 * wait here; later calls are rejected before. */
static void check_agent(int process)
{
  if (CWI_UNLIKELY(cwi_has_failed(process)))
    cwi_abort_with(1,
                   "process %d has failed while this process waited for its agent; ending the job",
                   process);
}

/* Waits until the place has reached the phase. A thread that serves a node does not serve
 * meanwhile, because a request that it would execute may need this agent. */
static void await_phase(int process, struct cwi_agent_place *place, uint32_t phase)
{
  struct cwi_wait wait = {.sleeps = true};
  uint32_t now = 0;
  while ((int32_t)((now = cwi_signal_value(&place->phase)) - phase) < 0) {
    if (cwi_wait_passively(&wait))
      continue;
    cwi_signal_nap(&place->phase, now, NAP_NANOSECONDS);
    cwi_peers_watch();
    check_agent(process);
    cwi_mpi_progress(); /* MPI may notice a death that we cannot see */
  }
}

/* Takes the next ticket only if its place is free. So a process that has taken a ticket never waits
 * for a place that it occupies itself. */
static bool try_to_take(struct ring *ring, uint64_t *ticket)
{
  *ticket = __atomic_load_n(&ring->taken, __ATOMIC_RELAXED);
  const struct cwi_agent_place *place = &ring->places[*ticket % CWI_AGENT_REQUESTS];
  return cwi_signal_value(&place->phase) == phase_of(*ticket, FREE) &&
         __atomic_compare_exchange_n(&ring->taken, ticket, *ticket + 1, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

bool cwi_agent_take(int process, enum cwi_agent_kind kind, bool wait,
                    struct cwi_agent_request *request)
{
  struct ring *ring = ring_of(process, agent_number_of(kind));
  uint64_t ticket = 0;
  CWI_ASSERT(ring != NULL);
  while (!try_to_take(ring, &ticket)) {
    if (!wait)
      return false;
    ticket = __atomic_load_n(&ring->taken, __ATOMIC_RELAXED);
    await_phase(process, &ring->places[ticket % CWI_AGENT_REQUESTS], phase_of(ticket, FREE));
  }
  struct cwi_agent_place *place = &ring->places[ticket % CWI_AGENT_REQUESTS];
  place->kind = kind;
  *request = (struct cwi_agent_request){place->body, cwi_address_at(place->buffer), place,
                                        phase_of(ticket, FREE), process};
  return true;
}

void cwi_agent_send(const struct cwi_agent_request *request)
{
  cwi_signal_advance(&request->place->phase);
}

bool cwi_agent_has_answered(const struct cwi_agent_request *request)
{
  return (int32_t)(cwi_signal_value(&request->place->phase) - (request->phase + ANSWERED)) >= 0;
}

cw_error cwi_agent_await(const struct cwi_agent_request *request,
                         void (*read)(const struct cwi_agent_request *request, void *context),
                         void *context)
{
  struct cwi_agent_place *place = request->place;
  await_phase(request->process, place, request->phase + ANSWERED);
  cw_error error = (cw_error)place->error;
  if (error != CW_OK)
    error = cwi_failure(error, "%s", place->message);
  else if (read != NULL)
    read(request, context);
  cwi_signal_advance(&place->phase);
  return error;
}
