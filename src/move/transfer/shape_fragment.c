/* Splits shapes into fragments of limited size. */
#include "transfer/shape_fragment.h"

#include "machine/rows.h"

/* Drops the first `rows` rows of what is left. */
static void drop_rows(struct cwi_plane *rest, size_t rows)
{
  rest->local += (ptrdiff_t)rows * rest->local_stride;
  rest->remote += (ptrdiff_t)rows * rest->remote_stride;
  rest->rows -= rows;
}

/* Stores the next part of a row that is longer than the capacity. */
static void take_part_of_row(struct cwi_fragments *fragments, size_t capacity,
                             struct cwi_plane *fragment)
{
  struct cwi_plane *rest = &fragments->rest;
  const size_t left = rest->run - fragments->taken;
  const size_t bytes = left <= capacity ? left : capacity & ~(fragments->atom - 1);
  const bool backwards =
      fragments->reads_first && cwi_runs_into_itself(rest->remote, rest->local, rest->run);
  const size_t at = backwards ? left - bytes : fragments->taken;
  *fragment = (struct cwi_plane){
      .local = rest->local + at, .remote = rest->remote + at, .run = bytes, .rows = 1};
  fragments->taken += bytes;
  if (fragments->taken < rest->run)
    return;
  fragments->taken = 0;
  drop_rows(rest, 1);
}

void cwi_fragments_next(struct cwi_fragments *fragments, size_t capacity,
                        struct cwi_plane *fragment)
{
  struct cwi_plane *rest = &fragments->rest;
  CWI_ASSERT(capacity >= fragments->atom);
  if (fragments->taken > 0 || rest->run > capacity) {
    take_part_of_row(fragments, capacity, fragment);
    return;
  }
  *fragment = *rest;
  if (fragment->rows > capacity / rest->run)
    fragment->rows = capacity / rest->run;
  drop_rows(rest, fragment->rows);
}
