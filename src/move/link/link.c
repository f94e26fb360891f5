/* This node's neighbours and the credits for them, in shared memory. */
#include "link/link.h"

#include "base/binary_search.h"
#include "base/settings.h"
#include "memory/arena.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/chunk.h"
#include "team/agreement.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

struct cwi_links cwi_links;

static int position(int node)
{
  const int link = cwi_binary_search(cwi_links.neighbours, cwi_links.count, node);
  CWI_ASSERT(link >= 0);
  return link;
}

/* Finds the neighbours and the link to each node. Every process computes the same for its node,
 * without communication. */
static cw_error find_neighbours(void)
{
  const int nodes = cwi_world.nodes, mine = cwi_world.node;
  const struct cwi_topology *topology = cwi_topology_choose(cwi_settings.topology, nodes);
  cwi_links.topology = topology;
  cwi_links.count = topology->neighbours(nodes, mine, NULL);
  cwi_links.neighbours = calloc((size_t)cwi_links.count + 1, sizeof(int));
  cwi_links.towards = calloc((size_t)nodes, sizeof(int));
  if (cwi_links.neighbours == NULL || cwi_links.towards == NULL)
    return cwi_outside("no memory for the links to %d nodes", nodes);
  topology->neighbours(nodes, mine, cwi_links.neighbours);
  for (int node = 0; node < nodes; node++)
    cwi_links.towards[node] = node == mine ? -1 : position(topology->next_hop(nodes, mine, node));
  return CW_OK;
}

static struct cwi_link_board *make_board(void)
{
  const size_t links = (size_t)cwi_links.count;
  const size_t bytes = sizeof(struct cwi_link_board) + links * sizeof cwi_links.board->links[0];
  struct cwi_link_board *board = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  if (board == NULL)
    return NULL;
  memset(board, 0, bytes);
  for (size_t link = 0; link < links; link++)
    board->links[link].credits = (uint32_t)cwi_settings.server_credits;
  return board;
}

cw_error cwi_links_start(void)
{
  uint64_t offset = 0;
  cw_error error = CW_OK;
  CWI_TRY(cwi_agree(cwi_world.all_comm, find_neighbours(), NULL));
  if (cwi_world.node_rank == 0) {
    const struct cwi_link_board *board = make_board();
    offset = board != NULL ? cwi_offset_of(board) : 0;
    if (board == NULL)
      error = cwi_outside("no memory for the credits of %d links", cwi_links.count);
  }
  CWI_TRY(cwi_agree(cwi_world.node_comm, error, &offset));
  cwi_links.board = (struct cwi_link_board *)(void *)cwi_address_at(offset);
  return CW_OK;
}

void cwi_links_stop(void)
{
  free(cwi_links.neighbours);
  free(cwi_links.towards);
  cwi_links = (struct cwi_links){0};
}

void cwi_server_wake(void)
{
  struct cwi_link_board *board = cwi_links.board;
  if (CWI_UNLIKELY(__atomic_load_n(&board->yields_to_process, __ATOMIC_SEQ_CST) != 0) &&
      __atomic_exchange_n(&board->yields_to_process, 0, __ATOMIC_RELAXED) != 0)
    cwi_signal_advance(&board->doorbell);
}

bool cwi_credit_take(int link, enum cwi_credit_user user)
{
  uint32_t *credits = &cwi_links.board->links[link].credits;
  uint32_t have = __atomic_load_n(credits, __ATOMIC_RELAXED);
  while (have > (uint32_t)user)
    if (__atomic_compare_exchange_n(credits, &have, have - 1, true, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

void cwi_credit_give(int link, uint32_t credits)
{
  __atomic_fetch_add(&cwi_links.board->links[link].credits, credits, __ATOMIC_RELEASE);
}

void cwi_links_returned(void)
{
  cwi_signal_advance(&cwi_links.board->returned);
}

bool cwi_credits_complete(int link)
{
  return __atomic_load_n(&cwi_links.board->links[link].credits, __ATOMIC_ACQUIRE) ==
         (uint32_t)cwi_settings.server_credits;
}
