/* Reductions within a node of numbers that are in slices of regions. Each member publishes the
 * address of its numbers (its row). After all members have met, each member combines its part of
 * all rows in place. */
#include "collective/in_place_reduction.h"

#include "machine/copy.h"
#include "memory/zone.h"
#include "number/atomic_update.h"
#include "region/chunk.h"

#include <stdint.h>
#include <string.h>

/* Below IN_PLACE_LEAST bytes a copy is cheaper than one more meeting. If a reduction could not be
 * done in place, the next ones probably cannot either, so the next SKIPPED_CALLS calls skip the
 * meeting. */
enum { IN_PLACE_LEAST = 16 << 10, SKIPPED_CALLS = 15 };

/* Combined with a step to distinguish the two meetings of a reduction. */
static const uint64_t FINDING = UINT64_C(1) << 62, REDUCED = UINT64_C(1) << 63;

/* The rows of all members. */
struct rows {
  cw_team team;
  const struct cwi_reduction *reduction;
  char *at[CWI_TEAM_SMALL];
};

/* Returns the offset of `numbers` in the zone, or 0 if they are not inside one slice. The owner of
 * the slice does not matter. */
static uint64_t offset_of_row(const void *numbers, size_t bytes)
{
  struct cwi_zone_slice slice;
  if (!cwi_zone_find(numbers, &slice))
    return 0;
  return bytes <= slice.bytes - (size_t)((const char *)numbers - slice.base)
             ? cwi_offset_of(numbers)
             : 0;
}

/* Returns true if the rows of two members overlap. In that case a member would overwrite numbers
 * that another member has not yet read. */
static bool rows_overlap(const struct rows *rows, size_t bytes)
{
  for (int i = 1; i < rows->team->size; i++)
    for (int j = 0; j < i; j++)
      if ((size_t)(rows->at[i] - rows->at[j]) < bytes ||
          (size_t)(rows->at[j] - rows->at[i]) < bytes)
        return true;
  return false;
}

/* Publishes the address of this member's row and finds those of the others. Sets *found to false,
 * on all members, if a row is not in the zone or two rows overlap. */
static cw_error find_rows(struct rows *rows, uint64_t step, const void *numbers, size_t bytes,
                          bool *found)
{
  cw_team team = rows->team;
  uint64_t offset = offset_of_row(numbers, bytes);
  memcpy(cwi_team_my_bounce(team), &offset, sizeof offset);
  *found = false;
  CWI_TRY(cwi_team_share(team, FINDING ^ step));
  for (int rank = 0; rank < team->size; rank++) {
    memcpy(&offset, cwi_team_bounce(team, rank), sizeof offset);
    if (offset == 0)
      return CW_OK;
    rows->at[rank] = cwi_address_at(offset);
  }
  *found = !rows_overlap(rows, bytes);
  return CW_OK;
}

/* Combines bytes [begin, begin + bytes) of all rows, in the order of ranks, into the row of member
 * `to`. `bytes` is at most CWI_BOUNCE. */
static void combine_rows(const struct rows *rows, int to, size_t begin, size_t bytes)
{
  const struct cwi_reduction *reduction = rows->reduction;
  char *result = rows->at[to] + begin;
  if (to > 0) {
    /* No other member reads this bounce buffer before the next cwi_team_share. */
    char *sums = cwi_team_my_bounce(rows->team);
    if (to > 1)
      cwi_copy(sums, rows->at[0] + begin, bytes);
    for (int rank = 1; rank < to; rank++)
      cwi_combine(reduction->combine, sums, rows->at[rank] + begin, bytes);
    cwi_combine(cwi_update_kernel_after(reduction->update, reduction->type), result,
                to > 1 ? sums : rows->at[0] + begin, bytes);
  }
  for (int rank = to + 1; rank < rows->team->size; rank++)
    cwi_combine(reduction->combine, result, rows->at[rank] + begin, bytes);
}

/* Combines one part of all rows. No other member reads or writes this part. */
static void reduce_part(const struct rows *rows, int root, size_t begin, size_t end)
{
  const int to = root < 0 ? rows->team->rank : root;
  for (size_t part = 0; begin < end; begin += part) {
    part = end - begin < CWI_BOUNCE ? end - begin : CWI_BOUNCE;
    combine_rows(rows, to, begin, part);
    for (int rank = 0; rank < rows->team->size && root < 0; rank++)
      if (rank != to)
        cwi_copy(rows->at[rank] + begin, rows->at[to] + begin, part);
  }
}

cw_error cwi_in_place_reduce(cw_team team, int root, const struct cwi_reduction *reduction,
                             uint64_t step, void *numbers, size_t bytes, bool *done)
{
  struct rows rows = {.team = team, .reduction = reduction};
  *done = false;
  if (bytes < IN_PLACE_LEAST || team->size > CWI_TEAM_SMALL)
    return CW_OK;
  if (team->rows_apart > 0) {
    team->rows_apart--;
    return CW_OK;
  }
  CWI_TRY(find_rows(&rows, step, numbers, bytes, done));
  if (!*done) {
    team->rows_apart = SKIPPED_CALLS;
    return CW_OK;
  }
  const size_t slice = cwi_reduction_slice(team, bytes);
  const size_t begin = (size_t)team->rank * slice;
  reduce_part(&rows, root, begin, begin + slice < bytes ? begin + slice : bytes);
  return cwi_team_share(team, REDUCED ^ step);
}
