/* Put, get and accumulate of all shapes, blocking and non-blocking. All are started by the same
 * function. */
#include "shape.h"

#include "route/route.h"

#include <string.h>

/* Used in place of a handle. With it, a transfer call waits for local completion before it
 * returns. */
static armci_hdl_t blocking[1];

static cw_transfer armci_put(void *src, void *dst, int proc)
{
  return (cw_transfer){.operation = CW_PUT, .process = proc, .local = src, .remote = dst};
}

static cw_transfer armci_get(void *src, void *dst, int proc)
{
  return (cw_transfer){.operation = CW_GET, .process = proc, .local = dst, .remote = src};
}

static cw_transfer armci_accumulate(int datatype, const void *scale, void *src, void *dst, int proc)
{
  return (cw_transfer){.operation = CW_ACCUMULATE,
                       .type = (cw_type)datatype,
                       .scale = scale,
                       .process = proc,
                       .local = src,
                       .remote = dst};
}

/* Starts a transfer. If it is blocking, waits for its local completion. */
static cw_error armci_finish(const cw_transfer *transfer, armci_hdl_t *handle)
{
  if (handle == blocking)
    return cw_transfer_run(transfer);
  if (handle == NULL)
    return cw_transfer_start(transfer, NULL);
  cw_handle native_handle = cwi_armci_native_handle(handle);
  const cw_error error = cw_transfer_start(transfer, &native_handle);
  memcpy(handle, &native_handle, sizeof native_handle);
  return error;
}

/* ARMCI's names for the arguments that native messages call local, remote, process and type. */
#define PUTS(suffix, proc) "local is src" suffix ", remote is dst" suffix ", process is " proc
#define GETS(suffix, proc) "local is dst" suffix ", remote is src" suffix ", process is " proc
#define ACCUMULATES(suffix) PUTS(suffix, "proc, type is datatype")
#define ALL(suffix)                                                                                \
  {                                                                                                \
    PUTS(suffix, "proc"), GETS(suffix, "proc"), ACCUMULATES(suffix)                                \
  }
static const char *const of_contiguous[] = ALL("");
static const char *const of_strided[] = ALL("_ptr");
static const char *const of_vectors[] = ALL("_ptr_array");

/* Returns an error if `datatype` is not one of ARMCI_Acc_e. Causeway has more types. The type field
 * of a put or get always passes. */
static inline cw_error armci_check_type(int datatype)
{
  if (CWI_LIKELY((unsigned)datatype <= ARMCI_ACC_DCP))
    return CW_OK;
  return cwi_misuse("datatype is %d; it may be ARMCI_ACC_INT (0) to ARMCI_ACC_DCP (5)", datatype);
}

static cw_error contiguous(cw_transfer transfer, int bytes, armci_hdl_t *handle)
{
  CWI_TRY(cwi_check_not_negative("bytes", bytes));
  CWI_TRY(armci_check_type((int)transfer.type));
  transfer.bytes = (size_t)bytes;
  return cwi_armci_known_as(armci_finish(&transfer, handle), of_contiguous[transfer.operation]);
}

/* Sets all fields of a transfer except its shape. It sets them one by one, because clearing and
 * copying a whole transfer takes longer than moving a short row. */
static inline void armci_begin(cw_transfer *transfer, cw_operation operation, void *local,
                               void *remote, int proc)
{
  transfer->operation = operation;
  transfer->type = CW_DOUBLE;
  transfer->scale = NULL;
  transfer->reduction = CW_SUM;
  transfer->lock_free = false;
  transfer->local_device = false;
  transfer->process = proc;
  transfer->local = local;
  transfer->remote = remote;
  transfer->vectors = NULL;
  transfer->vector_count = 0;
}

static cw_error strided(cw_transfer *transfer, const int *local_strides, const int *remote_strides,
                        const int *count, int levels, armci_hdl_t *handle)
{
  const bool get = transfer->operation == CW_GET;
  const struct cwi_armci_side local = {get ? "dst_stride_ar" : "src_stride_ar", local_strides};
  const struct cwi_armci_side remote = {get ? "src_stride_ar" : "dst_stride_ar", remote_strides};
  struct cwi_armci_strides storage;
  CWI_TRY(armci_check_type((int)transfer->type));
  CWI_TRY(cwi_armci_strided(transfer, &storage, local, remote, count, levels));
  return cwi_armci_known_as(armci_finish(transfer, handle), of_strided[transfer->operation]);
}

