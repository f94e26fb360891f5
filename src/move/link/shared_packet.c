/* In-flight counts and packets in shared memory, between a process and its node's server. */
#include "link/shared_packet.h"

#include "base/settings.h"
#include "base/size.h"
#include "link/link.h"
#include "memory/zone.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "region/chunk.h"
#include "team/world.h"

#include <string.h>

enum { LINE = 64 };

/* The beginning of the shared memory. The packets of all processes follow, then a row of in-flight
 * counts for each process. */
struct shared {
  uint32_t offered; /* set if a packet has been offered since the server checked all of them */
  uint32_t padding[15];
  struct cwi_shared_packet shared_packets[][CWI_SHARED_PACKETS];
};

static struct shared *shared; /* NULL if updates are not gathered */
static char *in_flight_counts;
static size_t row; /* bytes of one process's in-flight counts */

static struct shared *make_shared(size_t bytes)
{
  struct shared *made = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  if (made != NULL)
    memset(made, 0, bytes);
  return made;
}

cw_error cwi_shared_packets_start(void)
{
  uint64_t offset = 0;
  const size_t processes = (size_t)cwi_world.node_processes;
  const size_t before = sizeof *shared + processes * sizeof shared->shared_packets[0];
  shared = NULL;
  if (cwi_settings.gather == 0)
    return CW_OK;
  row = cwi_round_up((size_t)cwi_links.count * sizeof(struct cwi_in_flight), LINE);
  if (cwi_world.node_rank == 0) {
    const struct shared *made = make_shared(before + processes * row);
    offset = made != NULL ? cwi_offset_of(made) : 0;
  }
  CWI_TRY(cwi_mpi_bcast(&offset, 1, MPI_UINT64_T, 0, cwi_world.node_comm));
  if (offset == 0)
    return CW_OK;
  shared = (struct shared *)(void *)cwi_address_at(offset);
  in_flight_counts = (char *)shared + before;
  return CW_OK;
}

void cwi_shared_packets_stop(void)
{
  shared = NULL;
}

struct cwi_in_flight *cwi_in_flight(int index, int link)
{
  return shared != NULL && index >= 0
             ? (struct cwi_in_flight *)(void *)(in_flight_counts + (size_t)index * row) + link
             : NULL;
}

struct cwi_shared_packet *cwi_shared_packets(int index)
{
  return shared != NULL && index >= 0 ? shared->shared_packets[index] : NULL;
}

void cwi_shared_packet_offer(struct cwi_shared_packet *shared_packet, int link, uint64_t bytes)
{
  /* This store is atomic because the server may be reading `link`. */
  __atomic_store_n(&shared_packet->link, link, __ATOMIC_RELAXED);
  shared_packet->bytes = bytes;
  __atomic_store_n(&shared_packet->state, CWI_SHARED_PACKET_OFFERED, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&shared->offered, __ATOMIC_SEQ_CST) == 0)
    __atomic_store_n(&shared->offered, 1, __ATOMIC_SEQ_CST);
}

bool cwi_shared_packet_take(struct cwi_shared_packet *shared_packet,
                            enum cwi_shared_packet_state as)
{
  uint32_t offered = CWI_SHARED_PACKET_OFFERED;
  return __atomic_compare_exchange_n(&shared_packet->state, &offered, as, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED);
}

/* No offer is missed. A process first offers a packet and then checks whether the server sleeps.
 * The server first announces that it sleeps and then calls this function. */
bool cwi_shared_packets_offered(void)
{
  if (shared == NULL || __atomic_load_n(&shared->offered, __ATOMIC_SEQ_CST) == 0)
    return false;
  __atomic_store_n(&shared->offered, 0, __ATOMIC_SEQ_CST);
  for (int index = 0; index < cwi_world.node_processes; index++)
    for (int i = 0; i < CWI_SHARED_PACKETS; i++)
      if (__atomic_load_n(&shared->shared_packets[index][i].state, __ATOMIC_SEQ_CST) ==
          CWI_SHARED_PACKET_OFFERED) {
        __atomic_store_n(&shared->offered, 1, __ATOMIC_SEQ_CST);
        return true;
      }
  return false;
}
