/* Advice: what the program or its settings could do better, according to a measured figure. Costs
 * that are small are not mentioned. */
#include "summary/advice.h"

#include "summary/hottest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns `seconds` as a share of the time of all threads, or 0 if they are too few for a message.
 */
static double share_of(const struct cwi_figures *figures, double seconds)
{
  static const double LEAST_SECONDS = 0.1;
  return seconds >= LEAST_SECONDS ? seconds / figures->all : 0;
}

/* Returns the seconds of calls that move data one-sidedly, without read-modify-writes. */
static double moving(const struct cwi_figures *figures)
{
  return figures->seconds[CW_CALL_PUT] + figures->seconds[CW_CALL_GET] +
         figures->seconds[CW_CALL_ACCUMULATE] + figures->seconds[CW_CALL_PATCH] +
         figures->seconds[CW_CALL_ELEMENTS];
}

enum what_of_pairs { TRANSFERS, UPDATES, BYTES };

static uint64_t pair_number(const struct cwi_pair_row *pair, enum what_of_pairs what)
{
  return what == TRANSFERS ? pair->operations - pair->updates
         : what == UPDATES ? pair->updates
                           : pair->bytes;
}

/* Sets *target to the process that receives the most from other processes, and *all to the sum for
 * all targets. Returns the number for that process, or 0 if there is no memory. */
static uint64_t busiest(const struct cwi_summary *summary, enum what_of_pairs what, uint64_t *all,
                        int *target)
{
  /* Targets may have no row of their own, if their profile is missing. */
  size_t processes = 0;
  for (size_t i = 0; i < summary->pairs.count; i++) {
    const struct cwi_pair_row *pair = CWI_ROWS(summary, pairs, struct cwi_pair_row) + i;
    if (pair->target >= 0 && (size_t)pair->target >= processes)
      processes = (size_t)pair->target + 1;
  }
  uint64_t most = 0, *at = calloc(processes + 1, sizeof *at);
  *all = 0;
  *target = -1;
  for (size_t i = 0; i < summary->pairs.count && at != NULL; i++) {
    const struct cwi_pair_row *pair = CWI_ROWS(summary, pairs, struct cwi_pair_row) + i;
    if (pair->origin == pair->target || pair->target < 0)
      continue;
    *all += pair_number(pair, what);
    at[pair->target] += pair_number(pair, what);
    if (at[pair->target] > most) {
      most = at[pair->target];
      *target = pair->target;
    }
  }
  free(at);
  return most;
}

/* Returns the share of the transfers or updates between processes that go to one process, or 0 if
 * it is less than half or takes little time. With two or three processes such a share means little,
 * so 0 is returned. */
static double share_of_busiest(const struct cwi_summary *summary, const struct cwi_advice *advice,
                               enum what_of_pairs what, int *target)
{
  enum { LEAST_OPERATIONS = 1000, LEAST_PROCESSES = 4 };
  static const double LEAST_TIME = 0.05, LEAST_SHARE = 0.5;
  uint64_t all = 0;
  if (summary->processes.count < LEAST_PROCESSES || advice->share < LEAST_TIME)
    return 0;
  const uint64_t most = busiest(summary, what, &all, target);
  return all >= LEAST_OPERATIONS && (double)most >= LEAST_SHARE * (double)all
             ? (double)most / (double)all
             : 0;
}

/* Returns the name of the array to which more than half of all bytes went. Returns NULL if there is
 * none, or if at most half of the bytes between processes went to `target`. */
static const char *array_at(const struct cwi_summary *summary, const struct cwi_figures *figures,
                            int target)
{
  const struct cwi_object_row *object = figures->objects[0];
  const char *name = object != NULL ? cwi_summary_text(summary, object->name) : "";
  uint64_t all = 0;
  int holder = -1;
  if (strncmp(name, "array", 5) != 0 || 2 * object->bytes <= figures->moved)
    return NULL;
  return 2 * busiest(summary, BYTES, &all, &holder) > all && holder == target ? name : NULL;
}

