/* Reductions within a node of numbers that lie in slices of regions: members tell each other where,
 * meet, and each combines its part of the numbers of all, where they lie. */
#include "collective/in_place_reduction.h"

#include "machine/copy.h"
#include "memory/zone.h"
#include "number/atomic_update.h"
#include "region/chunk.h"

#include <stdint.h>
#include <string.h>

/* Fewer bytes are copied sooner than members meet once more. Where numbers lay elsewhere, those of
 * the next reductions will, too: for some time nobody meets for that question. */
enum { IN_PLACE_LEAST = 16 << 10, UNASKED = 15 };

/* Which of two meetings of a step this is. */
static const uint64_t FINDING = UINT64_C(1) << 62, REDUCED = UINT64_C(1) << 63;

/* A row of numbers for each member, of which I combine a part. */
struct rows {
  cw_team team;
  const struct cwi_reduction *reduction;
  char *at[CWI_TEAM_SMALL];
};

/* In the zone; 0: they lie in no slice. It does not matter whose. */
static uint64_t offset_of_row(const void *numbers, size_t bytes)
{
  struct cwi_zone_slice slice;
  if (!cwi_zone_find(numbers, &slice))
    return 0;
  return bytes <= slice.bytes - (size_t)((const char *)numbers - slice.base)
             ? cwi_offset_of(numbers)
             : 0;
}

/* Of members that name the same numbers: what one writes another has yet to read. */
static bool rows_overlap(const struct rows *rows, size_t bytes)
{
  for (int i = 1; i < rows->team->size; i++)
    for (int j = 0; j < i; j++)
      if ((size_t)(rows->at[i] - rows->at[j]) < bytes ||
          (size_t)(rows->at[j] - rows->at[i]) < bytes)
        return true;
  return false;
}

/* *found false, on all members: not all lie where all see them, each in a place of its own. */
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

/* Some numbers of all rows, in the order of ranks, into those of one. At most CWI_BOUNCE bytes. */
static void combine_rows(const struct rows *rows, int to, size_t begin, size_t bytes)
{
  const struct cwi_reduction *reduction = rows->reduction;
  char *result = rows->at[to] + begin;
  if (to > 0) {
    char *sums = cwi_team_my_bounce(rows->team); /* nobody reads it until the next share */
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

/* Nobody else reads or writes this part of any row. */
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
    team->rows_apart = UNASKED;
    return CW_OK;
  }
  const size_t slice = cwi_reduction_slice(team, bytes);
  const size_t begin = (size_t)team->rank * slice;
  reduce_part(&rows, root, begin, begin + slice < bytes ? begin + slice : bytes);
  return cwi_team_share(team, REDUCED ^ step);
}
