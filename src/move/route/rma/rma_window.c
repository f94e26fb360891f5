/* An MPI window for each chunk, and what is outstanding for (window, target). */
#include "mpi/mpi_progress.h"
#include "mpi/workaround.h"
#include "region/slice_index.h"
#include "route/rma/pack_buffer.h"
#include "route/rma/rma.h"
#include "team/agreement.h"
#include "team/world.h"

#include <stdlib.h>

/* Upper bound on the dirty targets of a window that a fence flushes one by one. With more,
 * MPI_Win_flush_all is cheaper: MPI may need a round trip for each target, and overlaps the round
 * trips only inside that call. */
enum { FLUSH_EACH = 4 };

/* The targets that a fence of a process visits. */
struct peer {
  struct cwi_target *listed;
  int next_listed; /* process + 1; 0 if there is none */
  bool in_list;
};

static struct peer *peers;   /* [processes] */
static bool gets_are_late;   /* MPI_Win_flush_local misses a get if a put has followed it */
static bool gets_are_missed; /* MPI_Win_flush_all misses long gets */
static int first_listed;     /* first process with listed targets, + 1 */

/* --- Windows of chunks ------------------------------------------------------------------------ */

static struct cwi_exposure *make_exposure(struct cwi_chunk *chunk)
{
  struct cwi_exposure *exposure = calloc(1, sizeof *exposure);
  struct cwi_target **targets = calloc((size_t)chunk->team->size, sizeof(struct cwi_target *));
  if (exposure == NULL || targets == NULL) {
    free(exposure);
    free((void *)targets);
    return NULL;
  }
  *exposure = (struct cwi_exposure){.window = MPI_WIN_NULL,
                                    .chunk = chunk,
                                    .targets = targets,
                                    .ranks = chunk->team->size,
                                    .references = 1};
  return exposure;
}

/* Uses MPI_Win_create on our own memory, never MPI_Win_allocate. A team of one process needs no
 * window, and Open MPI could not make it (src/core/mpi/workaround.c). */
cw_error cwi_chunk_expose(struct cwi_chunk *chunk)
{
  cw_team team = chunk->team;
  MPI_Win window = MPI_WIN_NULL;
  struct cwi_exposure *exposure = make_exposure(chunk);
  cw_error error =
      exposure != NULL ? CW_OK : cwi_outside("no memory for a window of %d processes", team->size);
  if (team->size > 1)
    error = cwi_window_make(team->process, team->internal, error, chunk->bases[team->rank],
                            chunk->sizes[team->rank], true, &window);
  if (error != CW_OK) {
    if (exposure != NULL)
      cwi_exposure_release(exposure);
    return error;
  }
  CWI_ASSERT(exposure != NULL);
  exposure->window = window;
  exposure->by_transport = team->size > 1 && cwi_window_is_by_transport(window);
  chunk->exposure = exposure;
  return CW_OK;
}

void cwi_exposure_release(struct cwi_exposure *exposure)
{
  if (--exposure->references > 0)
    return;
  for (int rank = 0; rank < exposure->ranks; rank++)
    free(exposure->targets[rank]);
  free((void *)exposure->targets);
  free(exposure);
}

/* Removes a target from its process's list. */
static void unlist(const struct cwi_target *target)
{
  struct cwi_target **link = &peers[target->process].listed;
  while (*link != NULL && *link != target)
    link = &(*link)->next_listed;
  if (*link != NULL)
    *link = target->next_listed;
}

/* Notes that nothing is outstanding at the target any more. */
static void exposure_settle(struct cwi_target *target)
{
  target->dirty = false;
  target->local = target->issued;
  target->hazards.count = 0;
}

static cw_error finish_all(const struct cwi_target *target)
{
  return CWI_MPI(MPI_Win_flush(target->rank, target->exposure->window));
}

static bool awaits_gets(const struct cwi_target *target)
{
  cwi_threads_lock();
  const bool gets = target->last_get > target->local;
  cwi_threads_unlock();
  return gets;
}

/* Flushes a whole window. If MPI_Win_flush_all misses gets, their targets are flushed first: after
 * MPI_Win_flush_all it would be too late. */
