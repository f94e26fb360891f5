/* Synchronise, work, exchange results: the frame of all operations on arrays. */
#include "arithmetic/collective_call.h"

#include "collective_call/collective_check.h"
#include "mpi/mpi_result.h"
#include "route/route.h"
#include "sync/barrier.h"
#include "team/agreement.h"

#include <string.h>

/* Exchanges the errors of all members, and their results if `merge` is set. This is the closing
 * synchronisation, too. */
static cw_error collective_exchange(const struct cwi_collective_call *collective, void *argument,
                                    const struct cwi_contribution *mine, cw_error error)
{
  struct cwi_entry few[CWI_TEAM_SMALL];
  struct cwi_entry *all = cwi_team_entries(collective->team, few);
  const struct cwi_entry entry = {
      .address = mine->words[0], .bytes = mine->words[1], .key = mine->words[2]};
  if (error != CW_OK && cwi_error_is_from_mpi())
    return error;
  CWI_TRY(cwi_team_agree_on(collective->team, error, &entry, NULL,
                            collective->merge != NULL ? all : NULL));
  for (int rank = 0; rank < collective->team->size && collective->merge != NULL; rank++)
    collective->merge(
        argument, &(struct cwi_contribution){{all[rank].address, all[rank].bytes, all[rank].key}});
  return CW_OK;
}

/* Rejects a target with parts on devices if there is no kernel for it. The result is the same on
 * all members. Operands on devices are transferred. */
static cw_error check_devices(const struct cwi_operation *operation)
{
  if (operation == NULL || operation->job != CWI_JOB_OF_HOSTS ||
      !CWI_UNLIKELY(operation->target.array->on_devices))
    return CW_OK;
  return cwi_reject_devices(&operation->target);
}

static cw_error collective_run(const struct cwi_collective_call *collective, void *argument)
{
  struct cwi_contribution mine = {{0}};
  struct cwi_first_error first;
  cwi_first_begin(&first, collective->checked);
  if (!collective->synchronized)
    cwi_first_note(&first, cwi_synchronise(collective->team));
  if (first.error == CW_OK)
    cwi_first_note(&first, check_devices(collective->operation));
  if (first.error == CW_OK)
    cwi_first_note(&first, collective->work(argument, &mine));
  cwi_first_note(&first, cwi_routes_fence_all());
  return collective_exchange(collective, argument, &mine, cwi_first_return(&first));
}

/* Lists the array and the patch of a box as four arguments. */
static void list_box(const struct cwi_box *box, int64_t *hi, struct cwi_argument *four)
{
  const bool only =
      strcmp(box->name, "array") == 0; /* lo and hi are arguments of the call itself */
  for (int d = 0; d < box->array->dimensions; d++)
    hi[d] = box->lo[d] + box->extents[d] - 1;
  const cw_operand operand = {box->array, box->lo, hi, box->transposed};
  cwi_agreed_operand(box->name, &operand, four);
  for (int i = 1; i < CWI_AGREED_OPERAND && only; i++)
    four[i].of = NULL;
}

struct collective_list {
  int64_t hi[CWI_CHANNELS][CW_MAX_DIMENSIONS];
  struct cwi_argument all[CWI_COLLECTIVE_AGREED + CWI_AGREED_OPERAND * CWI_CHANNELS + 1];
};

/* Lists the arguments that have to be equal. Called only if this process has accepted its
 * arguments; an error in them is reported later, by the exchange. */
static const struct cwi_argument *list_arguments(const struct cwi_collective_call *collective,
                                                 struct collective_list *list)
{
  const struct cwi_operation *operation = collective->operation;
  int count = 0;
  for (; collective->agreed != NULL && collective->agreed[count].name != NULL; count++)
    list->all[count] = collective->agreed[count];
  for (int s = -1; operation != NULL && s < operation->sources; s++) {
    list_box(s < 0 ? &operation->target : &operation->source[s].box, list->hi[s + 1],
             &list->all[count]);
    count += CWI_AGREED_OPERAND;
  }
  list->all[count] = (struct cwi_argument)CWI_ARGUMENTS_END;
  return list->all;
}

cw_error cwi_collective_run(const struct cwi_collective_call *collective, void *argument)
{
  struct collective_list list;
  if (collective->team == NULL)
    return cwi_in_call(collective->call, collective->checked);
  const bool compares = cwi_settings.check != 0 && collective->checked == CW_OK;
  return CWI_COLLECTIVELY(collective->call, collective->team,
                          compares ? list_arguments(collective, &list) : NULL,
                          collective_run(collective, argument));
}
