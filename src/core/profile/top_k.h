/* Top-k counter: the most frequent of many elements in little memory. It is the space-saving
 * algorithm of Metwally, Agrawal and El Abbadi (2005), merged as in Agarwal et al. (2012). */
#pragma once

#include <stdint.h>

enum { CWI_TOP_K_ENTRIES = 32 };

/* An element of an object and how often it was added: at most `count` times and at least `count -
 * over` times. */
struct cwi_top_k_entry {
  uint64_t key; /* not 0; identifies the element */
  uint64_t count, over;
  int64_t place;  /* in an array: the element's number, row by row; in a region: its offset in the
                     process's slice; in other memory: minus the address */
  uint64_t slice; /* 0, or the key of an object without a heat map; then `place` is an offset in the
                     object's part */
  const char *name; /* of the object; NULL if it has none */
  int32_t process;
  uint32_t text; /* in summaries: number of the name's text */
};

/* A zeroed counter is empty. An element without a row was added at most `beyond` times. */
struct cwi_top_k {
  uint64_t beyond;
  uint64_t used;
  struct cwi_top_k_entry rows[CWI_TOP_K_ENTRIES];
};

/* Returns a key that identifies the element. `object` is a hash of its object. */
uint64_t cwi_top_k_key(uint64_t object, const struct cwi_top_k_entry *one);

/* Adds one occurrence of the element. Only its identity is read from `one`, not its counts. */
void cwi_top_k_add(struct cwi_top_k *top_k, const struct cwi_top_k_entry *one);

/* Adds the counts of another counter. */
void cwi_top_k_merge(struct cwi_top_k *sum, const struct cwi_top_k *other);

/* Sorts the rows, the most frequent first. */
void cwi_top_k_sort(struct cwi_top_k *top_k);
