/* A count sketch: each row of a sparse array is multiplied by 1 or -1, and added to one of a few
 * target rows. The sign and the target row are chosen at random. */
#include "ga/sparse/sparse.h"

#include "array/array.h"
#include "number/random.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

/* The random choices for this process's rows. */
struct sketch {
  int64_t size;
  uint64_t seed;
  int *target;  /* [my_rows] */
  char *weight; /* [my_rows] 1 or -1 in the array's type */
};

static cw_error sketch_draw(const struct cwi_sparse *sparse, struct sketch *sketch)
{
  sketch->target = cwi_sparse_space(sparse->my_rows, sizeof *sketch->target);
  sketch->weight = cwi_sparse_space(sparse->my_rows, sparse->element);
  if (sketch->target == NULL || sketch->weight == NULL)
    return cwi_outside("no memory for %zu choices", sparse->my_rows);
  for (size_t row = 0; row < sparse->my_rows; row++) {
    const uint64_t index = 2 * ((uint64_t)sparse->first_row + row);
    sketch->target[row] = (int)(cwi_random_bits(sketch->seed, index) % (uint64_t)sketch->size);
    cwi_sparse_kernels(sparse->native)
        ->set((cwi_random_bits(sketch->seed, index + 1) & 1) != 0 ? 1 : -1,
              sketch->weight + row * sparse->element);
  }
  return CW_OK;
}

/* Adds all elements of this process to the result. */
static cw_error sketch_add(const struct cwi_sparse *sparse, const struct sketch *sketch,
                           bool turned, cw_array to)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  int64_t *indices = malloc((2 * mine->count + 1) * sizeof *indices);
  char *values = cwi_sparse_space(mine->count, sparse->element);
  cw_error error = indices != NULL && values != NULL
                       ? CW_OK
                       : cwi_outside("no memory for %zu elements of a sketch", mine->count);
  for (size_t u = 0; u < mine->entries && error == CW_OK; u++) {
    const size_t row = (size_t)mine->row[u], from = mine->first[u];
    const size_t count = mine->first[u + 1] - from;
    for (size_t k = from; k < from + count; k++) {
      indices[2 * k + turned] = sketch->target[row];
      indices[2 * k + !turned] = mine->needed[mine->place[k]];
    }
    union cwi_scalar weight;
    const bool scaled =
        cwi_scale_read(sparse->native, sketch->weight + row * sparse->element, &weight);
    cwi_accumulate_kernels[sparse->native][scaled](values + from * sparse->element, 0,
                                                   mine->values + from * sparse->element, 0,
                                                   count * sparse->element, 1, &weight);
  }
  if (error == CW_OK)
    error = cw_array_scatter_accumulate(to, mine->count, indices, values, NULL);
  free(indices);
  free(values);
  return error;
}

static cw_error sketch_make(const struct cwi_sparse *sparse, struct sketch *sketch, bool turned,
                            int handles[3])
{
  cw_array targets = NULL, weights = NULL, sums = NULL;
  int64_t extents[2];
  extents[turned] = sketch->size;
  extents[!turned] = sparse->columns;
  CWI_TRY(cwi_team_agree(sparse->team, sketch_draw(sparse, sketch)));
  CWI_TRY(cwi_sparse_new_array(sparse, C_INT, 1, &sparse->rows, 0, &handles[0], &targets));
  CWI_TRY(cwi_sparse_new_array(sparse, sparse->type, 1, &sparse->rows, 0, &handles[1], &weights));
  CWI_TRY(cwi_sparse_new_array(sparse, sparse->type, 2, extents, !turned, &handles[2], &sums));
  const struct cwi_sparse_panel target_panel = {targets, 0, 0, 1},
                                weight_panel = {weights, 0, 0, 1};
  CWI_TRY(cwi_sparse_move_rows(sparse, CW_PUT, &target_panel, (char *)sketch->target));
  CWI_TRY(cwi_sparse_move_rows(sparse, CW_PUT, &weight_panel, sketch->weight));
  CWI_TRY(sketch_add(sparse, sketch, turned, sums));
  return cwi_sparse_synchronize(sparse);
}

cw_error cwi_sparse_sketch(int s_a, int64_t size, bool turned, int *g_k, int *g_w, int *g_c)
{
  static uint64_t calls; /* makes each call use different random numbers, which are the same on all
                            processes */
  struct cwi_sparse *sparse = NULL;
  int handles[3] = {0};
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(cwi_check_not_null("g_k", g_k));
  CWI_TRY(cwi_check_not_null("g_w", g_w));
  if (size <= 0 || size > INT32_MAX)
    return cwi_misuse("size_k is %lld; it may be 1 to %d", (long long)size, INT32_MAX);
  const struct cwi_argument agreed[] = {cwi_argument_indices("size_k", &size, 1),
                                        CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(sparse->team, agreed));
  CWI_TRY(cwi_sparse_synchronize(sparse));
  struct sketch sketch = {.size = size, .seed = cwi_random_bits(59, calls++)};
  const cw_error error = sketch_make(sparse, &sketch, turned, handles);
  free(sketch.target);
  free(sketch.weight);
  *g_k = handles[0];
  *g_w = handles[1];
  *g_c = handles[2];
  return error;
}
