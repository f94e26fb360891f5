/* GA's one-sided transfers: put, get and accumulate of patches, blocking and nonblocking, and
 * Read_inc. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include "transfer/handle.h"

#include <string.h>

/* --- Patches --- */

cw_error cwi_ga_check_order(cw_array array, const int64_t *lo, const int64_t *hi)
{
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  for (int d = 0; d < array->dimensions; d++)
    if (CWI_UNLIKELY(hi[d] < lo[d]))
      return cwi_misuse(
          "hi[%d] is %lld, less than lo[%d], which is %lld: a patch of array '%s' has "
          "at least one element",
          d, (long long)hi[d], d, (long long)lo[d], array->name);
  return CW_OK;
}

/* Finds the array of a transfer. ld may be NULL if there is only one dimension. */
static inline cw_error open_array(int g_a, const void *buf, const void *ld, cw_array *array)
{
  CWI_TRY(cwi_ga_array("g_a", g_a, array));
  if (CWI_UNLIKELY(ld == NULL && (*array)->dimensions > 1))
    return cwi_check_not_null("ld", ld);
  return cwi_check_not_null("buf", buf);
}

/* A patch of an array, reduced to the elements that GA transfers. */
struct ga_part {
  cw_array array;
  cw_patch patch;
  struct cwi_ga_index lo, hi;
  bool empty;
};

/* Reduces the patch to the elements that are inside the array. If the patch has gaps, lo moves by
 * whole steps, so that the same elements are transferred. */
static void clip_patch(struct ga_part *part)
{
  cw_patch *patch = &part->patch;
  uint64_t bytes = patch->field_bytes > 0 ? patch->field_bytes : part->array->element, skipped = 0;
  for (int d = part->array->dimensions - 1; d >= 0; d--) {
    const int64_t lo = patch->lo[d], hi = patch->hi[d], last = part->array->axes[d].extent - 1;
    const uint64_t step = patch->skip != NULL && patch->skip[d] > 1 ? (uint64_t)patch->skip[d] : 1;
    const uint64_t before = lo < 0 ? (0 - (uint64_t)lo + step - 1) / step : 0;
    part->lo.at[d] = (int64_t)((uint64_t)lo + before * step);
    part->hi.at[d] = hi < last ? hi : last;
    part->empty |= part->lo.at[d] > part->hi.at[d];
    skipped += before * bytes;
    if (d > 0)
      bytes *= (uint64_t)patch->ld[d - 1];
  }
  patch->lo = part->lo.at;
  patch->hi = part->hi.at;
  if (!part->empty)
    patch->buffer = (char *)patch->buffer + skipped;
}

static cw_error open_patch(int g_a, const cw_patch *patch, struct ga_part *part)
{
  part->patch = *patch;
  part->empty = false;
  CWI_TRY(open_array(g_a, patch->buffer, patch->ld, &part->array));
  if (patch->operation == CW_ACCUMULATE) /* GA has no default for alpha */
    CWI_TRY(cwi_check_not_null("alpha", patch->scale));
  if (patch->periodic || !cwi_ga_clips(g_a, part->array))
    return cwi_ga_check_order(part->array, patch->lo, patch->hi);
  CWI_TRY(cwi_check_not_null("lo", patch->lo));
  CWI_TRY(cwi_check_not_null("hi", patch->hi));
  clip_patch(part);
  return CW_OK;
}

/* Does a transfer of any kind and waits for it. */
static cw_error ga_move(int g_a, const cw_patch *patch)
{
  struct ga_part part;
  CWI_TRY(open_patch(g_a, patch, &part));
  return part.empty ? CW_OK : cw_array_transfer(part.array, &part.patch);
}

static cw_patch plain(cw_operation operation, const int64_t *lo, const int64_t *hi, const void *buf,
                      const int64_t *ld, const void *alpha)
{
  return (cw_patch){.operation = operation,
                    .lo = lo,
                    .hi = hi,
                    .buffer = (void *)(uintptr_t)buf,
                    .ld = ld,
                    .scale = alpha};
}