static bool one_target(const struct cwi_summary *summary, const struct cwi_figures *figures,
                       struct cwi_advice *advice)
{
  int target = 0;
  advice->kind = "one-target";
  advice->share = share_of(figures, moving(figures));
  const double share = share_of_busiest(summary, advice, TRANSFERS, &target);
  if (share <= 0)
    return false;
  const char *array = array_at(summary, figures, target);
  snprintf(advice->message, sizeof advice->message,
           "%.0f %% of all transfers between processes go to process %d%s%.120s: %s.", 100 * share,
           target, array != NULL ? ", and most bytes are of " : "", array != NULL ? array : "",
           array != NULL ? "a cyclic distribution (CW_GA_DISTRIBUTION) would spread them"
                         : "its data could be distributed over several processes");
  return true;
}

/* Finds an element that certainly receives at least half of all read-modify-writes. Two processes
 * are enough, because they can already wait for each other there. */
static bool hot_element(const struct cwi_summary *summary, const struct cwi_figures *figures,
                        struct cwi_advice *advice)
{
  enum { LEAST_UPDATES = 1000, LEAST_PROCESSES = 2 };
  static const double LEAST_TIME = 0.05, LEAST_SHARE = 0.5;
  const struct cwi_top_k_entry *element = &summary->updated.rows[0];
  char text[64];
  advice->kind = "hot-element";
  advice->share = share_of(figures, figures->seconds[CW_CALL_RMW]);
  if (summary->processes.count < LEAST_PROCESSES || advice->share < LEAST_TIME ||
      summary->updated.used == 0 || element->count - element->over < LEAST_UPDATES)
    return false;
  const double share = cwi_element_share(summary, element);
  cwi_element_text(summary, element, text, sizeof text);
  snprintf(advice->message, sizeof advice->message,
           "%.0f %% of the time went into read-modify-writes, and %.0f %% of these to %s of %.120s "
           "at process %d: if it is a counter of tasks, take more of them at a time.",
           100 * advice->share, 100 * share, text, cwi_summary_text(summary, element->text),
           element->process);
  return share >= LEAST_SHARE;
}

static bool hot_counter(const struct cwi_summary *summary, const struct cwi_figures *figures,
                        struct cwi_advice *advice)
{
  int target = 0;
  advice->kind = "hot-counter";
  advice->share = share_of(figures, figures->seconds[CW_CALL_RMW]);
  const double share = share_of_busiest(summary, advice, UPDATES, &target);
  struct cwi_advice of_element;
  if (share <= 0 || hot_element(summary, figures, &of_element)) /* the element is more precise */
    return false;
  snprintf(
      advice->message, sizeof advice->message,
      "%.0f %% of the time went into read-modify-writes, and %.0f %% of those between processes go "
      "to process %d: a counter that returns several numbers at a time is updated less often.",
      100 * advice->share, 100 * share, target);
  return true;
}

/* Uses shares of wall time, so that additional threads of a process do not make its waiting appear
 * less. */
static bool late_process(const struct cwi_summary *summary, const struct cwi_figures *figures,
                         struct cwi_advice *advice)
{
  static const double LEAST_TIME = 0.2;
  const struct cwi_spread *wait = &figures->in_wall;
  int where = CW_CALL_BARRIER;
  advice->kind = "late-process";
  advice->share = share_of(figures, figures->arrival_seconds) > 0 ? wait->mean : 0;
  if (summary->processes.count < 2 || advice->share < LEAST_TIME || wait->least > wait->mean / 2)
    return false;
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    if (cwi_awaits_processes((cw_call_class)i) && figures->seconds[i] > figures->seconds[where])
      where = i;
  snprintf(advice->message, sizeof advice->message,
           "%.0f %% of the time processes waited for others, most in %s; process %d waited least, "
           "%.0f %%: it has more to do than the others.",
           100 * advice->share, cw_call_class_word((cw_call_class)where), wait->least_process,
           100 * wait->least);
  return true;
}

