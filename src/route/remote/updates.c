#include "route/remote/updates.h"

#include "mpi/call.h"
#include "team/world.h"

#include <stdlib.h>

/* What this process has done to a node. */
struct touched {
  uint32_t total; /* updates so far */
  uint8_t recent; /* since the last fence: none, ONE, SEVERAL */
  bool alone;     /* the last fence there was for one update: the next may be, too */
  bool rides;     /* a fence travels with them */
};
enum { ONE = 1, SEVERAL = 2 };

static struct touched *touched; /* [nodes] */
static int *unfenced;           /* [nodes] those with recent updates */
static int unfenced_count;

cw_error cwi_updates_start(void)
{
  const size_t nodes = (size_t)cwi_world.nodes;
  touched = calloc(nodes, sizeof *touched);
  unfenced = calloc(nodes, sizeof *unfenced);
  unfenced_count = 0;
  return touched != NULL && unfenced != NULL ? CW_OK
                                             : cwi_outside("no memory to fence %zu nodes", nodes);
}

void cwi_updates_stop(void)
{
  free(touched);
  free(unfenced);
  touched = NULL;
  unfenced = NULL;
}

void cwi_updates_add(int node)
{
  if (touched[node].recent == 0)
    unfenced[unfenced_count++] = node;
  touched[node].recent = touched[node].recent == 0 ? ONE : SEVERAL;
  touched[node].total++;
}

static void unlist(int node)
{
  for (int i = 0; i < unfenced_count; i++)
    if (unfenced[i] == node)
      unfenced[i] = unfenced[--unfenced_count];
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
    unlist(node);
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
  return touched[node].recent != 0;
}

int cwi_updates_next(void)
{
  return unfenced_count > 0 ? unfenced[unfenced_count - 1] : -1;
}

void cwi_updates_forget(int node, bool *alone)
{
  *alone = touched[node].recent == ONE;
  touched[node].recent = 0;
  touched[node].alone = *alone;
  unlist(node);
}