static cw_error flush_all(const struct cwi_exposure *exposure)
{
  for (int rank = 0; gets_are_missed && rank < exposure->ranks; rank++)
    if (exposure->targets[rank] != NULL && awaits_gets(exposure->targets[rank]))
      CWI_TRY(finish_all(exposure->targets[rank]));
  return CWI_MPI(MPI_Win_flush_all(exposure->window));
}

/* Marks all targets as complete and drops the chunk's reference. The record lives until all
 * operations that are still pending on handles have been released. */
static void forget_targets(struct cwi_exposure *exposure)
{
  cwi_threads_lock();
  for (int rank = 0; rank < exposure->ranks; rank++)
    if (exposure->targets[rank] != NULL) {
      exposure_settle(exposure->targets[rank]);
      unlist(exposure->targets[rank]);
    }
  cwi_exposure_release(exposure);
  cwi_threads_unlock();
}

cw_error cwi_chunk_withdraw(struct cwi_chunk *chunk)
{
  struct cwi_exposure *exposure = chunk->exposure;
  MPI_Win *window = &exposure->window;
  if (!cwi_exposure_alone(exposure)) {
    CWI_TRY(flush_all(exposure));
    CWI_TRY(CWI_MPI(MPI_Win_unlock_all(*window)));
    CWI_TRY(CWI_MPI(MPI_Win_free(window)));
  }
  chunk->exposure = NULL;
  forget_targets(exposure);
  return CW_OK;
}

static const struct cwi_chunk_hooks hooks = {.expose = cwi_chunk_expose,
                                             .withdraw = cwi_chunk_withdraw};

cw_error cwi_targets_start(void)
{
  peers = calloc((size_t)cwi_world.processes, sizeof *peers);
  CWI_TRY(cwi_team_agree(
      cwi_world.team,
      peers != NULL ? CW_OK : cwi_outside("no memory to fence %d processes", cwi_world.processes)));
  first_listed = 0;
  gets_are_late = cwi_workaround_applies(CWI_MPICH_FLUSH_LOCAL);
  gets_are_missed = cwi_workaround_applies(CWI_MPICH_FLUSH_ALL);
  cwi_chunk_set_hooks(&hooks);
  return CW_OK;
}

void cwi_targets_forget(void)
{
  free(peers);
  peers = NULL;
  cwi_chunk_set_hooks(NULL);
}

/* --- Targets ---------------------------------------------------------------------------------- */

static cw_error make_target(struct cwi_exposure *exposure, int rank)
{
  struct cwi_target *target = calloc(1, sizeof *target);
  if (target == NULL)
    return cwi_outside("no memory to remember operations on a process");
  target->exposure = exposure;
  target->rank = rank;
  target->process = exposure->chunk->team->process[rank];
  target->base = exposure->chunk->bases[rank];
  exposure->targets[rank] = target;
  return CW_OK;
}

cw_error cwi_target_find(int process, const void *address, struct cwi_target **target)
{
  struct cwi_location place = {0};
  if (CWI_UNLIKELY(!cwi_slice_index_at(process, address, &place)))
    return cwi_address_misuse(process, address, 1);
  return cwi_target_at(&place, target);
}

cw_error cwi_target_at(const struct cwi_location *place, struct cwi_target **target)
{
  struct cwi_exposure *exposure = place->slice->chunk->exposure;
  cw_error error = CW_OK;
  cwi_threads_lock();
  if (CWI_UNLIKELY(exposure->targets[place->rank] == NULL))
    error = make_target(exposure, place->rank);
  *target = exposure->targets[place->rank];
  cwi_threads_unlock();
  return error;
}

void cwi_target_touch(struct cwi_target *target)
{
  target->updates++;
  if (target->dirty)
    return;
  target->dirty = true;
  target->exposure->dirty++;
  cwi_ready_not(target->process);
  if (target->listed)
    return;
  struct peer *peer = &peers[target->process];
  target->listed = true;
  target->next_listed = peer->listed;
  peer->listed = target;
  if (peer->in_list)
    return;
  peer->in_list = true;
  peer->next_listed = first_listed;
  first_listed = target->process + 1;
}

static cw_error finish_puts(struct cwi_target *target)
{
  return CWI_MPI(MPI_Win_flush_local(target->rank, target->exposure->window));
}

cw_error cwi_target_arrive(struct cwi_target *target)
{
  return target->dirty && gets_are_late ? finish_all(target) : finish_puts(target);
}

