/* Slices of node peers that this process has imported.
 *
 * No thread waits for an agent while it holds the lock of this file. An agent that closes a slice
 * waits here only for calls of a driver and for transfers that use this slice. */
#include "device/imported_slices.h"

#include "base/log.h"
#include "base/operation_counts.h"
#include "base/settings.h"
#include "base/stop_hooks.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/agent.h"
#include "team/world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* REQUESTED: the owner has not answered yet, and the slice's address is the address in the request.
 */
enum import_state { REQUESTED, OPENING, OPEN, CLOSING, REJECTED };

struct imported {
  struct cwi_device_slice
      slice; /* the device is one of this process; the addresses are the owner's */
  struct imported *next;
  enum import_state state;
  bool recalled; /* lookups no longer find it */
  size_t uses;
};

/* One list for each process of this node. NULL if no slice has been imported yet, or if Causeway
 * has stopped. */
static struct imported **lists;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* A request to an owner's agent for the name of a slice, and the answer; or a request to an
 * importer's agent to close a slice. */
struct slice_request {
  int32_t requester;
  uint32_t recalls;
  uint64_t address,
      bytes; /* in an answer: address and size of the slice; `bytes` is 0 if there is no slice */
  uint32_t kind; /* kind of the slice's device */
  int32_t number;
  uint32_t named;
  struct cwi_device_export name;
  char why[400]; /* error message if the slice could not be exported; may be empty */
};
_Static_assert(sizeof(struct slice_request) <= CWI_AGENT_BODY, "it fits");

