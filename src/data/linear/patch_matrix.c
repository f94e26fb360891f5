/* Patches as matrices, for the products and solvers. */
#include "linear/patch_matrix.h"

#include "base/reserve.h"
#include "external/blas.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Finds the two dimensions in which the patch is wider than 1. If there are fewer than two, the
 * last ones of the other dimensions are added. */
static cw_error find_dimensions(const char *name, struct cwi_matrix *matrix)
{
  cw_array array = matrix->array;
  int wide[CW_MAX_DIMENSIONS], found = 0;
  for (int d = 0; d < array->dimensions; d++)
    if (matrix->hi[d] != matrix->lo[d])
      wide[found++] = d;
  if (array->dimensions < 2 || found > 2)
    return cwi_misuse("%s is a patch of array '%s' that is not a matrix: of its %d dimensions, %d "
                      "have more than one element",
                      name, array->name, array->dimensions, found);
  for (int d = array->dimensions - 1; found < 2; d--)
    if (found == 0 || wide[0] != d)
      wide[found++] = d;
  matrix->dimension[0] = wide[0] < wide[1] ? wide[0] : wide[1];
  matrix->dimension[1] = wide[0] < wide[1] ? wide[1] : wide[0];
  for (int side = 0; side < 2; side++) {
    const int d = matrix->dimension[side];
    matrix->extents[side] = matrix->hi[d] - matrix->lo[d] + 1;
  }
  return CW_OK;
}

const char *const cwi_transposition_names[CW_CONJUGATE_TRANSPOSED + 1] = {
    "CW_NOT_TRANSPOSED", "CW_TRANSPOSED", "CW_CONJUGATE_TRANSPOSED"};

cw_error cwi_check_transposition(const char *name, cw_transposition transposition)
{
  if ((unsigned)transposition <= CW_CONJUGATE_TRANSPOSED)
    return CW_OK;
  return cwi_misuse("%s is %d; it may be CW_NOT_TRANSPOSED (0), CW_TRANSPOSED (1) or "
                    "CW_CONJUGATE_TRANSPOSED (2)",
                    name, (int)transposition);
}

cw_error cwi_check_field(const char *name, cw_array array)
{
  CWI_TRY(cwi_check_array(name, array));
  if (cwi_field_of(array->type) != NULL)
    return CW_OK;
  return cwi_misuse("%s is array '%s', whose type is %s; it may be %s, %s, %s or %s", name,
                    array->name, cwi_type_word(array->type), cwi_type_word(CW_FLOAT),
                    cwi_type_word(CW_DOUBLE), cwi_type_word(CW_FLOAT_COMPLEX),
                    cwi_type_word(CW_DOUBLE_COMPLEX));
}

cw_error cwi_check_partner(const char *name, cw_array array, const char *of, cw_array a)
{
  CWI_TRY(cwi_check_array(name, array));
  if (array->type != a->type)
    return cwi_misuse("%s is array '%s' of type %s; %s is of type %s", name, array->name,
                      cwi_type_word(array->type), of, cwi_type_word(a->type));
  if (!cwi_team_same_members(array->team, a->team))
    return cwi_misuse("%s is array '%s', whose team does not have the same members in the same "
                      "order as that of %s",
                      name, array->name, of);
  return CW_OK;
}

cw_error cwi_matrix_make(const char *name, const cw_operand *operand, struct cwi_matrix *matrix)
{
  if (operand == NULL)
    return cwi_misuse("%s is NULL", name);
  cw_array array = operand->array;
  CWI_TRY(cwi_check_field(name, array));
  if ((operand->lo == NULL) != (operand->hi == NULL))
    return cwi_misuse("%s: %s is NULL, but the other one of lo and hi is not", name,
                      operand->lo == NULL ? "lo" : "hi");
  matrix->array = array;
  for (int d = 0; d < array->dimensions; d++) {
    matrix->lo[d] = operand->lo != NULL ? operand->lo[d] : 0;
    matrix->hi[d] = operand->hi != NULL ? operand->hi[d] : array->axes[d].extent - 1;
  }
  const cw_error error = cwi_check_patch(array, matrix->lo, matrix->hi);
  return error != CW_OK ? cwi_in_call(name, error) : find_dimensions(name, matrix);
}