cw_error cwi_armci_put_strided(void *src, const int *src_strides, void *dst, const int *dst_strides,
                               const int *count, int levels, int proc)
{
  cw_transfer transfer;
  armci_begin(&transfer, CW_PUT, src, dst, proc);
  return strided(&transfer, src_strides, dst_strides, count, levels, blocking);
}

static cw_error vectors(cw_transfer transfer, const armci_giov_t *iov, int iov_len,
                        armci_hdl_t *handle)
{
  cw_vector storage[CWI_ARMCI_BATCH];
  CWI_TRY(cwi_check_not_negative("iov_len", iov_len));
  CWI_TRY(armci_check_type((int)transfer.type));
  for (int left = iov_len; left > 0; left -= CWI_ARMCI_BATCH) {
    const int first = iov_len - left;
    CWI_TRY(cwi_armci_vectors(&transfer, storage, iov, first,
                              left < CWI_ARMCI_BATCH ? left : CWI_ARMCI_BATCH));
    const cw_error error = armci_finish(&transfer, handle);
    if (CWI_UNLIKELY(error != CW_OK))
      return cwi_reword_number(cwi_armci_known_as(error, of_vectors[transfer.operation]), "vector",
                               "iov", (size_t)first);
  }
  return CW_OK;
}

/* Contiguous transfers. Small transfers are usually blocking, so the blocking calls add only a
 * branch to the native calls. */

static const char put_names[] = PUTS("", "target");
static const char get_names[] = GETS("", "target");

int PARMCI_Put(void *src, void *dst, int size, int target)
{
  return CWI_ARMCI(CWI_LIKELY(size >= 0)
                       ? cwi_armci_known_as(cw_put(src, dst, (size_t)size, target), put_names)
                       : cwi_check_not_negative("size", size));
}

int PARMCI_Get(void *src, void *dst, int size, int target)
{
  return CWI_ARMCI(CWI_LIKELY(size >= 0)
                       ? cwi_armci_known_as(cw_get(dst, src, (size_t)size, target), get_names)
                       : cwi_check_not_negative("size", size));
}

static cw_error accumulate_now(int datatype, const void *scale, const void *src, void *dst,
                               int bytes, int proc)
{
  if (CWI_UNLIKELY(bytes < 0))
    return cwi_check_not_negative("bytes", bytes);
  CWI_TRY(armci_check_type(datatype));
  return cwi_armci_known_as(cw_accumulate((cw_type)datatype, scale, src, dst, (size_t)bytes, proc),
                            of_contiguous[CW_ACCUMULATE]);
}

int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc)
{
  return CWI_ARMCI(accumulate_now(datatype, scale, src, dst, bytes, proc));
}

int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
  return CWI_ARMCI(contiguous(armci_put(src, dst, proc), bytes, hdl));
}

int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{
  return CWI_ARMCI(contiguous(armci_get(src, dst, proc), bytes, hdl));
}

int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                 armci_hdl_t *hdl)
{
  return CWI_ARMCI(contiguous(armci_accumulate(datatype, scale, src, dst, proc), bytes, hdl));
}

/* Strided transfers. Most patches are blocking transfers of rows. If plain loads and stores can
 * move the rows, no cw_transfer is built. */

/* If stride_levels is 1, stores the rows that the arguments describe in *plane and returns true.
 * Otherwise returns false. A negative count becomes a size that is too large for any plane. */
static inline bool armci_rows(struct cwi_plane *plane, void *local, const int *local_strides,
                              void *remote, const int *remote_strides, const int *count, int levels)
{
  if (levels != 1 || local_strides == NULL || remote_strides == NULL || count == NULL)
    return false;
  *plane = (struct cwi_plane){
      local, remote, (size_t)count[0], (size_t)count[1], local_strides[0], remote_strides[0]};
  return true;
}

int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc)
{
  struct cwi_plane plane;
  if (armci_rows(&plane, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels) &&
      CWI_LIKELY(cwi_try_put_rows(proc, &plane)))
    return 0;
  cw_transfer transfer;
  armci_begin(&transfer, CW_PUT, src_ptr, dst_ptr, proc);
  return CWI_ARMCI(
      strided(&transfer, src_stride_ar, dst_stride_ar, count, stride_levels, blocking));
}

