/* Random local matrices that are moved to and from random distributed matrices, compared with a
 * serial model: through attached matrices, blocking and non-blocking, and in AXPY epochs of both
 * kinds. Arguments: "device" if parts of the arrays lie on devices; number of matrices, and of
 * rounds on each. */
#include "array/array_model.h"
#include "kit/devices.h"

#include <stdlib.h>
#include <string.h>

enum { PADDING = 0x5a, PIECES = 3 };

/* A local matrix and its position, as all processes draw it. */
struct piece {
  int process;
  cw_local_matrix local; /* data is NULL on other processes */
  int64_t i, j, ld;
  size_t bytes;
};

static const array_model *model;
static cw_matrix_order order;

/* Extents of the matrix in its two dimensions. */
static int64_t height(void)
{
  return model->extents[order == CW_ROW_MAJOR ? 0 : 1];
}

static int64_t width(void)
{
  return model->extents[order == CW_ROW_MAJOR ? 1 : 0];
}

static size_t in_model(int64_t i, int64_t j)
{
  const int64_t index[2] = {order == CW_ROW_MAJOR ? i : j, order == CW_ROW_MAJOR ? j : i};
  return model_index(model, index);
}

static char *in_local(const struct piece *piece, int64_t i, int64_t j)
{
  const int64_t place = piece->local.order == CW_ROW_MAJOR ? i * piece->ld + j : i + j * piece->ld;
  return (char *)piece->local.data + (size_t)place * model->element;
}

static struct piece make_piece(int process, int64_t i, int64_t j, int64_t rows, int64_t columns)
{
  struct piece piece = {.process = process, .i = i, .j = j};
  piece.local.height = rows;
  piece.local.width = columns;
  piece.local.order = kit_common(2) == 0 ? CW_ROW_MAJOR : CW_COLUMN_MAJOR;
  const bool by_rows = piece.local.order == CW_ROW_MAJOR;
  const int64_t gap = kit_common(3);
  piece.ld = (by_rows ? piece.local.width : piece.local.height) + gap;
  piece.local.ld = gap == 0 && kit_common(2) == 0 ? 0 : piece.ld;
  piece.bytes =
      (size_t)(piece.ld * (by_rows ? piece.local.height : piece.local.width)) * model->element;
  if (process == kit_me()) {
    piece.local.data = kit_alloc(piece.bytes + 1, 1);
    memset(piece.local.data, PADDING, piece.bytes);
  }
  return piece;
}

/* Draws a piece within `rows` rows from `first` on; it may be empty. */
static struct piece draw_piece(int process, int64_t first, int64_t rows)
{
  const int64_t i = first + kit_common((int)rows + 1), j = kit_common((int)width() + 1);
  const int64_t high = kit_common((int)(first + rows - i) + 1);
  return make_piece(process, i, j, high, kit_common((int)(width() - j) + 1));
}

static int64_t payload(const struct piece *piece, int64_t i, int64_t j, int round)
{
  return model_payload(piece->process, (size_t)(i * piece->local.width + j), round);
}

static void fill(const struct piece *piece, int round)
{
  for (int64_t i = 0; i < piece->local.height && piece->local.data != NULL; i++)
    for (int64_t j = 0; j < piece->local.width; j++) {
      const int64_t value = payload(piece, i, j, round);
      model_store(model, in_local(piece, i, j), value, -value);
    }
}

/* With scale 0 the elements are put. */
static void update_model(const struct piece *piece, int round, int64_t scale)
{
  for (int64_t i = 0; i < piece->local.height; i++)
    for (int64_t j = 0; j < piece->local.width; j++) {
      const size_t at = in_model(piece->i + i, piece->j + j);
      const int64_t value = payload(piece, i, j, round);
      model->real[at] = scale == 0 ? value : model->real[at] + scale * value;
      model->imaginary[at] = scale == 0 ? -value : model->imaginary[at] - scale * value;
    }
}

/* Checks that each element is `mine` times its old value plus `scale` times the matrix, and that
 * all other bytes are padding. */
