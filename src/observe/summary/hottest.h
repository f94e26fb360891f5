/* Where in an object most of its bytes go, and which element most read-modify-writes: in words, as
 * the program's interface counts indices. */
#ifndef CWI_SUMMARY_HOTTEST_H
#define CWI_SUMMARY_HOTTEST_H

#include "summary/summary.h"

/* A block of an object: a cell of its heat_map. */
struct cwi_hot_block {
  const struct cwi_heat_map_row *heat_map; /* NULL: nothing is known of it */
  size_t cell;
  double share;   /* of the object's bytes */
  char text[240]; /* "rows 0-127, columns 0-127, held by process 3" */
};

void cwi_hot_block_find(const struct cwi_summary *summary, const struct cwi_object_row *object,
                        struct cwi_hot_block *block);

/* Has it far more than other blocks? */
bool cwi_hot_block_is_hot(const struct cwi_hot_block *block);

/* "element [0]", or where else it is in its object. */
void cwi_element_text(const struct cwi_summary *summary, const struct cwi_top_k_entry *element,
                      char *text, size_t size);

/* The share of all read-modify-writes that the element has at least. */
double cwi_element_share(const struct cwi_summary *summary, const struct cwi_top_k_entry *element);
#endif
