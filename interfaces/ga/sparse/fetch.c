/* Transfers for products of sparse arrays, and creation of the resulting arrays. Each needed
 * element is transferred once. Long runs are transferred as patches, the other elements as one list
 * or one by one. */
#include "cwga.h"
#include "ga/sparse/sparse.h"

#include "array/array.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

void *cwi_sparse_space(size_t count, size_t element)
{
  return calloc(count + 1, element);
}

cw_error cwi_sparse_check_array(const struct cwi_sparse *sparse, const char *what, int g_a,
                                int dimensions, int along, int64_t extent, cw_array *array)
{
  CWI_TRY(cwi_ga_array(what, g_a, array));
  const cw_array a = *array;
  const int code = cwi_ga_entry(g_a)->type;
  if (a->dimensions != dimensions)
    return cwi_misuse("%s is array '%s' of %d dimensions; it must have %d", what, a->name,
                      a->dimensions, dimensions);
  if (code != sparse->type)
    return cwi_misuse("%s is array '%s' of type %d; the sparse array has type %d", what, a->name,
                      code, sparse->type);
  if (a->axes[along].extent != extent)
    return cwi_misuse("%s is array '%s', whose dimension %d has %lld elements; it must have %lld "
                      "for this sparse array",
                      what, a->name, along, (long long)a->axes[along].extent, (long long)extent);
  if (!cwi_team_same_members(a->team, sparse->team))
    return cwi_misuse("%s is array '%s', which is not on the same processes in the same order as "
                      "the sparse array",
                      what, a->name);
  return CW_OK;
}

/* Stores the boundaries along a dimension, and the ranks of the parts that are not empty. Returns
 * the number of these parts. The other dimension is one block, whose boundary 0 comes before these
 * boundaries if `along` is 1, and after them otherwise. Both arrays have parts + 1 elements. */
static int partition_along(int64_t extent, int parts, int along, int64_t *boundaries, int *ranks)
{
  int members = 0;
  for (int part = 0; part < parts; part++) {
    const int64_t begin = cwi_sparse_start(extent, parts, part);
    if (begin == cwi_sparse_start(extent, parts, part + 1))
      continue;
    boundaries[members + along] = begin;
    ranks[members++] = part;
  }
  return members;
}

cw_error cwi_sparse_new_array(const struct cwi_sparse *sparse, int code, int dimensions,
                              const int64_t *extents, int along, int *g_a, cw_array *array)
{
  const int parts = sparse->team->size;
  int64_t *boundaries = calloc((size_t)parts + 1, sizeof *boundaries);
  int *ranks = calloc((size_t)parts + 1, sizeof *ranks), blocks[2] = {1, 1};
  cw_array_options options = {.name = "sparse", .dimensions = dimensions, .extents = extents};
  cw_error error = boundaries != NULL && ranks != NULL
                       ? cwi_ga_type(&code, &options.type, &options.element_bytes)
                       : cwi_outside("no memory for the blocks of an array");
  error = cwi_team_agree(sparse->team, error);
  if (error == CW_OK && boundaries != NULL && ranks != NULL) {
    const int members = partition_along(extents[along], parts, along, boundaries, ranks);
    blocks[along] = members;
    options.distribution = (cw_distribution){
        .boundaries = boundaries, .blocks = blocks, .members = members, .ranks = ranks};
    error = cwi_array_create(sparse->team, &options, NULL, array);
  }
  if (error == CW_OK)
    error = cw_array_fill(*array, NULL, NULL, NULL);
  if (error == CW_OK)
    error = cwi_ga_adopt(*array, sparse->group, g_a);
  free(boundaries);
  free(ranks);
  return error;
}

/* Starts the transfer of `length` consecutive indices of a panel. They are contiguous in the
 * buffer. */
static cw_error start_patch(cw_operation operation, const struct cwi_sparse_panel *panel,
                            int64_t first, size_t length, char *buffer, cw_handle *handle)
{
  int64_t lo[2] = {first, panel->first}, hi[2], strides[2] = {panel->width, 1};
  if (panel->along == 1) {
    lo[0] = panel->first;
    lo[1] = first;
    strides[0] = 1;
    strides[1] = panel->width;
  }
  hi[panel->along] = first + (int64_t)length - 1;
  hi[1 - panel->along] = panel->first + panel->width - 1;
  const cw_patch patch = {
      .operation = operation, .lo = lo, .hi = hi, .buffer = buffer, .strides = strides};
  return cw_array_start(panel->array, &patch, handle);
}

/* Starts the transfers of the needed columns that are not in a long run. A get from an array of one
 * dimension is a gather, which is complete on return. */
static cw_error start_others(const struct cwi_sparse_elements *mine, cw_operation operation,
                             const struct cwi_sparse_panel *panel, char *buffer, cw_handle *handle)
{
  const size_t element = panel->array->element;
  const size_t count = mine->needed_count - mine->in_runs;
  const int64_t *needed = &mine->needed[mine->in_runs];
  buffer += mine->in_runs * (size_t)panel->width * element;
  if (panel->array->dimensions == 1 && operation == CW_GET)
    return cw_array_gather(panel->array, count, needed, buffer);
  for (size_t k = 0; k < count; k++)
    CWI_TRY(start_patch(operation, panel, needed[k], 1, buffer + k * (size_t)panel->width * element,
                        handle));
  return CW_OK;
}

static cw_error wait_for(cw_handle *handle, cw_error started)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, started);
  cwi_first_note(&first, cw_wait(handle));
  return cwi_first_return(&first);
}

cw_error cwi_sparse_move_needed(const struct cwi_sparse *sparse, cw_operation operation,
                                const struct cwi_sparse_panel *panel, char *buffer)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  const size_t bytes = (size_t)panel->width * panel->array->element;
  cw_handle handle = {0};
  cw_error error = CW_OK;
  for (size_t r = 0; r < mine->run_count && error == CW_OK; r++) {
    const struct cwi_sparse_run *run = &mine->runs[r];
    error = start_patch(operation, panel, run->first, run->length, buffer + run->place * bytes,
                        &handle);
  }
  if (error == CW_OK)
    error = start_others(mine, operation, panel, buffer, &handle);
  return wait_for(&handle, error);
}

cw_error cwi_sparse_move_rows(const struct cwi_sparse *sparse, cw_operation operation,
                              const struct cwi_sparse_panel *panel, char *buffer)
{
  cw_handle handle = {0};
  if (sparse->my_rows == 0)
    return CW_OK;
  return wait_for(
      &handle, start_patch(operation, panel, sparse->first_row, sparse->my_rows, buffer, &handle));
}