static void check_local(const struct piece *piece, int round, int64_t mine, int64_t scale)
{
  size_t touched = 0;
  for (int64_t i = 0; i < piece->local.height; i++)
    for (int64_t j = 0; j < piece->local.width; j++) {
      const size_t at = in_model(piece->i + i, piece->j + j);
      const int64_t value = mine * payload(piece, i, j, round);
      kit_check(model_equal(model, in_local(piece, i, j), value + scale * model->real[at],
                            scale * model->imaginary[at] - value),
                "element (%lld, %lld) of a local matrix", (long long)i, (long long)j);
      memset(in_local(piece, i, j), PADDING, model->element);
    }
  for (size_t i = 0; i < piece->bytes; i++)
    touched += ((unsigned char *)piece->local.data)[i] != PADDING;
  kit_check_long((long)touched, 0, "bytes of padding that were touched");
}

static void end_pieces(struct piece *pieces, int count)
{
  for (int n = 0; n < count; n++)
    free(pieces[n].local.data);
}

static const void *scale_of(int64_t scale, unsigned char element[32])
{
  model_store(model, element, scale, 0);
  return scale == 1 ? NULL : element;
}

/* --- Attached matrices --- */

static void run(cw_matrix matrix, cw_operation operation, const void *scale,
                const struct piece *piece, bool starts)
{
  const cw_local_matrix *local = &piece->local;
  if (operation == CW_PUT && starts)
    KIT_OK(cw_matrix_iput(matrix, local, piece->i, piece->j));
  else if (operation == CW_PUT)
    KIT_OK(cw_matrix_put(matrix, local, piece->i, piece->j));
  else if (operation == CW_GET && starts)
    KIT_OK(cw_matrix_iget(matrix, local, piece->i, piece->j));
  else if (operation == CW_GET)
    KIT_OK(cw_matrix_get(matrix, local, piece->i, piece->j));
  else if (starts)
    KIT_OK(cw_matrix_iaccumulate(matrix, scale, local, piece->i, piece->j));
  else
    KIT_OK(cw_matrix_accumulate(matrix, scale, local, piece->i, piece->j));
}

static void begin(cw_matrix matrix)
{
  struct piece all = make_piece(0, 0, 0, height(), width());
  update_model(&all, 0, 0);
  if (kit_me() == 0) {
    fill(&all, 0);
    run(matrix, CW_PUT, NULL, &all, false);
  }
  end_pieces(&all, 1);
  KIT_OK(cw_array_sync(model->array));
}

/* Each process in a strip of rows of its own, or all anywhere. */
static void update(cw_matrix matrix, cw_operation operation, int round)
{
  const int processes = kit_processes(), starts = kit_common(2);
  const int64_t scale = operation == CW_PUT ? 0 : 1 + round % 3;
  unsigned char element[32];
  struct piece mine[PIECES];
  int count = 0;
  for (int process = 0; process < processes; process++)
    for (int n = 0; n < (operation == CW_PUT ? 1 : PIECES); n++) {
      const int64_t first = operation == CW_PUT ? height() * process / processes : 0;
      const int64_t end = operation == CW_PUT ? height() * (process + 1) / processes : height();
      const struct piece piece = draw_piece(process, first, end - first);
      update_model(&piece, round, scale);
      if (process != kit_me())
        continue;
      fill(&piece, round);
      run(matrix, operation, scale > 0 ? scale_of(scale, element) : NULL, &piece, starts != 0);
      mine[count++] = piece;
    }
  for (int n = 0; n < count && kit_own(2) == 0; n++)
    KIT_OK(cw_matrix_flush_local(matrix, &mine[n].local));
  KIT_OK(cw_matrix_flush(matrix, NULL));
  end_pieces(mine, count);
  KIT_OK(cw_array_sync(model->array));
}

static void check_elements(cw_matrix matrix, int round)
{
  struct piece pieces[PIECES];
  for (int n = 0; n < PIECES; n++) {
    const bool starts = kit_common(2) == 0;
    for (int process = 0; process < kit_processes(); process++) {
      const struct piece piece = draw_piece(process, 0, height());
      if (process != kit_me())
        continue;
      pieces[n] = piece;
      run(matrix, CW_GET, NULL, &piece, starts);
    }
  }
  for (int n = PIECES - 1; n >= 0; n--) {
    KIT_OK(cw_matrix_flush_local(matrix, &pieces[n].local));
    check_local(&pieces[n], round, 0, 1);
  }
  end_pieces(pieces, PIECES);
  KIT_OK(cw_array_sync(model->array));
}

