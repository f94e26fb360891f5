/* What each origin has sent to each node and knows no completion of. */
#include "route/remote/updates.h"

#include "mpi/origin.h"
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

/* Of each origin. */
static struct book {
  struct touched *touched CWI_OF_ORIGIN; /* [nodes] */
  int open_count;                        /* nodes with recent updates or fences under way */
} books[CWI_ORIGINS];

static struct touched *at(int node)
{
  return &books[cwi_origin].touched[node];
}

cw_error cwi_updates_start(void)
{
  const size_t nodes = (size_t)cwi_world.nodes;
  struct touched *touched = calloc(nodes, sizeof *touched);
  books[cwi_origin] = (struct book){.touched = touched};
  return touched != NULL ? CW_OK : cwi_outside("no memory to fence %zu nodes", nodes);
}

void cwi_updates_stop(void)
{
  free(books[cwi_origin].touched);
  books[cwi_origin].touched = NULL;
}

void cwi_updates_add(int node)
{
  books[cwi_origin].open_count += !cwi_updates_open(node);
  at(node)->recent = at(node)->recent == 0 ? ONE : SEVERAL;
  at(node)->total++;
}

uint32_t cwi_updates_count(int node)
{
  return at(node)->total;
}

void cwi_updates_answered(int node, uint32_t updates)
{
  cwi_origin_lock();
  if (at(node)->recent != 0 && at(node)->total == updates && !at(node)->rides) {
    at(node)->recent = 0;
    books[cwi_origin].open_count -= !cwi_updates_open(node);
  }
  cwi_origin_unlock();
}

bool cwi_updates_expect_fence(int node)
{
  return at(node)->recent == ONE && at(node)->alone && !at(node)->rides;
}

void cwi_updates_ride(int node, bool rides)
{
  at(node)->rides = rides;
}

bool cwi_updates_open(int node)
{
  return at(node)->recent != 0 || at(node)->fencing != 0;
}

int cwi_updates_next(int after)
{
  for (int node = after + 1; books[cwi_origin].open_count > 0 && node < cwi_world.nodes; node++)
    if (cwi_updates_open(node))
      return node;
  return -1;
}

bool cwi_updates_fence(int node)
{
  const bool alone = at(node)->recent == ONE;
  at(node)->recent = 0;
  at(node)->alone = alone;
  at(node)->fencing++;
  return alone;
}

void cwi_updates_fenced(int node, bool answered)
{
  at(node)->fencing--;
  if (CWI_UNLIKELY(!answered))
    at(node)->recent = SEVERAL;
  books[cwi_origin].open_count -= !cwi_updates_open(node);
}
