/* Checks fetching updates, for the calls and for servers. */
#include "transfer/fetching_update.h"

#include "base/size.h"

cw_error cwi_update_aligned(const char *name, uintptr_t value, cw_type type)
{
  const size_t alignment = cwi_update_alignment(type);
  if (CWI_LIKELY(value % alignment == 0))
    return CW_OK;
  return cwi_misuse(
      "%s is 0x%zx, which is not a multiple of %zu: lock-free updates of type %s need "
      "that",
      name, (size_t)value, alignment, cwi_type_word(type));
}

cw_error cwi_elements_bytes(size_t count, cw_type type, size_t *bytes)
{
  return CWI_LIKELY(cwi_multiply(count, cwi_type_bytes[type], bytes) && *bytes <= CWI_MOST_BYTES)
             ? CW_OK
             : cwi_misuse("count is %zu; memory cannot hold that many elements", count);
}

cw_error cwi_update_locate(struct cwi_update *update, cwi_locate_function locate)
{
  size_t bytes = 0;
  CWI_TRY(cwi_update_check(update->operation, update->type));
  CWI_TRY(cwi_elements_bytes(update->count, update->type, &bytes));
  if (CWI_UNLIKELY(cwi_update_operands(update) == NULL && update->operation != CW_NO_OP))
    return cwi_misuse("local is NULL: there are no operands");
  if (update->count > 1 && update->operation != CW_NO_OP)
    CWI_TRY(cwi_check_host_buffer("local", update->local));
  if (update->before != NULL)
    CWI_TRY(cwi_check_host_buffer("before", update->before));
  if (!update->locked)
    CWI_TRY(cwi_update_aligned("remote", (uintptr_t)update->remote, update->type));
  return locate(update->process, update->remote, bytes, &update->place);
}
