/* Creates and destroys sparse arrays, and computes the rows of each process. */
#include "ga/sparse/sparse.h"

#include "collective_call/collective_check.h"
#include "ga/group/group.h"
#include "route/region_calls.h"
#include "sync/barrier.h"
#include "team/agreement.h"
#include "wait/object_table.h"

#include <stdlib.h>
#include <string.h>

static struct cwi_objects sparse_arrays = {CWI_OBJECTS_OF(struct cwi_sparse), .most = 32768};

/* --- Handles: from -1000 upwards, like the handles of arrays; 0 is skipped, it means failure
 * --- */

enum { FIRST = -1000 };

int cwi_sparse_handle(const struct cwi_sparse *sparse)
{
  const int number = (int)cwi_object_number(sparse);
  return FIRST + number + (number >= -FIRST);
}

struct cwi_sparse *cwi_sparse_next(const struct cwi_sparse *sparse)
{
  return cwi_object_next(&sparse_arrays, sparse);
}

cw_error cwi_sparse_find(const char *what, int s_a, struct cwi_sparse **sparse)
{
  CWI_TRY(cwi_ga_running());
  const uint32_t number = (uint32_t)s_a - (uint32_t)FIRST - (s_a > 0);
  *sparse = s_a != 0 ? cwi_object_numbered(&sparse_arrays, number) : NULL;
  if (*sparse != NULL)
    return CW_OK;
  return cwi_misuse("%s is %d, which is not the handle of a sparse array (was it destroyed?)", what,
                    s_a);
}

cw_error cwi_sparse_assembled(const char *what, int s_a, struct cwi_sparse **sparse)
{
  CWI_TRY(cwi_sparse_find(what, s_a, sparse));
  if ((*sparse)->assembled)
    return CW_OK;
  return cwi_misuse(
      "%s is %d, a sparse array that is not assembled: call NGA_Sprs_array_assemble first", what,
      s_a);
}

/* --- Rows and columns --- */

int cwi_sparse_owner(int64_t extent, int parts, int64_t index)
{
  if (index <= INT64_MAX / parts)
    return (int)(index * parts / extent);
  int low = 0, high = parts - 1; /* search the last part that begins at index or before */
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (cwi_sparse_start(extent, parts, middle) <= index)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

cw_error cwi_sparse_part(int s_a, bool of_columns, int64_t process, int64_t *lo, int64_t *hi)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_find("s_a", s_a, &sparse));
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  const int processes = sparse->team->size;
  if (process < 0 || process >= processes)
    return cwi_misuse("iproc is %lld; the sparse array has processes 0 to %d", (long long)process,
                      processes - 1);
  const int64_t extent = of_columns ? sparse->columns : sparse->rows;
  *lo = cwi_sparse_start(extent, processes, (int)process);
  *hi = cwi_sparse_start(extent, processes, (int)process + 1) - 1;
  return CW_OK;
}

/* --- Creation --- */

static cw_error sparse_check_shape(const struct cwi_sparse_shape *shape)
{
  if (shape->rows <= 0)
    return cwi_misuse("idim is %lld; a sparse array has at least one row", (long long)shape->rows);
  if (shape->columns <= 0)
    return cwi_misuse("jdim is %lld; a sparse array has at least one column",
                      (long long)shape->columns);
  return CW_OK;
}

static cw_error find_type(struct cwi_sparse *sparse, int code)
{
  sparse->type = code;
  CWI_TRY(cwi_ga_type(&sparse->type, &sparse->native, &sparse->element));
  if (cwi_sparse_kernels(sparse->native) != NULL)
    return CW_OK;
  return cwi_misuse("type is %d; a sparse array may have C_INT, C_LONG, C_LONGLONG, C_FLOAT, "
                    "C_DBL, C_SCPL or C_DCPL",
                    code);
}

static cw_error sparse_describe(const struct cwi_sparse_shape *shape, struct cwi_sparse *sparse)
{
  const int me = shape->team->rank, processes = shape->team->size;
  CWI_TRY(sparse_check_shape(shape));
  CWI_TRY(find_type(sparse, shape->type));
  sparse->index = shape->index;
  sparse->rows = shape->rows;
  sparse->columns = shape->columns;
  sparse->first_row = cwi_sparse_start(shape->rows, processes, me);
  sparse->my_rows = (size_t)(cwi_sparse_start(shape->rows, processes, me + 1) - sparse->first_row);
  return CW_OK;
}

cw_error cwi_sparse_make(const struct cwi_sparse_shape *shape, int *s_a, struct cwi_sparse **sparse)
{
  struct cwi_sparse *made = cwi_object_make(&sparse_arrays);
  if (made == NULL)
    return cwi_outside("no memory for a sparse array, or there are too many");
  const cw_error error = sparse_describe(shape, made);
  if (error != CW_OK) {
    cwi_object_end(&sparse_arrays, made);
    return error;
  }
  made->team = shape->team;
  made->group = shape->group;
  cwi_team_keep(made->team);
  *s_a = cwi_sparse_handle(made);
  *sparse = made;
  return CW_OK;
}

