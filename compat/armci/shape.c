#include "shape.h"

#include "transfer/kernels.h"
#include "transfer/shape.h"

cw_error cwi_armci_strided(cw_transfer *transfer, struct cwi_armci_strides *room,
                           const int *local_strides, const int *remote_strides, const int *count,
                           int levels)
{
  if (levels < 0 || levels > CW_MAX_LEVELS)
    return cwi_misuse("stride_levels is %d; it may be 0 to %d", levels, CW_MAX_LEVELS);
  CWI_TRY(cwi_armci_given("count", count));
  CWI_TRY(cwi_armci_not_negative("count[0]", count[0]));
  if (levels > 0 && (local_strides == NULL || remote_strides == NULL))
    return cwi_misuse("a stride array is NULL; stride_levels is %d", levels);
  for (int level = 0; level < levels; level++) {
    CWI_TRY(cwi_armci_not_negative("count of blocks", count[level + 1]));
    room->counts[level] = (size_t)count[level + 1];
    room->local[level] = local_strides[level];
    room->remote[level] = remote_strides[level];
  }
  transfer->bytes = (size_t)count[0];
  transfer->levels = levels;
  transfer->counts = room->counts;
  transfer->local_strides = room->local;
  transfer->remote_strides = room->remote;
  return CW_OK;
}

cw_error cwi_armci_vectors(cw_transfer *transfer, cw_vector room[CWI_ARMCI_BATCH],
                           const armci_giov_t *iov, int count)
{
  const bool get = transfer->operation == CW_GET;
  CWI_TRY(cwi_armci_given("the array of descriptors", iov));
  for (int i = 0; i < count; i++) {
    CWI_TRY(cwi_armci_not_negative("bytes of a descriptor", iov[i].bytes));
    CWI_TRY(cwi_armci_not_negative("ptr_array_len of a descriptor", iov[i].ptr_array_len));
    room[i].local = get ? iov[i].dst_ptr_array : iov[i].src_ptr_array;
    room[i].remote = get ? iov[i].src_ptr_array : iov[i].dst_ptr_array;
    room[i].bytes = (size_t)iov[i].bytes;
    room[i].count = (size_t)iov[i].ptr_array_len;
  }
  transfer->vectors = room;
  transfer->vector_count = (size_t)count;
  return CW_OK;
}

/* Strided memory as the local side of a shape; the other side is not looked at. */
static cw_error local_shape(void *address, const int *strides, const int *count, int levels,
                            const char *buffer, struct cwi_shape *shape)
{
  struct cwi_armci_strides room;
  cw_transfer transfer = {.local = address, .remote = address};
  CWI_TRY(cwi_armci_strided(&transfer, &room, strides, strides, count, levels));
  CWI_TRY(cwi_shape_from(&transfer, shape));
  if (shape->bytes == 0)
    return CW_OK;
  CWI_TRY(cwi_armci_given("ptr", address));
  return cwi_armci_given("buf", buffer);
}

void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf)
{
  struct cwi_shape shape;
  if (CWI_ARMCI(local_shape(ptr, stride_arr, count, stride_levels, buf, &shape)) == 0)
    cwi_pack_local(&shape, buf);
}

void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf)
{
  struct cwi_shape shape;
  if (CWI_ARMCI(local_shape(ptr, stride_arr, count, stride_levels, buf, &shape)) == 0)
    cwi_unpack_local(&shape, buf);
}
