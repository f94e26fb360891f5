/* Shapes in pieces of limited size. */
#include "transfer/cut.h"

/* Drop whole rows from the front of what is left. */
static void drop_rows(struct cwi_plane *rest, size_t rows)
{
  rest->local += (ptrdiff_t)rows * rest->local_stride;
  rest->remote += (ptrdiff_t)rows * rest->remote_stride;
  rest->rows -= rows;
}

static void cut_row(struct cwi_cutter *cutter, size_t room, struct cwi_plane *piece)
{
  struct cwi_plane *rest = &cutter->rest;
  const size_t left = rest->run - cutter->cut;
  const size_t bytes = left <= room ? left : room & ~(cutter->atom - 1);
  *piece = (struct cwi_plane){.local = rest->local + cutter->cut,
                              .remote = rest->remote + cutter->cut,
                              .run = bytes,
                              .rows = 1};
  cutter->cut += bytes;
  if (cutter->cut < rest->run)
    return;
  cutter->cut = 0;
  drop_rows(rest, 1);
}

void cwi_cut(struct cwi_cutter *cutter, size_t room, struct cwi_plane *piece)
{
  struct cwi_plane *rest = &cutter->rest;
  CWI_ASSERT(room >= cutter->atom);
  if (cutter->cut > 0 || rest->run > room) {
    cut_row(cutter, room, piece);
    return;
  }
  *piece = *rest;
  if (piece->rows > room / rest->run)
    piece->rows = room / rest->run;
  drop_rows(rest, piece->rows);
}
