/* Operations on whole arrays and patches.
 *
 * operand.c           operands: checks, and which elements correspond
 * operate.c           runs the kernel over the elements that I have of a target
 * operand_fetch.c     operands in other memory
 * device_operation.c  targets on devices
 * collective_call.c   synchronise, work, exchange results: for all operations
 * fill.c              fill, random numbers, enumerate
 * combine.c           copy, functions of one, two and three elements
 * reduce.c            dot product, norms, greatest and least element, steps
 * diagonal.c          the diagonal of a matrix
 * symmetrize.c        the mean of a matrix and its transpose
 * scan.c              scans, pack and unpack */
#pragma once

#include "array/array.h"
#include "array/array_walk.h"
#include "array_kernels/kernels_table.h"

#include <causeway/arithmetic.h>

/* A patch that has been checked. */
struct cwi_box {
  const char *name; /* of the argument */
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], extents[CW_MAX_DIMENSIONS];
  bool transposed;
};

/* Check a patch and make a box of it. `name` is the argument's name. If lo and hi are NULL, the box
 * is the whole array. Errors: CW_MISUSE. If the array is rejected, box->array is unchanged. */
CWI_CHECKED cw_error cwi_box_make(const char *name, cw_array array, const int64_t *lo,
                                  const int64_t *hi, struct cwi_box *box);
CWI_CHECKED cw_error cwi_box_of(const char *name, const cw_operand *operand, struct cwi_box *box);

/* The two steps of cwi_box_of, for operations of several arrays. The arrays together determine the
 * members that meet, so that all arrays are needed before a patch can be rejected. */
CWI_CHECKED cw_error cwi_box_array(const char *name, const cw_operand *operand,
                                   struct cwi_box *box);
CWI_CHECKED cw_error cwi_box_patch(const cw_operand *operand, struct cwi_box *box);

size_t cwi_box_elements(const struct cwi_box *box);

/* Starts the walk over the sections that a holder has of the box. */
void cwi_box_walk(const struct cwi_box *box, int holder, struct cwi_walk *walk);

/* Checks that the type has arithmetic. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_numbers(const struct cwi_box *box);

/* cwi_check_processes checks that the box is on the target's processes; cwi_check_companions also
 * that it has the target's type. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_processes(const struct cwi_box *target, const struct cwi_box *box);
CWI_CHECKED cw_error cwi_check_companions(const struct cwi_box *target, const struct cwi_box *box);

/* Returns CW_MISUSE, because the array has parts on devices and there is no kernel for the
 * operation. */
CWI_CHECKED cw_error cwi_reject_devices(const struct cwi_box *box);

/* Returns true if this process can load the parts of all members. The result is the same on all
 * members. */
bool cwi_all_loadable(cw_array array);

/* A patch as a source: its elements correspond to positions of the target's patch. */
struct cwi_source {
  struct cwi_box box;
  int along[CW_MAX_DIMENSIONS]; /* for each dimension of the source, the dimension of the positions
                                   to which it corresponds; -1 if there is none */
  bool reshaped; /* elements correspond by their row-major numbers, not by dimensions */
};

/* Check that the source's box fits the target: same processes and type, the same number of
 * elements, and, if the target is written, no partial overlap. Then set up the correspondence of
 * elements. cwi_source_make_nested accepts a source or target on a subset of the other's processes.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_source_make(const struct cwi_box *target, bool written,
                                     struct cwi_source *source);
CWI_CHECKED cw_error cwi_source_make_nested(const struct cwi_box *target, bool written,
                                            struct cwi_source *source);

/* Like cwi_source_make, for a vector that moves along one dimension of the target and is constant
 * along the others. Its length has been checked. */
CWI_CHECKED cw_error cwi_source_broadcast(const struct cwi_box *target, int dimension,
                                          struct cwi_source *source);

/* Kernels for targets on a device. */
enum cwi_job {
  CWI_JOB_OF_HOSTS, /* no kernel: targets on devices are rejected */
  CWI_JOB_FILL,
  CWI_JOB_COPY,
  CWI_JOB_SCALE,
  CWI_JOB_SUM,
  CWI_JOB_DOT
};

struct cwi_operation {
  struct cwi_box target;
  int sources;
  struct cwi_source source[CWI_CHANNELS - 1];
  cwi_rows_kernel kernel;
  enum cwi_job job;
  bool copies;   /* channel 1 is copied to channel 0, and the two teams may be nested */
  bool indexed;  /* the kernel needs indices, which are row-major numbers */
  bool in_patch; /* indices count in the target's patch; otherwise in its array */
  /* Makes a space of the elements of a section to be processed, or returns false if there are none.
   * The strides of the sources in that space are 0, and their addresses are set later. If NULL, all
   * elements are processed. */
  bool (*choose)(const struct cwi_section *section, struct cwi_space *space);
  struct cwi_working working;
};

/* Returns the team whose members meet in the call: the target's team or, for a copy, the smaller of
 * the two teams. May be called after an argument was rejected. Returns NULL if an array that
 * determines the team is not valid, or if an operand is on other processes. */
cw_team cwi_operation_team(const struct cwi_operation *operation);

/* Initialises an operation. Boxes and sources are not cleared, because that takes longer than a
 * small operation. */
static inline void cwi_operation_begin(struct cwi_operation *operation)
{
  operation->target.array = NULL;
  for (int s = 0; s < CWI_CHANNELS - 1; s++)
    operation->source[s].box.array = NULL;
  operation->sources = 0;
  operation->kernel = NULL;
  operation->job = CWI_JOB_OF_HOSTS;
  operation->copies = operation->indexed = operation->in_patch = false;
  operation->choose = NULL;
  operation->working = (struct cwi_working){0};
}

/* Runs the kernel over all elements of the target on this process. If some holders are not among
 * the callers, also runs it over this process's share of their elements. The caller has
 * synchronised. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_operate(struct cwi_operation *operation);

/* --- Parts on a device: device_operation.c ---------------------------------------------------- */

/* Returns true if there is a kernel for the operation. Otherwise its parts are computed in host
 * memory and put. */
bool cwi_has_device_kernel(const struct cwi_operation *operation);

/* Runs the operation over a space whose channel 0 is on my device. Each other channel is in one
 * place, on the device or in host memory. The operation is complete on return. */
CWI_CHECKED cw_error cwi_run_on_device(struct cwi_operation *operation,
                                       const struct cwi_space *space);

/* --- Operations that only GA's interface has: reduce.c, scan.c -------------------------------- */

/* Like cw_array_step with bounds, but an element that is on a bound and whose v is 0 has the step
 * 0. `moving` receives the least step without such elements. No pointer may be NULL. */
CWI_CHECKED cw_error cwi_step_bounds(const cw_operand *x, const cw_operand *v,
                                     const cw_operand *low, const cw_operand *high, void *least,
                                     void *moving, void *most);

/* Like cw_array_scan_copy, but elements before the first flag become 0. */
CWI_CHECKED cw_error cwi_scan_copy_zeros(cw_array from, cw_array to, cw_array mask, int64_t lo,
                                         int64_t hi);
