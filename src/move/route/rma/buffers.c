/* Buffers for packed data; one is kept. */
#include "route/rma/buffers.h"

#include "mpi/call.h"
#include "number/kernels.h"

#include <stdlib.h>

/* Memory fresh from the system costs more than the copy into it. */
static const size_t KEPT_BYTES = (size_t)1 << 20;

struct buffer {
  size_t bytes;
  size_t padding; /* what follows is aligned for any type */
};
static struct buffer *kept;

void *cwi_buffer_take(size_t bytes)
{
  cwi_threads_lock();
  struct buffer *buffer = kept != NULL && bytes <= KEPT_BYTES ? kept : NULL;
  if (buffer != NULL)
    kept = NULL;
  cwi_threads_unlock();
  if (buffer == NULL) {
    const size_t size = bytes > KEPT_BYTES ? bytes : KEPT_BYTES;
    buffer = malloc(sizeof *buffer + size);
    if (buffer == NULL)
      return NULL;
    buffer->bytes = size;
  }
  return buffer + 1;
}

void cwi_buffer_give(void *data)
{
  if (data == NULL)
    return;
  struct buffer *buffer = (struct buffer *)data - 1;
  cwi_threads_lock();
  if (kept == NULL && buffer->bytes == KEPT_BYTES) {
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
  const cwi_accumulate_kernel scale = cwi_scale_kernels[transfer->type]; /* it may be scaled */
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane)) {
    scale(buffer, (ptrdiff_t)plane.run, plane.local, plane.local_stride, plane.run, plane.rows,
          &transfer->scale);
    buffer += plane.rows * plane.run;
  }
}
