/* Random arrays of every type and layout, and their expected contents. */
#include "array/array_model.h"

#include "kit/devices.h"
#include "kit/distribution.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

static const size_t type_bytes[CW_TYPES] = {
    sizeof(int),           sizeof(long),           sizeof(float),    sizeof(double),
    sizeof(float complex), sizeof(double complex), sizeof(long long)};

static void draw_extents(array_model *model, size_t most)
{
  const int64_t limits[] = {0, 300, 40, 12, 7, 5, 4, 3, 3};
  model->count = 1;
  for (int d = 0; d < model->n; d++) {
    model->extents[d] = kit_draw(1, limits[model->n]);
    if (model->count * (size_t)model->extents[d] > most)
      model->extents[d] = 1;
    model->count *= (size_t)model->extents[d];
  }
}

void model_create(array_model *model, int n, size_t most, bool ghosts)
{
  struct kit_distribution drawn;
  cw_array_options options = {.name = "model", .dimensions = n};
  *model = (array_model){.n = n};
  draw_extents(model, most);
  const int type = kit_common(CW_TYPES + 2);
  options.type = model->type = type < CW_TYPES ? (cw_type)type : CW_OPAQUE;
  options.element_bytes = type == CW_TYPES ? 3 : type > CW_TYPES ? 24 : 0;
  options.extents = model->extents;
  model->element = type < CW_TYPES ? type_bytes[type] : options.element_bytes;
  kit_draw_distribution(n, model->extents, ghosts, &drawn);
  options.distribution = drawn.what;
  model->real = kit_alloc(model->count, sizeof *model->real);
  model->imaginary = kit_alloc(model->count, sizeof *model->imaginary);
  KIT_MUST(kit_array_create(cw_team_world(), &options, &model->array));
}

void model_destroy(array_model *model)
{
  KIT_OK(cw_array_destroy(&model->array));
  free(model->real);
  free(model->imaginary);
}

void model_store(const array_model *model, void *element, int64_t real, int64_t imaginary)
{
  const int as_int = (int)real;
  const long as_long = (long)real;
  const float as_float = (float)real, pair_float[2] = {(float)real, (float)imaginary};
  const double as_double = (double)real, pair_double[2] = {(double)real, (double)imaginary};
  const void *const values[CW_TYPES] = {&as_int,    &as_long,    &as_float, &as_double,
                                        pair_float, pair_double, &as_long};
  if (model->type == CW_OPAQUE)
    memset(element, (int)(real & 0xff), model->element);
  else
    memcpy(element, values[model->type], model->element);
}

bool model_equal(const array_model *model, const void *element, int64_t real, int64_t imaginary)
{
  unsigned char want[32];
  model_store(model, want, real, imaginary);
  return memcmp(element, want, model->element) == 0;
}

size_t model_index(const array_model *model, const int64_t *index)
{
  size_t at = 0;
  for (int d = 0; d < model->n; d++)
    at = at * (size_t)model->extents[d] + (size_t)index[d];
  return at;
}

bool model_next(int n, const int64_t *lo, const int64_t *hi, int64_t *index)
{
  for (int d = n - 1; d >= 0; d--) {
    if (++index[d] <= hi[d])
      return true;
    index[d] = lo[d];
  }
  return false;
}

bool model_patch(const array_model *model, int part, int parts, int64_t *lo, int64_t *hi)
{
  int longest = 0;
  for (int d = 1; d < model->n; d++)
    longest = model->extents[d] > model->extents[longest] ? d : longest;
  bool some = true;
  for (int d = 0; d < model->n; d++) {
    const int64_t extent = model->extents[d];
    const int64_t first = d == longest ? extent * part / parts : 0;
    const int64_t last = d == longest ? extent * (part + 1) / parts - 1 : extent - 1;
    some = some && last >= first;
    lo[d] = last >= first ? kit_draw(first, last) : first;
    hi[d] = last >= lo[d] ? kit_draw(lo[d], last) : first;
  }
  return some;
}

int64_t model_payload(int process, size_t i, int round)
{
  return 1 + (int64_t)((i * 7 + (size_t)process * 3 + (size_t)round * 5) % 9);
}

static void check_element(const array_model *model, const char *where, const int64_t *index,
                          const char *how)
{
  char copy[32];
  const char *element = kit_host_bytes(where, model->element, copy);
  const size_t at = model_index(model, index);
  kit_check(model_equal(model, element, model->real[at], model->imaginary[at]),
            "element (%lld, %lld, ...) by %s is not %lld", (long long)index[0],
            model->n > 1 ? (long long)index[1] : 0LL, how, (long long)model->real[at]);
}

/* Verifies each block that this process can load, each element once. */
static void verify_blocks(const array_model *model)
{
  cw_array_description what;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], index[CW_MAX_DIMENSIONS];
  KIT_OK(cw_array_describe(model->array, &what));
  for (int64_t block = 0; block < what.total_blocks; block++) {
    int rank = -1;
    cw_array_view view;
    KIT_OK(cw_array_block(model->array, block, lo, hi, &rank));
    bool empty = cw_team_process(what.team, rank) != cw_process();
    for (int d = 0; d < model->n; d++)
      empty = empty || hi[d] < lo[d];
    if (empty)
      continue;
    kit_access_mine(model->array, lo, hi, &view);
    memcpy(index, lo, sizeof index);
    do {
      const char *element = view.address;
      int owner = -1;
      for (int d = 0; d < model->n; d++)
        element += (index[d] - lo[d]) * view.strides[d];
      check_element(model, element, index, "load");
      KIT_OK(cw_array_locate(model->array, index, &owner));
      kit_check_long(owner, rank, "owner of an element");
    } while (model_next(model->n, lo, hi, index));
    KIT_OK(cw_array_release(model->array, &view));
  }
}

/* Verifies this process's part as a dense matrix, by the indices that the library reports for its
 * elements. */
static void verify_matrix(const array_model *model)
{
  cw_array_description what;
  cw_array_view view;
  int64_t zero[CW_MAX_DIMENSIONS] = {0}, last[CW_MAX_DIMENSIONS], local[CW_MAX_DIMENSIONS] = {0};
  KIT_OK(cw_array_describe(model->array, &what));
  if (what.layout != CW_CYCLIC && what.layout != CW_BLOCKS)
    return;
  kit_access_all_mine(model->array, &view);
  bool some = view.address != NULL;
  for (int d = 0; d < model->n; d++) {
    last[d] = view.extents[d] - 1;
    some = some && last[d] >= 0;
  }
  if (some)
    do {
      const char *element = view.address;
      int64_t index[CW_MAX_DIMENSIONS];
      for (int d = 0; d < model->n; d++) {
        element += local[d] * view.strides[d];
        KIT_OK(
            cw_array_global_index(model->array, cw_team_rank(what.team), d, local[d], &index[d]));
      }
      check_element(model, element, index, "load of the matrix");
    } while (model_next(model->n, zero, last, local));
  KIT_OK(cw_array_release(model->array, &view));
}

void model_verify(const array_model *model)
{
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS], index[CW_MAX_DIMENSIONS] = {0};
  char *whole = kit_alloc(model->count, model->element);
  KIT_OK(cw_array_sync(model->array));
  for (int d = 0; d < model->n; d++)
    hi[d] = model->extents[d] - 1;
  KIT_OK(cw_array_get(model->array, lo, hi, whole, NULL));
  size_t at = 0;
  do
    check_element(model, whole + at++ * model->element, index, "get");
  while (model_next(model->n, lo, hi, index));
  verify_blocks(model);
  verify_matrix(model);
  free(whole);
  KIT_OK(cw_array_sync(model->array));
}
