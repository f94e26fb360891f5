/* Products of distributed matrices. Each member computes tiles of c from tiles of a and b. It uses
 * these in place if it can load them, and gets the others. While BLAS works, the tiles of the next
 * step are in flight. */
#include "array/array_arguments.h"
#include "collective_call/collective_check.h"
#include "external/blas.h"
#include "linear/patch_matrix.h"
#include "linear/synchronize.h"
#include "linear/tiles.h"
#include "mpi/mpi_result.h"
#include "number/scalar.h"
#include "profile/profile.h"

#include <causeway/linear.h>

#include <stdlib.h>

enum {
  LEAST_PART = 128,       /* parts shorter than this are not divided at block boundaries */
  MOST_DEPTH = 384,       /* depth of tiles in buffers */
  MOST_BYTES = 4 << 20,   /* size of tiles in buffers, in bytes */
  MOST_ANYWHERE = 1 << 30 /* BLAS counts in int */
};

/* Data that all tiles of a product share. */
struct product {
  const struct cwi_field *field;
  cw_transposition ta, tb;
  const void *alpha, *beta;
  bool keep; /* beta is not 0, so c is read */
  struct cwi_matrix a, b, c;
  int64_t depth;
  struct cwi_tiles tiles;
};

/* A call of BLAS. */
struct step {
  struct cwi_tile c;
  int64_t from, depth;
  bool first, last; /* the first, the last step of this tile of c */
};

/* Operands of a step: in place, or in a buffer. */
struct stage {
  struct step step;
  struct cwi_dense a, b;
  void *buffers[2];
  size_t sizes[2];
  cw_handle handle;
};

/* State of a member. */
struct worker {
  struct product *product;
  struct cwi_bounds rows, columns, depths; /* divisions of the current tile */
  const struct cwi_tile *tile;
  int64_t shift; /* number of the part of the depth with which the tile's sums begin */
  int64_t next;  /* next step of the tile */
  bool done;
  struct stage stages[2];
  struct cwi_dense c; /* memory of the current tile */
  bool in_place;
  void *buffer;
  size_t size;
  cw_handle put;
};

/* --- Steps ------------------------------------------------------------------------------------ */

static void forget_job(struct worker *worker)
{
  cwi_bounds_free(&worker->rows);
  cwi_bounds_free(&worker->columns);
  cwi_bounds_free(&worker->depths);
}

/* Divides a tile. The division depends on the tile alone, not on the member that computes it, so
 * that the result does not depend on timing. */
static cw_error limit_tile(struct worker *worker, const struct cwi_tile *tile)
{
  const struct product *product = worker->product;
  const bool ta = product->ta != CW_NOT_TRANSPOSED, tb = product->tb != CW_NOT_TRANSPOSED;
  const int64_t element = (int64_t)product->c.array->element;
  CWI_TRY(
      cwi_bounds_make(&product->a, ta, NULL, 0, tile->row, tile->rows, LEAST_PART, &worker->rows));
  CWI_TRY(cwi_bounds_make(&product->b, !tb, NULL, 0, tile->column, tile->columns, LEAST_PART,
                          &worker->columns));
  CWI_TRY(cwi_bounds_make(&product->a, !ta, &product->b, tb, 0, product->depth, LEAST_PART,
                          &worker->depths));
  const bool in_place = product->tiles.team->shared && product->tiles.kind != CWI_TILES_SPREAD &&
                        worker->rows.whole && worker->columns.whole && worker->depths.whole;
  const int64_t edge = in_place ? MOST_ANYWHERE : MOST_BYTES / (MOST_DEPTH * element);
  CWI_TRY(cwi_bounds_limit(&worker->rows, edge));
  CWI_TRY(cwi_bounds_limit(&worker->columns, edge));
  return cwi_bounds_limit(&worker->depths, in_place ? MOST_ANYWHERE : MOST_DEPTH);
}

/* Takes the next tile. Errors: CW_OUTSIDE. */
static cw_error take_job(struct worker *worker)
{
  struct cwi_tiles *tiles = &worker->product->tiles;
  int64_t number = 0;
  forget_job(worker);
  CWI_TRY(cwi_tiles_next(tiles, &number));
  worker->done = number >= tiles->count;
  if (worker->done)
    return CW_OK;
  worker->tile = &tiles->list[number];
  worker->shift = tiles->kind == CWI_TILES_SHARED ? number : tiles->team->rank;
  worker->next = 0;
  return limit_tile(worker, worker->tile);
}