static bool small_transfers(const struct cwi_summary *summary, const struct cwi_figures *figures,
                            struct cwi_advice *advice)
{
  enum { LEAST_TRANSFERS = 10000, MOST_BYTES = 64 };
  static const double LEAST_TIME = 0.2;
  uint64_t count = 0, bytes = 0;
  double seconds = 0;
  (void)summary;
  for (int i = CW_CALL_PUT; i <= CW_CALL_ACCUMULATE; i++) {
    count += figures->calls[i];
    bytes += figures->bytes[i];
    seconds += figures->seconds[i];
  }
  advice->kind = "small-transfers";
  advice->share = share_of(figures, seconds);
  if (count < LEAST_TRANSFERS || bytes > count * MOST_BYTES || advice->share < LEAST_TIME)
    return false;
  snprintf(advice->message, sizeof advice->message,
           "%.0f %% of the time went into %llu transfers of %.0f bytes on average: one transfer of "
           "a patch, a vector or rows does the work of many.",
           100 * advice->share, (unsigned long long)count, (double)bytes / (double)count);
  return true;
}

static bool locks(const struct cwi_summary *summary, const struct cwi_figures *figures,
                  struct cwi_advice *advice)
{
  static const double LEAST_TIME = 0.2, LEAST_WAIT = 50e-6;
  const double seconds = figures->seconds[CW_CALL_LOCK];
  const bool waits = seconds > LEAST_WAIT * (double)figures->calls[CW_CALL_LOCK];
  (void)summary;
  advice->kind = "locks";
  advice->share = share_of(figures, seconds);
  if (advice->share < LEAST_TIME)
    return false;
  snprintf(advice->message, sizeof advice->message,
           "%.0f %% of the time went into %llu calls for mutexes: accumulates and "
           "read-modify-writes are atomic without one%s.",
           100 * advice->share, (unsigned long long)figures->calls[CW_CALL_LOCK],
           waits ? ", and with more mutexes each would be held less often" : "");
  return true;
}

/* The time without a core is that of the first thread of each process; preemptions are those of all
 * its threads. */
static bool crowded(const struct cwi_summary *summary, const struct cwi_figures *figures,
                    struct cwi_advice *advice)
{
  static const double LEAST_TIME = 0.2, LEAST_LOST = 5; /* times per second */
  (void)summary;
  advice->kind = "crowded";
  advice->share = share_of(figures, figures->waited) > 0 ? figures->waited / figures->walls : 0;
  if (advice->share < LEAST_TIME || (double)figures->preemptions < LEAST_LOST * figures->walls)
    return false;
  snprintf(advice->message, sizeof advice->message,
           "%.0f %% of the time processes were ready to run and had no core: threads were "
           "preempted %llu times, and processes had a core for %.1f s of %.1f s: fewer processes "
           "or threads would help, or cores that no other program uses.",
           100 * advice->share, (unsigned long long)figures->preemptions, figures->processor,
           figures->walls);
  return true;
}

int cwi_advise(const struct cwi_summary *summary, const struct cwi_figures *figures,
               struct cwi_advice *advice)
{
  static bool (*const kinds[])(const struct cwi_summary *, const struct cwi_figures *,
                               struct cwi_advice *) = {
      one_target, hot_element, hot_counter, late_process, small_transfers, locks, crowded};
  int count = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    struct cwi_advice one;
    if (!kinds[i](summary, figures, &one))
      continue;
    int at = count < CWI_ADVICES ? count++ : CWI_ADVICES;
    while (at > 0 && advice[at - 1].share < one.share) {
      if (at < CWI_ADVICES)
        advice[at] = advice[at - 1];
      at--;
    }
    if (at < CWI_ADVICES)
      advice[at] = one;
  }
  return count;
}
