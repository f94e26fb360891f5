/* Finds the hottest block of an object, to which the most bytes went, and describes the elements
 * with the most read-modify-writes. Indices are written as in the interface that the program uses.
 */
#pragma once

#include "summary/summary.h"

/* A block of an object: one cell of its heat map. */
struct cwi_hot_block {
  const struct cwi_heat_map_row *heat_map; /* NULL if nothing is known of the object's blocks */
  size_t cell;
  double share;   /* share of the object's bytes */
  char text[240]; /* "rows 0-127, columns 0-127, held by process 3" */
};

/* Finds the hottest block of `object`. */
void cwi_hot_block_find(const struct cwi_summary *summary, const struct cwi_object_row *object,
                        struct cwi_hot_block *block);

/* Returns true if the block has far more bytes than the average block. */
bool cwi_hot_block_is_hot(const struct cwi_hot_block *block);

/* Writes "element [0]", "byte 8" or "address 0x...", whichever is known. */
void cwi_element_text(const struct cwi_summary *summary, const struct cwi_top_k_entry *element,
                      char *text, size_t size);

/* Returns a lower bound on the element's share of all read-modify-writes. */
double cwi_element_share(const struct cwi_summary *summary, const struct cwi_top_k_entry *element);
