/* Checks a transfer and reduces it to what the routes need. */
#include "transfer/transfer.h"

#include "memory/device_address.h"
#include "region/region.h"
#include "transfer/fetching_update.h"

cw_transfer cw_contiguous(cw_operation operation, void *local, void *remote, size_t bytes,
                          int process)
{
  return (cw_transfer){.operation = operation,
                       .type = CW_DOUBLE,
                       .process = process,
                       .local = local,
                       .remote = remote,
                       .bytes = bytes};
}

cw_transfer cw_strided(cw_operation operation, void *local, const ptrdiff_t *local_strides,
                       void *remote, const ptrdiff_t *remote_strides, size_t bytes,
                       const size_t *counts, int levels, int process)
{
  cw_transfer transfer = cw_contiguous(operation, local, remote, bytes, process);
  transfer.levels = levels;
  transfer.counts = counts;
  transfer.local_strides = local_strides;
  transfer.remote_strides = remote_strides;
  return transfer;
}

cw_transfer cw_vectors(cw_operation operation, const cw_vector *vectors, size_t vector_count,
                       int process)
{
  return (cw_transfer){.operation = operation,
                       .type = CW_DOUBLE,
                       .process = process,
                       .vectors = vectors,
                       .vector_count = vector_count};
}

static cw_error check_elements(size_t bytes, cw_type type)
{
  if (bytes % cwi_type_bytes[type] == 0)
    return CW_OK;
  return cwi_misuse("bytes is %zu; an accumulate of type %s moves multiples of %zu bytes", bytes,
                    cwi_type_word(type), cwi_type_bytes[type]);
}

static cw_error check_accumulate(const cw_transfer *given, struct cwi_transfer *transfer)
{
  CWI_TRY(cwi_reduction_check(given->reduction, given->type));
  if (given->scale != NULL && (given->reduction != CW_SUM || given->type >= CW_TYPES))
    return cwi_misuse("scale is not NULL; reduction %s of type %s takes none",
                      cwi_operation_word((int)given->reduction), cwi_type_word(given->type));
  transfer->type = given->type;
  transfer->reduction = given->reduction;
  transfer->lock_free = given->lock_free;
  transfer->scaled = cwi_scale_read(given->type, given->scale, &transfer->scale);
  if (given->vectors == NULL)
    return check_elements(given->bytes, given->type);
  for (size_t v = 0; v < given->vector_count; v++)
    CWI_TRY(check_elements(given->vectors[v].bytes, given->type));
  return CW_OK;
}

static cw_error check_lock_free(const void *remote, cw_type type)
{
  if (CWI_UNLIKELY(cwi_is_device_address(remote)))
    return cwi_misuse("remote is %p, device memory, where no accumulate is lock-free", remote);
  return cwi_update_aligned("remote", (uintptr_t)remote, type);
}

/* Checks the alignment of all remote elements of a lock-free accumulate. */
static cw_error check_alignment(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  if (shape->vectors == NULL)
    CWI_TRY(check_lock_free(shape->remote, transfer->type));
  for (int level = 0; shape->vectors == NULL && level < shape->levels; level++)
    CWI_TRY(cwi_update_aligned("a remote stride", (uintptr_t)shape->remote_strides[level],
                               transfer->type));
  for (size_t v = 0; shape->vectors != NULL && v < shape->vector_count; v++)
    for (size_t i = 0; i < shape->vectors[v].count && shape->vectors[v].bytes > 0; i++)
      CWI_TRY(check_lock_free(shape->vectors[v].remote[i], transfer->type));
  return CW_OK;
}

static cw_error check_local(const struct cwi_transfer *transfer, const char *local)
{
  if (CWI_UNLIKELY(local == NULL))
    return cwi_misuse("local is NULL: there is no local buffer");
  return transfer->local_device || transfer->reduction == CW_NO_OP
             ? CW_OK
             : cwi_check_host_buffer("local", local);
}

/* Checks one segment. `place` is the location of the previous segment and is kept if this one lies
 * in the same slice. */
static cw_error check_segment(const struct cwi_transfer *transfer, const cw_vector *vector,
                              size_t i, cwi_locate_function locate, struct cwi_location *place)
{
  const char *remote = vector->remote[i];
  if (place->slice == NULL || (size_t)(remote - place->slice->address) >= place->slice->bytes)
    *place = (struct cwi_location){.memory = transfer->place.memory};
  CWI_TRY(check_local(transfer, vector->local[i]));
  return locate(transfer->process, remote, vector->bytes, place);
}

static cw_error check_vectors(const struct cwi_transfer *transfer, cwi_locate_function locate)
{
  const struct cwi_shape *shape = &transfer->shape;
  struct cwi_location place = {.memory = transfer->place.memory};
  for (size_t v = 0; v < shape->vector_count; v++) {
    const cw_vector *vector = &shape->vectors[v];
    if (vector->count == 0 || vector->bytes == 0)
      continue;
    if (vector->local == NULL || vector->remote == NULL)
      return cwi_misuse("the %s addresses of vector %zu are NULL",
                        vector->local == NULL ? "local" : "remote", v);
    for (size_t i = 0; i < vector->count; i++) {
      const cw_error error = check_segment(transfer, vector, i, locate, &place);
      if (CWI_UNLIKELY(error != CW_OK))
        return cwi_error_append(error, "segment %zu of vector %zu", i, v);
    }
  }
  return CW_OK;
}

static cw_error check_places(cwi_locate_function locate, struct cwi_transfer *transfer)
{
  if (transfer->shape.vectors != NULL)
    return check_vectors(transfer, locate);
  const struct cwi_extent extent = cwi_shape_remote_extent(&transfer->shape);
  /* The first and the last byte of the extent are bytes that the transfer touches. */
  const char *begin = (const char *)extent.begin; /* NOLINT(performance-no-int-to-ptr) */
  CWI_TRY(check_local(transfer, transfer->shape.local));
  return locate(transfer->process, begin, extent.end - extent.begin, &transfer->place);
}

cw_error cwi_transfer_check(const cw_transfer *given, cwi_locate_function locate,
                            struct cwi_transfer *transfer)
{
  if (CWI_UNLIKELY((int)given->operation < CW_PUT || given->operation > CW_ACCUMULATE))
    return cwi_misuse("operation is %d; it may be 0 (put) to 2 (accumulate)",
                      (int)given->operation);
  transfer->operation = given->operation;
  transfer->process = given->process;
  transfer->type = CW_DOUBLE;
  transfer->reduction = CW_SUM;
  transfer->lock_free = false;
  transfer->scaled = false;
  transfer->local_device = given->local_device;
  CWI_TRY(cwi_shape_from(given, &transfer->shape));
  if (given->operation == CW_ACCUMULATE)
    CWI_TRY(check_accumulate(given, transfer));
  if (transfer->shape.bytes == 0)
    return CW_OK;
  if (transfer->reduction == CW_NO_OP && transfer->shape.local == NULL)
    transfer->shape.local = transfer->shape.remote; /* the local side is never read */
  CWI_TRY(check_places(locate, transfer));
  if (transfer->lock_free)
    CWI_TRY(check_alignment(transfer));
  if (CWI_UNLIKELY(transfer->reduction == CW_NO_OP))
    transfer->shape.bytes = 0;
  return CW_OK;
}
