/* Finds which processes wait for which. Each process publishes what it waits for. A process that
 * others wait for, and that does not wait itself, is the likely cause of a delay. */
#include "cw-top.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the wait is still in progress. A waiting thread renews last_poll, so an old value
 * means that the thread no longer waits. */
static bool is_on(const struct cwi_status_wait *wait, double now)
{
  return wait->thread != 0 && wait->call[0] != '\0' &&
         now - wait->last_poll < CWI_STATUS_STALE_SECONDS;
}

const struct cwi_status_wait *top_wait_of(const struct top_process *process, double now)
{
  const struct cwi_status_wait *longest = NULL;
  for (int i = 0; i < CWI_STATUS_WAITS; i++) {
    const struct cwi_status_wait *wait = &process->status_page.waits[i];
    if (is_on(wait, now) && (longest == NULL || wait->since < longest->since))
      longest = wait;
  }
  return longest;
}

static struct top_wait *group_of(struct top_list *groups, const struct cwi_status_wait *wait)
{
  struct top_wait *rows = groups->rows;
  for (size_t i = 0; i < groups->count; i++)
    if (strcmp(rows[i].call, wait->call) == 0 && strcmp(rows[i].whom, wait->whom) == 0)
      return &rows[i];
  struct top_wait *group = top_add(groups, sizeof *group);
  memcpy(group->call, wait->call, sizeof group->call);
  memcpy(group->whom, wait->whom, sizeof group->whom);
  return group;
}

static int compare_groups(const void *a, const void *b)
{
  const struct top_wait *one = a, *other = b;
  if (one->count != other->count)
    return other->count - one->count;
  return one->longest < other->longest ? 1 : one->longest > other->longest ? -1 : 0;
}

/* A process with several waiting threads counts once, for its longest wait. */
struct top_list top_waits(const struct top_sample *sample)
{
  struct top_list groups = {0};
  const struct top_process *rows = sample->processes.rows;
  for (size_t i = 0; i < sample->processes.count; i++) {
    const struct cwi_status_wait *wait = top_wait_of(&rows[i], sample->when);
    if (wait == NULL)
      continue;
    struct top_wait *group = group_of(&groups, wait);
    const double seconds = sample->when - wait->since;
    if (group->count++ == 0)
      group->first = rows[i].status_page.process;
    if (seconds > group->longest)
      group->longest = seconds;
  }
  if (groups.count > 0)
    qsort(groups.rows, groups.count, sizeof(struct top_wait), compare_groups);
  return groups;
}

/* --- Processes that are waited for ------------------------------------------------------------ */

static bool has(const struct top_list *numbers, int number)
{
  for (size_t i = 0; i < numbers->count; i++)
    if (((int *)numbers->rows)[i] == number)
      return true;
  return false;
}

/* Returns the part of a wait's text that lists the processes it waits for: the holder of a mutex in
 * "of process 1, which process 2 holds", or the sender in "a message of process 3". Returns "" for
 * texts that name no other process. */
static const char *names_in(const char *text)
{
  static const char *const begins[] = {"process ", "a message of process ",
                                       "the device of process "};
  static const char holder[] = "which process ";
  for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
    if (strncmp(text, begins[i], strlen(begins[i])) == 0)
      return text + strlen(begins[i]);
  const char *found = strstr(text, holder);
  return found != NULL ? found + strlen(holder) : "";
}

/* Adds the processes of a list such as "1, 3 and 2 more". */
static void add_named(struct top_list *named, const char *text)
{
  const char *at = names_in(text);
  while (isdigit((unsigned char)*at)) {
    char *end = NULL;
    const int number = (int)strtol(at, &end, 10);
    if (!has(named, number))
      *(int *)top_add(named, sizeof(int)) = number;
    at = end[0] == ',' && end[1] == ' ' ? end + 2 : end;
    if (at == end)
      return;
  }
}

static bool waits_itself(const struct top_sample *sample, int number)
{
  const struct top_process *rows = sample->processes.rows;
  for (size_t i = 0; i < sample->processes.count; i++)
    if (rows[i].status_page.process == number)
      return top_wait_of(&rows[i], sample->when) != NULL;
  return false;
}

struct top_list top_awaited(const struct top_sample *sample, const struct top_list *waits,
                            bool *all)
{
  struct top_list named = {0};
  const struct top_wait *rows = waits->rows;
  for (size_t i = 0; i < waits->count; i++)
    add_named(&named, rows[i].whom);
  *all = named.count > 0;
  int *numbers = named.rows;
  size_t kept = 0;
  for (size_t i = 0; i < named.count; i++)
    if (!waits_itself(sample, numbers[i]))
      numbers[kept++] = numbers[i];
  named.count = kept;
  return named;
}