static cw_error move_plain(int g_a, cw_operation operation, const int64_t *lo, const int64_t *hi,
                           const void *buf, const int64_t *ld, const void *alpha)
{
  const cw_patch patch = plain(operation, lo, hi, buf, ld, alpha);
  return ga_move(g_a, &patch);
}

static cw_error ga_put(int g_a, const int64_t *lo, const int64_t *hi, const void *buf,
                       const int64_t *ld)
{
  cw_array array = NULL;
  CWI_TRY(open_array(g_a, buf, ld, &array));
  if (cwi_ga_clips(g_a, array))
    return move_plain(g_a, CW_PUT, lo, hi, buf, ld, NULL);
  CWI_TRY(cwi_ga_check_order(array, lo, hi));
  return cw_array_put(array, lo, hi, buf, ld);
}

static cw_error ga_get(int g_a, const int64_t *lo, const int64_t *hi, void *buf, const int64_t *ld)
{
  cw_array array = NULL;
  CWI_TRY(open_array(g_a, buf, ld, &array));
  if (cwi_ga_clips(g_a, array))
    return move_plain(g_a, CW_GET, lo, hi, buf, ld, NULL);
  CWI_TRY(cwi_ga_check_order(array, lo, hi));
  return cw_array_get(array, lo, hi, buf, ld);
}

static cw_error ga_accumulate(int g_a, const int64_t *lo, const int64_t *hi, const void *buf,
                              const int64_t *ld, const void *alpha)
{
  cw_array array = NULL;
  CWI_TRY(open_array(g_a, buf, ld, &array));
  if (cwi_ga_clips(g_a, array))
    return move_plain(g_a, CW_ACCUMULATE, lo, hi, buf, ld, alpha);
  CWI_TRY(cwi_ga_check_order(array, lo, hi));
  CWI_TRY(cwi_check_not_null("alpha", alpha));
  return cw_array_accumulate(array, lo, hi, buf, ld, alpha);
}

void NGA_Put64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[])
{
  (void)CWI_GA(ga_put(g_a, lo, hi, buf, ld));
}

void NGA_Get64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[])
{
  (void)CWI_GA(ga_get(g_a, lo, hi, buf, ld));
}

void NGA_Acc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha)
{
  (void)CWI_GA(ga_accumulate(g_a, lo, hi, buf, ld, alpha));
}

CWI_GA_INT(void, NGA_Put, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *buf, int ld[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld)))
CWI_GA_INT(void, NGA_Get, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *buf, int ld[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld)))
CWI_GA_INT(void, NGA_Acc, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld), alpha))

/* --- With gaps, periodic, and parts of elements --- */

/* Returns the native handle. If the program never set the handle, or its operation is complete, the
 * native handle is empty. If its operation is in progress, the next operation is added to the same
 * native handle, so that a wait completes both. */
cw_handle cwi_ga_native_handle(const ga_nbhdl_t *handle)
{
  static const uint32_t aggregate = 0x80000000u;
  cw_handle native_handle;
  _Static_assert(sizeof native_handle == sizeof *handle, "a handle of GA holds one of Causeway");
  memcpy(&native_handle, handle, sizeof native_handle);
  const bool given = native_handle.index != 0 && (native_handle.generation & aggregate) == 0;
  return given && cwi_handle_runs(&native_handle) ? native_handle : (cw_handle){0};
}

static cw_error ga_transfer_start(int g_a, const cw_patch *patch, ga_nbhdl_t *handle)
{
  struct ga_part part;
  CWI_TRY(cwi_check_not_null("handle", handle));
  CWI_TRY(open_patch(g_a, patch, &part));
  cw_handle native_handle = cwi_ga_native_handle(handle);
  const cw_error error =
      part.empty ? CW_OK : cw_array_start(part.array, &part.patch, &native_handle);
  memcpy(handle, &native_handle, sizeof native_handle);
  return error;
}

