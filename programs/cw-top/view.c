/* Makes a page from two samples: the job and its memory, which processes wait for which, and what
 * happened between the samples by process, class, target and object. */
#include "cw-top.h"

#include "profile/profile_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WAITS = 8, MOST_AWAITED = 4, MOST_HOTTEST = 8, MOST_SERVERS = 4 };

/* Rates of a process between the two samples. */
struct row {
  const struct top_process *process;
  const struct top_process *before; /* NULL if it was not in the sample before */
  const struct cwi_status_wait *wait;
  double cpu, operations, bytes; /* per second */
  double own_cpu;                /* cpu without the server's thread */
  double inside, waiting;        /* seconds in calls, per second */
};

struct rows {
  struct row *all;
  size_t count;
  double seconds; /* time between the samples */
  double when;
};

static double since(uint64_t now, uint64_t before)
{
  return (double)(now >= before ? now - before
                                : now); /* counters begin at 0 again with each world */
}

/* Returns the same process in the sample before, or NULL. The start time must also agree, because a
 * PID may have been reused. */
static const struct top_process *find_before(const struct top_sample *before,
                                             const struct top_process *process)
{
  const struct top_process *rows = before->processes.rows;
  for (size_t i = 0; i < before->processes.count; i++)
    if (rows[i].pid == process->pid && rows[i].status_page.began == process->status_page.began)
      return &rows[i];
  return NULL;
}

static double rate(const struct rows *rows, double amount)
{
  return rows->seconds > 0 ? amount / rows->seconds : 0;
}

static void fill_row(const struct rows *rows, struct row *row)
{
  static const struct top_counts none;
  const struct top_counts *now = &row->process->counts;
  const struct top_counts *before = row->before != NULL ? &row->before->counts : &none;
  row->wait = top_wait_of(row->process, rows->when);
  if (row->before != NULL) {
    const double served = row->process->server_seconds - row->before->server_seconds;
    row->cpu = rate(rows, row->process->kernel.seconds - row->before->kernel.seconds);
    row->own_cpu = row->cpu > rate(rows, served) ? row->cpu - rate(rows, served) : 0;
  }
  if (!now->known || !before->known)
    return;
  row->operations = rate(rows, since(now->operations, before->operations));
  row->bytes = rate(rows, since(now->bytes, before->bytes));
  for (int i = 0; i < CWI_CALL_CLASSES; i++) {
    const double seconds = 1e-9 * since(now->nanoseconds[i], before->nanoseconds[i]);
    if (i != CW_CALL_TASK)
      row->inside += rate(rows, seconds);
    if (cwi_is_wait((cw_call_class)i))
      row->waiting += rate(rows, seconds);
  }
}

static double figure_of(const struct row *row, enum top_order order)
{
  switch (order) {
  case TOP_BY_CPU:
    return row->cpu;
  case TOP_BY_MEMORY:
    return (double)row->process->kernel.resident;
  case TOP_BY_OPERATIONS:
    return row->operations;
  case TOP_BY_BYTES:
    return row->bytes;
  case TOP_BY_WAIT:
    return row->wait != NULL ? -row->wait->since : -1e300;
  default:
    return 0;
  }
}

static enum top_order
    the_order; /* the order that compare_rows uses, because qsort passes no argument */

/* Equal rows stay in the order of the sample, which is sorted by number. */
static int compare_rows(const void *a, const void *b)
{
  const struct row *one = a, *other = b;
  const double mine = figure_of(one, the_order), its = figure_of(other, the_order);
  if (mine != its)
    return mine < its ? 1 : -1;
  return one->process < other->process ? -1 : 1;
}

