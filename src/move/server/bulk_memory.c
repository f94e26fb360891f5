/* Memory of the server for data on its way. */
#include "server/bulk_memory.h"

#include "base/check.h"
#include "base/spare.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { FRAGMENT = 1 << 19, MOST_KEPT = 16 };

struct bulk_memory {
  struct cwi_spare spare;
  uint64_t is_kept; /* 0 or 1: when it is given; what follows lies at a multiple of 16 */
  char data[];
};

static struct cwi_spare *spare_pieces;
static int spare_count;

static struct bulk_memory *piece_make(size_t bytes)
{
  struct bulk_memory *piece = malloc(sizeof *piece + bytes);
  if (piece == NULL)
    cwi_abort("the server has no memory for a long transfer", 1);
  return piece;
}

void *cwi_bulk_memory_take(size_t bytes)
{
  const bool is_kept = bytes <= FRAGMENT;
  struct bulk_memory *piece = is_kept ? cwi_spare_find(&spare_pieces) : NULL;
  if (piece != NULL)
    spare_count--;
  else
    piece = piece_make(is_kept ? FRAGMENT : bytes);
  piece->is_kept = is_kept;
  return piece->data;
}

void cwi_bulk_memory_give(void *data)
{
  if (data == NULL)
    return;
  struct bulk_memory *piece =
      (struct bulk_memory *)(void *)((char *)data - offsetof(struct bulk_memory, data));
  if (piece->is_kept == 0 || spare_count == MOST_KEPT) {
    free(piece);
    return;
  }
  spare_count++;
  cwi_spare_give(&spare_pieces, piece);
}

void cwi_bulk_memory_stop(void)
{
  cwi_spare_free(&spare_pieces);
  spare_count = 0;
}
