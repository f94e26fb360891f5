/* What this process has sent to each node and knows no completion of. */
#include "route/remote/updates.h"

#include "mpi/call.h"
#include "team/world.h"

#include <stdlib.h>

/* What this process has done to a node. */
struct touched {
  uint32_t total;   /* updates so far */
  uint32_t fencing; /* fences that are under way */
  uint8_t recent;   /* since the last fence: none, ONE, SEVERAL */
  bool alone;       /* the last fence there was for one update: the next may be, too */
  bool rides;       /* a fence travels with them */
};
enum { ONE = 1, SEVERAL = 2 };

static struct touched *touched; /* [nodes] */
static int open_count;          /* nodes with recent updates or fences under way */

cw_error cwi_updates_start(void)
{
  const size_t nodes = (size_t)cwi_world.nodes;
  touched = calloc(nodes, sizeof *touched);
  open_count = 0;
  return touched != NULL ? CW_OK : cwi_outside("no memory to fence %zu nodes", nodes);
}

void cwi_updates_stop(void)
{
  free(touched);
  touched = NULL;
}

void cwi_updates_add(int node)
{
  open_count += !cwi_updates_open(node);
  touched[node].recent = touched[node].recent == 0 ? ONE : SEVERAL;
  touched[node].total++;
}

uint32_t cwi_updates_count(int node)
{
  return touched[node].total;
}

void cwi_updates_answered(int node, uint32_t updates)
{
  cwi_threads_lock();
  if (touched[node].recent != 0 && touched[node].total == updates && !touched[node].rides) {
    touched[node].recent = 0;
    open_count -= !cwi_updates_open(node);
  }
  cwi_threads_unlock();
}

bool cwi_updates_expect_fence(int node)
{
  return touched[node].recent == ONE && touched[node].alone && !touched[node].rides;
}

void cwi_updates_ride(int node, bool rides)
{
  touched[node].rides = rides;
}

bool cwi_updates_open(int node)
{
  return touched[node].recent != 0 || touched[node].fencing != 0;
}

int cwi_updates_next(int after)
{
  for (int node = after + 1; open_count > 0 && node < cwi_world.nodes; node++)
    if (cwi_updates_open(node))
      return node;
  return -1;
}

bool cwi_updates_fence(int node)
{
  const bool alone = touched[node].recent == ONE;
  touched[node].recent = 0;
  touched[node].alone = alone;
  touched[node].fencing++;
  return alone;
}

void cwi_updates_fenced(int node)
{
  touched[node].fencing--;
  open_count -= !cwi_updates_open(node);
}