static struct rows rows_make(const struct top_sample *before, const struct top_sample *now,
                             enum top_order order)
{
  const struct top_process *processes = now->processes.rows;
  struct rows rows = {
      .count = now->processes.count, .seconds = now->when - before->when, .when = now->when};
  rows.all = top_allocate(rows.count, sizeof *rows.all);
  for (size_t i = 0; i < rows.count; i++) {
    rows.all[i].process = &processes[i];
    rows.all[i].before = find_before(before, &processes[i]);
    fill_row(&rows, &rows.all[i]);
  }
  the_order = order;
  if (rows.count > 0)
    qsort(rows.all, rows.count, sizeof *rows.all, compare_rows);
  return rows;
}

static bool is_counted(const struct rows *rows)
{
  for (size_t i = 0; i < rows->count; i++)
    if (rows->all[i].process->counts.known)
      return true;
  return false;
}

/* --- The job ---------------------------------------------------------------------------------- */

/* Returns the name of a job as users write it. The machine is appended only if it is not this
 * one. */
static const char *job_name(const struct top_job *job)
{
  static char name[64];
  char here[32] = "";
  gethostname(here, sizeof job->machine - 1);
  /* The status page has only the first 27 characters of the name. */
  const bool same = strncmp(here, job->machine, strlen(job->machine)) == 0;
  snprintf(name, sizeof name, "%lld%s%s", (long long)job->number, same ? "" : "@",
           same ? "" : job->machine);
  return name;
}

static const char *plural(long count)
{
  return count == 1 ? "" : "s";
}

static void show_title(const struct top_view *view, const struct top_sample *now,
                       struct top_page *page)
{
  const struct top_process *first = now->processes.rows;
  char here[64] = "";
  int processes = 0;
  for (size_t i = 0; i < now->processes.count; i++)
    processes += first[i].status_page.process >= 0;
  if (processes < first->status_page.processes)
    snprintf(here, sizeof here, " (%d here)", processes);
  top_write(page, TOP_TITLE, "%s, job %s: %d process%s%s, %d node%s, for %s", first->kernel.name,
            job_name(&view->job), first->status_page.processes,
            first->status_page.processes == 1 ? "" : "es", here, first->status_page.nodes,
            plural(first->status_page.nodes), top_seconds(now->when - first->status_page.began));
}

static void show_memory(const struct top_sample *now, struct top_page *page)
{
  const struct top_process *processes = now->processes.rows;
  const struct top_node *nodes = now->nodes.rows;
  double own = 0;
  uint64_t handed_out = 0, resident = 0;
  bool known = false;
  for (size_t i = 0; i < now->processes.count; i++)
    own += (double)processes[i].kernel.own;
  for (size_t i = 0; i < now->nodes.count; i++) {
    known = known || nodes[i].known;
    handed_out += nodes[i].handed_out;
    resident += nodes[i].resident;
  }
  if (known)
    top_write(page, TOP_PLAIN,
              "memory: %s shared, of which %s are touched; %s private to the processes",
              top_bytes((double)handed_out), top_bytes((double)resident), top_bytes(own));
  else
    top_write(page, TOP_PLAIN,
              "memory: %s private to the processes; MPI allocates the shared memory",
              top_bytes(own));
}

static void show_servers(const struct rows *rows, struct top_page *page)
{
  int servers = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const struct row *row = &rows->all[i];
    const struct cwi_status *status_page = &row->process->status_page;
    const bool is_rank = status_page->process < 0;
    if ((!is_rank && status_page->server_thread == 0) || servers++ >= MOST_SERVERS)
      continue;
    const double used =
        row->before == NULL ? 0
        : is_rank           ? row->cpu
                  : rate(rows, row->process->server_seconds - row->before->server_seconds);
    top_write(page, TOP_PLAIN, "server of node %d: %s of a core (%s %d)", status_page->node,
              top_share(used), is_rank ? "pid" : "a thread of process",
              is_rank ? row->process->pid : status_page->process);
  }
  if (servers > MOST_SERVERS)
    top_write(page, TOP_PLAIN, "and %d more servers", servers - MOST_SERVERS);
}

/* --- Waits ------------------------------------------------------------------------------------ */

