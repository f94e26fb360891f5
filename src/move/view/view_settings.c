/* Settings of views: which settings can be granted, and lists of atomic operations. */
#include "route/route.h"
#include "view/view.h"

#include <stdio.h>
#include <string.h>

/* --- Lists of operations ---------------------------------------------------------------------- */

static const struct {
  const char *name;
  int operation;
} names[] = {
    {"sum", CW_SUM},           {"prod", CW_PRODUCT},     {"min", CW_MINIMUM},
    {"max", CW_MAXIMUM},       {"land", CW_LOGICAL_AND}, {"lor", CW_LOGICAL_OR},
    {"lxor", CW_LOGICAL_XOR},  {"band", CW_BIT_AND},     {"bor", CW_BIT_OR},
    {"bxor", CW_BIT_XOR},      {"replace", CW_REPLACE},  {"no_op", CW_NO_OP},
    {"cas", CWI_COMPARE_SWAP},
};
_Static_assert(CWI_UPDATES <= 32, "a bit for each operation");
enum { NAMES = sizeof names / sizeof names[0] };

static int find_name(const char *word, size_t length)
{
  for (int i = 0; i < NAMES; i++)
    if (strlen(names[i].name) == length && memcmp(names[i].name, word, length) == 0)
      return i;
  return -1;
}

/* Reads a list of operations, separated by commas, into a bit mask. */
static cw_error read_intrinsic(const char *name, const char *list, uint32_t *operations)
{
  *operations = 0;
  CWI_TRY(cwi_check_not_null(name, list));
  const size_t all = strnlen(list, CW_MAX_INTRINSIC + 1);
  if (all > CW_MAX_INTRINSIC)
    return cwi_misuse("%s is '%.40s...', a list of more than %d characters", name, list,
                      CW_MAX_INTRINSIC);
  for (const char *word = list;;) {
    const size_t length = strcspn(word, ",");
    const int found = find_name(word, length);
    if (found < 0)
      return cwi_misuse("%s is '%s', and '%.*s' in it is not an operation; it may be sum, prod, "
                        "min, max, land, lor, lxor, band, bor, bxor, replace, no_op or cas",
                        name, list, (int)length, word);
    *operations |= 1u << names[found].operation;
    if (word[length] == '\0')
      return CW_OK;
    word += length + 1;
  }
}

/* --- What the processor can do ---------------------------------------------------------------- */

/* Checks that the type is valid. CW_REPLACE is defined for all valid types. */
static cw_error view_check_type(cw_type type)
{
  return cwi_update_is_defined(CW_REPLACE, type) ? CW_OK : cwi_update_check(CW_REPLACE, type);
}

/* Returns true if the processor has atomic instructions for all these operations on elements of
 * this type. It has none for elements of more than 8 bytes. Elements are updated one by one, so
 * their number does not matter. */
static bool all_intrinsic(uint32_t operations, cw_type type)
{
  if (cwi_type_bytes[type] > 8)
    return false;
  for (int i = 0; i < NAMES; i++)
    if ((operations >> names[i].operation & 1u) != 0 &&
        !cwi_update_is_defined(names[i].operation, type))
      return false;
  return true;
}

/* Returns true if loads and stores reach the memory of all members. */
static bool is_near(cw_view view)
{
  return view->region != NULL && view->here && cwi_route_direct_reaches_all(view->region->team);
}

/* --- Granting --------------------------------------------------------------------------------- */

static cw_error view_check(const cw_view_settings *wanted, uint32_t *operations)
{
  *operations = 0;
  if (wanted->scope != CW_SCOPE_PROCESS && wanted->scope != CW_SCOPE_THREAD)
    return cwi_misuse("scope is %d; it may be 0 (process) or 1 (thread)", (int)wanted->scope);
  if (wanted->intrinsic == NULL)
    return CW_OK;
  CWI_TRY(read_intrinsic("intrinsic", wanted->intrinsic, operations));
  return cwi_in_call("intrinsic_type", view_check_type(wanted->intrinsic_type));
}

/* Returns true if the scope of the view can be one thread. It cannot if operations go through MPI,
 * because a flush then completes the operations of all threads. */
static bool grants_thread(cw_view view)
{
  return view->named != NULL ? !cwi_memory_handles_by_mpi() : is_near(view) || cwi_routes_served();
}

/* Returns an error if a requested setting cannot be granted. */
static cw_error reject(cw_view view, const cw_view_settings *wanted, uint32_t operations)
{
  if (wanted->scope == CW_SCOPE_THREAD && !grants_thread(view))
    return cwi_outside("scope: thread cannot be granted: operations on this memory go through MPI, "
                       "whose flush completes those of all threads");
  if (operations == 0)
    return CW_OK;
  if (!is_near(view))
    return cwi_outside("intrinsic: '%s' cannot be granted: loads and stores do not reach all "
                       "processes of the view's memory",
                       wanted->intrinsic);
  if (!all_intrinsic(operations, wanted->intrinsic_type))
    return cwi_outside("intrinsic: '%s' cannot be granted for type %d: the processor does not have "
                       "all of them for such elements",
                       wanted->intrinsic, (int)wanted->intrinsic_type);
  return CW_OK;
}

