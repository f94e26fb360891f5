/* Packs the elements of one owner for a message, and adds or moves the elements of a message. */
#include "matrix/owner_elements.h"

#include "number/number_kernels.h"
#include "transfer/transfer.h"

/* --- Owners ----------------------------------------------------------------------------------- */

/* Starts the walk over owners. Along a dimension of a grid, coordinates repeat after `grid` blocks,
 * so the first `grid` blocks name all owners. With CW_ROUND_ROBIN any process may own some of the
 * blocks. */
void cwi_owners_begin(struct cwi_owners *owners, const struct cwi_selection *selection)
{
  cw_array array = owners->array = selection->array;
  owners->done = false;
  owners->holder = 0;
  for (int d = 0; d < array->dimensions && array->layout != CW_ROUND_ROBIN; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    const struct cwi_range *range = &selection->ranges[d];
    const int64_t last = cwi_axis_block_of(axis, range->first + range->count - 1);
    owners->first[d] = owners->block[d] = cwi_axis_block_of(axis, range->first);
    owners->last[d] =
        last - owners->first[d] < axis->grid ? last : owners->first[d] + axis->grid - 1;
  }
  if (array->layout != CW_ROUND_ROBIN)
    owners->holder = cwi_block_holder(array, owners->block);
}

void cwi_owners_next(struct cwi_owners *owners)
{
  cw_array array = owners->array;
  if (array->layout == CW_ROUND_ROBIN) {
    owners->done = ++owners->holder == array->holders;
    return;
  }
  owners->done = !cwi_index_next(array->dimensions, owners->first, owners->last, owners->block);
  owners->holder = cwi_block_holder(array, owners->block);
}

/* - Their elements - */

static size_t portion_bytes(const struct cwi_portion *portion)
{
  size_t bytes = portion->run;
  for (int level = 0; level < portion->levels; level++)
    bytes *= portion->counts[level];
  return bytes;
}

bool cwi_owns(const struct cwi_selection *selection, int holder)
{
  struct cwi_portions portions;
  cwi_portions_begin_at(&portions, selection, holder);
  return !portions.done;
}

size_t cwi_owned_bytes(const struct cwi_selection *selection, int holder)
{
  struct cwi_portions portions;
  struct cwi_portion portion;
  size_t bytes = 0;
  cwi_portions_begin_at(&portions, selection, holder);
  while (!portions.done) {
    cwi_portions_take(&portions, &portion);
    bytes += portion_bytes(&portion);
  }
  return bytes;
}

/* Makes the shape of the part of a portion that is in the buffer. */
static cw_error buffer_shape(const struct cwi_portion *portion, char *buffer,
                             struct cwi_shape *shape)
{
  const cw_transfer transfer = cw_strided(CW_PUT, buffer + portion->local, portion->local_strides,
                                          buffer, portion->local_strides, portion->run,
                                          portion->counts, portion->levels, cwi_world.process);
  return cwi_shape_from(&transfer, shape);
}

cw_error cwi_owned_pack(const struct cwi_selection *selection, int holder, char *buffer,
                        char *elements)
{
  struct cwi_portions portions;
  struct cwi_portion portion;
  struct cwi_shape shape;
  cwi_portions_begin_at(&portions, selection, holder);
  while (!portions.done) {
    cwi_portions_take(&portions, &portion);
    CWI_TRY(buffer_shape(&portion, buffer, &shape));
    cwi_pack_local(&shape, elements);
    elements += shape.bytes;
  }
  return CW_OK;
}

cw_error cwi_owned_add(const struct cwi_selection *selection, int holder, char *buffer,
                       const char *elements, const void *alpha)
{
  const cw_type type = selection->array->type;
  struct cwi_portions portions;
  struct cwi_portion portion;
  struct cwi_shape shape;
  struct cwi_plane plane;
  union cwi_scalar factor = {0};
  const bool scaled = alpha != NULL && cwi_scale_read(type, alpha, &factor);
  const cwi_accumulate_kernel add = cwi_accumulate_kernels[type][scaled];
  cwi_portions_begin_at(&portions, selection, holder);
  while (!portions.done) {
    cwi_portions_take(&portions, &portion);
    CWI_TRY(buffer_shape(&portion, buffer, &shape));
    struct cwi_planes planes = cwi_planes(&shape);
    while (cwi_planes_next(&planes, &plane)) {
      add(plane.local, plane.local_stride, elements, (ptrdiff_t)plane.run, plane.run, plane.rows,
          &factor);
      elements += plane.run * plane.rows;
    }
  }
  return CW_OK;
}

/* --- At the owner ----------------------------------------------------------------------------- */

/* Changes the local strides of a portion to those of contiguous elements. */
static void set_packed(struct cwi_portion *portion)
{
  size_t bytes = portion->run;
  portion->local = 0;
  for (int level = 0; level < portion->levels; level++) {
    portion->local_strides[level] = (ptrdiff_t)bytes;
    bytes *= portion->counts[level];
  }
}

static cw_error move_here(const struct cwi_selection *selection, cw_operation operation,
                          const void *alpha, char *local, bool packed)
{
  cw_array array = selection->array;
  const int holder = cwi_rank_holder(array, array->team->rank);
  struct cwi_portions portions;
  struct cwi_portion portion;
  cwi_portions_begin_at(&portions, selection, holder);
  while (!portions.done) {
    cwi_portions_take(&portions, &portion);
    if (packed)
      set_packed(&portion);
    cw_transfer transfer =
        cw_strided(operation, local + portion.local, portion.local_strides,
                   cwi_holder_base(array, holder) + portion.remote, portion.remote_strides,
                   portion.run, portion.counts, portion.levels, cwi_world.process);
    transfer.type = array->type;
    transfer.scale = alpha;
    CWI_TRY(cwi_start_transfer(&transfer, true, NULL));
    if (packed)
      local += portion_bytes(&portion);
  }
  return CW_OK;
}

cw_error cwi_owned_move(const struct cwi_selection *selection, cw_operation operation,
                        const void *alpha, char *buffer)
{
  return move_here(selection, operation, alpha, buffer, false);
}

cw_error cwi_owned_move_packed(const struct cwi_selection *selection, cw_operation operation,
                               const void *alpha, char *elements)
{
  return move_here(selection, operation, alpha, elements, true);
}
