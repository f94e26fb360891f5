/* Operations on whole arrays and patches.
 *
 * operand.c           operands: whether they fit, and which element belongs to which
 * operate.c           the elements that I have of a target, and the kernel over them
 * operand_fetch.c     operands that lie elsewhere
 * device_operation.c  targets on devices
 * collective_call.c   synchronise, work, exchange: for all operations
 * fill.c              fill, random numbers, enumerate
 * combine.c           copy, functions of one, two and three elements
 * reduce.c            dot product, norms, the greatest and the least, steps
 * diagonal.c          the diagonal of a matrix
 * symmetrize.c        the mean of a matrix and its transpose
 * scan.c              scans, pack and unpack */
#ifndef CWI_ARITHMETIC_OPERATE_H
#define CWI_ARITHMETIC_OPERATE_H

#include "array/array.h"
#include "array/array_walk.h"
#include "array_kernels/kernels_table.h"

#include <causeway/arithmetic.h>

/* A patch that has been looked at. */
struct cwi_box {
  const char *name; /* of the argument */
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], extents[CW_MAX_DIMENSIONS];
  bool transposed;
};

/* name: of the argument. lo, hi: both NULL: the whole array. Errors: CW_MISUSE; box->array stays as
 * it is if it is the array that is refused. */
CWI_CHECKED cw_error cwi_box_make(const char *name, cw_array array, const int64_t *lo,
                                  const int64_t *hi, struct cwi_box *box);
CWI_CHECKED cw_error cwi_box_of(const char *name, const cw_operand *operand, struct cwi_box *box);

/* The two steps of cwi_box_of, for operations whose arrays have to be known before a patch is
 * refused: they say together who meets. */
CWI_CHECKED cw_error cwi_box_array(const char *name, const cw_operand *operand,
                                   struct cwi_box *box);
CWI_CHECKED cw_error cwi_box_patch(const cw_operand *operand, struct cwi_box *box);

size_t cwi_box_elements(const struct cwi_box *box);

/* Begin the walk over the sections that a holder has of it. */
void cwi_box_walk(const struct cwi_box *box, int holder, struct cwi_walk *walk);

/* Has the type arithmetic? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_numbers(const struct cwi_box *box);

/* Is the box on the target's processes? And of its type? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_processes(const struct cwi_box *target, const struct cwi_box *box);
CWI_CHECKED cw_error cwi_check_companions(const struct cwi_box *target, const struct cwi_box *box);

/* CW_MISUSE: the box is of an array with parts on devices, where the call does nothing. */
CWI_CHECKED cw_error cwi_reject_devices(const struct cwi_box *box);

/* Can this process load what any member has? All members say the same. */
bool cwi_all_loadable(cw_array array);

/* A patch as a source: which of its elements belong to which positions of the target's patch. */
struct cwi_source {
  struct cwi_box box;
  int along[CW_MAX_DIMENSIONS]; /* dimension of the positions that moves along each; -1: none */
  bool reshaped;                /* the positions count, row-major, and not their dimensions */
};

/* May the source's box be one of the target: same processes and type, as many elements, and, if the
 * target is written, not partly the same? Then it is told which element belongs to which. _nested:
 * the processes of one of them may be some of those of the other. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_source_make(const struct cwi_box *target, bool written,
                                     struct cwi_source *source);
CWI_CHECKED cw_error cwi_source_make_nested(const struct cwi_box *target, bool written,
                                            struct cwi_source *source);

/* The same for a vector that moves along one dimension of the target, and stands still along all
 * others. Its length has been looked at. */
CWI_CHECKED cw_error cwi_source_broadcast(const struct cwi_box *target, int dimension,
                                          struct cwi_source *source);

/* What is done where the target lies on a device. */
enum cwi_job {
  CWI_JOB_OF_HOSTS, /* nothing: such arrays are refused */
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
  bool copies;   /* channel 1 goes to channel 0 as it is, and the two may be nested */
  bool indexed;  /* the kernel asks for indices: row-major numbers in the target's array, */
  bool in_patch; /* or in its patch */
  /* Only some elements of each section, as a space; false: none. Sources stand still in it: where
   * they lie is told later. NULL: all. */
  bool (*choose)(const struct cwi_section *section, struct cwi_space *space);
  struct cwi_working working;
};

/* The team in which the members meet, also if an argument was refused: the target's; of a copy the
 * smaller one, whose members alone call. NULL: the target's array, or one of a copy, is none, or
 * one of those that were looked at is on other processes. */
cw_team cwi_operation_team(const struct cwi_operation *operation);

/* An operation of nothing yet. Boxes and sources stay as they are: clearing them takes longer than
 * a small operation. */
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

/* Run the kernel over all elements that this process has of the target, and, if not all that have
 * some are among the callers, over its share of theirs. Whoever calls has synchronised. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_operate(struct cwi_operation *operation);
#endif