static cw_error move_strided(int g_a, const cw_patch *patch)
{
  CWI_TRY(cwi_check_not_null("skip", patch->skip));
  return ga_move(g_a, patch);
}

void NGA_Strided_put64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[])
{
  (void)CWI_GA(move_strided(
      g_a,
      &(cw_patch){.operation = CW_PUT, .lo = lo, .hi = hi, .skip = skip, .buffer = buf, .ld = ld}));
}

void NGA_Strided_get64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[])
{
  (void)CWI_GA(move_strided(
      g_a,
      &(cw_patch){.operation = CW_GET, .lo = lo, .hi = hi, .skip = skip, .buffer = buf, .ld = ld}));
}

void NGA_Strided_acc64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[],
                       void *alpha)
{
  (void)CWI_GA(move_strided(g_a, &(cw_patch){.operation = CW_ACCUMULATE,
                                             .lo = lo,
                                             .hi = hi,
                                             .skip = skip,
                                             .buffer = buf,
                                             .ld = ld,
                                             .scale = alpha}));
}

CWI_GA_INT(void, NGA_Strided_put, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], int skip[], void *buf, int ld[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), CWI_WIDE(skip), buf, CWI_WIDE_LD(ld)))
CWI_GA_INT(void, NGA_Strided_get, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], int skip[], void *buf, int ld[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), CWI_WIDE(skip), buf, CWI_WIDE_LD(ld)))
CWI_GA_INT(void, NGA_Strided_acc, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], int skip[], void *buf, int ld[], void *alpha),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), CWI_WIDE(skip), buf, CWI_WIDE_LD(ld), alpha))

static cw_patch periodic(cw_operation operation, const int64_t *lo, const int64_t *hi, void *buf,
                         const int64_t *ld, const void *alpha)
{
  return (cw_patch){.operation = operation,
                    .lo = lo,
                    .hi = hi,
                    .periodic = true,
                    .buffer = buf,
                    .ld = ld,
                    .scale = alpha};
}

void NGA_Periodic_put64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[])
{
  const cw_patch patch = periodic(CW_PUT, lo, hi, buf, ld, NULL);
  (void)CWI_GA(ga_move(g_a, &patch));
}

void NGA_Periodic_get64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[])
{
  const cw_patch patch = periodic(CW_GET, lo, hi, buf, ld, NULL);
  (void)CWI_GA(ga_move(g_a, &patch));
}

void NGA_Periodic_acc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha)
{
  const cw_patch patch = periodic(CW_ACCUMULATE, lo, hi, buf, ld, alpha);
  (void)CWI_GA(ga_move(g_a, &patch));
}

CWI_GA_INT(void, NGA_Periodic_put, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld)))
CWI_GA_INT(void, NGA_Periodic_get, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld)))
CWI_GA_INT(void, NGA_Periodic_acc, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld), alpha))

/* Moves a field: some bytes of each element. GA's C interface has no such call with int64_t. */
cw_error cwi_ga_move_field(int g_a, const cw_patch *patch, int offset, int size, ga_nbhdl_t *handle)
{
  cw_patch field = *patch;
  CWI_TRY(cwi_check_not_negative("foff", offset));
  if (size <= 0)
    return cwi_misuse("fsize is %d; it must be positive", size);
  field.field_offset = (size_t)offset;
  field.field_bytes = (size_t)size;
  return cwi_ga_known_as(handle != NULL ? ga_transfer_start(g_a, &field, handle)
                                        : ga_move(g_a, &field),
                         "field_offset is foff, field_bytes is fsize");
}