bool cwi_matrices_fit(const int64_t extents[3][2], const bool loose[3], bool transposed_extents[3])
{
  enum { A = 1, B = 2, C = 4 };
  for (unsigned choice = 0; choice <= (A | B | C); choice++) {
    const int a = (choice & A) != 0, b = (choice & B) != 0, c = (choice & C) != 0;
    if ((a && !loose[0]) || (b && !loose[1]) || (c && !loose[2]))
      continue;
    if (extents[0][!a] != extents[1][b] || extents[0][a] != extents[2][c] ||
        extents[1][!b] != extents[2][!c])
      continue;
    transposed_extents[0] = a != 0;
    transposed_extents[1] = b != 0;
    transposed_extents[2] = c != 0;
    return true;
  }
  return false;
}

bool cwi_matrix_is_loose(const struct cwi_matrix *matrix)
{
  return matrix->array->dimensions > 2 && (matrix->extents[0] == 1 || matrix->extents[1] == 1);
}

void cwi_matrix_transpose(struct cwi_matrix *matrix)
{
  const int dimension = matrix->dimension[0];
  const int64_t extent = matrix->extents[0];
  matrix->dimension[0] = matrix->dimension[1];
  matrix->extents[0] = matrix->extents[1];
  matrix->dimension[1] = dimension;
  matrix->extents[1] = extent;
}

bool cwi_matrices_overlap(const struct cwi_matrix *a, const struct cwi_matrix *b)
{
  if (a->array != b->array)
    return false;
  for (int d = 0; d < a->array->dimensions; d++) {
    const int64_t lo = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
    const int64_t hi = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];
    if (hi < lo)
      return false;
  }
  return true;
}

/* Computes the indices of a tile in the array. lo, hi: [CW_MAX_DIMENSIONS]. */
static void tile_patch(const struct cwi_matrix *matrix, const struct cwi_tile *tile, int64_t *lo,
                       int64_t *hi)
{
  const int row = matrix->dimension[0], column = matrix->dimension[1];
  for (int d = 0; d < matrix->array->dimensions; d++)
    lo[d] = hi[d] = matrix->lo[d];
  lo[row] = matrix->lo[row] + tile->row;
  hi[row] = lo[row] + tile->rows - 1;
  lo[column] = matrix->lo[column] + tile->column;
  hi[column] = lo[column] + tile->columns - 1;
}

bool cwi_tile_in_place(const struct cwi_matrix *matrix, const struct cwi_tile *tile,
                       struct cwi_dense *dense)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  const ptrdiff_t element = (ptrdiff_t)matrix->array->element;
  cw_array_view view;
  tile_patch(matrix, tile, lo, hi);
  if (!cwi_patch_in_place(matrix->array, lo, hi, &view))
    return false;
  const int64_t ld = view.strides[matrix->dimension[0]] / element;
  dense->address = view.address;
  dense->ld = ld > tile->columns ? ld : tile->columns;
  return view.strides[matrix->dimension[1]] == element && dense->ld <= INT_MAX;
}

cw_error cwi_tile_start(cw_operation operation, const struct cwi_matrix *matrix,
                        const struct cwi_tile *tile, void *buffer, cw_handle *handle)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  tile_patch(matrix, tile, lo, hi);
  const cw_patch patch = {.operation = operation, .lo = lo, .hi = hi, .buffer = buffer};
  return cwi_array_start(matrix->array, &patch, handle);
}

/* - Division at block boundaries - */

/* Returns true if there are several blocks and all are too short to contain a part. */
static bool narrow_blocks(const struct cwi_matrix *matrix, int side, int64_t least)
{
  const struct cwi_axis *axis = &matrix->array->axes[matrix->dimension[side]];
  return axis->width > 0 && axis->width < least && axis->blocks > 1;
}

