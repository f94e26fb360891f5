/* Distributed arrays: types and functions of the library.
 *
 * array_create.c          creates and destroys arrays
 * distribution.c          makes the axes of an array from the program's options
 * default_distribution.c  Global Arrays' default distribution
 * axis.c                  blocks, owners and segments of one dimension
 * element_place.c         which process has a block, and where in its memory
 * array_profile.c         for the profile: which element is at an address
 * array_walk.c            the walk over a part of an array, and its sections
 * array_query.c           properties of an array, and which process has which part
 * type_check.c            checks that an array has the program's element type
 * array_arguments.c       writes arrays as arguments of collective calls
 * array_list.c            writes lists of arrays as such arguments */
#pragma once

#include "array/axis.h"
#include "region/region.h"
#include "route/route.h"
#include "team/team.h"

#include <causeway/array.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_array {
  cw_team team;
  cw_region region;
  char name[CW_MAX_NAME + 1];
  cw_type type;
  size_t element;    /* bytes */
  bool long_doubles; /* CW_OPAQUE only: elements are one or two long doubles, whose padding is
                        ignored */
  int dimensions;
  cw_layout layout;
  bool column_major;
  bool plain; /* CW_BLOCKS in the usual order: holder h has block h, which cwi_plain_find finds */
  struct cwi_axis axes[CW_MAX_DIMENSIONS];
  int64_t total_blocks;
  int64_t *before;  /* [total_blocks] number of elements before each block in its holder's memory;
                       only with CW_ROUND_ROBIN if some blocks are shorter, otherwise NULL */
  int holders;      /* number of processes that may have data */
  int *ranks;       /* [holders] holder -> rank in the team; NULL if they are equal */
  int *holder_of;   /* [team size] rank -> holder, or -1 if none; if NULL, ranks below `holders` are
                       the holders */
  cw_device device; /* device that has my part; NULL if the host has it, or if I have no part */
  bool on_devices;  /* some member's part is on a device */
  int accesses;     /* accesses open on this process; counted with CW_CHECK */
  int attached;     /* matrices and epochs of this process that use the array */
  struct cwi_protection *protection; /* copies of the parts; NULL if the array is not protected */
};

/* A member that keeps copies of a part. */
struct cwi_keeper {
  int rank;
  size_t offset; /* of the first copy in its slice; the second one follows */
};

/* Copies of a protected array (src/data/protect). */
struct cwi_protection {
  cw_region region;           /* its slices have the copies */
  int keepers;                /* number of keepers of each part */
  uint64_t commits;           /* number of the last commit that is complete, or 0 */
  struct cwi_keeper keeper[]; /* [team size][keepers] */
};

/* Frees the copies of a protected array. Collective. Errors: as cw_region_free. */
CWI_CHECKED cw_error cwi_array_unprotect(cw_array array);

/* Called on each member before it allocates memory for an array, with the number of bytes that the
 * member will allocate. Returns an error if the array does not fit. */
typedef cw_error (*cwi_array_fits)(size_t bytes);

/* Like cw_array_create and cw_array_duplicate, but also for a team that the program has freed and
 * that other objects still use. If `fits` is NULL, it is not called. An error of `fits` on one
 * member is returned on all. */
CWI_CHECKED cw_error cwi_array_create(cw_team team, const cw_array_options *options,
                                      cwi_array_fits fits, cw_array *array);
CWI_CHECKED cw_error cwi_array_duplicate(cw_array array, const char *name, cwi_array_fits fits,
                                         cw_array *copy);

/* Create a layout array: an array without memory, which can only be queried for its distribution.
 * Collective over the team: all members have the same. cwi_array_layout_like copies the
 * distribution and the team of another array, or layout array. Errors: as cw_array_create. */
CWI_CHECKED cw_error cwi_array_layout(cw_team team, const cw_array_options *options,
                                      cw_array *layout_array);
CWI_CHECKED cw_error cwi_array_layout_like(cw_array from, cw_array *layout_array);

/* Frees a layout array and sets the handle to NULL. The handle may be NULL. Local. */
void cwi_array_discard(cw_array *layout_array);

/* Like cw_array_transfer and cw_array_start, but errors do not name these calls. */
CWI_CHECKED cw_error cwi_array_transfer(cw_array array, const cw_patch *patch);
CWI_CHECKED cw_error cwi_array_start(cw_array array, const cw_patch *patch, cw_handle *handle);

