/* Chooses the addresses of the zones of a world. Usually all begin at CW_ZONE_ADDRESS. Worlds that
 * are parts of one job have their zones at different addresses, so that an operation that reaches a
 * process of the wrong world by mistake finds no memory there. Addresses are claimed in blocks
 * (mpi/machine_claim.h).
 *
 * If two nodes have the same addresses, a load or store through the other node's address reaches
 * memory of this node. Virtual nodes and CW_CHECK=1 exist to find such mistakes. With them, each
 * node's zone has an address range of its own. */
#include "memory/zone_placement.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/size.h"
#include "memory/device_address.h"
#include "mpi/collective_yield.h"
#include "mpi/machine_claim.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Size of a block: that of the default zone of a machine with 64 GiB of memory. From the default
 * address on, the addresses of every 64-bit machine have space for MOST_STEPS blocks. Some of them
 * may be in use by the program. */
static const uintptr_t BLOCK = (uintptr_t)1 << 38;
enum { MOST_STEPS = 380, NOWHERE = INT_MAX };

static int *claims; /* descriptors of the claimed blocks; one process of each machine holds them */
static size_t count;

/* Address ranges of nodes begin at multiples of this, so that huge pages fit. */
static const size_t STRETCH = (size_t)1 << 30;

static uintptr_t address_after(int steps)
{
  return (uintptr_t)cwi_settings.zone_address + (uintptr_t)steps * BLOCK;
}

/* Ends all claims that this process holds. */
static void placement_give_back(void)
{
  while (count > 0)
    cwi_claim_end(claims[--count]);
  free(claims);
  claims = NULL;
}

/* Claims all blocks that the bytes touch, or none. Returns false with the reason in errno. */
static bool claim_blocks(uintptr_t address, size_t bytes)
{
  const uintptr_t first = address / BLOCK, last = (address + bytes - 1) / BLOCK;
  claims = calloc(last - first + 1, sizeof *claims);
  for (uintptr_t block = first; claims != NULL && block <= last; block++) {
    char name[40];
    snprintf(name, sizeof name, "zone-%llx", (unsigned long long)block);
    const int claim = cwi_claim(name);
    if (claim < 0) {
      const int reason = errno;
      placement_give_back();
      errno = reason;
      return false;
    }
    claims[count++] = claim;
  }
  return claims != NULL;
}

/* Returns true if nothing is mapped in this process at the addresses. Maps them for a moment to
 * find out. */
static bool is_free_here(uintptr_t address, size_t bytes)
{
  void *const wanted = (void *)address; /* NOLINT(performance-no-int-to-ptr) */
  if (cwi_touches_device_address(address, bytes))
    return false;
  void *got = mmap(wanted, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != MAP_FAILED)
    munmap(got, bytes);
  return got == wanted;
}

/* Claims the first place from `steps` on that is free on my machine. Returns its number of steps,
 * or NOWHERE. */
static int claim_from(int steps, size_t bytes)
{
  for (; steps < MOST_STEPS; steps++) {
    if (!is_free_here(address_after(steps), bytes))
      continue;
    if (claim_blocks(address_after(steps), bytes))
      return steps;
    if (errno != EADDRINUSE)
      break;
  }
  return NOWHERE;
}

/* Finds one place for all machines. Each machine moves up to the highest place of all, until none
 * has to move. */
static cw_error claim_together(size_t bytes, int *steps)
{
  int rank = 0, highest[2] = {0, 0};
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.machine_comm, &rank)));
  do {
    const int from = highest[0];
    const int mine = rank == 0 && count == 0 ? claim_from(from, bytes) : from;
    highest[0] = mine;
    highest[1] = rank == 0 ? -mine : -NOWHERE;
    CWI_TRY(cwi_mpi_allreduce(highest, 2, MPI_INT, MPI_MAX, cwi_world.all_comm));
    if (mine != highest[0] || highest[0] == NOWHERE || highest[0] != -highest[1])
      placement_give_back();
  } while (highest[0] != NOWHERE && highest[0] != -highest[1]);
  *steps = highest[0];
  return CW_OK;
}

/* Halves the size until the zone fits between those of other worlds. */
static cw_error find_space(size_t *bytes, int *steps)
{
  CWI_TRY(claim_together(*bytes, steps));
  while (*steps == NOWHERE && *bytes > BLOCK) {
    *bytes /= 2;
    CWI_TRY(claim_together(*bytes, steps));
  }
  if (*steps != NOWHERE)
    return CW_OK;
  *steps = 0;
  if (cwi_world.process == 0)
    cwi_log(CWI_LOG_WARNING, "the zone lies at CW_ZONE_ADDRESS: Causeway cannot keep its addresses "
                             "apart from those of other worlds of this job, if there are any");
  return CW_OK;
}

/* --- Address ranges of nodes ------------------------------------------------------------------ */

static bool nodes_lie_apart(void)
{
  return cwi_world.nodes > 1 && (cwi_settings.node_size > 0 || cwi_settings.check != 0);
}

/* Returns the number of places: one for each node, or fewer if the addresses of devices, or the end
 * of the address space, leave no space for more. */
static int most_places(uintptr_t first, size_t span)
{
  const uintptr_t end =
      first < CWI_DEVICE_ADDRESS_FIRST ? CWI_DEVICE_ADDRESS_FIRST : (uintptr_t)1 << 47;
  const size_t fit = first < end ? (end - first) / span : 0;
  return fit < 1 ? 1 : fit < (size_t)cwi_world.nodes ? (int)fit : cwi_world.nodes;
}

/* Reduces the number of places to the smallest of all processes. */
static cw_error agree_on_places(struct cwi_zone_placement *placement)
{
  while (placement->places > 1 &&
         !is_free_here(placement->first, (size_t)placement->places * placement->span))
    placement->places /= 2;
  CWI_TRY(cwi_mpi_allreduce(&placement->places, 1, MPI_INT, MPI_MIN, cwi_world.all_comm));
  if (placement->places < cwi_world.nodes && cwi_world.process == 0)
    cwi_log(
        CWI_LOG_INFO,
        "the zones of %d nodes have only %d places in the address range, so some nodes have the "
        "same addresses: a load or store through the address of such a node is not detected",
        cwi_world.nodes, placement->places);
  return CW_OK;
}

cw_error cwi_zone_placement_choose(size_t *bytes, struct cwi_zone_placement *placement)
{
  bool others = false;
  int steps = 0;
  uint64_t most = *bytes;
  const bool apart = nodes_lie_apart();
  CWI_TRY(cwi_others_may_be(cwi_world.all_comm, &others));
  if (others || apart)
    CWI_TRY(cwi_mpi_allreduce(&most, 1, MPI_UINT64_T, MPI_MAX, cwi_world.all_comm));
  *placement = (struct cwi_zone_placement){.span = cwi_round_up(most, STRETCH), .places = 1};
  if (apart)
    placement->places = most_places(address_after(0), placement->span);
  if (others) {
    size_t space = placement->places > 1 ? (size_t)placement->places * placement->span : most;
    CWI_TRY(find_space(&space, &steps));
    *bytes = space < *bytes ? space : *bytes;
    placement->places = space < placement->span ? 1 : (int)(space / placement->span);
  }
  placement->first = address_after(steps);
  return apart ? agree_on_places(placement) : CW_OK;
}

void cwi_zone_placement_release(void)
{
  placement_give_back();
}