static bool has_updates_since(const struct cwi_target *target, uint64_t updates)
{
  cwi_threads_lock();
  const bool has = target->updates != updates;
  cwi_threads_unlock();
  return has;
}

/* Waits for the data of gets. If gets_are_late, MPI_Win_flush_local may miss a get that an update
 * has followed. So this flushes the target if it was `dirty`, or if another thread has issued an
 * update since the number of updates was `updates`. */
static cw_error finish_gets(struct cwi_target *target, bool dirty, uint64_t updates)
{
  if (!gets_are_late || !dirty)
    CWI_TRY(finish_puts(target));
  return gets_are_late && (dirty || has_updates_since(target, updates)) ? finish_all(target)
                                                                        : CW_OK;
}

cw_error cwi_target_finish_local(struct cwi_target *target, uint64_t ticket)
{
  cwi_threads_lock();
  const uint64_t issued = target->issued, updates = target->updates;
  const bool done = target->local >= ticket, gets = target->last_get > target->local;
  const bool dirty = target->dirty;
  cwi_threads_unlock();
  if (done)
    return CW_OK;
  CWI_TRY(gets ? finish_gets(target, dirty, updates) : finish_puts(target));
  cwi_threads_lock();
  target->local = issued > target->local ? issued : target->local;
  cwi_hazard_forget_gets(&target->hazards, issued);
  cwi_threads_unlock();
  return CW_OK;
}

cw_error cwi_target_flush(struct cwi_target *target)
{
  CWI_TRY(finish_all(target));
  target->exposure->dirty -= target->dirty;
  exposure_settle(target);
  return CW_OK;
}

cw_error cwi_target_abandon(struct cwi_target *target, void *buffer, cw_error error)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  const cw_error flushed = cwi_target_flush(target);
  cwi_first_note(&first, flushed);
  if (flushed == CW_OK)
    cwi_buffer_give(buffer);
  return cwi_first_return(&first);
}

cw_error cwi_target_order(struct cwi_target *target, const struct cwi_trace *trace)
{
  switch (cwi_hazard_find(&target->hazards, trace)) {
  case CWI_NO_HAZARD:
    return CW_OK;
  case CWI_HAZARD_LOCAL:
    return cwi_target_finish_local(target, target->issued);
  default:
    return cwi_target_flush(target);
  }
}

/* --- Fences ----------------------------------------------------------------------------------- */

static cw_error flush_whole(struct cwi_exposure *exposure)
{
  CWI_TRY(flush_all(exposure));
  for (int rank = 0; rank < exposure->chunk->team->size; rank++)
    if (exposure->targets[rank] != NULL)
      exposure_settle(exposure->targets[rank]);
  exposure->dirty = 0;
  return CW_OK;
}

/* Flushes one target, or the whole window if many of its targets are dirty and `all` processes are
 * being fenced. */
static cw_error fence_target(struct cwi_target *target, bool all)
{
  struct cwi_exposure *exposure = target->exposure;
  /* The target has been flushed since it was listed. Later gets may still be in flight. */
  if (!target->dirty)
    return CW_OK;
  return exposure->dirty > FLUSH_EACH && all ? flush_whole(exposure) : cwi_target_flush(target);
}

/* Fences all targets of a process. Those that MPI fails to flush stay in the list. */
static cw_error fence_peer(struct peer *peer, bool all)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (struct cwi_target **link = &peer->listed; *link != NULL;) {
    struct cwi_target *target = *link;
    const cw_error error = fence_target(target, all);
    cwi_first_note(&first, error);
    target->listed = error != CW_OK;
    if (error == CW_OK)
      *link = target->next_listed;
    else
      link = &target->next_listed;
  }
  return cwi_first_return(&first);
}

static cw_error fence_peers(void)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int *link = &first_listed; *link != 0;) {
    struct peer *peer = &peers[*link - 1];
    const cw_error error = fence_peer(peer, true);
    cwi_first_note(&first, error);
    peer->in_list = error != CW_OK;
    if (error == CW_OK)
      *link = peer->next_listed;
    else
      link = &peer->next_listed;
  }
  return cwi_first_return(&first);
}

cw_error cwi_targets_fence(int process)
{
  cwi_threads_lock();
  const cw_error error = process < 0 ? fence_peers() : fence_peer(&peers[process], false);
  cwi_threads_unlock();
  return error;
}