/* A walk over the blocks of one side of a matrix. */
struct walk {
  const struct cwi_axis *axis;
  int64_t origin; /* index in the array of the first element of the range */
  int64_t block;  /* the next block */
};

static struct walk walk_blocks(const struct cwi_matrix *matrix, int side, int64_t first)
{
  struct walk walk = {NULL, 0, 0};
  if (matrix == NULL)
    return walk;
  const int d = matrix->dimension[side];
  walk.axis = &matrix->array->axes[d];
  walk.origin = matrix->lo[d] + first;
  walk.block = walk.origin < walk.axis->extent ? cwi_axis_block_of(walk.axis, walk.origin) + 1 : 0;
  return walk;
}

/* Returns the position in the range where the next block begins, or `extent` if none does. */
static int64_t next_begin(const struct walk *walk, int64_t extent)
{
  if (walk->axis == NULL || walk->block >= walk->axis->blocks)
    return extent;
  const int64_t begin = cwi_axis_start(walk->axis, walk->block) - walk->origin;
  return begin < extent ? begin : extent;
}

/* Adds a part, and keeps space for the end of the last one. */
static cw_error append(struct cwi_bounds *bounds, size_t *capacity, int64_t at)
{
  if (!CWI_RESERVE(bounds->at, (size_t)bounds->count + 1, *capacity, 16))
    return cwi_outside("no memory for the %lld parts of a matrix", (long long)bounds->count + 1);
  bounds->at[bounds->count++] = at;
  return CW_OK;
}

cw_error cwi_bounds_make(const struct cwi_matrix *one, int side, const struct cwi_matrix *other,
                         int other_side, int64_t first, int64_t extent, int64_t least,
                         struct cwi_bounds *bounds)
{
  const bool narrow[2] = {narrow_blocks(one, side, least),
                          other != NULL && narrow_blocks(other, other_side, least)};
  struct walk walks[2] = {walk_blocks(narrow[0] ? NULL : one, side, first),
                          walk_blocks(narrow[1] ? NULL : other, other_side, first)};
  size_t capacity = 0;
  int64_t last = 0;
  *bounds = (struct cwi_bounds){.whole = !narrow[0] && !narrow[1]};
  CWI_TRY(append(bounds, &capacity, 0));
  for (;;) {
    const int64_t begins[2] = {next_begin(&walks[0], extent), next_begin(&walks[1], extent)};
    const int64_t begin = begins[0] < begins[1] ? begins[0] : begins[1];
    if (begin >= extent)
      break;
    for (int i = 0; i < 2; i++)
      walks[i].block += begins[i] == begin;
    if (begin > last && begin - last >= least && extent - begin >= least) {
      CWI_TRY(append(bounds, &capacity, begin));
      last = begin;
    } else if (begin > last) {
      bounds->whole = false;
    }
  }
  bounds->at[bounds->count] = extent;
  return CW_OK;
}

cw_error cwi_bounds_limit(struct cwi_bounds *bounds, int64_t most)
{
  struct cwi_bounds limited = {.whole = bounds->whole};
  size_t capacity = 0;
  for (int64_t i = 0; i < bounds->count; i++) {
    const int64_t begin = bounds->at[i], length = bounds->at[i + 1] - begin;
    const int64_t parts = length > most ? (length + most - 1) / most : 1;
    for (int64_t part = 0; part < parts; part++) {
      const cw_error error = append(&limited, &capacity, begin + length * part / parts);
      if (error != CW_OK) {
        free(limited.at);
        return error;
      }
    }
  }
  CWI_ASSERT(limited.at != NULL);
  limited.at[limited.count] = bounds->at[bounds->count];
  free(bounds->at);
  *bounds = limited;
  return CW_OK;
}

void cwi_bounds_free(struct cwi_bounds *bounds)
{
  free(bounds->at);
  bounds->at = NULL;
  bounds->count = 0;
}
