/* The dynamic window for memory named by handles. The rest of the route sees it as a chunk whose
 * slices begin at address 0, so that displacements are addresses. */
#include "route/rma/dynamic_window.h"

#include "base/reserve.h"
#include "mpi/mpi_progress.h"
#include "route/rma/rma.h"
#include "team/agreement.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The window ------------------------------------------------------------------------------- */

static struct cwi_chunk everywhere; /* exposure is NULL if there is no window */
static struct cwi_slice slice = {.chunk = &everywhere};
static char why_not[400];

static cw_error dynamic_lay_out(void)
{
  const size_t processes = (size_t)cwi_world.processes;
  everywhere = (struct cwi_chunk){.team = cwi_world.team};
  everywhere.bases = calloc(processes, sizeof(char *));
  everywhere.sizes = malloc(processes * sizeof(size_t));
  if (everywhere.bases == NULL || everywhere.sizes == NULL)
    return cwi_outside("no memory for a window of %zu processes", processes);
  for (size_t process = 0; process < processes; process++)
    everywhere.sizes[process] = CWI_DYNAMIC_WINDOW;
  return CW_OK;
}

cw_error cwi_dynamic_start(void)
{
  CWI_TRY(cwi_team_agree(cwi_world.team, dynamic_lay_out()));
  if (cwi_chunk_expose(&everywhere) != CW_OK)
    snprintf(why_not, sizeof why_not, "%s", cwi_error_message());
  return CW_OK;
}

/* --- Attached pieces -------------------------------------------------------------------------- */

struct piece {
  uintptr_t begin, end;
  size_t users;
};

static struct piece *pieces; /* sorted by address; guarded by the bookkeeping lock */
static size_t count, capacity;

cw_error cwi_dynamic_stop(void)
{
  return everywhere.exposure != NULL ? cwi_chunk_withdraw(&everywhere) : CW_OK;
}

void cwi_dynamic_forget(void)
{
  if (everywhere.exposure != NULL)
    cwi_exposure_release(everywhere.exposure);
  free((void *)everywhere.bases);
  free(everywhere.sizes);
  free(pieces);
  pieces = NULL;
  count = capacity = 0;
  everywhere = (struct cwi_chunk){0};
}

/* Returns the index of the first piece whose end is above `begin`. */
static size_t dynamic_find(uintptr_t begin)
{
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (pieces[middle].end > begin)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static MPI_Win window_of(void)
{
  return everywhere.exposure->window;
}

static cw_error attach_new(size_t at, struct piece piece, void *address)
{
  if (!CWI_RESERVE(pieces, count, capacity, 64))
    return cwi_outside("no memory to remember %zu handles", count + 1);
  CWI_TRY(CWI_MPI(MPI_Win_attach(window_of(), address, (MPI_Aint)(piece.end - piece.begin))));
  memmove(&pieces[at + 1], &pieces[at], (count - at) * sizeof *pieces);
  pieces[at] = piece;
  count++;
  return CW_OK;
}

static cw_error dynamic_attach(void *address, size_t bytes)
{
  const struct piece wanted = {(uintptr_t)address, (uintptr_t)address + bytes, 1};
  const size_t at = dynamic_find(wanted.begin);
  if (at == count || pieces[at].begin >= wanted.end)
    return attach_new(at, wanted, address);
  if (pieces[at].begin > wanted.begin || pieces[at].end < wanted.end)
    return cwi_outside(
        "%zu bytes at %p overlap a part of the %zu bytes at %p, which are still attached to MPI's "
        "dynamic window for another handle: MPI does not allow that",
        bytes, address, (size_t)(pieces[at].end - pieces[at].begin),
        (void *)pieces[at].begin); /* NOLINT(performance-no-int-to-ptr) */
  pieces[at].users++;
  return CW_OK;
}

cw_error cwi_dynamic_attach(void *address, size_t bytes)
{
  if (everywhere.exposure == NULL)
    return cwi_outside("there are no servers, and this MPI makes no dynamic window: %s", why_not);
  if (cwi_exposure_alone(everywhere.exposure))
    return CW_OK;
  cwi_threads_lock();
  const cw_error error = dynamic_attach(address, bytes);
  cwi_threads_unlock();
  return error;
}

static cw_error detach(size_t at)
{
  void *begin = (void *)pieces[at].begin; /* NOLINT(performance-no-int-to-ptr) */
  if (--pieces[at].users > 0)
    return CW_OK;
  count--;
  memmove(&pieces[at], &pieces[at + 1], (count - at) * sizeof *pieces);
  return CWI_MPI(MPI_Win_detach(window_of(), begin));
}

cw_error cwi_dynamic_detach(void *address, size_t bytes)
{
  if (cwi_exposure_alone(everywhere.exposure))
    return CW_OK;
  cwi_threads_lock();
  const size_t at = dynamic_find((uintptr_t)address);
  CWI_ASSERT(at < count && pieces[at].begin <= (uintptr_t)address &&
             pieces[at].end >= (uintptr_t)address + bytes);
  const cw_error error = detach(at);
  cwi_threads_unlock();
  return error;
}

/* --- Targets ---------------------------------------------------------------------------------- */

/* Reads the serial number in the owner's table, for a process that does not share the table. No
 * code runs at the owner when MPI executes an operation, so the origin checks the handle before
 * each operation. */
static cw_error query_owner(const struct cwi_memory_handle *memory, struct cwi_target *target,
                            uint64_t *serial)
{
  cwi_threads_lock();
  cw_error error = CWI_MPI(MPI_Get(serial, 1, MPI_UINT64_T, target->rank,
                                   (MPI_Aint)memory->owner_entry, 1, MPI_UINT64_T, window_of()));
  if (error == CW_OK)
    error = cwi_target_arrive(target);
  cwi_threads_unlock();
  return error;
}

cw_error cwi_dynamic_find(const struct cwi_memory_handle *memory, struct cwi_target **target)
{
  const struct cwi_location place = {.rank = memory->owner, .slice = &slice};
  uint64_t serial = 0;
  if (everywhere.exposure == NULL)
    return cwi_outside("this MPI makes no dynamic window: %s", why_not);
  if ((uintptr_t)memory->address != memory->owner_address)
    return cwi_outside(
        "memory of regions, which processes of this node have at different addresses "
        "(CW_ZONE), cannot be reached by a handle through MPI");
  CWI_TRY(cwi_target_at(&place, target));
  if (memory->entry != NULL)
    return cwi_memory_handle_lives(memory) ? CW_OK : cwi_memory_handle_released(memory);
  CWI_TRY(query_owner(memory, *target, &serial));
  return serial == memory->serial ? CW_OK : cwi_memory_handle_released(memory);
}
