/* Attached matrices: one-sided put, get and accumulate of local matrices. A program waits for the
 * operations on one local matrix, or for all. */
#include "matrix/attached.h"

#include "array/array_arguments.h"
#include "base/hash.h"
#include "base/stop_hooks.h"
#include "collective_call/collective_check.h"
#include "matrix/local_patch.h"
#include "profile/profile.h"
#include "route/route.h"
#include "sync/barrier.h"
#include "team/agreement.h"
#include "wait/object_table.h"

/* Limits of the operations in flight of a matrix. Without limits, a program that starts operations
 * and never waits would fill the memory. */
enum { MOST_LOCALS = 64, MOST_STARTED = 64 };

/* The operations on one local matrix. */
struct attached_local {
  const void *data; /* NULL if the entry is free */
  cw_handle handle;
  int started;
};

struct cwi_attached {
  cw_array array;
  cw_matrix_order order;
  struct attached_local locals[MOST_LOCALS];
  int oldest; /* entry whose operations are completed next if no entry is free */
};

const char *const cwi_matrix_order_names[] = {"CW_ROW_MAJOR", "CW_COLUMN_MAJOR"};

static struct cwi_objects objects = {CWI_OBJECTS_OF(struct cwi_attached), .name = "attached array",
                                     .null_text = "",
                                     .dead_text = "not an attached matrix (was it detached?)"};

cw_error cwi_attach_check(cw_array array, cw_matrix_order order)
{
  if (array->dimensions != 2)
    return cwi_misuse("array '%s' has %d dimensions; a matrix has 2", array->name,
                      array->dimensions);
  if (order == CW_ROW_MAJOR || order == CW_COLUMN_MAJOR)
    return CW_OK;
  return cwi_misuse("order is %d; it may be CW_ROW_MAJOR (0) or CW_COLUMN_MAJOR (1)", (int)order);
}

cw_error cwi_attach_agree(cw_array array, cw_error mine, uint64_t key,
                          const struct cwi_argument *same)
{
  const uint64_t print = cwi_hash_add(cwi_hash_add(CWI_HASH_EMPTY, array->region->key), key);
  const struct cwi_entry entry = {.key = mine == CW_OK ? print : 0};
  CWI_TRY(cwi_team_agree_on(array->team, mine, &entry, same, NULL));
  return cwi_synchronise(array->team);
}

/* --- Attach and detach --- */

static void attached_discard(cw_matrix matrix)
{
  cwi_array_detach(matrix->array);
  cwi_object_end(&objects, matrix);
}

/* Frees the matrices when Causeway stops. The arrays are freed separately. */
static void attached_forget_all(void)
{
  for (cw_matrix matrix = cwi_object_next(&objects, NULL), next; matrix != NULL; matrix = next) {
    next = cwi_object_next(&objects, matrix);
    cwi_object_end(&objects, matrix);
  }
}

static cw_error new_attached(cw_array array, cw_matrix_order order, cw_matrix *out)
{
  static struct cwi_stop_hook end = {.run = attached_forget_all};
  CWI_TRY(cwi_attach_check(array, order));
  CWI_TRY(cwi_check_not_null("matrix", out));
  cwi_stop_hook_add(&end);
  cw_matrix matrix = cwi_object_make(&objects);
  if (matrix == NULL)
    return cwi_outside("no memory for an attached matrix");
  matrix->array = array;
  matrix->order = order;
  cwi_array_attach(array);
  *out = matrix;
  return CW_OK;
}

static cw_error matrix_attach(cw_array array, cw_matrix_order order, cw_matrix *made)
{
  cw_matrix matrix = NULL;
  cw_error error = new_attached(array, order, made == NULL ? NULL : &matrix);
  const struct cwi_argument same[] = {
      cwi_agreed_array("array", array),
      cwi_argument_choice("order", cwi_matrix_order_names, error == CW_OK ? (size_t)order : 0),
      CWI_ARGUMENTS_END};
  error = cwi_attach_agree(array, error, (uint64_t)order, same);
  if (error != CW_OK) {
    if (matrix != NULL)
      attached_discard(matrix);
    return error;
  }
  CWI_ASSERT(made != NULL);
  *made = matrix;
  return CW_OK;
}

cw_error cw_matrix_attach(cw_array array, cw_matrix_order order, cw_matrix *matrix)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_matrix_attach", cwi_check_array("array", array)));
  return CWI_COLLECTIVELY("cw_matrix_attach", array->team, NULL,
                          matrix_attach(array, order, matrix));
}

