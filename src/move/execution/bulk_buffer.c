/* Memory of the server for the data of bulk transfers. */
#include "execution/bulk_buffer.h"

#include "base/error.h"
#include "base/free_list.h"
#include "route/server/bulk_transfer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_KEPT = 16 };

struct bulk_memory {
  struct cwi_free_list spare;
  uint64_t is_kept; /* 1 if the memory is kept for reuse when it is released, else 0; also aligns
                       `data` to 16 */
  char data[];
};

static struct cwi_free_list *spare_pieces;
static int spare_count;

void *cwi_bulk_buffer_must(size_t bytes)
{
  void *memory = malloc(bytes);
  if (memory == NULL)
    cwi_abort("the server has no memory for a long transfer", 1);
  return memory;
}

void *cwi_bulk_buffer_take(size_t bytes)
{
  const bool is_kept = bytes <= CWI_BULK_FRAGMENT;
  struct bulk_memory *piece = is_kept ? cwi_free_list_pop(&spare_pieces) : NULL;
  if (piece != NULL)
    spare_count--;
  else
    piece = cwi_bulk_buffer_must(sizeof *piece + (is_kept ? CWI_BULK_FRAGMENT : bytes));
  piece->is_kept = is_kept;
  return piece->data;
}

void cwi_bulk_buffer_give(void *data)
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
  cwi_free_list_give(&spare_pieces, piece);
}

void cwi_bulk_buffer_stop(void)
{
  cwi_free_list_free(&spare_pieces);
  spare_count = 0;
}
