/* The mean of a matrix and its transpose. An array of more than two dimensions consists of layers.
 * Each layer is a matrix of the first two dimensions (the last two in Fortran). */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include "number/scalar.h"

/* Replaces the layer from lo to hi by the mean of the layer and its transpose. `other` is an array
 * with space for the transposed layer. */
static cw_error mean_of_layer(cw_array array, cw_array other, const int64_t *lo, const int64_t *hi)
{
  const union cwi_scalar half = cwi_scalar_of(array->type, 0.5);
  const cw_operand self = {array, lo, hi, false}, across = {array, lo, hi, true},
                   copy = {other, lo, hi, false};
  CWI_TRY(cw_array_copy(&across, &copy));
  return cw_array_combine(CW_ELEMENT_SUM, &half, &self, &half, &copy, &self);
}

/* Processes the layers one after another. The index of the last dimension changes fastest. */
static cw_error mean_of_layers(cw_array array, cw_array other)
{
  int64_t lo[GA_MAX_DIM] = {0}, hi[GA_MAX_DIM];
  for (int d = 0; d < array->dimensions; d++)
    hi[d] = d < 2 ? array->axes[d].extent - 1 : 0;
  int d = array->dimensions - 1;
  while (d >= 2) {
    CWI_TRY(mean_of_layer(array, other, lo, hi));
    for (d = array->dimensions - 1; d >= 2 && lo[d] + 1 == array->axes[d].extent; d--)
      lo[d] = hi[d] = 0;
    if (d >= 2)
      lo[d]++, hi[d]++;
  }
  return CW_OK;
}

static cw_error symmetrize(int g_a)
{
  struct cwi_first_error first;
  cw_array array = NULL, other = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  if (array->dimensions <= 2)
    return cw_array_symmetrize(array);
  if (array->axes[0].extent != array->axes[1].extent)
    return cwi_misuse("array '%s' has no square layers: dimension 0 has %lld elements, and "
                      "dimension 1 has %lld",
                      array->name, (long long)array->axes[0].extent,
                      (long long)array->axes[1].extent);
  if (array->type == CW_OPAQUE || cwi_type_is_whole(array->type))
    return cwi_misuse("the type of array '%s' is %s; it must be float, double or complex",
                      array->name, cwi_type_word(array->type));
  CWI_TRY(cw_array_duplicate(array, "the transposed layers", &other));
  cwi_first_begin(&first, mean_of_layers(array, other));
  cwi_first_note(&first, cw_array_destroy(&other));
  return cwi_first_return(&first);
}

void GA_Symmetrize(int g_a)
{
  (void)CWI_GA_WAITS(symmetrize(g_a));
}
