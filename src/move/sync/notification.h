/* Notifications, for modules that send them after transfers of their own. */
#pragma once

#include "base/error.h"

#include <causeway/sync.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does the work of cw_notify for the current origin. */
CWI_CHECKED cw_error cwi_notify(int64_t *remote, int64_t value, int process);

/* Finds the address of a process's counter. Errors: CW_MISUSE (set, process, number). */
CWI_CHECKED cw_error cwi_notification_find(cw_notifications set, size_t number, int process,
                                           int64_t **counter);

/* A condition to wait for: a counter, a comparison and a value. */
struct cwi_wait_condition {
  const int64_t *counter;
  cw_comparison comparison;
  int64_t value;
  int64_t seen; /* value of the counter at the last check */
};

/* Returns true if, in a job that survives failures, a member of the counter's team has failed: it
 * may have had to notify. */
bool cwi_wait_condition_is_forlorn(const struct cwi_wait_condition *condition);

/* Returns CW_FAILED with the name of that member. */
CWI_CHECKED cw_error cwi_wait_condition_failed(const struct cwi_wait_condition *condition);

/* Checks that `comparison` is valid. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_comparison(cw_comparison comparison);

/* Reads the counter once and returns true if the condition holds. `condition` points to a struct
 * cwi_wait_condition. */
bool cwi_wait_condition_holds(void *condition);

/* Describes the condition in a report of a long wait (wait/wait_report.h). */
void cwi_wait_condition_awaited(const void *condition, char *text, size_t size);