/* All processes add to the same element, and to no other. */
static void fetch(cw_matrix matrix)
{
  unsigned char one[32], before[32];
  const int64_t i = kit_common((int)height()), j = kit_common((int)width());
  const size_t at = in_model(i, j);
  bool was_there = false;
  int rank = 0;
  model_store(model, one, 1, 0);
  KIT_OK(cw_array_locate(model->array,
                         (int64_t[]){order == CW_ROW_MAJOR ? i : j, order == CW_ROW_MAJOR ? j : i},
                         &rank));
  if (kit_on_device(model->array, rank)) {
    KIT_MISUSE("on a device", cw_matrix_fetch_add(matrix, i, j, one, before));
    return;
  }
  KIT_OK(cw_matrix_fetch_add(matrix, i, j, one, before));
  for (int n = 0; n < kit_processes(); n++)
    was_there = was_there || model_equal(model, before, model->real[at] + n, model->imaginary[at]);
  kit_check(was_there, "the old value of (%lld, %lld)", (long long)i, (long long)j);
  KIT_OK(cw_array_sync(model->array));
  model->real[at] += kit_processes();
}

static void on_attached(int rounds)
{
  cw_matrix matrix = NULL;
  KIT_MUST(cw_matrix_attach(model->array, order, &matrix));
  begin(matrix);
  for (int round = 0; round < rounds; round++) {
    const bool adds = model->type != CW_OPAQUE && kit_common(3) > 0;
    update(matrix, adds ? CW_ACCUMULATE : CW_PUT, round);
    check_elements(matrix, round);
    if (adds)
      fetch(matrix);
  }
  KIT_OK(cw_matrix_detach(&matrix));
  kit_check(matrix == NULL, "the handle of a detached matrix");
  model_verify(model);
}

/* --- Epochs --- */

static void on_epoch(int round)
{
  const cw_axpy_direction direction = kit_common(2) == 0 ? CW_LOCAL_TO_GLOBAL : CW_GLOBAL_TO_LOCAL;
  const int64_t scale = 1 + round % 3;
  unsigned char element[32];
  const void *alpha = scale_of(scale, element);
  cw_axpy axpy = NULL;
  KIT_MUST(cw_axpy_attach(model->array, order, direction,
                          kit_common(2) == 0 ? CW_END_OF_MESSAGES : CW_CONSENSUS, &axpy));
  for (int process = 0; process < kit_processes(); process++)
    for (int n = kit_common(PIECES + 1); n > 0; n--) {
      struct piece piece = draw_piece(process, 0, height());
      if (direction == CW_LOCAL_TO_GLOBAL)
        update_model(&piece, round, scale);
      if (process != kit_me())
        continue;
      fill(&piece, round);
      KIT_OK(cw_axpy_add(axpy, alpha, &piece.local, piece.i, piece.j));
      if (direction == CW_GLOBAL_TO_LOCAL)
        check_local(&piece, round, 1, scale);
      end_pieces(&piece, 1);
    }
  KIT_OK(cw_axpy_detach(&axpy));
  kit_check(axpy == NULL, "the handle of a detached epoch");
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "matrix_transfers");
  kit_take_devices(&argc, argv);
  const long matrices = kit_rounds(argc > 1 ? argv[1] : NULL, 20);
  const int rounds = argc > 2 ? atoi(argv[2]) : 4;
  for (long n = 0; n < matrices; n++) {
    array_model random;
    model_create(&random, 2, n % 10 == 9 ? 40000 : 600, kit_common(5) == 0);
    model = &random;
    order = kit_common(2) == 0 ? CW_ROW_MAJOR : CW_COLUMN_MAJOR;
    kit_about("matrix %ld, type %d, %lld x %lld, order %d", n, (int)model->type,
              (long long)height(), (long long)width(), (int)order);
    on_attached(rounds);
    for (int round = 0; round < rounds && model->type != CW_OPAQUE; round++)
      on_epoch(round);
    KIT_OK(cw_array_sync(model->array));
    model_verify(model);
    model_destroy(&random);
  }
  kit_close_devices();
  return kit_finish_native();
}
