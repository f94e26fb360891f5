/* Pipes and packets in shared memory: between a process and its node's server. */
#include "link/gather.h"

#include "base/settings.h"
#include "base/size.h"
#include "link/links.h"
#include "memory/chunk.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "mpi/yield.h"
#include "team/world.h"

#include <string.h>

enum { LINE = 64 };

/* Begins the memory. Slots of all processes follow, then a row of pipes for each. */
struct shared {
  uint32_t offered; /* a packet has been, since the server has looked at all */
  uint32_t padding[15];
  struct cwi_tray trays[][CWI_TRAYS];
};

static struct shared *shared; /* NULL: nothing is gathered */
static char *pipes;
static size_t row; /* bytes of a process's pipes */

static struct shared *make_shared(size_t bytes)
{
  struct shared *made = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  if (made != NULL)
    memset(made, 0, bytes);
  return made;
}

cw_error cwi_gather_start(void)
{
  uint64_t offset = 0;
  const size_t processes = (size_t)cwi_world.node_processes;
  const size_t before = sizeof *shared + processes * sizeof shared->trays[0];
  shared = NULL;
  if (cwi_settings.gather == 0)
    return CW_OK;
  row = cwi_round_up((size_t)cwi_links.count * sizeof(struct cwi_pipe), LINE);
  if (cwi_world.node_rank == 0) {
    const struct shared *made = make_shared(before + processes * row);
    offset = made != NULL ? cwi_offset_of(made) : 0;
  }
  CWI_TRY(cwi_mpi_bcast(&offset, 1, MPI_UINT64_T, 0, cwi_world.node_comm));
  if (offset == 0)
    return CW_OK;
  shared = (struct shared *)(void *)cwi_address_at(offset);
  pipes = (char *)shared + before;
  return CW_OK;
}

void cwi_gather_stop(void)
{
  shared = NULL;
}

struct cwi_pipe *cwi_pipe(int index, int link)
{
  return shared != NULL && index >= 0
             ? (struct cwi_pipe *)(void *)(pipes + (size_t)index * row) + link
             : NULL;
}

struct cwi_tray *cwi_trays(int index)
{
  return shared != NULL && index >= 0 ? shared->trays[index] : NULL;
}

void cwi_tray_offer(struct cwi_tray *tray, int link, uint64_t bytes)
{
  __atomic_store_n(&tray->link, link, __ATOMIC_RELAXED); /* the server may be looking at it */
  tray->bytes = bytes;
  __atomic_store_n(&tray->state, CWI_TRAY_OFFERED, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&shared->offered, __ATOMIC_SEQ_CST) == 0)
    __atomic_store_n(&shared->offered, 1, __ATOMIC_SEQ_CST);
}

bool cwi_tray_take(struct cwi_tray *tray, enum cwi_tray_state as)
{
  uint32_t offered = CWI_TRAY_OFFERED;
  return __atomic_compare_exchange_n(&tray->state, &offered, as, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED);
}

/* Who offers then looks whether the server stands back; the server says so and then looks here. */
bool cwi_trays_offered(void)
{
  if (shared == NULL || __atomic_load_n(&shared->offered, __ATOMIC_SEQ_CST) == 0)
    return false;
  __atomic_store_n(&shared->offered, 0, __ATOMIC_SEQ_CST);
  for (int index = 0; index < cwi_world.node_processes; index++)
    for (int i = 0; i < CWI_TRAYS; i++)
      if (__atomic_load_n(&shared->trays[index][i].state, __ATOMIC_SEQ_CST) == CWI_TRAY_OFFERED) {
        __atomic_store_n(&shared->offered, 1, __ATOMIC_SEQ_CST);
        return true;
      }
  return false;
}
