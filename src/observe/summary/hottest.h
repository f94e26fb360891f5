/* Finds the block of an object that has the most bytes and describes elements with the most
 * read-modify-writes, with indices as the program's interface counts them. */
#ifndef CWI_SUMMARY_HOTTEST_H
#define CWI_SUMMARY_HOTTEST_H

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

/* Returns the share of all read-modify-writes that the element has at least. */
double cwi_element_share(const struct cwi_summary *summary, const struct cwi_top_k_entry *element);
#endif