/* Converts an address in a request or an answer. */
static char *address_of(uint64_t address)
{
  return (char *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* --- The lists; these functions are called with the lock held --------------------------------- */

static struct imported *import_first(int index)
{
  return lists != NULL ? lists[index] : NULL;
}

static struct imported *import_find(int process, cw_device through, const char *address)
{
  struct imported *imported = import_first(cwi_node_index(process));
  while (imported != NULL &&
         (imported->recalled || (through != NULL && imported->slice.device != through) ||
          (uintptr_t)address - (uintptr_t)imported->slice.address >= imported->slice.bytes))
    imported = imported->next;
  return imported;
}

static void import_drop(int index, struct imported *imported)
{
  struct imported **link = &lists[index];
  while (*link != imported)
    link = &(*link)->next;
  *link = imported->next;
  free(imported);
  pthread_cond_broadcast(&changed);
}

/* Selects slices to be closed. If `bytes` is 0, it selects slices at all addresses; if `device` is
 * NULL, slices on all devices. */
struct claim {
  const char *address;
  size_t bytes;
  cw_device device;
};

static bool import_concerns(const struct claim *claim, const struct imported *imported)
{
  return (claim->device == NULL || imported->slice.device == claim->device) &&
         (claim->bytes == 0 ||
          (uintptr_t)imported->slice.address - (uintptr_t)claim->address < claim->bytes);
}

/* Returns the next slice to be closed. Skips slices in state REQUESTED: the thread that has sent
 * the request drops them when it receives the answer. */
static struct imported *import_claimed(int index, const struct claim *claim)
{
  struct imported *imported = import_first(index);
  while (imported != NULL && (imported->state == REQUESTED || !import_concerns(claim, imported)))
    imported = imported->next;
  return imported;
}

/* Closes an imported slice. Releases the lock meanwhile. */
static void import_close(struct imported *imported)
{
  cw_device device = imported->slice.device;
  imported->state = CLOSING;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&device->lock);
  device->backend->back(device->opened, imported->slice.memory);
  pthread_mutex_unlock(&device->lock);
  pthread_mutex_lock(&lock);
}

/* Closes the imported slices of one process that the claim selects. Waits for transfers that use
 * them. */
static void give_back(int index, const struct claim *claim)
{
  struct imported *imported = import_first(index);
  for (; imported != NULL; imported = imported->next)
    imported->recalled = imported->recalled || import_concerns(claim, imported);
  while ((imported = import_claimed(index, claim)) != NULL) {
    if (imported->uses > 0 || imported->state == OPENING || imported->state == CLOSING) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    if (imported->state == OPEN)
      import_close(imported);
    import_drop(index, imported);
  }
}

static void give_back_all(const struct claim *claim)
{
  for (int index = 0; index < cwi_world.node_processes; index++)
    give_back(index, claim);
}

/* Runs when Causeway stops. */
static void import_stop(void)
{
  pthread_mutex_lock(&lock);
  give_back_all(&(struct claim){0});
  free(lists);
  lists = NULL;
  pthread_mutex_unlock(&lock);
}

/* Returns a device through which slices can be imported. This is `through` if that is not NULL;
 * otherwise any device, preferably the one with this number. Returns NULL if there is none. */
static cw_device import_device(cw_device through, int number)
{
  cw_device device = NULL, found = NULL;
  while ((device = cwi_device_next(device)) != NULL)
    if (device->imports && (through == NULL || device == through) &&
        (found == NULL || device->facts.number == number))
      found = device;
  return found;
}

/* --- Agents ----------------------------------------------------------------------------------- */

/* Answers a request in the owner's agent. Exports the slice and records that the requester may
 * import it. */
static void name_slice(const struct cwi_device_slice *slice, struct slice_request *request)
{
  cw_device device = slice->device;
  request->address = (uintptr_t)slice->address;
  request->bytes = slice->bytes;
  request->kind = device->backend->kind;
  request->number = device->facts.number;
  slice->may_import[cwi_node_index(request->requester)] = 1;
  if (device->backend->give == NULL)
    return;
  pthread_mutex_lock(&device->lock);
  const cw_error error = device->backend->give(device->opened, slice->memory, &request->name);
  pthread_mutex_unlock(&device->lock);
  request->named = error == CW_OK;
  if (error != CW_OK)
    snprintf(request->why, sizeof request->why, "%s", cwi_error_message());
}

/* Executes a request in the agent: exports a slice of this process, or closes imported slices that
 * their owner is about to free. */
static cw_error import_serve(void *body, char *buffer, struct cwi_agent_later *later)
{
  struct slice_request *request = body;
  const struct cwi_device_slice *slice = NULL;
  const struct claim claim = {.address = address_of(request->address), .bytes = request->bytes};
  (void)buffer, (void)later; /* the request is complete when this returns */
  if (request->recalls) {
    pthread_mutex_lock(&lock);
    give_back(cwi_node_index(request->requester), &claim);
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

static cw_error import_agent_open(void)
{
  return cwi_agent_open(CWI_AGENT_DEVICE_SLICES, import_serve);
}

cw_error cwi_import_offer(void)
{
  return cwi_settings.device_peer == CWI_DEVICE_PEER_AUTO ? import_agent_open() : CW_OK;
}

static void read_answer(const struct cwi_agent_request *request, void *answer)
{
  memcpy(answer, request->body, sizeof(struct slice_request));
}

/* Sends a request to the agent of a process and waits for the answer, which *request receives. */
static cw_error request_export(int process, struct slice_request *request)
{
  struct cwi_agent_request sent;
  cwi_agent_take(process, CWI_AGENT_DEVICE_SLICES, true, &sent);
  memcpy(sent.body, request, sizeof *request);
  cwi_agent_send(&sent);
  return cwi_agent_await(&sent, read_answer, request);
}

void cwi_import_recall(const struct cwi_device_slice *slice)
{
  for (int index = 0; index < cwi_world.node_processes; index++) {
    struct slice_request request = {.requester = cwi_world.process,
                                    .recalls = 1,
                                    .address = (uintptr_t)slice->address,
                                    .bytes = slice->bytes};
    if (slice->may_import[index] == 0)
      continue;
    const cw_error error = request_export(cwi_world.peers[index], &request);
    /* A process that may have imported the slice has an agent until all processes stop. */
    CWI_ASSERT(error == CW_OK);
  }
}

/* --- Importing -------------------------------------------------------------------------------- */

/* Counts a slice that cannot be imported, and logs the reason. The reason is logged only once on
 * each node, because it is usually the same for all processes of a node. */
static void import_describe(int process, const char *why)
{
  /* An arbitrary number that identifies the warning. */
  static const uint64_t MESSAGE = 0x74616b656e303031;
  __atomic_add_fetch(&cwi_statistics.not_imported, 1, __ATOMIC_RELAXED);
  if (*why != '\0' && cwi_zone_is_new(MESSAGE))
    cwi_log(CWI_LOG_WARNING,
            "agents move the data of node peers' devices, which is slower: this process cannot "
            "reach a slice of process %d itself: %s",
            process, why);
}

/* Handles the owner's answer. Returns true if this thread has to open the slice. The lock is held.
 */
static bool import_answered(struct imported *imported, int process, cw_device through,
                            const struct slice_request *answer)
{
  char *address = address_of(answer->address);
  cw_device device = import_device(through, answer->number);
  const bool is_freed = imported->recalled || answer->bytes == 0 || device == NULL;
  /* Hide this entry from import_find below, which searches for an entry of another thread. */
  imported->recalled = true;
  if (is_freed || import_find(process, device, address) != NULL) {
    import_drop(cwi_node_index(process), imported);
    return false;
  }
  imported->recalled = false;
  imported->slice.device = device;
  imported->slice.address = address;
  imported->slice.bytes = answer->bytes;
  const bool opens = answer->named && device->backend->kind == (cw_device_kind)answer->kind;
  imported->state = opens ? OPENING : REJECTED;
  return opens;
}

/* Opens the slice. Returns true if that has succeeded and the slice is not recalled; the slice is
 * then in use. */
static bool import_open(struct imported *imported, int process, const struct slice_request *answer)
{
  cw_device device = imported->slice.device;
  pthread_mutex_lock(&device->lock);
  const cw_error error =
      device->backend->take(device->opened, &answer->name, answer->bytes, &imported->slice.memory);
  pthread_mutex_unlock(&device->lock);
  if (error != CW_OK)
    import_describe(process, cwi_error_message());
  else
    __atomic_add_fetch(&cwi_statistics.imported, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  const bool uses = error == CW_OK && !imported->recalled;
  imported->state = error == CW_OK ? OPEN : REJECTED;
  imported->uses = uses;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return uses;
}

static bool import_request(struct imported *imported, int process, cw_device through)
{
  struct slice_request request = {.requester = cwi_world.process,
                                  .address = (uintptr_t)imported->slice.address};
  cw_error error = import_agent_open(); /* this process's agent will receive the owner's request to
                                           close the slice */
  if (error == CW_OK)
    error = request_export(process, &request);
  if (error != CW_OK || request.why[0] != '\0')
    import_describe(process, error != CW_OK ? cwi_error_message() : request.why);
  pthread_mutex_lock(&lock);
  const bool opens = import_answered(imported, process, through, &request);
  pthread_mutex_unlock(&lock);
  return opens && import_open(imported, process, &request);
}

/* Adds an entry in state REQUESTED to a process's list. Returns NULL if there is no memory. The
 * lock is held. */
static struct imported *import_begin(int process, const char *address)
{
  static struct cwi_stop_hook end = {.run = import_stop};
  if (lists == NULL)
    lists = calloc((size_t)cwi_world.node_processes, sizeof(struct imported *));
  cwi_stop_hook_add(&end);
  struct imported *imported = lists != NULL ? calloc(1, sizeof *imported) : NULL;
  if (imported == NULL)
    return NULL;
  imported->slice.address = (char *)(uintptr_t)address;
  imported->slice.bytes = 1;
  imported->next = lists[cwi_node_index(process)];
  lists[cwi_node_index(process)] = imported;
  return imported;
}

/* Finds or imports a slice, and begins to use it. Returns NULL if that is impossible now. While one
 * thread imports a slice, the owner's agent does the transfers of other threads. */
static struct imported *take(int process, cw_device through, const char *address)
{
  pthread_mutex_lock(&lock);
  struct imported *imported = import_find(process, through, address);
  const bool must_import = imported == NULL && import_device(through, 0) != NULL;
  if (must_import)
    imported = import_begin(process, address);
  else if (imported != NULL && imported->state == OPEN)
    imported->uses++;
  else
    imported = NULL;
  pthread_mutex_unlock(&lock);
  return imported == NULL || !must_import || import_request(imported, process, through) ? imported
                                                                                        : NULL;
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

/* Returns true if this process may do the transfer itself. */
static bool may_use(const struct cwi_transfer *transfer)
{
  return cwi_settings.device_peer == CWI_DEVICE_PEER_AUTO && transfer->operation != CW_ACCUMULATE &&
         transfer->process != cwi_world.process && cwi_same_node(transfer->process) &&
         cwi_agent_is_open(transfer->process, CWI_AGENT_DEVICE_SLICES);
}

bool cwi_import_use(const struct cwi_transfer *transfer, cw_device through,
                    const struct cwi_device_slice **slice)
{
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  if (!may_use(transfer) || !cwi_planes_next(&planes, &plane) ||
      !cwi_is_device_address(plane.remote))
    return false;
  struct imported *imported = take(transfer->process, through, plane.remote);
  if (imported == NULL)
    return false;
  const bool holds = holds_all(&imported->slice, &transfer->shape);
  if (holds)
    *slice = &imported->slice;
  else
    cwi_import_release(&imported->slice);
  return holds;
}

void cwi_import_release(const struct cwi_device_slice *slice)
{
  struct imported *imported = (struct imported *)(uintptr_t)slice; /* slice is the first member */
  pthread_mutex_lock(&lock);
  if (--imported->uses == 0 && imported->recalled)
    pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

bool cwi_import_holds(int process, const void *address, size_t bytes)
{
  const uintptr_t begin = (uintptr_t)address;
  pthread_mutex_lock(&lock);
  const struct imported *imported = import_find(process, NULL, address);
  const bool holds = imported != NULL && imported->state == OPEN &&
                     slice_holds(&imported->slice, (struct cwi_extent){begin, begin + bytes});
  pthread_mutex_unlock(&lock);
  return holds;
}

/* --- This process's devices ------------------------------------------------------------------- */

void cwi_import_begin(cw_device device)
{
  pthread_mutex_lock(&lock);
  device->imports = device->backend->take != NULL;
  pthread_mutex_unlock(&lock);
}

void cwi_import_end(cw_device device)
{
  pthread_mutex_lock(&lock);
  device->imports = false;
  give_back_all(&(struct claim){.device = device});
  pthread_mutex_unlock(&lock);
}
