/* Slots of handles: each member of a group has the same slot for the same file or array. */
#include "ga/files/slot.h"

enum { LONG_BITS = 8 * sizeof(long) };

cw_error cwi_pario_free_slot(cw_team team, int slots, bool (*is_used)(int slot), int *slot)
{
  long used[CWI_PARIO_SLOTS / LONG_BITS] = {0};
  for (int s = 0; s < slots; s++)
    if (is_used(s))
      used[s / LONG_BITS] |= 1L << s % LONG_BITS;
  CWI_TRY(cw_allreduce(team, CW_LONG, CW_BIT_OR, sizeof used / sizeof used[0], used));
  *slot = 0;
  while (*slot < slots && (used[*slot / LONG_BITS] >> *slot % LONG_BITS & 1) != 0)
    ++*slot;
  return CW_OK;
}