static const struct row *row_of(const struct rows *rows, int number)
{
  for (size_t i = 0; i < rows->count; i++)
    if (rows->all[i].process->status_page.process == number)
      return &rows->all[i];
  return NULL;
}

static bool is_in_call(const struct row *row)
{
  static const double LONG_SECONDS = 0.1;
  return row->process->counts.under_way_seconds > LONG_SECONDS;
}

/* Describes the activity of a process that does not wait for others. */
static void describe_activity(const struct row *row, char *text, size_t size)
{
  static const double BUSY = 0.05; /* share of a core */
  const char state = row->process->kernel.state;
  if (state == 'T' || state == 't')
    snprintf(text, size, "is stopped");
  else if (state == 'Z' || state == 'X')
    snprintf(text, size, "has died");
  else if (is_in_call(row))
    snprintf(text, size, "is in a call (%s) for %s",
             cw_call_class_word(row->process->counts.under_way),
             top_seconds(row->process->counts.under_way_seconds));
  else if (row->own_cpu >= BUSY || (row->before == NULL && state == 'R'))
    snprintf(text, size, "runs");
  else if (state == 'D')
    snprintf(text, size, "waits for a disk or a file system");
  else
    snprintf(text, size, "sleeps");
}

static void show_awaited(const struct rows *rows, const struct top_list *awaited, bool all,
                         struct top_page *page)
{
  const int *numbers = awaited->rows;
  for (size_t i = 0; i < awaited->count && i < MOST_AWAITED; i++) {
    char activity[80];
    const struct row *row = row_of(rows, numbers[i]);
    if (row == NULL) {
      top_write(page, TOP_ALARM, "  process %d is not on this machine, or has ended", numbers[i]);
      continue;
    }
    describe_activity(row, activity, sizeof activity);
    top_write(page, TOP_ALARM, "  process %d waits for no process: it %s (pid %d, %s of a core)",
              numbers[i], activity, row->process->pid, top_share(row->own_cpu));
  }
  if (all && awaited->count == 0)
    top_write(page, TOP_ALARM, "  all of these wait, too, perhaps for each other");
}

static void show_waits(const struct rows *rows, const struct top_sample *now, struct top_page *page)
{
  struct top_list waits = top_waits(now);
  const struct top_wait *groups = waits.rows;
  bool all = false;
  for (size_t i = 0; i < waits.count && i < MOST_WAITS; i++) {
    const struct top_wait *group = &groups[i];
    char who[64];
    if (group->count == 1)
      snprintf(who, sizeof who, "process %d has waited", group->first);
    else
      snprintf(who, sizeof who, "%d processes have waited", group->count);
    top_write(page, TOP_PLAIN, "%s in %s for %s%s%s", who, group->call, top_seconds(group->longest),
              group->whom[0] != '\0' ? ", for " : "", group->whom);
  }
  if (waits.count > MOST_WAITS)
    top_write(page, TOP_PLAIN, "and for %zu other things", waits.count - MOST_WAITS);
  if (waits.count == 0)
    top_write(page, TOP_PLAIN, "no process waits");
  struct top_list awaited = top_awaited(now, &waits, &all);
  show_awaited(rows, &awaited, all, page);
  free(awaited.rows);
  free(waits.rows);
}

/* --- Processes -------------------------------------------------------------------------------- */

static void describe_now(const struct row *row, double when, char *text, size_t size)
{
  if (row->process->status_page.process < 0)
    snprintf(text, size, "server of node %d", row->process->status_page.node);
  else if (row->wait != NULL)
    snprintf(text, size, "waits in %s for %s", row->wait->call,
             top_seconds(when - row->wait->since));
  else
    describe_activity(row, text, size);
}

