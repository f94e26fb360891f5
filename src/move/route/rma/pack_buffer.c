/* Temporary buffers for packed data. One is kept for reuse. */
#include "route/rma/pack_buffer.h"

#include "mpi/mpi_progress.h"
#include "number/number_kernels.h"
#include "team/world.h"
#include "transfer/shape_fragment.h"

#include <stdlib.h>

/* One buffer is kept because memory fresh from the system costs more than the copy into it. */
struct buffer {
  size_t bytes;
  size_t padding; /* aligns the data after it for any type */
};
static struct buffer *kept;

void *cwi_buffer_take(size_t bytes)
{
  cwi_threads_lock();
  struct buffer *buffer = kept != NULL && bytes <= CWI_BUFFER_BYTES ? kept : NULL;
  if (buffer != NULL)
    kept = NULL;
  cwi_threads_unlock();
  if (buffer == NULL) {
    const size_t size = bytes > CWI_BUFFER_BYTES ? bytes : CWI_BUFFER_BYTES;
    buffer = malloc(sizeof *buffer + size);
    if (buffer == NULL)
      return NULL;
    buffer->bytes = size;
  }
  return buffer + 1;
}

cw_error cwi_buffer_make(size_t bytes, char **buffer)
{
  *buffer = cwi_buffer_take(bytes);
  return *buffer != NULL ? CW_OK : cwi_outside("no memory to copy %zu bytes on their way", bytes);
}

void cwi_buffer_give(void *data)
{
  if (data == NULL)
    return;
  struct buffer *buffer = (struct buffer *)data - 1;
  cwi_threads_lock();
  if (kept == NULL && buffer->bytes == CWI_BUFFER_BYTES) {
    kept = buffer;
    buffer = NULL;
  }
  cwi_threads_unlock();
  free(buffer);
}

void cwi_buffers_stop(void)
{
  free(kept);
  kept = NULL;
}

void cwi_rma_pack(const struct cwi_transfer *transfer, char *buffer)
{
  if (!transfer->scaled) {
    cwi_pack_local(&transfer->shape, buffer);
    return;
  }
  const cwi_accumulate_kernel scale =
      cwi_scale_kernels[transfer->type]; /* the check has allowed scaling for the type */
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane)) {
    scale(buffer, (ptrdiff_t)plane.run, plane.local, plane.local_stride, plane.run, plane.rows,
          &transfer->scale);
    buffer += plane.rows * plane.run;
  }
}

/* Returns the next part, packed and scaled in the buffer. Called only if something is left. */
static struct cwi_transfer scaled_part(const struct cwi_transfer *transfer,
                                       struct cwi_fragments *fragments, char *buffer)
{
  struct cwi_transfer part = *transfer;
  struct cwi_plane plane;
  cwi_fragments_next(fragments, CWI_BUFFER_BYTES, &plane);
  part.shape = cwi_shape_of_plane(&plane);
  cwi_rma_pack(&part, buffer);
  plane.local = buffer;
  plane.local_stride = (ptrdiff_t)plane.run;
  part.shape = cwi_shape_of_plane(&plane);
  part.scaled = false;
  return part;
}

cw_error cwi_rma_move_parts(const struct cwi_transfer *transfer,
                            cw_error (*move)(const struct cwi_transfer *part, void *context),
                            void *context, char **left)
{
  struct cwi_fragments fragments = cwi_fragments(&transfer->shape, cwi_type_bytes[transfer->type]);
  fragments.reads_first = true;
  CWI_TRY(cwi_buffer_make(CWI_BUFFER_BYTES, left));
  while (cwi_fragments_left(&fragments)) {
    const struct cwi_transfer part = scaled_part(transfer, &fragments, *left);
    CWI_TRY(move(&part, context));
  }
  cwi_buffer_give(*left);
  *left = NULL;
  return CW_OK;
}

static bool buffers_overlap(const void *local, const void *remote, size_t bytes)
{
  const uintptr_t one = (uintptr_t)local, other = (uintptr_t)remote;
  return (one < other ? other - one : one - other) < bytes;
}

bool cwi_rma_reads_target(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  if (transfer->operation != CW_ACCUMULATE || transfer->process != cwi_world.process)
    return false;
  if (shape->vectors == NULL) {
    const struct cwi_extent to = cwi_shape_remote_extent(shape);
    const struct cwi_extent from = cwi_shape_local_extent(shape);
    return to.begin < from.end && from.begin < to.end;
  }
  for (size_t v = 0; v < shape->vector_count; v++) {
    const cw_vector *vector = &shape->vectors[v];
    for (size_t i = 0; i < vector->count; i++)
      if (buffers_overlap(vector->local[i], vector->remote[i], vector->bytes))
        return true;
  }
  return false;
}