static cw_error local_finish(struct attached_local *local)
{
  const cw_error error = local->data != NULL ? cw_wait(&local->handle) : CW_OK;
  *local = (struct attached_local){.data = NULL};
  return error;
}

/* Waits for the operations on the local matrix at `data`, or for all if `data` is NULL. */
static cw_error locals_finish(cw_matrix matrix, const void *data)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int n = 0; n < MOST_LOCALS; n++)
    if (data == NULL || matrix->locals[n].data == data)
      cwi_first_note(&first, local_finish(&matrix->locals[n]));
  return cwi_first_return(&first);
}

/* Sets *handle to NULL if the matrix has been detached. If the members fail to synchronise, *handle
 * is unchanged. */
static cw_error matrix_detach(cw_matrix *handle)
{
  struct cwi_first_error first;
  bool arrived = false;
  cw_matrix matrix = *handle;
  CWI_ASSERT(matrix != NULL);
  cwi_first_begin(&first, locals_finish(matrix, NULL));
  cwi_first_note(&first, cwi_synchronise_first(matrix->array->team, &arrived));
  if (arrived) {
    attached_discard(matrix);
    *handle = NULL;
  }
  return cwi_first_return(&first);
}

cw_error cw_matrix_detach(cw_matrix *matrix)
{
  CWI_PROFILED(CW_CALL_MAKE);
  static const char call[] = "cw_matrix_detach";
  CWI_TRY(cwi_in_call(call, cwi_check_not_null("matrix", matrix)));
  CWI_TRY(cwi_in_call(call, cwi_check_object(&objects, "matrix", *matrix)));
  CWI_ASSERT(*matrix != NULL);
  cw_array array = (*matrix)->array;
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", array), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY(call, array->team, agreed, matrix_detach(matrix));
}

/* --- Transfers --- */

static cw_error matrix_patch(cw_matrix matrix, cw_operation operation, const void *scale,
                             const cw_local_matrix *local, int64_t i, int64_t j,
                             struct cwi_local_patch *patch, bool *empty)
{
  CWI_TRY(cwi_check_object(&objects, "matrix", matrix));
  CWI_TRY(cwi_local_patch(matrix->array, matrix->order, local, i, j, patch, empty));
  patch->patch.operation = operation;
  patch->patch.scale = scale;
  return CW_OK;
}

static cw_error matrix_move(cw_matrix matrix, cw_operation operation, const void *scale,
                            const cw_local_matrix *local, int64_t i, int64_t j)
{
  struct cwi_local_patch patch;
  bool empty = false;
  CWI_TRY(matrix_patch(matrix, operation, scale, local, i, j, &patch, &empty));
  return empty ? CW_OK : cwi_array_transfer(matrix->array, &patch.patch);
}

cw_error cw_matrix_put(cw_matrix matrix, const cw_local_matrix *local, int64_t i, int64_t j)
{
  CWI_PROFILED(CW_CALL_PATCH);
  return cwi_in_call("cw_matrix_put", matrix_move(matrix, CW_PUT, NULL, local, i, j));
}

cw_error cw_matrix_get(cw_matrix matrix, const cw_local_matrix *local, int64_t i, int64_t j)
{
  CWI_PROFILED(CW_CALL_PATCH);
  return cwi_in_call("cw_matrix_get", matrix_move(matrix, CW_GET, NULL, local, i, j));
}

cw_error cw_matrix_accumulate(cw_matrix matrix, const void *scale, const cw_local_matrix *local,
                              int64_t i, int64_t j)
{
  CWI_PROFILED(CW_CALL_PATCH);
  return cwi_in_call("cw_matrix_accumulate",
                     matrix_move(matrix, CW_ACCUMULATE, scale, local, i, j));
}

/* Finds the entry of the operations on `data`, or a free one. If there is none, completes those of
 * the oldest entry. */
static cw_error local_of(cw_matrix matrix, const void *data, struct attached_local **found)
{
  struct attached_local *idle = NULL;
  for (int n = 0; n < MOST_LOCALS; n++) {
    struct attached_local *local = &matrix->locals[n];
    if (local->data == data) {
      *found = local;
      return local->started < MOST_STARTED ? CW_OK : local_finish(local);
    }
    if (local->data == NULL && idle == NULL)
      idle = local;
  }
  if (idle == NULL) {
    idle = &matrix->locals[matrix->oldest];
    matrix->oldest = (matrix->oldest + 1) % MOST_LOCALS;
    CWI_TRY(local_finish(idle));
  }
  *found = idle;
  return CW_OK;
}