int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc)
{
  struct cwi_plane plane;
  if (armci_rows(&plane, dst_ptr, dst_stride_ar, src_ptr, src_stride_ar, count, stride_levels) &&
      CWI_LIKELY(cwi_try_get_rows(proc, &plane)))
    return 0;
  cw_transfer transfer;
  armci_begin(&transfer, CW_GET, dst_ptr, src_ptr, proc);
  return CWI_ARMCI(
      strided(&transfer, dst_stride_ar, src_stride_ar, count, stride_levels, blocking));
}

static inline bool armci_try_accumulate(int datatype, const void *scale, int proc,
                                        const struct cwi_plane *plane)
{
  return (unsigned)datatype <= ARMCI_ACC_DCP &&
         cwi_try_accumulate_rows((cw_type)datatype, scale, proc, plane);
}

int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                int dst_stride_ar[], int count[], int stride_levels, int proc)
{
  struct cwi_plane plane;
  if (armci_rows(&plane, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels) &&
      CWI_LIKELY(armci_try_accumulate(datatype, scale, proc, &plane)))
    return 0;
  cw_transfer transfer;
  armci_begin(&transfer, CW_ACCUMULATE, src_ptr, dst_ptr, proc);
  transfer.type = (cw_type)datatype;
  transfer.scale = scale;
  return CWI_ARMCI(
      strided(&transfer, src_stride_ar, dst_stride_ar, count, stride_levels, blocking));
}

int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl)
{
  cw_transfer transfer;
  armci_begin(&transfer, CW_PUT, src_ptr, dst_ptr, proc);
  return CWI_ARMCI(strided(&transfer, src_stride_ar, dst_stride_ar, count, stride_levels, hdl));
}

int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl)
{
  cw_transfer transfer;
  armci_begin(&transfer, CW_GET, dst_ptr, src_ptr, proc);
  return CWI_ARMCI(strided(&transfer, dst_stride_ar, src_stride_ar, count, stride_levels, hdl));
}

int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                  int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t *hdl)
{
  cw_transfer transfer;
  armci_begin(&transfer, CW_ACCUMULATE, src_ptr, dst_ptr, proc);
  transfer.type = (cw_type)datatype;
  transfer.scale = scale;
  return CWI_ARMCI(strided(&transfer, src_stride_ar, dst_stride_ar, count, stride_levels, hdl));
}

/* Vector transfers. */

int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc)
{
  return CWI_ARMCI(vectors(armci_put(NULL, NULL, proc), iov, iov_len, blocking));
}

int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc)
{
  return CWI_ARMCI(vectors(armci_get(NULL, NULL, proc), iov, iov_len, blocking));
}

int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc)
{
  return CWI_ARMCI(
      vectors(armci_accumulate(datatype, scale, NULL, NULL, proc), iov, iov_len, blocking));
}

int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle)
{
  return CWI_ARMCI(vectors(armci_put(NULL, NULL, proc), iov, iov_len, handle));
}

int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle)
{
  return CWI_ARMCI(vectors(armci_get(NULL, NULL, proc), iov, iov_len, handle));
}

int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc,
                  armci_hdl_t *handle)
{
  return CWI_ARMCI(
      vectors(armci_accumulate(datatype, scale, NULL, NULL, proc), iov, iov_len, handle));
}

CWI_TWIN(ARMCI_Put);
CWI_TWIN(ARMCI_Get);
CWI_TWIN(ARMCI_Acc);
CWI_TWIN(ARMCI_NbPut);
CWI_TWIN(ARMCI_NbGet);
CWI_TWIN(ARMCI_NbAcc);
CWI_TWIN(ARMCI_PutS);
CWI_TWIN(ARMCI_GetS);
CWI_TWIN(ARMCI_AccS);
CWI_TWIN(ARMCI_NbPutS);
CWI_TWIN(ARMCI_NbGetS);
CWI_TWIN(ARMCI_NbAccS);
CWI_TWIN(ARMCI_PutV);
CWI_TWIN(ARMCI_GetV);
CWI_TWIN(ARMCI_AccV);
CWI_TWIN(ARMCI_NbPutV);
CWI_TWIN(ARMCI_NbGetV);
CWI_TWIN(ARMCI_NbAccV);
