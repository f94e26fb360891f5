/* Access to arrays that CW_GA_DISTRIBUTION has made cyclic. The program sees one block for each
 * process, its nominal patch, but it loads and stores in a private copy of the block. NGA_Access
 * fetches a patch into the copy, and NGA_Release_update puts the patch into the array. All open
 * patches of a block are in the same copy, because GA has them in the same memory, too. Elements
 * that the program stores stay in the copy until they are put into the array. If the program
 * accesses the same elements again, only those that it has not changed are fetched. */
#include "ga/array/nominal.h"

#include "array/array_walk.h"
#include "base/log.h"
#include "base/operation_counts.h"
#include "wait/lock.h"

#include <stdlib.h>
#include <string.h>

/* An open patch: a patch with `times` accesses that have not been released yet. */
struct open_patch {
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM];
  uint64_t times;
  struct open_patch *next;
};

/* The copy of a block. Its elements are stored row by row. */
struct cwi_ga_copy {
  cw_array_view block; /* the view that the program gets */
  char *fetched;       /* the elements as they were last fetched or put into the array */
  struct open_patch *open;
  struct cwi_ga_copy *next;
};

/* Guards the lists of all arrays, because several threads may access and release. */
static uint32_t lock;

/* --- Rows of a patch --- */

typedef void (*row_function)(char *mine, char *fetched, size_t bytes, void *context);

static size_t offset_of(const struct cwi_ga_copy *copy, int ndim, const int64_t *index)
{
  ptrdiff_t offset = 0;
  for (int d = 0; d < ndim; d++)
    offset += (index[d] - copy->block.lo[d]) * copy->block.strides[d];
  return (size_t)offset;
}

static void for_rows(const struct cwi_ga_copy *copy, int ndim, const int64_t *lo, const int64_t *hi,
                     row_function function, void *context)
{
  const size_t bytes =
      (size_t)(hi[ndim - 1] - lo[ndim - 1] + 1) * (size_t)copy->block.strides[ndim - 1];
  int64_t index[GA_MAX_DIM];
  memcpy(index, lo, (size_t)ndim * sizeof *index);
  do {
    const size_t offset = offset_of(copy, ndim, index);
    function((char *)copy->block.address + offset, copy->fetched + offset, bytes, context);
  } while (cwi_index_next(ndim - 1, lo, hi, index));
}

/* Fetched elements, row by row, and the size of one element. */
struct fresh {
  const char *next;
  size_t element;
};

/* Updates a row of the copy, except the elements that the program has changed. */
static void merge_row(char *mine, char *fetched, size_t bytes, void *context)
{
  struct fresh *fresh = context;
  if (memcmp(mine, fetched, bytes) == 0)
    memcpy(mine, fresh->next, bytes);
  else
    for (size_t at = 0; at < bytes; at += fresh->element)
      if (memcmp(mine + at, fetched + at, fresh->element) == 0)
        memcpy(mine + at, fresh->next + at, fresh->element);
  memcpy(fetched, fresh->next, bytes);
  fresh->next += bytes;
}

static void compare_row(char *mine, char *fetched, size_t bytes, void *changed)
{
  if (memcmp(mine, fetched, bytes) != 0)
    *(bool *)changed = true;
}

static void note_row(char *mine, char *fetched, size_t bytes, void *unused)
{
  (void)unused;
  memcpy(fetched, mine, bytes);
}

static void restore_row(char *mine, char *fetched, size_t bytes, void *unused)
{
  (void)unused;
  memcpy(mine, fetched, bytes);
}

/* --- Access --- */

static struct cwi_ga_copy *find_copy(const struct cwi_ga_array *entry, const int64_t *lo)
{
  struct cwi_ga_copy *copy = entry->copies;
  while (copy != NULL && memcmp(copy->block.lo, lo, (size_t)entry->ndim * sizeof *lo) != 0)
    copy = copy->next;
  return copy;
}

static void free_copy(struct cwi_ga_copy *copy)
{
  free(copy->block.address);
  free(copy->fetched);
  free(copy);
}

/* Creates a copy of the block from lo to hi. Returns NULL if there is no memory. */
static struct cwi_ga_copy *new_copy(struct cwi_ga_array *entry, const int64_t *lo,
                                    const int64_t *hi)
{
  struct cwi_ga_copy *copy = calloc(1, sizeof *copy);
  size_t bytes = entry->array->element;
  if (copy == NULL)
    return NULL;
  for (int d = entry->ndim - 1; d >= 0; d--) {
    copy->block.lo[d] = lo[d];
    copy->block.extents[d] = hi[d] - lo[d] + 1;
    copy->block.strides[d] = (ptrdiff_t)bytes;
    bytes *= (size_t)copy->block.extents[d];
  }
  copy->block.address = calloc(1, bytes);
  copy->fetched = calloc(1, bytes);
  if (copy->block.address != NULL && copy->fetched != NULL) {
    copy->next = entry->copies;
    entry->copies = copy;
    return copy;
  }
  free_copy(copy);
  return NULL;
}

