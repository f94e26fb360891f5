/* Reductions. For some of them each member first prepares its numbers. Then they are combined by an
 * update. */
#include "mpi/mpi_result.h"
#include "number/atomic_update.h"
#include "number/operation.h"
#include "number/reduction.h"

#include <stddef.h>

static const struct {
  const cwi_accumulate_kernel *prepare; /* [type] NULL if nothing is to be prepared */
  cw_reduction update;
} reductions[CW_REDUCTIONS] = {[CW_SUM] = {NULL, CW_SUM},
                               [CW_PRODUCT] = {NULL, CW_PRODUCT},
                               [CW_MINIMUM] = {NULL, CW_MINIMUM},
                               [CW_MAXIMUM] = {NULL, CW_MAXIMUM},
                               [CW_ABSOLUTE_MINIMUM] = {cwi_absolute_kernels, CW_MINIMUM},
                               [CW_ABSOLUTE_MAXIMUM] = {cwi_absolute_kernels, CW_MAXIMUM},
                               [CW_LOGICAL_AND] = {cwi_truth_kernels, CW_BIT_AND},
                               [CW_LOGICAL_OR] = {cwi_truth_kernels, CW_BIT_OR},
                               [CW_BIT_AND] = {NULL, CW_BIT_AND},
                               [CW_BIT_OR] = {NULL, CW_BIT_OR},
                               [CW_BIT_XOR] = {NULL, CW_BIT_XOR}};

cw_error cwi_reduction_find(cw_type given, cw_reduction reduction, struct cwi_reduction *found)
{
  const cw_type type = cwi_arithmetic_type(given);
  if ((unsigned)type >= CW_TYPES)
    return cwi_misuse("type is %d; it may be CW_INT (0) to %s (%d), CW_INT32 (%d) or CW_INT64 (%d)",
                      (int)type, cwi_type_word((cw_type)(CW_TYPES - 1)), CW_TYPES - 1, CW_INT32,
                      CW_INT64);
  if ((unsigned)reduction >= CW_REDUCTIONS)
    return cwi_misuse("reduction is %d; it may be 0 (CW_SUM) to %d (CW_BIT_XOR)", (int)reduction,
                      CW_REDUCTIONS - 1);
  const cwi_accumulate_kernel *prepare = reductions[reduction].prepare;
  const cw_reduction update = reductions[reduction].update;
  if (!cwi_update_is_defined((int)update, type) || (prepare != NULL && prepare[type] == NULL))
    return cwi_misuse("reduction is %s (%d), which is not defined for %s",
                      cwi_operation_word((int)reduction), (int)reduction, cwi_type_word(type));
  *found = (struct cwi_reduction){.element = cwi_type_bytes[type],
                                  .combine = cwi_update_kernel(update, type, false),
                                  .prepare = prepare != NULL ? prepare[type] : NULL,
                                  .type = type,
                                  .update = update};
  return CW_OK;
}

/* --- As operations of MPI --------------------------------------------------------------------- */

static MPI_Op least_real = MPI_OP_NULL, greatest_real = MPI_OP_NULL;

#define IF_MPI(name, c, bits, base, mpi) number == mpi ? name:

static void combine_real(cw_reduction update, void *in, void *inout, int count, MPI_Datatype number)
{
  const cw_type type = CWI_REAL_TYPES(IF_MPI) CW_DOUBLE;
  cwi_combine(cwi_update_kernel_after(update, type), inout, in,
              (size_t)count * cwi_type_bytes[type]);
}

static void combine_least(void *in, void *inout, int *count, MPI_Datatype *number)
{
  combine_real(CW_MINIMUM, in, inout, *count, *number);
}

static void combine_greatest(void *in, void *inout, int *count, MPI_Datatype *number)
{
  combine_real(CW_MAXIMUM, in, inout, *count, *number);
}

MPI_Op cwi_reduction_op(const struct cwi_reduction *reduction)
{
  const bool real = cwi_type_is_real(reduction->type);
  return real && reduction->update == CW_MINIMUM   ? least_real
         : real && reduction->update == CW_MAXIMUM ? greatest_real
                                                   : cwi_mpi_op(reduction->update);
}

/* If an earlier start has failed, the operations that it created still exist. */
cw_error cwi_reductions_start(void)
{
  if (least_real == MPI_OP_NULL)
    CWI_TRY(CWI_MPI(MPI_Op_create(combine_least, 0, &least_real)));
  return greatest_real == MPI_OP_NULL ? CWI_MPI(MPI_Op_create(combine_greatest, 0, &greatest_real))
                                      : CW_OK;
}

cw_error cwi_reductions_stop(void)
{
  CWI_TRY(CWI_MPI(MPI_Op_free(&least_real)));
  return CWI_MPI(MPI_Op_free(&greatest_real));
}
