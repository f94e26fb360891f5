/* cw_array_multiply for the comparison in multiply.c, as a library that exports one symbol. */
#include "multiply.h"

#include <causeway.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static cw_array arrays[3];

static void must(cw_error error)
{
  if (error == CW_OK)
    return;
  fprintf(stderr, "multiply: %s\n", cw_error_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void start(void)
{
  must(cw_init(MPI_COMM_WORLD));
}

static void fill(cw_array array)
{
  cw_array_view view;
  int64_t lo[2], hi[2];
  must(cw_array_part(array, cw_process(), lo, hi));
  must(cw_array_access(array, lo, hi, &view));
  for (int64_t i = 0; i < view.extents[0]; i++)
    for (int64_t j = 0; j < view.extents[1]; j++)
      *(double *)(void *)((char *)view.address + i * view.strides[0] + j * view.strides[1]) =
          multiply_element(view.lo[0] + i, view.lo[1] + j);
  must(cw_array_release(array, &view));
}

static void begin(int n)
{
  const int64_t extents[2] = {n, n};
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  for (int i = 0; i < 3; i++) {
    must(cw_array_create(cw_team_world(), &options, &arrays[i]));
    fill(arrays[i]);
  }
}

static void run(bool ta, bool tb)
{
  const double one = 1, zero = 0;
  const cw_operand a = {.array = arrays[0]}, b = {.array = arrays[1]}, c = {.array = arrays[2]};
  must(cw_array_multiply(ta ? CW_TRANSPOSED : CW_NOT_TRANSPOSED,
                         tb ? CW_TRANSPOSED : CW_NOT_TRANSPOSED, &one, &a, &b, &zero, &c));
}

static double check(void)
{
  double value = 0;
  const int64_t at[2] = {5, 7};
  must(cw_array_get(arrays[2], at, at, &value, NULL));
  return value;
}

static void end(void)
{
  for (int i = 0; i < 3; i++)
    must(cw_array_destroy(&arrays[i]));
}

static void stop(void)
{
  must(cw_finalize());
}

const struct multiply_side multiply_ours = {"causeway", start, begin, run, check, end, stop};