/* Returns the copy of a block, and creates it first if necessary. Returns NULL if there is no
 * memory. */
static struct cwi_ga_copy *copy_of_block(struct cwi_ga_array *entry, const int64_t block[])
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  cwi_block_limits(entry->nominal, block, lo, hi);
  struct cwi_ga_copy *copy = find_copy(entry, lo);
  return copy != NULL ? copy : new_copy(entry, lo, hi);
}

/* Returns the address of the pointer to the open patch with these bounds. If there is no such
 * patch, that pointer is NULL. */
static struct open_patch **find_open(struct cwi_ga_copy *copy, int ndim, const int64_t *lo,
                                     const int64_t *hi)
{
  const size_t bytes = (size_t)ndim * sizeof *lo;
  struct open_patch **patch = &copy->open;
  while (*patch != NULL &&
         (memcmp((*patch)->lo, lo, bytes) != 0 || memcmp((*patch)->hi, hi, bytes) != 0))
    patch = &(*patch)->next;
  return patch;
}

/* Counts an access to a patch. Returns false if there is no memory. */
static bool note_open(struct cwi_ga_copy *copy, int ndim, const int64_t *lo, const int64_t *hi)
{
  struct open_patch *patch = *find_open(copy, ndim, lo, hi);
  if (patch == NULL) {
    patch = calloc(1, sizeof *patch);
    if (patch == NULL)
      return false;
    memcpy(patch->lo, lo, (size_t)ndim * sizeof *lo);
    memcpy(patch->hi, hi, (size_t)ndim * sizeof *hi);
    patch->next = copy->open;
    copy->open = patch;
  }
  patch->times++;
  return true;
}

/* Opens a patch: merges its fetched elements into the copy of its block, and stores the view of the
 * patch. Returns false if there is no memory. */
static bool open_patch(struct cwi_ga_array *entry, const int64_t block[], const int64_t *lo,
                       const int64_t *hi, const char *fetched, cw_array_view *view)
{
  const int ndim = entry->ndim;
  struct fresh fresh = {fetched, entry->array->element};
  struct cwi_ga_copy *copy = copy_of_block(entry, block);
  if (copy == NULL || !note_open(copy, ndim, lo, hi))
    return false;
  for_rows(copy, ndim, lo, hi, merge_row, &fresh);
  *view = copy->block;
  view->address = (char *)copy->block.address + offset_of(copy, ndim, lo);
  for (int d = 0; d < ndim; d++) {
    view->lo[d] = lo[d];
    view->extents[d] = hi[d] - lo[d] + 1;
  }
  return true;
}

static size_t nominal_bytes(const struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi)
{
  return cwi_patch_elements(entry->ndim, lo, hi) * entry->array->element;
}

static void count_bytes(uint64_t *count, uint64_t *sum, size_t bytes)
{
  if (cwi_settings.stats == 0)
    return;
  *count += 1;
  *sum += bytes;
}

cw_error cwi_ga_nominal_access(struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi,
                               cw_array_view *view)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  CWI_TRY(cwi_patch_block(entry->nominal, lo, hi, block));
  const size_t bytes = nominal_bytes(entry, lo, hi);
  char *fetched = malloc(bytes);
  bool there = fetched != NULL;
  const cw_error error = there ? cw_array_get(entry->array, lo, hi, fetched, NULL) : CW_OK;
  if (there && error == CW_OK) {
    cwi_lock(&lock);
    there = open_patch(entry, block, lo, hi, fetched, view);
    count_bytes(&cwi_statistics.handed_out, &cwi_statistics.handed_out_bytes, bytes);
    cwi_unlock(&lock);
  }
  free(fetched);
  if (!there)
    return cwi_outside("no memory for a copy of %zu bytes of array '%s'", bytes, entry->name);
  return error;
}

/* --- Release --- */

static bool covers(int ndim, const struct open_patch *patch, const int64_t *lo, const int64_t *hi)
{
  for (int d = 0; d < ndim; d++)
    if (patch->lo[d] > lo[d] || patch->hi[d] < hi[d])
      return false;
  return true;
}

static bool overlap(int ndim, const struct open_patch *patch, const int64_t *lo, const int64_t *hi,
                    int64_t *common_lo, int64_t *common_hi)
{
  for (int d = 0; d < ndim; d++) {
    common_lo[d] = patch->lo[d] > lo[d] ? patch->lo[d] : lo[d];
    common_hi[d] = patch->hi[d] < hi[d] ? patch->hi[d] : hi[d];
    if (common_lo[d] > common_hi[d])
      return false;
  }
  return true;
}

