/* Notifications, for rooms that send some with transfers of their own. */
#ifndef CWI_SYNC_NOTIFY_H
#define CWI_SYNC_NOTIFY_H

#include "base/check.h"

#include <causeway/sync.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What cw_notify does, for the present origin. */
CWI_CHECKED cw_error cwi_notify(int64_t *remote, int64_t value, int process);

/* The counter of a process. Errors: CW_MISUSE (set, process, number). */
CWI_CHECKED cw_error cwi_notification_find(cw_notifications set, size_t number, int process,
                                           int64_t **counter);

/* A counter, and how it is to compare with a value. */
struct cwi_wish {
  const int64_t *counter;
  cw_comparison comparison;
  int64_t value;
  int64_t seen; /* at the last look */
};

CWI_CHECKED cw_error cwi_check_comparison(cw_comparison comparison);

/* Look once; a struct cwi_wish. */
bool cwi_wish_holds(void *wish);

/* For base/waiting.h. */
void cwi_wish_awaited(const void *wish, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
