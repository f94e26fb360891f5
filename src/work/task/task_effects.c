/* Effects of tasks: puts and updates that happen when the task is done, and commits. Public calls.
 */
#include "memory/zone.h"
#include "number/atomic_update.h"
#include "region/region.h"
#include "route/route.h"
#include "team/world.h"
#include "transfer/fetching_update.h"
#include "worker/pool.h"

/* Finds the worker that runs the task, or NULL if the pool does not survive failures. */
static cw_error find_worker(const cw_task *task, struct cwi_worker **worker)
{
  *worker = NULL;
  CWI_TRY(cwi_check_not_null("task", task));
  CWI_TRY(cwi_check_tasks(task->pool));
  if (!task->pool->options.survive)
    return CW_OK;
  *worker = cwi_surviving_here(task->pool);
  return *worker != NULL ? CW_OK : cwi_misuse("this thread runs no task of the pool");
}

/* Checks the target of an effect. Effects on memory of a lost node are dropped. */
static cw_error check_effect(const struct cwi_worker *worker,
                             const struct cwi_robust_effect *effect, int process)
{
  struct cwi_location place = {0};
  CWI_TRY(cwi_check_process(process));
  if (effect->bytes == 0)
    return CW_OK;
  CWI_TRY(cwi_check_not_null("local", effect->from));
  if (worker->pool->managed != NULL) {
    const cw_error error = cwi_route_locate_now(process, effect->to, effect->bytes, &place);
    return error == CW_FAILED ? CW_OK : error;
  }
  return cwi_zone_holds(process, effect->to, effect->bytes)
             ? CW_OK
             : cwi_address_misuse(process, effect->to, effect->bytes);
}

static cw_error register_effect(const cw_task *task, const struct cwi_robust_effect *effect,
                                const cw_transfer *transfer)
{
  struct cwi_worker *worker = NULL;
  CWI_TRY(find_worker(task, &worker));
  if (worker == NULL)
    return cwi_start_transfer(transfer, true, NULL);
  CWI_TRY(check_effect(worker, effect, transfer->process));
  return cwi_surviving_log(worker, effect, transfer->process)
             ? CW_OK
             : cwi_outside("there is no memory for an effect of %zu bytes", effect->bytes);
}

static cw_error task_put(const cw_task *task, const void *local, void *remote, size_t bytes,
                         int process)
{
  const struct cwi_robust_effect effect = {
      .to = remote, .from = local, .bytes = bytes, .reduction = CW_REPLACE};
  const cw_transfer put = cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, process);
  return register_effect(task, &effect, &put);
}

cw_error cw_task_put(const cw_task *task, const void *local, void *remote, size_t bytes,
                     int process)
{
  return cwi_in_call("cw_task_put", task_put(task, local, remote, bytes, process));
}

static cw_error task_accumulate(const cw_task *task, const struct cwi_robust_effect *effect,
                                int process)
{
  CWI_TRY(cwi_reduction_check(effect->reduction, effect->type));
  if (effect->bytes % cwi_type_bytes[effect->type] != 0)
    return cwi_misuse("bytes is %zu, not a multiple of the %zu bytes of an element", effect->bytes,
                      (size_t)cwi_type_bytes[effect->type]);
  CWI_TRY(cwi_update_aligned("remote", (uintptr_t)effect->to, effect->type));
  cw_transfer update = cw_contiguous(CW_ACCUMULATE, (void *)(uintptr_t)effect->from, effect->to,
                                     effect->bytes, process);
  update.type = effect->type;
  update.reduction = effect->reduction;
  return register_effect(task, effect, &update);
}

cw_error cw_task_accumulate(const cw_task *task, cw_type type, cw_reduction reduction,
                            const void *local, void *remote, size_t bytes, int process)
{
  const struct cwi_robust_effect effect = {
      .to = remote, .from = local, .bytes = bytes, .type = type, .reduction = reduction};
  return cwi_in_call("cw_task_accumulate", task_accumulate(task, &effect, process));
}

static cw_error task_commit(const cw_task *task, const void *body, size_t bytes)
{
  struct cwi_worker *worker = NULL;
  CWI_TRY(find_worker(task, &worker));
  if (bytes > task->pool->options.body)
    return cwi_misuse("bytes is %zu; bodies of this pool have at most %zu", bytes,
                      task->pool->options.body);
  if (bytes > 0)
    CWI_TRY(cwi_check_not_null("body", body));
  return worker != NULL ? cwi_surviving_commit(worker, body, (uint32_t)bytes) : CW_OK;
}

cw_error cw_task_commit(const cw_task *task, const void *body, size_t bytes)
{
  return cwi_in_call("cw_task_commit", task_commit(task, body, bytes));
}
