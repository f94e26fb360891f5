/* Converts ARMCI's strided and vector arguments to transfers of causeway.h. */
#include "shape.h"

#include "number/number_type.h"
#include "transfer/shape.h"

static cw_error check_strides(struct cwi_armci_side side, int levels)
{
  if (CWI_LIKELY(side.strides != NULL || levels == 0))
    return CW_OK;
  return cwi_misuse("%s is NULL, but stride_levels is %d", side.name, levels);
}

cw_error cwi_armci_strided(cw_transfer *transfer, struct cwi_armci_strides *storage,
                           struct cwi_armci_side local, struct cwi_armci_side remote,
                           const int *count, int levels)
{
  if (levels < 0 || levels > CW_MAX_LEVELS)
    return cwi_misuse("stride_levels is %d; it may be 0 to %d", levels, CW_MAX_LEVELS);
  CWI_TRY(cwi_check_not_null("count", count));
  CWI_TRY(check_strides(local, levels));
  CWI_TRY(check_strides(remote, levels));
  for (int level = 0; level <= levels; level++)
    if (CWI_UNLIKELY(count[level] < 0))
      return cwi_misuse("count[%d] is %d; it must not be negative", level, count[level]);
  for (int level = 0; level < levels; level++) {
    storage->counts[level] = (size_t)count[level + 1];
    storage->local[level] = local.strides[level];
    storage->remote[level] = remote.strides[level];
  }
  transfer->bytes = (size_t)count[0];
  transfer->levels = levels;
  transfer->counts = storage->counts;
  transfer->local_strides = storage->local;
  transfer->remote_strides = storage->remote;
  return CW_OK;
}

static cw_error check_descriptor(const armci_giov_t *one, int number)
{
  if (CWI_UNLIKELY(one->bytes < 0))
    return cwi_misuse("iov[%d].bytes is %d; it must not be negative", number, one->bytes);
  if (CWI_UNLIKELY(one->ptr_array_len < 0))
    return cwi_misuse("iov[%d].ptr_array_len is %d; it must not be negative", number,
                      one->ptr_array_len);
  if (one->bytes == 0 || one->ptr_array_len == 0 ||
      CWI_LIKELY(one->src_ptr_array != NULL && one->dst_ptr_array != NULL))
    return CW_OK;
  return cwi_misuse("iov[%d].%s is NULL", number,
                    one->src_ptr_array == NULL ? "src_ptr_array" : "dst_ptr_array");
}

cw_error cwi_armci_vectors(cw_transfer *transfer, cw_vector storage[CWI_ARMCI_BATCH],
                           const armci_giov_t *iov, int first, int count)
{
  const bool get = transfer->operation == CW_GET;
  CWI_TRY(cwi_check_not_null("iov", iov));
  for (int i = 0; i < count; i++) {
    const armci_giov_t *one = &iov[first + i];
    CWI_TRY(check_descriptor(one, first + i));
    storage[i].local = get ? one->dst_ptr_array : one->src_ptr_array;
    storage[i].remote = get ? one->src_ptr_array : one->dst_ptr_array;
    storage[i].bytes = (size_t)one->bytes;
    storage[i].count = (size_t)one->ptr_array_len;
  }
  transfer->vectors = storage;
  transfer->vector_count = (size_t)count;
  return CW_OK;
}

/* Describes strided memory as the local side of a shape. The remote side is not used. */
static cw_error local_shape(void *address, const int *strides, const int *count, int levels,
                            const char *buffer, struct cwi_shape *shape)
{
  const struct cwi_armci_side side = {"stride_arr", strides};
  struct cwi_armci_strides storage;
  cw_transfer transfer = {.local = address, .remote = address};
  CWI_TRY(cwi_armci_strided(&transfer, &storage, side, side, count, levels));
  CWI_TRY(cwi_armci_known_as(cwi_shape_from(&transfer, shape), "local is ptr"));
  if (shape->bytes == 0)
    return CW_OK;
  CWI_TRY(cwi_check_not_null("ptr", address));
  return cwi_check_not_null("buf", buffer);
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
