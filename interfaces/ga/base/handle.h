/* GA's handles of arrays: a table of this process, from -1000 upwards. */
#ifndef CWI_GA_BASE_HANDLE_H
#define CWI_GA_BASE_HANDLE_H

#include "base/error.h"

#include "gacommon.h"

#include <causeway.h>

#include <stdbool.h>
#include <stdint.h>

/* Groups that are always there. */
enum { CWI_GA_WORLD = -1, CWI_GA_MIRROR = 0 };

/* Which of the Set_ calls said how the array is to be cut. */
enum cwi_ga_partition {
  CWI_GA_REGULAR,        /* none: chunk, or nothing */
  CWI_GA_IRREGULAR,      /* Set_irreg_distr: map, nblock */
  CWI_GA_BLOCK_CYCLIC,   /* Set_block_cyclic: block */
  CWI_GA_SCALAPACK,      /* Set_block_cyclic_proc_grid: block, grid */
  CWI_GA_TILED,          /* Set_tiled_proc_grid: block, grid */
  CWI_GA_TILED_IRREGULAR /* Set_tiled_irreg_proc_grid: map, nblock, grid */
};

/* What a handle stands for: an array, and what the program has said of it before GA_Allocate. */
struct cwi_ga_array {
  cw_array array; /* NULL: not allocated */
  int group;      /* who has it */
  int type;       /* code of C; 0: not said yet */
  int ndim;       /* 0: not said yet */
  int64_t dims[GA_MAX_DIM];
  char name[32];
  size_t bytes; /* of my memory; cwi_ga_take sets it */

  /* What the program sees of an array that CW_GA_DISTRIBUTION has made cyclic: a layout_array in
   * blocks; NULL: `array`. array/nominal.c has the rest. */
  cw_array nominal;
  struct cwi_ga_copy *copies; /* of blocks that are accessed */

  bool factor;  /* one that ga_llt_f keeps for ga_llt_s and ga_llt_i */
  bool adopted; /* by cw_array_to_ga, or a copy of such a one: the type is the first that fits */
  enum cwi_ga_partition cut;
  bool chunked;
  int64_t chunk[GA_MAX_DIM], block[GA_MAX_DIM];
  int nblock[GA_MAX_DIM], grid[GA_MAX_DIM];
  int64_t *map; /* first indices of blocks, dimension after dimension; NULL: none; owned */
  int64_t ghosts[GA_MAX_DIM];
  bool no_corners; /* of ghost cells */
  int *members;    /* [member_count] ranks in the group that may have data; NULL: all; owned */
  int member_count;
  char property[32];
};

/* The handle of slot s is s - 1000. Slot 1000 stays free: the handle 0 means failure. What was
 * destroyed stays readable, and its handle is given again only after many others: see
 * wait/object_table.h. */
enum { CWI_GA_HANDLES = 32768, CWI_GA_FIRST = -1000 };
extern struct cwi_ga_array *cwi_ga_arrays[CWI_GA_HANDLES];

/* What the handle stands for; NULL: nothing. */
static inline struct cwi_ga_array *cwi_ga_entry(int g_a)
{
  const unsigned slot = (unsigned)g_a - (unsigned)CWI_GA_FIRST;
  return slot < CWI_GA_HANDLES ? __atomic_load_n(&cwi_ga_arrays[slot], __ATOMIC_ACQUIRE) : NULL;
}

/* How many dimensions the array has; 0 for what is no handle. */
static inline int cwi_ga_ndim(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return CWI_LIKELY(entry != NULL) ? entry->ndim : 0;
}

/* Its extents; NULL for what is no handle. */
static inline const int64_t *cwi_ga_dims(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return entry != NULL ? entry->dims : NULL;
}

/* The array takes so much of my memory from now on. What all arrays take. */
void cwi_ga_take(struct cwi_ga_array *entry, size_t bytes);
size_t cwi_ga_taken(void);

/* The message for a handle that stands for no array. */
CWI_CHECKED cw_error cwi_ga_no_array(const char *what, int g_a);

/* The array of a handle that a call was given as argument `what`. Errors: CW_MISUSE. */
static inline CWI_CHECKED cw_error cwi_ga_array(const char *what, int g_a, cw_array *array)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (CWI_UNLIKELY(entry == NULL || entry->array == NULL)) {
    const cw_error error = cwi_ga_no_array(what, g_a);
    if (error == CW_OK) /* never; an analyzer that does not know takes *array for unset */
      __builtin_unreachable();
    return error;
  }
  *array = entry->array;
  return CW_OK;
}

/* The same for questions about the distribution: the array as the program sees it. */
static inline CWI_CHECKED cw_error cwi_ga_array_seen(const char *what, int g_a, cw_array *array)
{
  CWI_TRY(cwi_ga_array(what, g_a, array));
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry->nominal != NULL)
    *array = entry->nominal;
  return CW_OK;
}

/* A handle that has no array yet: for the Set_ calls. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_open(int g_a, struct cwi_ga_array **entry);

/* Take a handle, for an array of the group. Local. Errors: CW_OUTSIDE (memory; all are in use). */
CWI_CHECKED cw_error cwi_ga_handle_new(int group, int *g_a, struct cwi_ga_array **entry);

/* A handle for an array with the settings of another. */
CWI_CHECKED cw_error cwi_ga_handle_like(const struct cwi_ga_array *from, int *g_a,
                                        struct cwi_ga_array **entry);

/* Give the handle back; the array is somebody else's affair. */
void cwi_ga_handle_free(int g_a);
void cwi_ga_handles_stop(void);
#endif