static int64_t steps_of(const struct worker *worker)
{
  return worker->rows.count * worker->columns.count * worker->depths.count;
}

/* Determines the next step. If the current tile has no more steps, takes the next tile. Tiles begin
 * their sums with different parts, so that not all members access the same member at a time.
 * Errors: CW_OUTSIDE. */
static cw_error next_step(struct worker *worker, struct step *step)
{
  while (!worker->done && (worker->tile == NULL || worker->next == steps_of(worker)))
    CWI_TRY(take_job(worker));
  if (worker->done)
    return CW_OK;
  const int64_t parts = worker->depths.count, part = worker->next % parts;
  const int64_t tile = worker->next++ / parts;
  const int64_t i = tile / worker->columns.count, j = tile % worker->columns.count;
  const int64_t k = (part + worker->shift) % parts;
  const int64_t *rows = worker->rows.at, *columns = worker->columns.at, *depths = worker->depths.at;
  step->c = (struct cwi_tile){worker->tile->row + rows[i], worker->tile->column + columns[j],
                              rows[i + 1] - rows[i], columns[j + 1] - columns[j]};
  step->from = depths[k];
  step->depth = depths[k + 1] - depths[k];
  step->first = part == 0;
  step->last = part == parts - 1;
  return CW_OK;
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Makes a buffer of at least the tile's size. Errors: CW_OUTSIDE. */
static cw_error reserve_buffer(const struct cwi_matrix *matrix, const struct cwi_tile *tile,
                               void **buffer, size_t *size)
{
  const size_t bytes = (size_t)tile->rows * (size_t)tile->columns * matrix->array->element;
  if (bytes <= *size)
    return CW_OK;
  free(*buffer);
  *size = 0;
  *buffer = malloc(bytes);
  if (*buffer == NULL)
    return cwi_outside("no memory for a tile of %zu bytes", bytes);
  *size = bytes;
  return CW_OK;
}

/* Finds a tile in place, or starts to get it into a buffer. */
static cw_error bring(const struct cwi_matrix *matrix, struct cwi_tile tile, bool transposed,
                      struct stage *stage, int which, struct cwi_dense *dense)
{
  if (transposed)
    tile = (struct cwi_tile){tile.column, tile.row, tile.columns, tile.rows};
  *dense = (struct cwi_dense){NULL, tile.columns > 0 ? tile.columns : 1};
  if (tile.rows == 0 || tile.columns == 0 || cwi_tile_in_place(matrix, &tile, dense))
    return CW_OK;
  CWI_TRY(reserve_buffer(matrix, &tile, &stage->buffers[which], &stage->sizes[which]));
  *dense = (struct cwi_dense){stage->buffers[which], tile.columns};
  return cwi_tile_start(CW_GET, matrix, &tile, dense->address, &stage->handle);
}

static cw_error begin_stage(struct worker *worker, struct stage *stage)
{
  const struct product *product = worker->product;
  const struct step *step = &stage->step;
  CWI_TRY(next_step(worker, &stage->step));
  if (worker->done)
    return CW_OK;
  const struct cwi_tile a = {step->c.row, step->from, step->c.rows, step->depth};
  const struct cwi_tile b = {step->from, step->c.column, step->depth, step->c.columns};
  CWI_TRY(bring(&product->a, a, product->ta != CW_NOT_TRANSPOSED, stage, 0, &stage->a));
  return bring(&product->b, b, product->tb != CW_NOT_TRANSPOSED, stage, 1, &stage->b);
}

/* Prepares the memory in which the tile of c is computed. */
static cw_error begin_tile(struct worker *worker, const struct cwi_tile *tile)
{
  const struct cwi_matrix *c = &worker->product->c;
  worker->in_place = cwi_tile_in_place(c, tile, &worker->c);
  if (worker->in_place)
    return CW_OK;
  CWI_TRY(cw_wait(&worker->put));
  CWI_TRY(reserve_buffer(c, tile, &worker->buffer, &worker->size));
  worker->c = (struct cwi_dense){worker->buffer, tile->columns};
  if (!worker->product->keep)
    return CW_OK;
  struct cwi_first_error first;
  cw_handle get = {0};
  cwi_first_begin(&first, cwi_tile_start(CW_GET, c, tile, worker->buffer, &get));
  cwi_first_note(&first, cw_wait(&get)); /* the transfer must end before the buffer is freed */
  return cwi_first_return(&first);
}

static cw_error multiply_compute(struct worker *worker, struct stage *stage)
{
  const struct product *product = worker->product;
  const struct step *step = &stage->step;
  if (step->first)
    CWI_TRY(begin_tile(worker, &step->c));
  CWI_TRY(cw_wait(&stage->handle));
  const struct cwi_gemm gemm = {
      .ta = product->ta,
      .tb = product->tb,
      .m = (int)step->c.rows,
      .n = (int)step->c.columns,
      .k = (int)step->depth,
      .alpha = product->alpha,
      .a = stage->a.address,
      .lda = (int)stage->a.ld,
      .b = stage->b.address,
      .ldb = (int)stage->b.ld,
      .beta = step->first ? product->beta : product->field->one,
      .c = worker->c.address,
      .ldc = (int)worker->c.ld,
  };
  product->field->gemm(&gemm);
  if (!step->last || worker->in_place)
    return CW_OK;
  return cwi_tile_start(CW_PUT, &product->c, &step->c, worker->buffer, &worker->put);
}

/* --- The call --------------------------------------------------------------------------------- */

/* Runs all steps. Tiles that have to be transferred are requested one step ahead. Tiles that are
 * copied from memory are copied when they are needed, so that they are in the cache when BLAS reads
 * them. */
static cw_error work_through(struct worker *worker)
{
  const bool ahead = !worker->product->tiles.team->shared;
  int now = 0, next = ahead ? 1 : 0;
  CWI_TRY(begin_stage(worker, &worker->stages[now]));
  for (bool more = !worker->done; more;) {
    if (ahead)
      CWI_TRY(begin_stage(worker, &worker->stages[next]));
    CWI_TRY(multiply_compute(worker, &worker->stages[now]));
    if (!ahead)
      CWI_TRY(begin_stage(worker, &worker->stages[next]));
    more = !worker->done;
    const int swapped = now;
    now = next;
    next = swapped;
  }
  return CW_OK;
}

static cw_error multiply_work(struct product *product)
{
  struct worker worker = {.product = product};
  struct cwi_first_error first;
  cwi_first_begin(&first, work_through(&worker));
  cwi_first_note(&first, cw_wait(&worker.put));
  for (int i = 0; i < 2; i++) {
    cwi_first_note(&first, cw_wait(&worker.stages[i].handle));
    free(worker.stages[i].buffers[0]);
    free(worker.stages[i].buffers[1]);
  }
  free(worker.buffer);
  forget_job(&worker);
  return cwi_first_return(&first);
}

static cw_error check_factor(const char *name, const struct cwi_matrix *matrix,
                             const struct cwi_matrix *c)
{
  CWI_TRY(cwi_check_partner(name, matrix->array, "c", c->array));
  if (cwi_matrices_overlap(matrix, c))
    return cwi_misuse("%s and c are patches of array '%s' that overlap", name, matrix->array->name);
  return CW_OK;
}

static cw_error check_shapes(const struct product *product)
{
  const int ta = product->ta != CW_NOT_TRANSPOSED, tb = product->tb != CW_NOT_TRANSPOSED;
  const int64_t m = product->a.extents[ta], k = product->a.extents[!ta];
  const int64_t n = product->b.extents[!tb], rows = product->b.extents[tb];
  if (k != rows)
    return cwi_misuse("op(a) is %lld x %lld and op(b) %lld x %lld: the inner extents differ",
                      (long long)m, (long long)k, (long long)rows, (long long)n);
  if (m != product->c.extents[0] || n != product->c.extents[1])
    return cwi_misuse("c is %lld x %lld; op(a) op(b) is %lld x %lld",
                      (long long)product->c.extents[0], (long long)product->c.extents[1],
                      (long long)m, (long long)n);
  return CW_OK;
}

/* Transposes patches that are 1 wide in one dimension, if that makes the shapes fit: such a patch
 * may be a row or a column. */
static void transpose_vectors(struct product *product)
{
  struct cwi_matrix *const of[3] = {&product->a, &product->b, &product->c};
  const bool across[3] = {product->ta != CW_NOT_TRANSPOSED, product->tb != CW_NOT_TRANSPOSED,
                          false};
  int64_t extents[3][2];
  bool loose[3], transposed_extents[3];
  for (int i = 0; i < 3; i++) {
    loose[i] = cwi_matrix_is_loose(of[i]);
    extents[i][0] = of[i]->extents[across[i]];
    extents[i][1] = of[i]->extents[!across[i]];
  }
  if (!cwi_matrices_fit(extents, loose, transposed_extents))
    return;
  for (int i = 0; i < 3; i++)
    if (transposed_extents[i])
      cwi_matrix_transpose(of[i]);
}

/* Checks the arguments and plans the product. Local. */
static cw_error multiply_prepare(struct product *product, const cw_operand *a, const cw_operand *b,
                                 const cw_operand *c)
{
  CWI_TRY(cwi_check_transposition("ta", product->ta));
  CWI_TRY(cwi_check_transposition("tb", product->tb));
  CWI_TRY(cwi_matrix_make("a", a, &product->a));
  CWI_TRY(cwi_matrix_make("b", b, &product->b));
  CWI_TRY(cwi_matrix_make("c", c, &product->c));
  CWI_TRY(check_factor("a", &product->a, &product->c));
  CWI_TRY(check_factor("b", &product->b, &product->c));
  transpose_vectors(product);
  CWI_TRY(check_shapes(product));
  const cw_type type = c->array->type;
  product->field = cwi_field_of(type);
  if (product->alpha == NULL)
    product->alpha = product->field->one;
  if (product->beta == NULL)
    product->beta = product->field->zero;
  product->keep = !cwi_scalar_is_zero(type, product->beta);
  product->depth = product->a.extents[product->ta == CW_NOT_TRANSPOSED];
  if (cwi_scalar_is_zero(type, product->alpha))
    product->depth = 0;
  CWI_TRY(cwi_blas_begin());
  return cwi_tiles_make(&product->c, product->depth, &product->tiles);
}

static cw_error multiply(struct product *product, cw_team team, cw_error prepared)
{
  CWI_TRY(cwi_matrix_synchronize(team, prepared));
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_tiles_begin(&product->tiles));
  if (first.error == CW_OK)
    cwi_first_note(&first, cwi_matrix_synchronize(team, multiply_work(product)));
  if (!cwi_first_is_from_mpi(&first)) /* after an error of MPI the members cannot communicate */
    cwi_first_note(&first, cwi_tiles_end(&product->tiles));
  return cwi_first_return(&first);
}

