/* Notifications, for rooms that send some with transfers of their own. */
#ifndef CWI_SYNC_NOTIFICATION_H
#define CWI_SYNC_NOTIFICATION_H

#include "base/error.h"

#include <causeway/sync.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What cw_notify does, for the present origin. */
CWI_CHECKED cw_error cwi_notify(int64_t *remote, int64_t value, int process);

/* The counter of a process. Errors: CW_MISUSE (set, process, number). */
CWI_CHECKED cw_error cwi_notification_find(cw_notifications set, size_t number, int process,
                                           int64_t **counter);

/* A counter, and how it is to compare with a value. */
struct cwi_wait_condition {
  const int64_t *counter;
  cw_comparison comparison;
  int64_t value;
  int64_t seen; /* at the last look */
};

CWI_CHECKED cw_error cwi_check_comparison(cw_comparison comparison);

/* Look once; a struct cwi_wait_condition. */
bool cwi_wait_condition_holds(void *condition);

/* For wait/wait_report.h. */
void cwi_wait_condition_awaited(const void *condition, char *text, size_t size);
#endif