static void set(cw_view view, const cw_view_settings *settings, uint32_t operations)
{
  view->thread = settings->scope == CW_SCOPE_THREAD;
  view->ordered = settings->ordered;
  view->intrinsic = operations;
  view->checked = operations != 0 && settings->checked;
  view->intrinsic_type = settings->intrinsic_type;
  view->intrinsic_count = settings->intrinsic_count;
  view->operations[0] = '\0';
  if (operations != 0)
    memcpy(view->operations, settings->intrinsic, strlen(settings->intrinsic) + 1);
}

static cw_error check_dup(cw_view view, const cw_view_settings *settings, uint32_t *operations)
{
  CWI_TRY(cwi_view_check(view));
  if (settings == NULL)
    return CW_OK;
  CWI_TRY(view_check(settings, operations));
  return reject(view, settings, *operations);
}

static cw_error view_dup(cw_view view, const cw_view_settings *settings, cw_view *copy)
{
  uint32_t operations = 0;
  CWI_TRY(cwi_check_not_null("copy, which receives the new view,", copy));
  *copy = NULL;
  CWI_TRY(check_dup(view, settings, &operations));
  cw_view made = cwi_view_make();
  if (made == NULL)
    return cwi_outside("no memory for a view");
  *made = *view;
  if (made->named != NULL)
    cwi_named_memory_keep(made->named);
  if (settings != NULL)
    set(made, settings, operations);
  *copy = made;
  return CW_OK;
}

cw_error cw_view_dup(cw_view view, const cw_view_settings *settings, cw_view *copy)
{
  return cwi_in_call("cw_view_dup", view_dup(view, settings, copy));
}

static cw_error would_grant(cw_view view, const cw_view_settings *wanted, cw_view_settings *granted)
{
  uint32_t operations = 0;
  CWI_TRY(cwi_check_not_null("wanted", wanted));
  CWI_TRY(cwi_check_not_null("granted", granted));
  CWI_TRY(cwi_view_check(view));
  CWI_TRY(view_check(wanted, &operations));
  *granted = *wanted;
  if (!grants_thread(view))
    granted->scope = CW_SCOPE_PROCESS;
  if (operations != 0 && is_near(view) && all_intrinsic(operations, wanted->intrinsic_type))
    return CW_OK;
  granted->intrinsic = NULL;
  granted->intrinsic_type = (cw_type)0;
  granted->intrinsic_count = 0;
  granted->checked = false;
  return CW_OK;
}

cw_error cw_view_would_grant(cw_view view, const cw_view_settings *wanted,
                             cw_view_settings *granted)
{
  return cwi_in_call("cw_view_would_grant", would_grant(view, wanted, granted));
}

static cw_error granted_of(cw_view view, cw_view_settings *granted)
{
  CWI_TRY(cwi_check_not_null("granted", granted));
  CWI_TRY(cwi_view_check(view));
  *granted = (cw_view_settings){.scope = view->thread ? CW_SCOPE_THREAD : CW_SCOPE_PROCESS,
                                .ordered = view->ordered,
                                .intrinsic = view->intrinsic != 0 ? view->operations : NULL,
                                .intrinsic_type = view->intrinsic_type,
                                .intrinsic_count = view->intrinsic_count,
                                .checked = view->checked};
  return CW_OK;
}

cw_error cw_view_granted(cw_view view, cw_view_settings *granted)
{
  return cwi_in_call("cw_view_granted", granted_of(view, granted));
}

static cw_error op_intrinsic(cw_view view, const char *operations, cw_type type, bool *flag)
{
  uint32_t read = 0;
  CWI_TRY(cwi_check_not_null("flag, which receives the answer,", flag));
  CWI_TRY(cwi_view_check(view));
  CWI_TRY(read_intrinsic("operations", operations, &read));
  CWI_TRY(view_check_type(type));
  *flag = is_near(view) && all_intrinsic(read, type);
  return CW_OK;
}

cw_error cwi_view_allows(cw_view view, int operation, cw_type type, size_t count)
{
  if (CWI_LIKELY(!view->checked))
    return CW_OK;
  if ((view->intrinsic >> operation & 1u) == 0)
    return cwi_misuse("the operation is %s; the view was asserted to be used with '%s'",
                      cwi_operation_word(operation), view->operations);
  if (type != view->intrinsic_type)
    return cwi_misuse("type is %d (%s); the view was asserted to be used with type %s", (int)type,
                      cwi_type_word(type), cwi_type_word(view->intrinsic_type));
  if (view->intrinsic_count != 0 && count > view->intrinsic_count)
    return cwi_misuse("count is %zu; the view was asserted to be used with at most %zu", count,
                      view->intrinsic_count);
  return CW_OK;
}

cw_error cw_view_op_intrinsic(cw_view view, const char *operations, size_t max_count, cw_type type,
                              bool *flag)
{
  (void)max_count;
  return cwi_in_call("cw_view_op_intrinsic", op_intrinsic(view, operations, type, flag));
}
