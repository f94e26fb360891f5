/* Distributed arrays, as the inside sees them.
 *
 * array_create.c          creating and destroying them
 * distribution.c          from the program's options to the axes of an array
 * default_distribution.c  Global Arrays' default distribution
 * axis.c                  blocks, owners and segments of one dimension
 * element_place.c         which process has a block, and where in its memory
 * array_profile.c         the way back, for the profile: what lies at an address
 * array_walk.c            the walk over a part of an array, and its sections
 * array_query.c           properties of an array, and which process has which part
 * type_check.c            whether an array is of the program's type
 * array_arguments.c       arrays as arguments of collective calls, in words */
#ifndef CWI_ARRAY_ARRAY_H
#define CWI_ARRAY_ARRAY_H

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
  bool long_doubles; /* of CW_OPAQUE: one or two long doubles, whose padding does not count */
  int dimensions;
  cw_layout layout;
  bool column_major;
  bool plain; /* CW_BLOCKS in the usual order: holder h has block h, which cwi_plain_find finds */
  struct cwi_axis axes[CW_MAX_DIMENSIONS];
  int64_t total_blocks;
  int64_t *before;  /* CW_ROUND_ROBIN, if some blocks are shorter: [total_blocks] elements that the
                       block's  holder has before it; or NULL */
  int holders;      /* processes that may have data */
  int *ranks;       /* [holders] holder -> rank in the team; NULL: the same */
  int *holder_of;   /* [team size] rank -> holder or -1; NULL: the same, below `holders` */
  cw_device device; /* that has my part; NULL: the host has it, or there is none */
  bool on_devices;  /* some member's part lies on a device */
  int accesses;     /* that are open here; with CW_CHECK */
  int attached;     /* matrices and epochs that use it here */
};

/* Asked on each member before it takes memory for an array: it needs so many bytes there. */
typedef cw_error (*cwi_array_fits)(size_t bytes);

/* cw_array_create and cw_array_duplicate; also for a team that the program has freed: what keeps it
 * uses it. fits: NULL: nobody is asked. Errors: also those that it has on one member, on all. */
CWI_CHECKED cw_error cwi_array_create(cw_team team, const cw_array_options *options,
                                      cwi_array_fits fits, cw_array *array);
CWI_CHECKED cw_error cwi_array_duplicate(cw_array array, const char *name, cwi_array_fits fits,
                                         cw_array *copy);

/* A layout_array: an array without memory, of which only the distribution may be asked. Collective
 * over the team: all have the same. _like: the distribution and the team of another array, or
 * layout_array. Errors as cw_array_create. */
CWI_CHECKED cw_error cwi_array_layout(cw_team team, const cw_array_options *options,
                                      cw_array *layout_array);
CWI_CHECKED cw_error cwi_array_layout_like(cw_array from, cw_array *layout_array);

/* Local; sets it to NULL, which it may be. */
void cwi_array_discard(cw_array *layout_array);

/* cw_array_transfer and cw_array_start, without the names of these calls. */
CWI_CHECKED cw_error cwi_array_transfer(cw_array array, const cw_patch *patch);
CWI_CHECKED cw_error cwi_array_start(cw_array array, const cw_patch *patch, cw_handle *handle);

/* The block that has all of a patch, which is not empty. Errors: CW_MISUSE (outside, empty, in
 * several blocks). */
CWI_CHECKED cw_error cwi_patch_block(cw_array array, const int64_t *lo, const int64_t *hi,
                                     int64_t block[]);

/* My block of a CW_BLOCKS array with its ghosts; address NULL: I have none. As
 * cw_array_access_block, of which nobody tells the end. on_device: also if it lies on my device. */
CWI_CHECKED cw_error cwi_own_block(cw_array array, bool on_device, cw_array_view *view);

/* GA's programs need not release what they access. */
void cwi_accesses_may_stay_open(bool may);

/* Is this an array that lives? */
bool cwi_is_array(const void *array);
CWI_CHECKED cw_error cwi_check_array(const char *name, cw_array array);

/* Can elements of an array be of this type? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_array_type(cw_type type);

/* Does the patch lie in the array? Empty patches do. Names of arguments: lo, hi. */
CWI_CHECKED cw_error cwi_check_patch(cw_array array, const int64_t *lo, const int64_t *hi);

/* Does the index? Its argument is called index. */
CWI_CHECKED cw_error cwi_check_index(cw_array array, const int64_t *index);

/* As cw_array_same_distribution. */
bool cwi_same_distribution(cw_array a, cw_array b);

/* Has the patch, which may lie anywhere, no elements? Of one that an array can have: how many? */
bool cwi_patch_empty(int dimensions, const int64_t *lo, const int64_t *hi);
size_t cwi_patch_elements(int dimensions, const int64_t *lo, const int64_t *hi);

