/* Fences of all nodes by two threads of a process, in a world with more nodes than are queried at a
 * time. A node that one thread closes while the other waits must not count as closed twice, and
 * later fences must find every node that has updates. No messages are sent: the answers are
 * simulated. */
#include "kit/native.h"

#include "mpi/origin.h"
#include "route/server/server_fence.h"
#include "route/server/server_query.h"
#include "route/server/unfenced_updates.h"
#include "team/world.h"

enum { NODES = 2 * CWI_FENCES_AT_A_TIME + 6 };

static int waits;       /* number of waits so far in this case */
static int overlaps_at; /* the wait during which the other thread fences all */
static long answers;    /* number of simulated answers to fences */

static cw_error fence(void)
{
  cwi_origin_lock();
  const cw_error error = cwi_fence_nodes();
  cwi_origin_unlock();
  return error;
}

cw_error __wrap_cwi_server_fence_list(const int *nodes, int count, bool *answered);

/* Called without the lock, so the other thread's work can be simulated here. */
cw_error __wrap_cwi_server_fence_list(const int *nodes, int count, bool *answered)
{
  (void)nodes;
  answers += count;
  for (int i = 0; i < count; i++)
    answered[i] = true;
  if (waits++ == overlaps_at)
    KIT_OK(fence());
  return CW_OK;
}

static void fence_alone(int node)
{
  overlaps_at = -1;
  answers = 0;
  cwi_updates_add(node);
  kit_check_long(cwi_updates_next(-1), node, "the node with an update");
  KIT_OK(fence());
  kit_check_long(answers, 1, "nodes that were fenced");
  kit_check_long(cwi_updates_next(-1), -1, "a node with updates");
}

/* The last `count` nodes have updates. */
static void check_two(int count, int overlaps_in)
{
  kit_about("%d nodes, and the other thread fences in wait %d", count, overlaps_in);
  waits = 0;
  overlaps_at = overlaps_in;
  for (int node = NODES - count; node < NODES; node++)
    cwi_updates_add(node);
  KIT_OK(fence());
  kit_check_long(cwi_updates_next(-1), -1, "a node with updates");
  for (int i = 0; i < 3; i++)
    fence_alone(i * (NODES - 1) / 2);
}

int main(int argc, char **argv)
{
  static const int counts[] = {1, CWI_FENCES_AT_A_TIME, CWI_FENCES_AT_A_TIME + 1,
                               CWI_FENCES_AT_A_TIME + 6, 2 * CWI_FENCES_AT_A_TIME + 1};
  kit_start_native(&argc, &argv, "closed nodes");
  const int nodes = cwi_world.nodes;
  cwi_world.nodes = NODES;
  KIT_MUST(cwi_updates_start());
  KIT_MUST(cwi_piggybacks_start());
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    for (int wait = 0; wait < 3; wait++)
      check_two(counts[i], wait);
  cwi_piggybacks_stop();
  cwi_updates_stop();
  cwi_world.nodes = nodes;
  return kit_finish_native();
}