/* Finds the block that contains a whole patch, which must not be empty. Errors: CW_MISUSE (outside,
 * empty, in several blocks). */
CWI_CHECKED cw_error cwi_patch_block(cw_array array, const int64_t *lo, const int64_t *hi,
                                     int64_t block[]);

/* Returns a view of my block of a CW_BLOCKS array with its ghosts. The view's address is NULL if I
 * have no block. Like cw_array_access_block, but the access need not be released. If on_device, a
 * block on my device is returned, too. */
CWI_CHECKED cw_error cwi_own_block(cw_array array, bool on_device, cw_array_view *view);

/* Sets whether accesses may stay open. GA's programs need not release them. */
void cwi_accesses_may_stay_open(bool may);

/* Returns true if `array` is an existing array. */
bool cwi_is_array(const void *array);
CWI_CHECKED cw_error cwi_check_array(const char *name, cw_array array);

/* Checks that elements of an array may have this type. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_array_type(cw_type type);

/* Checks that the patch is in the array. The patch may be empty: hi is then lo - 1 in some
 * dimension. Errors name the arguments lo and hi. */
CWI_CHECKED cw_error cwi_check_patch(cw_array array, const int64_t *lo, const int64_t *hi);

/* Checks that an index is in the array. Errors name the argument index. */
CWI_CHECKED cw_error cwi_check_index(cw_array array, const int64_t *index);

/* Like cw_array_same_distribution. */
bool cwi_same_distribution(cw_array a, cw_array b);

/* cwi_patch_empty returns true if the patch, which may be outside of the array, has no elements.
 * cwi_patch_elements returns the number of elements of a patch, which must be in an array:
 * otherwise the number can overflow. */
bool cwi_patch_empty(int dimensions, const int64_t *lo, const int64_t *hi);
size_t cwi_patch_elements(int dimensions, const int64_t *lo, const int64_t *hi);

/* Conversions between holders, ranks and processes. A holder of a CW_BLOCKS array has the block at
 * its coordinates. */
static inline int cwi_holder_rank(cw_array array, int holder)
{
  return array->ranks != NULL ? array->ranks[holder] : holder;
}

/* Returns the holder at a rank, or -1 if the rank is not a holder. */
static inline int cwi_rank_holder(cw_array array, int rank)
{
  if (array->holder_of != NULL)
    return array->holder_of[rank];
  return rank < array->holders ? rank : -1;
}

static inline int cwi_rank_process(cw_array array, int rank)
{
  return array->team->process[rank];
}

/* Returns the address of a holder's part of the array, as this process maps it. */
static inline char *cwi_holder_base(cw_array array, int holder)
{
  return array->region->slices[cwi_holder_rank(array, holder)].address;
}

/* Returns true if the part of `rank` is on a device. */
static inline bool cwi_rank_on_device(cw_array array, int rank)
{
  return CWI_UNLIKELY(array->on_devices) && array->region->slices[rank].on_device;
}

/* Returns true if this process can load and store the part of `rank`. */
static inline bool cwi_rank_loadable(cw_array array, int rank)
{
  const int process = cwi_rank_process(array, rank);
  return (process == cwi_world.process || cwi_route_direct_reaches(process)) &&
         !cwi_rank_on_device(array, rank);
}

/* Returns the holder of a block, which is given by its number along each dimension. */
int cwi_block_holder(cw_array array, const int64_t block[]);
void cwi_holder_coordinates(cw_array array, int holder, int64_t coordinate[]);

/* Convert between a block and its row-major number. */
int64_t cwi_block_number(cw_array array, const int64_t block[]);
void cwi_block_at(cw_array array, int64_t number, int64_t block[]);

/* Sets lo and hi to the first and last indices of a block. In an empty block hi is lo - 1 in some
 * dimension. */
static inline void cwi_block_limits(cw_array array, const int64_t block[], int64_t *lo, int64_t *hi)
{
  for (int d = 0; d < array->dimensions; d++) {
    lo[d] = cwi_axis_start(&array->axes[d], block[d]);
    hi[d] = cwi_axis_end(&array->axes[d], block[d]) - 1;
  }
}