/* Holders, ranks, processes. A holder of a CW_BLOCKS array has the block at its coordinates. */
static inline int cwi_holder_rank(cw_array array, int holder)
{
  return array->ranks != NULL ? array->ranks[holder] : holder;
}

/* -1: none. */
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

/* Where a holder's part of the array begins, as this process names it. */
static inline char *cwi_holder_base(cw_array array, int holder)
{
  return array->region->slices[cwi_holder_rank(array, holder)].address;
}

/* Does what the rank has lie on a device? */
static inline bool cwi_rank_on_device(cw_array array, int rank)
{
  return CWI_UNLIKELY(array->on_devices) && array->region->slices[rank].on_device;
}

/* Can this process load and store what the rank has? */
static inline bool cwi_rank_loadable(cw_array array, int rank)
{
  const int process = cwi_rank_process(array, rank);
  return (process == cwi_world.process || cwi_route_direct_reaches(process)) &&
         !cwi_rank_on_device(array, rank);
}

/* The holder of a block given by its number along each dimension. */
int cwi_block_holder(cw_array array, const int64_t block[]);
void cwi_holder_coordinates(cw_array array, int holder, int64_t coordinate[]);

/* Row-major numbers of blocks. */
int64_t cwi_block_number(cw_array array, const int64_t block[]);
void cwi_block_at(cw_array array, int64_t number, int64_t block[]);

/* First and last indices of a block; of an empty one hi is lo - 1 somewhere. */
static inline void cwi_block_limits(cw_array array, const int64_t block[], int64_t *lo, int64_t *hi)
{
  for (int d = 0; d < array->dimensions; d++) {
    lo[d] = cwi_axis_start(&array->axes[d], block[d]);
    hi[d] = cwi_axis_end(&array->axes[d], block[d]) - 1;
  }
}

/* Which block an index belongs to along each dimension. */
static inline void cwi_block_of(cw_array array, const int64_t index[], int64_t block[])
{
  for (int d = 0; d < array->dimensions; d++)
    block[d] = cwi_axis_block_of(&array->axes[d], index[d]);
}

/* May an element, which lies there, be updated and its old value fetched? Not on a device. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_atomic(cw_array array, const char *address, int process);

/* Where an element lies: bytes from the base of its holder, and from one element to the next in
 * each dimension. block: the one that it belongs to; a ghost cell belongs to the block within. */
struct cwi_place {
  int holder;
  size_t offset;
  ptrdiff_t strides[CW_MAX_DIMENSIONS];
};
void cwi_element_place(cw_array array, const int64_t block[], const int64_t index[],
                       struct cwi_place *place);

/* The way back: the index, and the block, of the element that lies so many elements from the base
 * of a holder, which has some. A ghost cell is taken for the nearest element of its block. */
void cwi_element_at(cw_array array, int holder, int64_t element, int64_t block[], int64_t index[]);

/* For the profile: what the array is called, and how it lies in its processes' memory; and that the
 * program counts indices from 1, and dimensions from the last, as Fortran's do. */
void cwi_array_name(cw_array array);
void cwi_array_count_from_one(cw_array array);

/* All pieces of a patch that lies in the array; to be freed. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_list_pieces(cw_array array, const int64_t *lo, const int64_t *hi,
                                     cw_piece **pieces, size_t *count);

/* A pointer to a patch that is not empty, if it lies in one block that this process can load and
 * store; false: it does not. Whoever asks has synchronised. */
bool cwi_patch_in_place(cw_array array, const int64_t *lo, const int64_t *hi, cw_array_view *view);

/* One dimension of the way from an index of a plain array to its holder and to the elements before
 * it there, outermost dimension first. Returns one past the last index of its block. */
static inline int64_t cwi_plain_step(const struct cwi_axis *axis, int64_t index, int64_t *holder,
                                     int64_t *before)
{
  const int64_t block = cwi_axis_block_of(axis, index);
  const int64_t start = cwi_axis_start(axis, block), end = cwi_axis_end(axis, block);
  *holder = *holder * axis->blocks + block;
  *before = *before * (end - start + 2 * axis->ghosts) + index - start + axis->ghosts;
  return end;
}

/* Where an element of a plain array is: its holder, and bytes from the holder's base. hi: if not
 * NULL, a corner that shall lie in the same block. False: it does not, or index is outside. One
 * pass without a division: what most transfers of most programs need. */
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

/* Start getting the ghost cells that lie before my block (-1), beside it (0) or after it (1) in
 * each dimension, if there are such cells. */
CWI_CHECKED cw_error cwi_ghosts_start(cw_array array, const int64_t side[], cw_handle *handle);

/* Fill in `before`, which needs all else. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_round_robin_note(cw_array array);

/* Elements that the holder of this block, of those that are dealt, has in blocks before it. */
size_t cwi_round_robin_before(cw_array array, int64_t number);

/* Bytes that a rank needs for what it has; 0: it has nothing. */
size_t cwi_rank_bytes(cw_array array, int rank);
#endif
