/* Slices of node peers that this process has taken.
 *
 * Nobody waits for an agent while he holds the lock here, and agents wait here only for calls of a
 * driver and for transfers that use the very slice that is given back. */
#include "device/taken.h"

#include "base/ends.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/statistics.h"
#include "memory/agent.h"
#include "memory/elsewhere.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "team/world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ASKED: the owner has not answered yet; its first byte is the one that was asked about. */
enum taken_state { ASKED, OPENING, OPEN, CLOSING, REFUSED };

struct taken {
  struct cwi_device_slice slice; /* the device is mine, the addresses are the owner's */
  struct taken *next;
  enum taken_state state;
  bool recalled; /* nobody finds it any more */
  size_t uses;
};

/* Of my node's processes. NULL: nothing was ever taken, or all has been given back at the stop. */
static struct taken **lists;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* What an owner's agent is asked, and its answer; or what a taker's is told to give back. */
struct slice_request {
  int32_t asker;
  uint32_t recalls;
  uint64_t address, bytes; /* answer: of the slice; no bytes: there is none */
  uint32_t kind;           /* of its device */
  int32_t number;
  uint32_t named;
  struct cwi_device_export name;
  char why[400]; /* it has no name: a sentence, or nothing */
};
_Static_assert(sizeof(struct slice_request) <= CWI_AGENT_BODY, "it fits");