static void show_process(const struct top_view *view, const struct row *row, double when,
                         bool counted, struct top_page *page)
{
  const int number = row->process->status_page.process;
  const bool chosen = view->chosen >= 0 && number == view->chosen;
  char now[160], name[16] = "-", rates[64] = "";
  describe_now(row, when, now, sizeof now);
  if (number >= 0) {
    snprintf(name, sizeof name, "%d", number);
    *(int *)top_add(&page->processes, sizeof(int)) = number;
  }
  if (counted && row->process->counts.known)
    snprintf(rates, sizeof rates, "%9s %10s %6s %6s", top_amount(row->operations),
             top_bytes(row->bytes), top_share(fmin(row->inside, 1)),
             top_share(fmin(row->waiting, 1)));
  else if (counted)
    snprintf(rates, sizeof rates, "%9s %10s %6s %6s", "-", "-", "-", "-");
  top_write(page, chosen ? TOP_CHOSEN : TOP_PLAIN, "%7s %8d %6s %9s %s  %s", name,
            row->process->pid, top_share(row->cpu),
            top_bytes((double)row->process->kernel.resident), rates, now);
}

static void show_processes(const struct top_view *view, const struct rows *rows, bool counted,
                           struct top_page *page)
{
  char rates[64] = "";
  if (counted)
    snprintf(rates, sizeof rates, "%9s %10s %6s %6s", "ops/s", "bytes/s", "calls", "waits");
  top_write(page, TOP_PLAIN, "%s", "");
  top_write(page, TOP_TITLE, "%7s %8s %6s %9s %s  now", "process", "pid", "cpu", "rss", rates);
  for (size_t i = 0; i < rows->count; i++)
    show_process(view, &rows->all[i], rows->when, counted, page);
}

/* --- Classes, targets, objects ---------------------------------------------------------------- */

struct class_row {
  cw_call_class call_class;
  double calls, bytes, seconds; /* per second */
};

static int compare_classes(const void *a, const void *b)
{
  const struct class_row *one = a, *other = b;
  if (one->seconds != other->seconds)
    return one->seconds < other->seconds ? 1 : -1;
  return (int)one->call_class - (int)other->call_class;
}

static bool is_meant(const struct top_view *view, const struct row *row)
{
  const bool known = row->before != NULL && row->process->counts.known && row->before->counts.known;
  return known && (view->chosen < 0 || row->process->status_page.process == view->chosen);
}

static int add_classes(const struct top_view *view, const struct rows *rows,
                       struct class_row *classes)
{
  int processes = 0;
  for (int i = 0; i < CWI_CALL_CLASSES; i++)
    classes[i] = (struct class_row){.call_class = (cw_call_class)i};
  for (size_t i = 0; i < rows->count; i++) {
    if (!is_meant(view, &rows->all[i]))
      continue;
    const struct top_counts *now = &rows->all[i].process->counts;
    const struct top_counts *before = &rows->all[i].before->counts;
    processes++;
    for (int at = 0; at < CWI_CALL_CLASSES; at++) {
      classes[at].calls += rate(rows, since(now->calls[at], before->calls[at]));
      classes[at].bytes += rate(rows, since(now->class_bytes[at], before->class_bytes[at]));
      classes[at].seconds +=
          rate(rows, 1e-9 * since(now->nanoseconds[at], before->nanoseconds[at]));
    }
  }
  return processes;
}

static void show_classes(const struct top_view *view, const struct rows *rows,
                         struct top_page *page)
{
  struct class_row classes[CWI_CALL_CLASSES];
  const int processes = add_classes(view, rows, classes);
  qsort(classes, CWI_CALL_CLASSES, sizeof *classes, compare_classes);
  top_write(page, TOP_PLAIN, "%s", "");
  top_write(page, TOP_TITLE, "%-18s %9s %10s %6s", "class", "calls/s", "bytes/s", "time");
  for (int i = 0; i < CWI_CALL_CLASSES && processes > 0; i++)
    if (classes[i].calls > 0 || classes[i].seconds > 0)
      top_write(page, TOP_PLAIN, "%-18s %9s %10s %6s", cw_call_class_word(classes[i].call_class),
                top_amount(classes[i].calls), top_bytes(classes[i].bytes),
                top_share(classes[i].seconds / processes));
}

