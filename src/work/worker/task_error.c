/* Errors of tasks: the first error message and the number of failed tasks. */
#include "base/unread_errors.h"
#include "worker/pool.h"

#include <stdio.h>

void cwi_task_failed(struct cwi_worker *worker, const struct cwi_named *known, unsigned messages,
                     cw_error error)
{
  struct cwi_first_error *first = &worker->error;
  const bool has_reason =
      known == NULL || (messages != cwi_error_messages && cwi_error_message_is_of(error));
  if (has_reason)
    cwi_failure_read();
  if (worker->failed++ > 0)
    return;
  cwi_first_note(first, error);
  if (!has_reason)
    snprintf(first->message, sizeof first->message, "a task of class '%.200s' returned %s (%d)",
             known->name, cwi_error_name(error), (int)error);
}
