/* The continuation of a task that has succeeded. Used by the workers of hosts and devices. */
#include "device_task/planning.h"
#include "route/deferred_errors.h"
#include "route/route.h"

cw_error cwi_class_continue(const struct cwi_class *kind, const cw_task *given,
                            const struct cwi_needs *needs, void *const *data,
                            const cw_task_times *times)
{
  void *written[CW_PLAN_PATCHES];
  cw_task task = *given;
  struct cwi_first_error earlier;
  if (kind->continuation == NULL)
    return CW_OK;
  /* Complete the stores before the continuation adds tasks that read them, on any process. An error
   * that a target reports may belong to another task, so it is kept for the end of the phase. */
  cwi_first_begin(&earlier, cwi_routes_fence_all());
  if (cwi_first_is_from_mpi(&earlier))
    return cwi_first_return(&earlier);
  cwi_deferred_error_add(-1, &earlier);
  for (int i = 0; i < needs->plan.patches; i++)
    written[i] = cwi_mode_writes(needs->plan.patch[i].mode) ? data[i] : NULL;
  task.plan = &needs->plan;
  task.data = written;
  task.times = times;
  return kind->continuation(&task, kind->argument);
}