/* The patch of a field call. Its indices are valid until the end of the enclosing block. */
#define FIELD(what)                                                                                \
  &(cw_patch)                                                                                      \
  {                                                                                                \
    .operation = (what), .lo = CWI_WIDE(lo), .hi = CWI_WIDE(hi), .buffer = buf,                    \
    .ld = CWI_WIDE_LD(ld)                                                                          \
  }

void NGA_Put_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  (void)CWI_GA(cwi_ga_move_field(g_a, FIELD(CW_PUT), foff, fsize, NULL));
}

void NGA_Get_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  (void)CWI_GA(cwi_ga_move_field(g_a, FIELD(CW_GET), foff, fsize, NULL));
}

void NGA_Nbput_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[],
                     ga_nbhdl_t *handle)
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  (void)CWI_GA(cwi_check_not_null("handle", handle));
  (void)CWI_GA(cwi_ga_move_field(g_a, FIELD(CW_PUT), foff, fsize, handle));
}

void NGA_Nbget_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[],
                     ga_nbhdl_t *handle)
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  (void)CWI_GA(cwi_check_not_null("handle", handle));
  (void)CWI_GA(cwi_ga_move_field(g_a, FIELD(CW_GET), foff, fsize, handle));
}

/* --- Nonblocking --- */

void NGA_NbPut64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], ga_nbhdl_t *handle)
{
  const cw_patch patch = plain(CW_PUT, lo, hi, buf, ld, NULL);
  (void)CWI_GA(ga_transfer_start(g_a, &patch, handle));
}

void NGA_NbGet64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], ga_nbhdl_t *handle)
{
  const cw_patch patch = plain(CW_GET, lo, hi, buf, ld, NULL);
  (void)CWI_GA(ga_transfer_start(g_a, &patch, handle));
}

void NGA_NbAcc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha,
                 ga_nbhdl_t *handle)
{
  const cw_patch patch = plain(CW_ACCUMULATE, lo, hi, buf, ld, alpha);
  (void)CWI_GA(ga_transfer_start(g_a, &patch, handle));
}

CWI_GA_INT(void, NGA_NbPut, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[], ga_nbhdl_t *handle),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld), handle))
CWI_GA_INT(void, NGA_NbGet, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[], ga_nbhdl_t *handle),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld), handle))
CWI_GA_INT(void, NGA_NbAcc, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha, ga_nbhdl_t *handle),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld), alpha, handle))

static cw_error ga_wait_for(ga_nbhdl_t *handle)
{
  CWI_TRY(cwi_ga_running());
  CWI_TRY(cwi_check_not_null("handle", handle));
  cw_handle native_handle = cwi_ga_native_handle(handle);
  const cw_error error = cw_wait(&native_handle);
  memcpy(handle, &native_handle, sizeof native_handle);
  return error;
}

void NGA_NbWait(ga_nbhdl_t *handle)
{
  (void)CWI_GA(ga_wait_for(handle));
}

static cw_error ga_test(ga_nbhdl_t *handle, bool *complete)
{
  CWI_TRY(cwi_ga_running());
  CWI_TRY(cwi_check_not_null("handle", handle));
  cw_handle native_handle = cwi_ga_native_handle(handle);
  const cw_error error = cw_test(&native_handle, complete);
  memcpy(handle, &native_handle, sizeof native_handle);
  return error;
}

int NGA_NbTest(ga_nbhdl_t *handle)
{
  bool complete = true;
  (void)CWI_GA(ga_test(handle, &complete));
  return complete;
}

/* --- Increments --- */

static cw_error read_increment(int g_a, const int64_t *index, long inc, int64_t *before)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  return cw_array_read_increment(array, index, inc, before);
}

long NGA_Read_inc64(int g_a, int64_t index[], long inc)
{
  int64_t before = 0;
  (void)CWI_GA(read_increment(g_a, index, inc, &before));
  return (long)before;
}

CWI_GA_INT(long, NGA_Read_inc, cwi_ga_ndim(g_a), (int g_a, int index[], long inc),
           (g_a, CWI_WIDE(index), inc))
