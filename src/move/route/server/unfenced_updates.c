/* The updates that each origin has sent to each node and that are not known to be complete. */
#include "route/server/unfenced_updates.h"

#include "mpi/origin.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* The updates of one origin at one node. */
struct touched {
  uint64_t total;       /* updates so far */
  uint64_t report;      /* value of `reports` at the latest error; 0 if there was none */
  uint32_t fencing;     /* fences in progress */
  uint8_t recent;       /* updates since the last fence: 0, ONE or SEVERAL */
  bool alone;           /* the last fence covered just one update, so the next may do so, too */
  bool piggybacked;     /* a fence travels with the recent updates */
  uint32_t error_batch; /* latest error batch; 0 if there was none */
  char *why;            /* message of that error batch; NULL if there was no memory */
  struct error_observer *error_observers; /* threads that have received that message */
};
enum { ONE = 1, SEVERAL = 2 };

struct error_observer {
  const void *thread;
  struct error_observer *next;
};

/* Number of errors found so far, of all nodes and all origins. */
static uint64_t reports;

/* The node at which this thread has open updates (NOWHERE if none, MANY if several), and the value
 * of `reports` when it opened the first. */
enum { NOWHERE = -1, MANY = -2 };
struct mine {
  int node;
  uint64_t since;
};

/* [0] is for operations of the process's origin, [1] for those of the thread's own origin. The
 * array's address identifies the thread. A later thread may get the same address, but its updates
 * are newer than all errors that the ended thread has received. */
static __thread __attribute__((tls_model("initial-exec"))) struct mine mine[2] = {
    {.node = NOWHERE}, {.node = NOWHERE}};

static struct mine *mine_here(void)
{
  return &mine[cwi_origin != 0];
}

/* Returns true if this thread acts for the origin of another thread, in which it has no open
 * updates of its own. */
static bool is_other_thread(void)
{
  return CWI_UNLIKELY(cwi_origin != 0) && !cwi_origin_is_mine();
}

/* State of each origin. */
static struct count {
  struct touched *touched CWI_OF_ORIGIN; /* [nodes] */
  int open_count;                        /* nodes with recent updates or fences in progress */
} counts[CWI_ORIGINS];

static struct touched *at(int node)
{
  return &counts[cwi_origin].touched[node];
}

cw_error cwi_updates_start(void)
{
  const size_t nodes = (size_t)cwi_world.nodes;
  struct touched *touched = calloc(nodes, sizeof *touched);
  counts[cwi_origin] = (struct count){.touched = touched};
  return touched != NULL ? CW_OK : cwi_outside("no memory to fence %zu nodes", nodes);
}

static void forget_report(int node)
{
  free(at(node)->why);
  at(node)->why = NULL;
  while (at(node)->error_observers != NULL) {
    struct error_observer *error_observer = at(node)->error_observers;
    at(node)->error_observers = error_observer->next;
    free(error_observer);
  }
}

void cwi_updates_stop(void)
{
  for (int node = 0; counts[cwi_origin].touched != NULL && node < cwi_world.nodes; node++)
    forget_report(node);
  free(counts[cwi_origin].touched);
  counts[cwi_origin].touched = NULL;
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

/* This function and the next two are static so that the compiler inlines them: each put calls them.
 */
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
  counts[cwi_origin].open_count += !is_open(node);
  at(node)->recent = at(node)->recent == 0 ? ONE : SEVERAL;
  at(node)->total++;
}

void cwi_updates_add(int node)
{
  note_mine(node);
  note_update(node);
}

void cwi_updates_add_own(int node)
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

void cwi_updates_answered(int node, uint64_t updates, uint32_t error_batch)
{
  cwi_origin_lock();
  if (at(node)->recent != 0 && at(node)->total == updates && !at(node)->piggybacked &&
      !cwi_updates_is_new_error(node, error_batch)) {
    at(node)->recent = 0;
    counts[cwi_origin].open_count -= !is_open(node);
  }
  cwi_origin_unlock();
}

bool cwi_updates_expect_fence(int node)
{
  return at(node)->recent == ONE && at(node)->alone && !at(node)->piggybacked;
}

void cwi_updates_set_piggybacked(int node, bool piggybacked)
{
  at(node)->piggybacked = piggybacked;
}

bool cwi_updates_open(int node)
{
  return is_open(node);
}

int cwi_updates_next(int after)
{
  for (int node = after + 1; counts[cwi_origin].open_count > 0 && node < cwi_world.nodes; node++)
    if (cwi_updates_open(node))
      return node;
  return -1;
}

bool cwi_updates_fence(int node)
{
  const bool alone = at(node)->recent == ONE;
  CWI_ASSERT(is_open(node)); /* it stays open until the fence ends */
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
  counts[cwi_origin].open_count -= !is_open(node);
}

/* Compares by difference because the numbers of batches wrap around. */
bool cwi_updates_is_new_error(int node, uint32_t error_batch)
{
  return (int32_t)(error_batch - at(node)->error_batch) > 0;
}

static bool has_seen_errors(int node)
{
  const struct error_observer *error_observer = at(node)->error_observers;
  while (error_observer != NULL && error_observer->thread != mine)
    error_observer = error_observer->next;
  return error_observer != NULL;
}

/* Notes that this thread has received the error. If there is no memory for the note, the thread
 * will receive the error again. */
static void updates_observe(int node)
{
  struct error_observer *error_observer = malloc(sizeof *error_observer);
  if (error_observer == NULL)
    return;
  *error_observer = (struct error_observer){mine, at(node)->error_observers};
  at(node)->error_observers = error_observer;
}

void cwi_updates_failed(int node, uint32_t error_batch)
{
  forget_report(node);
  at(node)->why = strdup(cwi_error_message());
  at(node)->error_batch = error_batch;
  at(node)->report = __atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED);
  updates_observe(node);
}

/* Returns the last error of the node to this thread, and notes that the thread has received it. */
static cw_error updates_notify(int node)
{
  if (!has_seen_errors(node))
    updates_observe(node);
  return at(node)->why != NULL
             ? cwi_misuse("%s", at(node)->why)
             : cwi_misuse("the server of node %d rejected a request of this process", node);
}

static void close_mine(int node)
{
  struct mine *here = mine_here();
  here->node = node < 0 || node == here->node ? NOWHERE : here->node;
}

/* Returns the errors of a node (of all nodes if -1) that this thread has not received yet; the
 * first one if there are several. */
static cw_error errors_result(int node)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int one = node < 0 ? 0 : node; one <= (node < 0 ? cwi_world.nodes - 1 : node); one++)
    if (at(one)->report > mine_here()->since && !has_seen_errors(one))
      cwi_first_note(&first, updates_notify(one));
  return cwi_first_return(&first);
}

/* If this thread had open updates only at this node, it has none after this fence. */
cw_error cwi_updates_error(int node)
{
  if (mine_here()->node == NOWHERE || is_other_thread())
    return CW_OK;
  const cw_error error =
      CWI_UNLIKELY(last_report() != mine_here()->since) ? errors_result(node) : CW_OK;
  close_mine(node);
  return error;
}

uint64_t cwi_updates_errors_seen(int node)
{
  const struct mine *here = mine_here();
  if (here->node != node && here->node != MANY)
    return last_report();
  return has_seen_errors(node) ? at(node)->report : here->since;
}

cw_error cwi_updates_error_since(int node, uint64_t errors_seen)
{
  return CWI_UNLIKELY(at(node)->report > errors_seen) ? updates_notify(node) : CW_OK;
}