static cw_error matrix_start(cw_matrix matrix, cw_operation operation, const void *scale,
                             const cw_local_matrix *local, int64_t i, int64_t j)
{
  struct cwi_local_patch patch;
  struct attached_local *kept = NULL;
  bool empty = false;
  CWI_TRY(matrix_patch(matrix, operation, scale, local, i, j, &patch, &empty));
  if (empty)
    return CW_OK;
  CWI_TRY(local_of(matrix, local->data, &kept));
  kept->data = local->data;
  kept->started++;
  return cwi_array_start(matrix->array, &patch.patch, &kept->handle);
}

cw_error cw_matrix_iput(cw_matrix matrix, const cw_local_matrix *local, int64_t i, int64_t j)
{
  CWI_PROFILED(CW_CALL_PATCH);
  return cwi_in_call("cw_matrix_iput", matrix_start(matrix, CW_PUT, NULL, local, i, j));
}

cw_error cw_matrix_iget(cw_matrix matrix, const cw_local_matrix *local, int64_t i, int64_t j)
{
  CWI_PROFILED(CW_CALL_PATCH);
  return cwi_in_call("cw_matrix_iget", matrix_start(matrix, CW_GET, NULL, local, i, j));
}

cw_error cw_matrix_iaccumulate(cw_matrix matrix, const void *scale, const cw_local_matrix *local,
                               int64_t i, int64_t j)
{
  CWI_PROFILED(CW_CALL_PATCH);
  return cwi_in_call("cw_matrix_iaccumulate",
                     matrix_start(matrix, CW_ACCUMULATE, scale, local, i, j));
}

/* --- Completion --- */

static cw_error matrix_flush(cw_matrix matrix, const cw_local_matrix *local, bool remote)
{
  struct cwi_first_error first;
  CWI_TRY(cwi_check_object(&objects, "matrix", matrix));
  cwi_first_begin(&first, local == NULL || local->data != NULL
                              ? locals_finish(matrix, local != NULL ? local->data : NULL)
                              : CW_OK);
  if (remote)
    cwi_first_note(&first, cwi_routes_fence_all());
  return cwi_first_return(&first);
}

cw_error cw_matrix_flush_local(cw_matrix matrix, const cw_local_matrix *local)
{
  CWI_PROFILED(CW_CALL_FLUSH);
  return cwi_in_call("cw_matrix_flush_local", matrix_flush(matrix, local, false));
}

cw_error cw_matrix_flush(cw_matrix matrix, const cw_local_matrix *local)
{
  CWI_PROFILED(CW_CALL_FLUSH);
  return cwi_in_call("cw_matrix_flush", matrix_flush(matrix, local, true));
}

static cw_error matrix_fetch_add(cw_matrix matrix, int64_t i, int64_t j, const void *value,
                                 void *before)
{
  int64_t index[2], block[2];
  struct cwi_place place;
  CWI_TRY(cwi_check_object(&objects, "matrix", matrix));
  CWI_TRY(cwi_check_not_null("value", value));
  cw_array array = matrix->array;
  CWI_TRY(cwi_matrix_index(array, matrix->order, i, j, index));
  CWI_TRY(cwi_reduction_check(CW_SUM, array->type));
  cwi_block_of(array, index, block);
  cwi_element_place(array, block, index, &place);
  struct cwi_update update = {
      .operation = CW_SUM,
      .type = array->type,
      .locked = true,
      .process = cwi_rank_process(array, cwi_holder_rank(array, place.holder)),
      .remote = cwi_holder_base(array, place.holder) + place.offset,
      .before = before,
  };
  CWI_TRY(cwi_check_atomic(array, update.remote, update.process));
  cwi_update_give(&update, value, NULL);
  return cwi_start_update(&update, true, NULL);
}

cw_error cw_matrix_fetch_add(cw_matrix matrix, int64_t i, int64_t j, const void *value,
                             void *before)
{
  CWI_PROFILED(CW_CALL_RMW);
  return cwi_in_call("cw_matrix_fetch_add", matrix_fetch_add(matrix, i, j, value, before));
}
