/* What each origin has sent to each node and knows no completion of. */
#include "route/remote/updates.h"

#include "mpi/origin.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* What this process has done to a node. */
struct touched {
  uint64_t total;         /* updates so far */
  uint64_t report;        /* the number of what has been reported last; 0: nothing yet */
  uint32_t fencing;       /* fences that are under way */
  uint8_t recent;         /* since the last fence: none, ONE, SEVERAL */
  bool alone;             /* the last fence there was for one update: the next may be, too */
  bool rides;             /* a fence travels with them */
  uint32_t batch;         /* of refused updates; 0: none yet */
  char *why;              /* its sentence; NULL: there was no memory for it */
  struct hearer *hearers; /* of that */
};
enum { ONE = 1, SEVERAL = 2 };

struct hearer {
  const void *thread;
  struct hearer *next;
};

/* What has been reported, ever, of all nodes to all origins. */
static uint64_t reports;

/* What this thread has open: where, and since which report. */
enum { NOWHERE = -1, MANY = -2 };
struct mine {
  int node;
  uint64_t since;
};

/* For its process, with others; and for itself alone. The address names the thread: those of
 * threads that have ended come again, but then all that they have heard is older than what is open.
 */
static __thread __attribute__((tls_model("initial-exec"))) struct mine mine[2] = {
    {.node = NOWHERE}, {.node = NOWHERE}};

static struct mine *mine_here(void)
{
  return &mine[cwi_origin != 0];
}

/* One that acts for another thread's origin has nothing open there. */
static bool is_visitor(void)
{
  return CWI_UNLIKELY(cwi_origin != 0) && !cwi_origin_is_mine();
}

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

static void forget_report(int node)
{
  free(at(node)->why);
  at(node)->why = NULL;
  while (at(node)->hearers != NULL) {
    struct hearer *hearer = at(node)->hearers;
    at(node)->hearers = hearer->next;
    free(hearer);
  }
}

void cwi_updates_stop(void)
{
  for (int node = 0; books[cwi_origin].touched != NULL && node < cwi_world.nodes; node++)
    forget_report(node);
  free(books[cwi_origin].touched);
  books[cwi_origin].touched = NULL;
}

static uint64_t last_report(void)
{
  return __atomic_load_n(&reports, __ATOMIC_RELAXED);
}

static void open_mine(struct mine *here, int node)
{
  if (here->node == NOWHERE)
    here->since = last_report();
  here->node = here->node == NOWHERE ? node : MANY;
}

/* Static, like the next two: only these does the compiler put in line, and each put comes here. */
static bool is_open(int node)
{
  return at(node)->recent != 0 || at(node)->fencing != 0;
}

static void note_mine(int node)
{
  struct mine *here = mine_here();
  if (CWI_UNLIKELY(here->node != node) && here->node != MANY)
    open_mine(here, node);
}

static void note_update(int node)
{
  books[cwi_origin].open_count += !is_open(node);
  at(node)->recent = at(node)->recent == 0 ? ONE : SEVERAL;
  at(node)->total++;
}

void cwi_updates_add(int node)
{
  note_mine(node);
  note_update(node);
}

void cwi_updates_mine(int node)
{
  note_mine(node);
}

void cwi_updates_reopen(int node)
{
  note_update(node);
}

uint64_t cwi_updates_count(int node)
{
  return at(node)->total;
}

void cwi_updates_answered(int node, uint64_t updates, uint32_t batch)
{
  cwi_origin_lock();
  if (at(node)->recent != 0 && at(node)->total == updates && !at(node)->rides &&
      !cwi_updates_is_news(node, batch)) {
    at(node)->recent = 0;
    books[cwi_origin].open_count -= !is_open(node);
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
  return is_open(node);
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
  CWI_ASSERT(is_open(node)); /* it counts as one that is, until the fence ends */
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
  books[cwi_origin].open_count -= !is_open(node);
}

/* Batches are numbered on behind the largest number, too. */
bool cwi_updates_is_news(int node, uint32_t batch)
{
  return (int32_t)(batch - at(node)->batch) > 0;
}

static bool has_heard(int node)
{
  const struct hearer *hearer = at(node)->hearers;
  while (hearer != NULL && hearer->thread != mine)
    hearer = hearer->next;
  return hearer != NULL;
}

/* Without memory this thread hears of it again. */
static void updates_hear(int node)
{
  struct hearer *hearer = malloc(sizeof *hearer);
  if (hearer == NULL)
    return;
  *hearer = (struct hearer){mine, at(node)->hearers};
  at(node)->hearers = hearer;
}

void cwi_updates_refused(int node, uint32_t batch)
{
  forget_report(node);
  at(node)->why = strdup(cwi_sentence());
  at(node)->batch = batch;
  at(node)->report = __atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED);
  updates_hear(node);
}

static cw_error updates_tell(int node)
{
  if (!has_heard(node))
    updates_hear(node);
  return at(node)->why != NULL
             ? cwi_misuse("%s", at(node)->why)
             : cwi_misuse("the server of node %d refused a request of mine", node);
}

static void close_mine(int node)
{
  struct mine *here = mine_here();
  here->node = node < 0 || node == here->node ? NOWHERE : here->node;
}

/* Has something been reported that this thread has not heard of? */
static cw_error judge(int node)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int one = node < 0 ? 0 : node; one <= (node < 0 ? cwi_world.nodes - 1 : node); one++)
    if (at(one)->report > mine_here()->since && !has_heard(one))
      cwi_first_note(&first, updates_tell(one));
  return cwi_first_return(&first);
}

/* What is open in one node only is complete with that. */
cw_error cwi_updates_judge(int node)
{
  if (mine_here()->node == NOWHERE || is_visitor())
    return CW_OK;
  const cw_error error = CWI_UNLIKELY(last_report() != mine_here()->since) ? judge(node) : CW_OK;
  close_mine(node);
  return error;
}

uint64_t cwi_updates_heard(int node)
{
  const struct mine *here = mine_here();
  if (here->node != node && here->node != MANY)
    return last_report();
  return has_heard(node) ? at(node)->report : here->since;
}

cw_error cwi_updates_judge_since(int node, uint64_t heard)
{
  return CWI_UNLIKELY(at(node)->report > heard) ? updates_tell(node) : CW_OK;
}