/* Finds the block of an index along each dimension. */
static inline void cwi_block_of(cw_array array, const int64_t index[], int64_t block[])
{
  for (int d = 0; d < array->dimensions; d++)
    block[d] = cwi_axis_block_of(&array->axes[d], index[d]);
}

/* Checks that an atomic update of the element at `address` can return its old value. This is not
 * possible on a device. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_atomic(cw_array array, const char *address, int process);

/* Position of an element: bytes from the base of its holder, and from one element to the next in
 * each dimension. `block` is the block of the element; a ghost cell belongs to the block that it
 * surrounds. */
struct cwi_place {
  int holder;
  size_t offset;
  ptrdiff_t strides[CW_MAX_DIMENSIONS];
};
void cwi_element_place(cw_array array, const int64_t block[], const int64_t index[],
                       struct cwi_place *place);

/* Finds the block and the index of the element at position `element` from the base of a holder. The
 * holder must have elements. For a ghost cell, finds the nearest element of the block. This is the
 * inverse of cwi_element_place. */
void cwi_element_at(cw_array array, int holder, int64_t element, int64_t block[], int64_t index[]);

/* Give the profile the name of the array and its layout in memory. cwi_array_count_from_one makes
 * the profile use Fortran's conventions: indices begin at 1, and the last dimension comes first. */
void cwi_array_name(cw_array array);
void cwi_array_count_from_one(cw_array array);

/* Lists all pieces of a patch that is in the array. The caller frees `pieces`. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_list_pieces(cw_array array, const int64_t *lo, const int64_t *hi,
                                     cw_piece **pieces, size_t *count);

/* Returns true if a patch is in one block that this process can load and store, and stores a view
 * of the patch in *view. The patch must not be empty. The caller has synchronised. */
bool cwi_patch_in_place(cw_array array, const int64_t *lo, const int64_t *hi, cw_array_view *view);

/* Computes the contribution of one dimension to the holder of an element of a plain array, and to
 * the number of elements before it in the holder's memory. Called for the outermost dimension
 * first. Returns one past the last index of the block along this dimension. */
static inline int64_t cwi_plain_step(const struct cwi_axis *axis, int64_t index, int64_t *holder,
                                     int64_t *before)
{
  const int64_t block = cwi_axis_block_of(axis, index);
  const int64_t start = cwi_axis_start(axis, block), end = cwi_axis_end(axis, block);
  *holder = *holder * axis->blocks + block;
  *before = *before * (end - start + 2 * axis->ghosts) + index - start + axis->ghosts;
  return end;
}

/* Finds the holder of an element of a plain array, and the element's offset in bytes from the
 * holder's base. Returns false if `index` is outside of the array, or if `hi` is not NULL and not
 * in the same block. Needs one pass and no division, because most transfers call it. */
static inline bool cwi_plain_find(cw_array array, const int64_t *index, const int64_t *hi,
                                  int *holder, size_t *offset)
{
  int64_t holder_so_far = 0, before = 0;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    if (CWI_UNLIKELY((uint64_t)index[d] >= (uint64_t)axis->extent))
      return false;
    const int64_t end = cwi_plain_step(axis, index[d], &holder_so_far, &before);
    if (hi != NULL && (hi[d] < index[d] || hi[d] >= end))
      return false;
  }
  *holder = (int)holder_so_far;
  *offset = (size_t)before * array->element;
  return true;
}

static inline bool cwi_has_ghosts(cw_array array)
{
  for (int d = 0; d < array->dimensions; d++)
    if (array->axes[d].ghosts > 0)
      return true;
  return false;
}

/* Starts to get the ghost cells on one side of my block, if there are any. side[d] is -1 if they
 * are before the block in dimension d, 1 if they are after it, and 0 if they have the block's
 * indices. */
CWI_CHECKED cw_error cwi_ghosts_start(cw_array array, const int64_t side[], cw_handle *handle);

/* Computes the field `before` of an array. All other fields of the distribution must be set.
 * Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_round_robin_note(cw_array array);

/* Returns the number of elements before block `number` of a CW_ROUND_ROBIN array in the memory of
 * the block's holder. */
size_t cwi_round_robin_before(cw_array array, int64_t number);

/* Returns the size in bytes of the part of a rank, or 0 if it has none. */
size_t cwi_rank_bytes(cw_array array, int rank);
