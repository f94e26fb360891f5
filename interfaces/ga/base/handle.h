/* GA's handles of arrays: numbers from -1000 upwards, in a table of this process. */
#pragma once

#include "base/error.h"

#include "gacommon.h"

#include <causeway.h>

#include <stdbool.h>
#include <stdint.h>

/* Groups that always exist. */
enum { CWI_GA_WORLD = -1, CWI_GA_MIRROR = 0 };

/* The Set_ call that has set the partition of the array, and the members that it sets. */
enum cwi_ga_partition {
  CWI_GA_REGULAR,        /* no such call was made: chunk, or no setting */
  CWI_GA_IRREGULAR,      /* Set_irreg_distr: map, nblock */
  CWI_GA_BLOCK_CYCLIC,   /* Set_block_cyclic: block */
  CWI_GA_SCALAPACK,      /* Set_block_cyclic_proc_grid: block, grid */
  CWI_GA_TILED,          /* Set_tiled_proc_grid: block, grid */
  CWI_GA_TILED_IRREGULAR /* Set_tiled_irreg_proc_grid: map, nblock, grid */
};

/* The array of a handle, and what the program has set for it before GA_Allocate. */
struct cwi_ga_array {
  cw_array array; /* NULL if not allocated */
  int group;      /* the group that has the array */
  int type;       /* code of C; 0 if not set yet */
  int ndim;       /* 0 if not set yet */
  int64_t dims[GA_MAX_DIM];
  char name[32];
  size_t bytes; /* memory of the array on this process; set by cwi_ga_take */

  /* The nominal array. If CW_GA_DISTRIBUTION has made the array cyclic, this is an array without
   * memory that has the blocks which the program sees. Otherwise it is NULL. See
   * array/nominal.c. */
  cw_array nominal;
  struct cwi_ga_copy *copies; /* copies of blocks that the program accesses */

  bool factor;  /* an array that ga_llt_f keeps for ga_llt_s and ga_llt_i */
  bool adopted; /* made by cw_array_to_ga, or a copy of such an array: `type` is the first code that
                   fits the elements */
  enum cwi_ga_partition partition;
  bool chunked;
  int64_t chunk[GA_MAX_DIM], block[GA_MAX_DIM];
  int nblock[GA_MAX_DIM], grid[GA_MAX_DIM];
  int64_t *map; /* first indices of blocks, dimension after dimension; NULL if none; owned */
  int64_t ghosts[GA_MAX_DIM];
  bool no_corners; /* GA_Update_ghosts does not update corners */
  int *members;    /* [member_count] ranks in the group that may have elements; NULL for all;
                      owned */
  int member_count;
  char property[32];
};

/* The handle of slot s is s - 1000. Slot 1000 is never used, because the handle 0 means failure. A
 * destroyed entry stays readable, and its handle is reused only after many other handles: see
 * wait/object_table.h. */
enum { CWI_GA_HANDLES = 32768, CWI_GA_FIRST = -1000 };

/* The state of GA in this process. */
struct cwi_ga {
  bool runs; /* set by GA_Initialize and GA_Terminate */
  /* Readers take no lock: an entry is complete before it is in the table. */
  struct cwi_ga_array *arrays[CWI_GA_HANDLES];
};
extern struct cwi_ga cwi_ga;

/* Returns the entry of a handle, or NULL if there is none. */
static inline struct cwi_ga_array *cwi_ga_entry(int g_a)
{
  const unsigned slot = (unsigned)g_a - (unsigned)CWI_GA_FIRST;
  return slot < CWI_GA_HANDLES ? __atomic_load_n(&cwi_ga.arrays[slot], __ATOMIC_ACQUIRE) : NULL;
}

/* Returns the number of dimensions of the array, or 0 if g_a is not a handle. */
static inline int cwi_ga_ndim(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return CWI_LIKELY(entry != NULL) ? entry->ndim : 0;
}

/* Returns the extents of the array, or NULL if g_a is not a handle. */
static inline const int64_t *cwi_ga_dims(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return entry != NULL ? entry->dims : NULL;
}

/* cwi_ga_take records the number of bytes that the array uses on this process. cwi_ga_taken returns
 * the number of bytes that all arrays use. */
void cwi_ga_take(struct cwi_ga_array *entry, size_t bytes);
size_t cwi_ga_taken(void);

/* Returns the error for a handle without an array. */
CWI_CHECKED cw_error cwi_ga_no_array(const char *what, int g_a);

/* Finds the array of the handle g_a. `what` is the name of the argument. Errors: CW_MISUSE. */
static inline CWI_CHECKED cw_error cwi_ga_array(const char *what, int g_a, cw_array *array)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (CWI_UNLIKELY(entry == NULL || entry->array == NULL)) {
    const cw_error error = cwi_ga_no_array(what, g_a);
    if (error == CW_OK) /* never true; without this an analyzer reports *array as not set */
      __builtin_unreachable();
    return error;
  }
  *array = entry->array;
  return CW_OK;
}

/* Like cwi_ga_array, for calls that query the distribution: finds the nominal array if there is
 * one. */
static inline CWI_CHECKED cw_error cwi_ga_array_seen(const char *what, int g_a, cw_array *array)
{
  CWI_TRY(cwi_ga_array(what, g_a, array));
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry->nominal != NULL)
    *array = entry->nominal;
  return CW_OK;
}

/* Finds the entry of a handle that is not allocated yet, for the Set_ calls. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_open(int g_a, struct cwi_ga_array **entry);

/* Allocates a handle for an array of the group. Local. Errors: CW_OUTSIDE (no memory; all handles
 * are in use). */
CWI_CHECKED cw_error cwi_ga_handle_new(int group, int *g_a, struct cwi_ga_array **entry);

/* Allocates a handle for an array with the settings of another. */
CWI_CHECKED cw_error cwi_ga_handle_like(const struct cwi_ga_array *from, int *g_a,
                                        struct cwi_ga_array **entry);

/* Frees the handle. The caller frees the array. */
void cwi_ga_handle_free(int g_a);
void cwi_ga_handles_stop(void);
