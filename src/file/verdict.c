/* One error for all members of a team: whoever finds it, all return its sentence. For saving and
 * loading, where one process works and the others wait to hear. */
#include "file/verdict.h"

#include "array/array.h"
#include "base/hash.h"
#include "collective/collective.h"
#include "collective/differ.h"
#include "mpi/result.h"

#include <stdio.h>

/* On the member whose sentence it is, too: nobody's is marked as a refusal of MPI. */
static cw_error repeat(cw_team team, cw_error mine, int rank, uint64_t kind)
{
  char sentence[1024];
  const bool noted = mine != CW_OK && cwi_error_noted();
  snprintf(sentence, sizeof sentence, "%s", cwi_sentence());
  CWI_TRY(cwi_broadcast(team, rank, sentence, sizeof sentence));
  const cw_error error =
      kind == CW_MISUSE ? cwi_misuse("%.1000s", sentence) : cwi_outside("%.1000s", sentence);
  cwi_error_set_noted(noted);
  return error;
}

cw_error cwi_verdict_same(cw_team team, cw_error mine, uint64_t print,
                          const struct cwi_agreed *list)
{
  struct cwi_entry few[CWI_TEAM_SMALL];
  struct cwi_entry *all = cwi_team_entries(team, few);
  const struct cwi_entry entry = {.key = print, .status = (uint64_t)mine};
  CWI_TRY(cwi_team_exchange(team, &entry, all));
  const int failed = cwi_team_failed(team, all), odd = cwi_team_odd(team, all);
  if (failed >= 0)
    return repeat(team, mine, failed, all[failed].status);
  return odd < 0 ? CW_OK : cwi_differ(team, odd, list);
}

cw_error cwi_verdict(cw_team team, cw_error mine)
{
  return cwi_verdict_same(team, mine, 0, NULL);
}

cw_error cwi_verdict_sync(cw_array array)
{
  const cw_error mine = cw_array_sync(array);
  if (mine != CW_OK && cwi_mpi_refused())
    return mine;
  return cwi_verdict(array->team, mine);
}

/* The end of the text included. */
uint64_t cwi_print_text(uint64_t print, const char *text)
{
  return cwi_hash_add(cwi_hash_text(print, text), 0);
}
