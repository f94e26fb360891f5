/* A part of an array as sections: what of it one holder has in one strided place, indices being a
 * product of arithmetic progressions. For those who load and store elements. */
#ifndef CWI_ARRAY_SECTION_H
#define CWI_ARRAY_SECTION_H

#include "array/array.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_section {
  struct cwi_range ranges[CW_MAX_DIMENSIONS]; /* indices in the array */
  int holder;
  char *address;                        /* of the first element, as this process names it */
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next */
};

/* The walk over the sections of a part. */
struct cwi_sections {
  cw_array array;
  int holder;
  int64_t coordinate[CW_MAX_DIMENSIONS]; /* the holder's */
  struct cwi_axis_cut cuts[CW_MAX_DIMENSIONS];
  int64_t numbers[CW_MAX_DIMENSIONS], steps[CW_MAX_DIMENSIONS];
  struct cwi_segment segments[CW_MAX_DIMENSIONS];
  bool begun, done;
};

/* A section is the part of one block; of blocks of one element that a holder has as a dense matrix,
 * all of them. holder: only its sections, and then ranges have steps of 1; -1: those of all. */
void cwi_sections_begin(struct cwi_sections *sections, cw_array array,
                        const struct cwi_range *ranges, int holder);
bool cwi_sections_next(struct cwi_sections *sections, struct cwi_section *section);

/* At most so many sections there are along a dimension. */
static inline int64_t cwi_sections_along(const struct cwi_sections *sections, int d)
{
  return sections->cuts[d].segments;
}

#ifdef __cplusplus
}
#endif
#endif