static cw_error put_patch(const struct cwi_ga_array *entry, const struct cwi_ga_copy *copy,
                          const int64_t *lo, const int64_t *hi)
{
  const int ndim = entry->ndim;
  const char *from = (const char *)copy->block.address + offset_of(copy, ndim, lo);
  CWI_TRY(cw_array_put(entry->array, lo, hi, from, copy->block.extents + 1));
  for_rows(copy, ndim, lo, hi, note_row, NULL);
  count_bytes(&cwi_statistics.put_back, &cwi_statistics.put_back_bytes,
              nominal_bytes(entry, lo, hi));
  return CW_OK;
}

static bool is_covered(const struct cwi_ga_copy *copy, int ndim, const int64_t *lo,
                       const int64_t *hi)
{
  for (const struct open_patch *patch = copy->open; patch != NULL; patch = patch->next)
    if (covers(ndim, patch, lo, hi))
      return true;
  return false;
}

/* Puts the parts of a patch that are in open patches into the array. There is no copy of the other
 * elements. */
static cw_error put_open(const struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi)
{
  int64_t common_lo[GA_MAX_DIM], common_hi[GA_MAX_DIM];
  for (const struct cwi_ga_copy *copy = entry->copies; copy != NULL; copy = copy->next) {
    if (is_covered(copy, entry->ndim, lo, hi))
      return put_patch(entry, copy, lo, hi);
    for (const struct open_patch *patch = copy->open; patch != NULL; patch = patch->next)
      if (overlap(entry->ndim, patch, lo, hi, common_lo, common_hi))
        CWI_TRY(put_patch(entry, copy, common_lo, common_hi));
  }
  return CW_OK;
}

static bool stores_were_lost; /* set after the first warning */

/* Checks a patch that has just been closed. If it is inside another open patch, nothing is lost.
 * Otherwise, stores that have not been put into the array are lost; the first time, this logs a
 * warning. */
static void settle(struct cwi_ga_array *entry, const struct cwi_ga_copy *copy, const int64_t *lo,
                   const int64_t *hi)
{
  bool changed = false;
  if (is_covered(copy, entry->ndim, lo, hi))
    return;
  for_rows(copy, entry->ndim, lo, hi, compare_row, &changed);
  if (!changed)
    return;
  for_rows(copy, entry->ndim, lo, hi, restore_row, NULL);
  if (!stores_were_lost)
    cwi_log(CWI_LOG_WARNING,
            "the values that this process has stored in array '%s' through a pointer of NGA_Access "
            "are lost: with CW_GA_DISTRIBUTION only NGA_Release_update copies them into the array",
            entry->name);
  stores_were_lost = true;
}

/* Closes the patch at *patch and removes it from the list, whatever its number of accesses. */
static void close_first(struct cwi_ga_array *entry, const struct cwi_ga_copy *copy,
                        struct open_patch **patch)
{
  struct open_patch *closed = *patch;
  *patch = closed->next;
  settle(entry, copy, closed->lo, closed->hi);
  free(closed);
}

static void drop_first(struct cwi_ga_copy **copy)
{
  struct cwi_ga_copy *unused = *copy;
  *copy = unused->next;
  free_copy(unused);
}

/* Ends one access to the patch with these bounds. */
static void end_access(struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi)
{
  for (struct cwi_ga_copy **copy = &entry->copies; *copy != NULL; copy = &(*copy)->next) {
    struct open_patch **patch = find_open(*copy, entry->ndim, lo, hi);
    if (*patch == NULL)
      continue;
    (*patch)->times--;
    if ((*patch)->times == 0)
      close_first(entry, *copy, patch);
    if ((*copy)->open == NULL)
      drop_first(copy);
    return;
  }
}

cw_error cwi_ga_nominal_release(struct cwi_ga_array *entry, const int64_t *lo, const int64_t *hi,
                                bool update)
{
  cwi_lock(&lock);
  const cw_error error = update ? put_open(entry, lo, hi) : CW_OK;
  if (error == CW_OK)
    end_access(entry, lo, hi);
  cwi_unlock(&lock);
  return error;
}

bool cwi_ga_nominal_part(const struct cwi_ga_array *entry, int rank, int64_t *lo, int64_t *hi)
{
  return cwi_rank_holder(entry->nominal, rank) >= 0 &&
         cw_array_part(entry->nominal, rank, lo, hi) == CW_OK &&
         !cwi_patch_empty(entry->ndim, lo, hi);
}

/* --- Destruction --- */

void cwi_ga_nominal_end(struct cwi_ga_array *entry)
{
  cwi_lock(&lock);
  while (entry->copies != NULL) {
    while (entry->copies->open != NULL)
      close_first(entry, entry->copies, &entry->copies->open);
    drop_first(&entry->copies);
  }
  cwi_unlock(&lock);
  cwi_array_discard(&entry->nominal);
}

void cwi_ga_nominals_stop(void)
{
  for (int slot = 0; slot < CWI_GA_HANDLES; slot++)
    if (cwi_ga.arrays[slot] != NULL)
      cwi_ga_nominal_end(cwi_ga.arrays[slot]);
  stores_were_lost = false;
}