enum hot { TARGETS, OBJECTS };

static const struct top_list *list_of(const struct top_counts *counts, enum hot what)
{
  return what == TARGETS ? &counts->targets : &counts->objects;
}

static void add_all(struct top_list *sum, const struct top_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    *(struct top_tally *)top_add(sum, sizeof(struct top_tally)) =
        ((const struct top_tally *)list->rows)[i];
}

static void show_hottest(const struct top_view *view, const struct rows *rows, enum hot what,
                         struct top_page *page)
{
  struct top_list now = {0}, before = {0};
  for (size_t i = 0; i < rows->count; i++)
    if (is_meant(view, &rows->all[i])) {
      add_all(&now, list_of(&rows->all[i].process->counts, what));
      add_all(&before, list_of(&rows->all[i].before->counts, what));
    }
  top_tally_merge(&now);
  top_tally_merge(&before);
  struct top_list hottest = top_tally_since(&now, &before);
  const struct top_tally *tallies = hottest.rows;
  if (hottest.count > 0) {
    top_write(page, TOP_PLAIN, "%s", "");
    top_write(page, TOP_TITLE, "%9s %10s  hottest %s", "ops/s", "bytes/s",
              what == TARGETS ? "targets" : "objects");
  }
  for (size_t i = 0; i < hottest.count && i < MOST_HOTTEST; i++) {
    char name[96];
    snprintf(name, sizeof name, "process %d", tallies[i].process);
    top_write(
        page, TOP_PLAIN, "%9s %10s  %s", top_amount(rate(rows, (double)tallies[i].operations)),
        top_bytes(rate(rows, (double)tallies[i].bytes)), what == TARGETS ? name : tallies[i].name);
  }
  free(hottest.rows);
  free(now.rows);
  free(before.rows);
}

/* Explains why there are no figures of operations. */
static void show_uncounted(const struct top_sample *now, struct top_page *page)
{
  const struct top_process *first = now->processes.rows;
  top_write(page, TOP_PLAIN, "%s", "");
  if (first->status_page.profile_file >= 0)
    top_write(page, TOP_PLAIN,
              first->status_page.profile_layout != cwi_profile_layout()
                  ? "Operations are counted, but by another version of Causeway, which this cw-top "
                    "cannot read."
                  : "Operations are counted, but the counters cannot be read.");
  else
    top_write(page, TOP_PLAIN,
              "Operations are not counted: start the job with CW_PROFILE=FILE to count them.");
}

void top_show(const struct top_view *view, const struct top_sample *before,
              const struct top_sample *now, struct top_page *page)
{
  struct rows rows = rows_make(before, now, view->order);
  const bool counted = is_counted(&rows);
  show_title(view, now, page);
  show_memory(now, page);
  show_servers(&rows, page);
  show_waits(&rows, now, page);
  show_processes(view, &rows, counted, page);
  if (counted) {
    show_classes(view, &rows, page);
    show_hottest(view, &rows, TARGETS, page);
    show_hottest(view, &rows, OBJECTS, page);
  } else {
    show_uncounted(now, page);
  }
  free(rows.all);
}

void top_show_jobs(const struct top_list *jobs, struct top_page *page)
{
  const struct top_choice *rows = jobs->rows;
  top_write(page, TOP_TITLE, "%-16s %-20s %9s %6s %6s %8s %10s", "job", "program", "processes",
            "here", "nodes", "waiting", "for");
  for (size_t i = 0; i < jobs->count; i++)
    top_write(page, TOP_PLAIN, "%-16s %-20s %9d %6d %6d %8d %10s", job_name(&rows[i].job),
              rows[i].program, rows[i].processes, rows[i].here, rows[i].nodes, rows[i].waiting,
              top_seconds(rows[i].seconds));
}