cw_error cwi_sparse_create(int64_t rows, int64_t columns, int type, size_t index, int *s_a)
{
  struct cwi_sparse_shape shape = {NULL, cwi_ga_default(), type, index, rows, columns};
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_ga_running());
  CWI_TRY(cwi_ga_team("the default group", shape.group, &shape.team));
  CWI_TRY(cwi_sparse_make(&shape, s_a, &sparse));
  const struct cwi_argument agreed[] = {cwi_argument_indices("idim", &rows, 1),
                                        cwi_argument_indices("jdim", &columns, 1),
                                        cwi_argument_int("type", &type), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(shape.team, agreed));
  return cw_barrier(shape.team);
}

/* --- Synchronisation --- */

/* Synchronises the sparse array's team. The team exists even if the program has destroyed the
 * group. */
cw_error cwi_sparse_synchronize(const struct cwi_sparse *sparse)
{
  CWI_TRY(cw_wait_all());
  return CWI_COLLECTIVELY("cw_barrier", sparse->team, cwi_argument_nothing(),
                          cwi_synchronise(sparse->team));
}

/* --- Destruction --- */

void cwi_sparse_elements_free(struct cwi_sparse_elements *mine)
{
  free(mine->place);
  free(mine->row);
  free(mine->first);
  free(mine->needed);
  free(mine->runs);
  *mine = (struct cwi_sparse_elements){0};
}

static void sparse_discard(struct cwi_sparse *sparse)
{
  cwi_sparse_list_free(&sparse->added);
  cwi_sparse_elements_free(&sparse->mine);
  free(sparse->factor);
  free(sparse->result);
  cwi_object_end(&sparse_arrays, sparse);
}

cw_error cwi_sparse_destroy(int s_a)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_find("s_a", s_a, &sparse));
  cw_team team = sparse->team;
  CWI_TRY(cwi_sparse_synchronize(sparse));
  if (sparse->region != NULL)
    CWI_TRY(cwi_region_free(team, &sparse->region));
  sparse_discard(sparse);
  return cwi_team_release(team);
}

void cwi_sparse_stop(void)
{
  for (struct cwi_sparse *sparse = cwi_sparse_next(NULL), *next; sparse != NULL; sparse = next) {
    next = cwi_sparse_next(sparse);
    sparse_discard(sparse);
  }
}

/* --- Copies --- */

static void *copied(const void *from, size_t count, size_t element)
{
  void *copy = malloc(count * element + 1);
  if (copy != NULL && count > 0)
    memcpy(copy, from, count * element);
  return copy;
}

static cw_error copy_elements(const struct cwi_sparse_elements *from,
                              struct cwi_sparse_elements *mine)
{
  *mine = *from;
  mine->place = copied(from->place, from->count, sizeof *from->place);
  mine->row = copied(from->row, from->entries, sizeof *from->row);
  mine->first = copied(from->first, from->entries + 1, sizeof *from->first);
  mine->needed = copied(from->needed, from->needed_count, sizeof *from->needed);
  mine->runs = copied(from->runs, from->run_count, sizeof *from->runs);
  if (mine->place != NULL && mine->row != NULL && mine->first != NULL && mine->needed != NULL &&
      mine->runs != NULL)
    return CW_OK;
  return cwi_outside("no memory for a copy of a sparse array");
}

/* Copies the slice and the elements. */
static cw_error copy_into(const struct cwi_sparse *from, struct cwi_sparse *copy)
{
  const int me = from->team->rank;
  const size_t bytes = cw_region_bytes(from->region, me);
  CWI_TRY(cwi_team_agree(from->team, copy_elements(&from->mine, &copy->mine)));
  CWI_TRY(cwi_region_create(from->team, bytes, &copy->region));
  char *slice = cw_region_address(copy->region, me);
  CWI_TRY(cw_access_begin(slice));
  memcpy(slice, from->blocks, bytes);
  CWI_TRY(cw_access_end(slice));
  copy->blocks = (struct cwi_sparse_block *)(void *)slice;
  copy->mine.values = slice + (from->mine.values - (const char *)from->blocks);
  copy->assembled = true;
  return cwi_sparse_synchronize(copy);
}

cw_error cwi_sparse_duplicate(int s_a, int *s_b)
{
  struct cwi_sparse *from = NULL, *copy = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &from));
  const struct cwi_sparse_shape shape = {from->team,  from->group, from->type,
                                         from->index, from->rows,  from->columns};
  CWI_TRY(cwi_sparse_synchronize(from));
  CWI_TRY(cwi_sparse_make(&shape, s_b, &copy));
  return copy_into(from, copy);
}
