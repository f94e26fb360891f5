/* The most frequent of many, in little room: the space-saving top_k of Metwally, Agrawal and El
 * Abbadi (2005), and its merging as Agarwal et al. (2012) have it. */
#ifndef CWI_PROFILE_TOP_K_H
#define CWI_PROFILE_TOP_K_H

#include <stdint.h>

enum { CWI_TOP_K_ENTRIES = 32 };

/* An element of an object, and how often it came: `count` times at most, and `count - over` times
 * at least. */
struct cwi_top_k_entry {
  uint64_t key; /* not 0: no two elements have the same */
  uint64_t count, over;
  int64_t place;    /* of an array: the element's number, row by row; of a region: bytes from the
                       beginning of the process's slice; of other memory: minus the address */
  uint64_t slice;   /* 0, or what is not drawn, whose part has this key: then `place` is bytes from
                       the part's beginning */
  const char *name; /* of the object; NULL: nobody has named it */
  int32_t process;
  uint32_t text; /* in summaries: the name */
};

/* All zeros: nothing has come. What is not in it came `beyond` times at most. */
struct cwi_top_k {
  uint64_t beyond;
  uint64_t used;
  struct cwi_top_k_entry rows[CWI_TOP_K_ENTRIES];
};

/* What tells it from others. object: a number of the object. */
uint64_t cwi_top_k_key(uint64_t object, const struct cwi_top_k_entry *one);

/* It came once. Of `one` only what tells which it is counts. */
void cwi_top_k_add(struct cwi_top_k *top_k, const struct cwi_top_k_entry *one);

/* Add what another one has seen. */
void cwi_top_k_merge(struct cwi_top_k *sum, const struct cwi_top_k *other);

/* The most frequent first. */
void cwi_top_k_sort(struct cwi_top_k *top_k);
#endif