/* Returns the team whose members meet in the call, or NULL if no array is valid on this process.
 * One valid array is enough: a member with a rejected argument must meet the others, too. */
static cw_team multiply_team(const cw_operand *const operands[3])
{
  for (int i = 2; i >= 0; i--)
    if (operands[i] != NULL && cwi_is_array(operands[i]->array))
      return operands[i]->array->team;
  return NULL;
}

enum { MULTIPLY_AGREED = 4 + 3 * CWI_AGREED_OPERAND + 1 };

/* Lists all arguments. */
static const struct cwi_argument *multiply_list(const struct product *product,
                                                const cw_operand *const operands[3],
                                                struct cwi_argument list[MULTIPLY_AGREED])
{
  cw_array c = operands[2]->array;
  list[0] = cwi_argument_choice("ta", cwi_transposition_names, product->ta);
  list[1] = cwi_argument_choice("tb", cwi_transposition_names, product->tb);
  list[2] = cwi_agreed_element("alpha", c, product->alpha);
  list[3] = cwi_agreed_element("beta", c, product->beta);
  for (int i = 0; i < 3; i++)
    cwi_agreed_operand((const char *const[]){"a", "b", "c"}[i], operands[i],
                       &list[4 + i * CWI_AGREED_OPERAND]);
  list[MULTIPLY_AGREED - 1] = (struct cwi_argument)CWI_ARGUMENTS_END;
  return list;
}

cw_error cw_array_multiply(cw_transposition ta, cw_transposition tb, const void *alpha,
                           const cw_operand *a, const cw_operand *b, const void *beta,
                           const cw_operand *c)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct product product = {.ta = ta, .tb = tb, .alpha = alpha, .beta = beta};
  struct cwi_argument list[MULTIPLY_AGREED];
  const cw_operand *const operands[3] = {a, b, c};
  cw_team team = multiply_team(operands);
  cw_error prepared = c != NULL ? cwi_check_array("c", c->array) : cwi_misuse("c is NULL");
  if (prepared == CW_OK)
    prepared = multiply_prepare(&product, a, b, c);
  if (team == NULL)
    return cwi_in_call("cw_array_multiply", prepared);
  const bool compares = cwi_settings.check != 0 && prepared == CW_OK;
  const cw_error error = CWI_COLLECTIVELY("cw_array_multiply", team,
                                          compares ? multiply_list(&product, operands, list) : NULL,
                                          multiply(&product, team, prepared));
  cwi_tiles_free(&product.tiles);
  return error;
}