static char *address_of(uint64_t address)
{
  return (char *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* --- The list; its functions have the lock ---------------------------------------------------- */

static struct taken *taken_first(int index)
{
  return lists != NULL ? lists[index] : NULL;
}

static struct taken *taken_find(int process, cw_device through, const char *address)
{
  struct taken *taken = taken_first(cwi_node_index(process));
  while (taken != NULL &&
         (taken->recalled || (through != NULL && taken->slice.device != through) ||
          (uintptr_t)address - (uintptr_t)taken->slice.address >= taken->slice.bytes))
    taken = taken->next;
  return taken;
}

static void taken_drop(int index, struct taken *taken)
{
  struct taken **link = &lists[index];
  while (*link != taken)
    link = &(*link)->next;
  *link = taken->next;
  free(taken);
  pthread_cond_broadcast(&changed);
}

/* What is to be given back; 0 or NULL: it may be any. */
struct claim {
  const char *address;
  size_t bytes;
  cw_device device;
};

static bool taken_concerns(const struct claim *claim, const struct taken *taken)
{
  return (claim->device == NULL || taken->slice.device == claim->device) &&
         (claim->bytes == 0 ||
          (uintptr_t)taken->slice.address - (uintptr_t)claim->address < claim->bytes);
}

/* The next one to be given back. Who has asked for one gives it up when he is answered. */
static struct taken *taken_claimed(int index, const struct claim *claim)
{
  struct taken *taken = taken_first(index);
  while (taken != NULL && (taken->state == ASKED || !taken_concerns(claim, taken)))
    taken = taken->next;
  return taken;
}

static void taken_close(struct taken *taken)
{
  cw_device device = taken->slice.device;
  taken->state = CLOSING;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&device->lock);
  device->backend->back(device->opened, taken->slice.memory);
  pthread_mutex_unlock(&device->lock);
  pthread_mutex_lock(&lock);
}

/* Of one process's. */
static void give_back(int index, const struct claim *claim)
{
  struct taken *taken = taken_first(index);
  for (; taken != NULL; taken = taken->next)
    taken->recalled = taken->recalled || taken_concerns(claim, taken);
  while ((taken = taken_claimed(index, claim)) != NULL) {
    if (taken->uses > 0 || taken->state == OPENING || taken->state == CLOSING) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    if (taken->state == OPEN)
      taken_close(taken);
    taken_drop(index, taken);
  }
}

static void give_back_all(const struct claim *claim)
{
  for (int index = 0; index < cwi_world.node_processes; index++)
    give_back(index, claim);
}

/* When Causeway stops. */
static void taken_stop(void)
{
  pthread_mutex_lock(&lock);
  give_back_all(&(struct claim){0});
  free(lists);
  lists = NULL;
  pthread_mutex_unlock(&lock);
}

/* That device, or the one of this number, or any other: through which slices are taken. */
static cw_device taken_device(cw_device through, int number)
{
  cw_device device = NULL, found = NULL;
  while ((device = cwi_device_next(device)) != NULL)
    if (device->takes && (through == NULL || device == through) &&
        (found == NULL || device->facts.number == number))
      found = device;
  return found;
}

/* --- Agents ----------------------------------------------------------------------------------- */

/* The owner's. */
static void name_slice(const struct cwi_device_slice *slice, struct slice_request *request)
{
  cw_device device = slice->device;
  request->address = (uintptr_t)slice->address;
  request->bytes = slice->bytes;
  request->kind = device->backend->kind;
  request->number = device->facts.number;
  slice->told[cwi_node_index(request->asker)] = 1;
  if (device->backend->give == NULL)
    return;
  pthread_mutex_lock(&device->lock);
  const cw_error error = device->backend->give(device->opened, slice->memory, &request->name);
  pthread_mutex_unlock(&device->lock);
  request->named = error == CW_OK;
  if (error != CW_OK)
    snprintf(request->why, sizeof request->why, "%s", cwi_sentence());
}

static cw_error taken_serve(void *body, char *buffer, struct cwi_agent_later *later)
{
  struct slice_request *request = body;
  const struct cwi_device_slice *slice = NULL;
  const struct claim claim = {.address = address_of(request->address), .bytes = request->bytes};
  (void)buffer, (void)later; /* it ends here */
  if (request->recalls) {
    pthread_mutex_lock(&lock);
    give_back(cwi_node_index(request->asker), &claim);
    pthread_mutex_unlock(&lock);
    return CW_OK;
  }
  struct cwi_device_use use = {.sides = {{request->address, request->address + 1}}};
  cwi_device_use_begin(&use);
  if (cwi_device_slice_find("remote", claim.address, 1, &slice) == CW_OK)
    name_slice(slice, request);
  cwi_device_use_end(&use);
  return CW_OK;
}

static cw_error taken_agent_open(void)
{
  return cwi_agent_open(CWI_AGENT_DEVICE_SLICES, taken_serve);
}

cw_error cwi_taken_offer(void)
{
  return cwi_settings.device_peer == CWI_DEVICE_PEER_AUTO ? taken_agent_open() : CW_OK;
}

static void read_answer(const struct cwi_agent_request *request, void *answer)
{
  memcpy(answer, request->body, sizeof(struct slice_request));
}

/* Receives the answer. */
static cw_error ask_agent(int process, struct slice_request *request)
{
  struct cwi_agent_request sent;
  cwi_agent_take(process, CWI_AGENT_DEVICE_SLICES, true, &sent);
  memcpy(sent.body, request, sizeof *request);
  cwi_agent_send(&sent);
  return cwi_agent_await(&sent, read_answer, request);
}

void cwi_taken_recall(const struct cwi_device_slice *slice)
{
  for (int index = 0; index < cwi_world.node_processes; index++) {
    struct slice_request request = {.asker = cwi_world.process,
                                    .recalls = 1,
                                    .address = (uintptr_t)slice->address,
                                    .bytes = slice->bytes};
    if (slice->told[index] == 0)
      continue;
    const cw_error error = ask_agent(cwi_world.peers[index], &request);
    CWI_ASSERT(error == CW_OK); /* who was told has an agent until all stop */
  }
}

/* --- Taking ----------------------------------------------------------------------------------- */

/* Once on a node: it is the same for all of its processes, as a rule. */
static void taken_say(int process, const char *why)
{
  static const uint64_t SENTENCE = 0x74616b656e303031; /* any number */
  __atomic_add_fetch(&cwi_statistics.not_taken, 1, __ATOMIC_RELAXED);
  if (*why != '\0' && cwi_zone_is_new(SENTENCE))
    cwi_log(CWI_LOG_WARNING,
            "agents move the data of node peers' devices, which is slower: this process cannot "
            "reach a slice of process %d itself: %s",
            process, why);
}

/* The lock is held. False: nobody opens it, for now or for ever. */
static bool taken_answered(struct taken *taken, int process, cw_device through,
                           const struct slice_request *answer)
{
  char *address = address_of(answer->address);
  cw_device device = taken_device(through, answer->number);
  const bool gone = taken->recalled || answer->bytes == 0 || device == NULL;
  taken->recalled = true; /* what is found now is another thread's */
  if (gone || taken_find(process, device, address) != NULL) {
    taken_drop(cwi_node_index(process), taken);
    return false;
  }
  taken->recalled = false;
  taken->slice.device = device;
  taken->slice.address = address;
  taken->slice.bytes = answer->bytes;
  const bool opens = answer->named && device->backend->kind == (cw_device_kind)answer->kind;
  taken->state = opens ? OPENING : REFUSED;
  return opens;
}

/* True: it is open and in use. */
static bool taken_open(struct taken *taken, int process, const struct slice_request *answer)
{
  cw_device device = taken->slice.device;
  pthread_mutex_lock(&device->lock);
  const cw_error error =
      device->backend->take(device->opened, &answer->name, answer->bytes, &taken->slice.memory);
  pthread_mutex_unlock(&device->lock);
  if (error != CW_OK)
    taken_say(process, cwi_sentence());
  else
    __atomic_add_fetch(&cwi_statistics.taken, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  const bool uses = error == CW_OK && !taken->recalled;
  taken->state = error == CW_OK ? OPEN : REFUSED;
  taken->uses = uses;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return uses;
}

static bool taken_ask(struct taken *taken, int process, cw_device through)
{
  struct slice_request request = {.asker = cwi_world.process,
                                  .address = (uintptr_t)taken->slice.address};
  cw_error error = taken_agent_open(); /* which the owner tells to give it back */
  if (error == CW_OK)
    error = ask_agent(process, &request);
  if (error != CW_OK || request.why[0] != '\0')
    taken_say(process, error != CW_OK ? cwi_sentence() : request.why);
  pthread_mutex_lock(&lock);
  const bool opens = taken_answered(taken, process, through, &request);
  pthread_mutex_unlock(&lock);
  return opens && taken_open(taken, process, &request);
}

/* The lock is held. NULL: no memory. */
static struct taken *taken_begin(int process, const char *address)
{
  static struct cwi_end end = {.run = taken_stop};
  if (lists == NULL)
    lists = calloc((size_t)cwi_world.node_processes, sizeof(struct taken *));
  cwi_at_end(&end);
  struct taken *taken = lists != NULL ? calloc(1, sizeof *taken) : NULL;
  if (taken == NULL)
    return NULL;
  taken->slice.address = (char *)(uintptr_t)address;
  taken->slice.bytes = 1;
  taken->next = lists[cwi_node_index(process)];
  lists[cwi_node_index(process)] = taken;
  return taken;
}

/* While one thread takes a slice, the others leave it to the agent. */
static struct taken *take(int process, cw_device through, const char *address)
{
  pthread_mutex_lock(&lock);
  struct taken *taken = taken_find(process, through, address);
  const bool asks = taken == NULL && taken_device(through, 0) != NULL;
  if (asks)
    taken = taken_begin(process, address);
  else if (taken != NULL && taken->state == OPEN)
    taken->uses++;
  else
    taken = NULL;
  pthread_mutex_unlock(&lock);
  return taken == NULL || !asks || taken_ask(taken, process, through) ? taken : NULL;
}

static bool slice_holds(const struct cwi_device_slice *slice, struct cwi_extent extent)
{
  const uintptr_t begin = (uintptr_t)slice->address;
  return extent.begin >= begin && extent.end - begin <= slice->bytes;
}

static bool holds_all(const struct cwi_device_slice *slice, const struct cwi_shape *shape)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  bool holds = true;
  if (shape->vectors == NULL)
    return slice_holds(slice, cwi_shape_remote_extent(shape));
  while (holds && cwi_planes_next(&planes, &plane))
    holds = slice_holds(slice, cwi_rows_extent(plane.remote, plane.remote_stride, &plane));
  return holds;
}

/* Of a transfer that may be this process's own. */
static bool may_use(const struct cwi_transfer *transfer)
{
  return cwi_settings.device_peer == CWI_DEVICE_PEER_AUTO && transfer->operation != CW_ACCUMULATE &&
         transfer->process != cwi_world.process && cwi_same_node(transfer->process) &&
         cwi_agent_is_open(transfer->process, CWI_AGENT_DEVICE_SLICES);
}

bool cwi_taken_use(const struct cwi_transfer *transfer, cw_device through,
                   const struct cwi_device_slice **slice)
{
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  if (!may_use(transfer) || !cwi_planes_next(&planes, &plane) || !cwi_is_elsewhere(plane.remote))
    return false;
  struct taken *taken = take(transfer->process, through, plane.remote);
  if (taken == NULL)
    return false;
  const bool holds = holds_all(&taken->slice, &transfer->shape);
  if (holds)
    *slice = &taken->slice;
  else
    cwi_taken_leave(&taken->slice);
  return holds;
}

void cwi_taken_leave(const struct cwi_device_slice *slice)
{
  struct taken *taken = (struct taken *)(uintptr_t)slice; /* its first member */
  pthread_mutex_lock(&lock);
  if (--taken->uses == 0 && taken->recalled)
    pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

bool cwi_taken_holds(int process, const void *address, size_t bytes)
{
  const uintptr_t begin = (uintptr_t)address;
  pthread_mutex_lock(&lock);
  const struct taken *taken = taken_find(process, NULL, address);
  const bool holds = taken != NULL && taken->state == OPEN &&
                     slice_holds(&taken->slice, (struct cwi_extent){begin, begin + bytes});
  pthread_mutex_unlock(&lock);
  return holds;
}

/* --- Devices of mine -------------------------------------------------------------------------- */

void cwi_taken_begin(cw_device device)
{
  pthread_mutex_lock(&lock);
  device->takes = device->backend->take != NULL;
  pthread_mutex_unlock(&lock);
}

void cwi_taken_end(cw_device device)
{
  pthread_mutex_lock(&lock);
  device->takes = false;
  give_back_all(&(struct claim){.device = device});
  pthread_mutex_unlock(&lock);
}
