/* What each origin has sent to each node and knows no completion of. */
#include "route/remote/updates.h"

#include "mpi/origin.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* What this process has done to a node. */
struct touched {
  uint32_t total;   /* updates so far */
  uint32_t fencing; /* fences that are under way */
  uint8_t recent;   /* since the last fence: none, ONE, SEVERAL */
  bool alone;       /* the last fence there was for one update: the next may be, too */
  bool rides;       /* a fence travels with them */
  uint32_t report;  /* number of the last refusal; 0: none yet */
  char *why;        /* its sentence; NULL: there was no memory for it */
};
enum { ONE = 1, SEVERAL = 2 };

/* Refusals that fences have been told of, ever. */
static uint32_t reports;

/* What this thread has open for its process, with others: where, since which report, and the last
 * report that it has heard. A thread with an origin of its own hears of all that is told there. */
enum { NOWHERE = -1, MANY = -2 };
static __thread __attribute__((tls_model("initial-exec"))) struct {
  int node;
  uint32_t since, heard;
} mine = {.node = NOWHERE};

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
  for (int node = 0; books[cwi_origin].touched != NULL && node < cwi_world.nodes; node++)
    free(at(node)->why);
  free(books[cwi_origin].touched);
  books[cwi_origin].touched = NULL;
}

static void open_mine(int node)
{
  if (mine.node == NOWHERE)
    mine.since = reports;
  mine.node = mine.node == NOWHERE ? node : MANY;
}

void cwi_updates_add(int node)
{
  if (CWI_UNLIKELY(mine.node != node) && cwi_origin == 0 && mine.node != MANY)
    open_mine(node);
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

void cwi_updates_refused(int node)
{
  cwi_origin_lock();
  free(at(node)->why);
  at(node)->why = strdup(cwi_sentence());
  at(node)->report = mine.heard = __atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED);
  cwi_origin_unlock();
}

/* Have other threads been told of something at the node that this one has not heard of? */
static bool is_news(int node)
{
  return at(node)->report > mine.since && at(node)->report != mine.heard;
}

static cw_error tell(int node)
{
  mine.heard = at(node)->report;
  return at(node)->why != NULL
             ? cwi_misuse("%s", at(node)->why)
             : cwi_misuse("the server of node %d refused a request of mine", node);
}

/* What is open in one node only is complete with that. */
static cw_error judge(int node)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int one = node < 0 ? 0 : node; one <= (node < 0 ? cwi_world.nodes - 1 : node); one++)
    if (is_news(one))
      cwi_first_note(&first, tell(one));
  mine.node = node < 0 || node == mine.node ? NOWHERE : mine.node;
  return cwi_first_return(&first);
}

cw_error cwi_updates_judge(int node)
{
  if (cwi_origin != 0 || mine.node == NOWHERE)
    return CW_OK;
  if (CWI_UNLIKELY(__atomic_load_n(&reports, __ATOMIC_RELAXED) != mine.since))
    return judge(node);
  mine.node = node < 0 || node == mine.node ? NOWHERE : mine.node;
  return CW_OK;
}
