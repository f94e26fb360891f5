/* Mirrored arrays: the arrays of the mirror group. On each process, the mirror group consists of
 * the processes of its node. So each node has its own array under the same handle, distributed over
 * the processes of the node. The calls of this file copy and add these arrays. */
#include "ga/array/nominal.h"
#include "ga/array/patch.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include "sync/barrier.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

static bool is_mirrored(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return entry != NULL && entry->group == CWI_GA_MIRROR;
}

/* Sets *result to 1 if the array is mirrored. An array of the mirror group is mirrored even if
 * there is only one node and, as in GA, even before GA_Allocate. */
static cw_error mirrored(int g_a, int *result)
{
  if (cwi_ga_entry(g_a) == NULL)
    return cwi_ga_no_array("g_a", g_a);
  *result = is_mirrored(g_a);
  return CW_OK;
}

int GA_Is_mirrored(int g_a)
{
  int result = 0;
  (void)CWI_GA(mirrored(g_a, &result));
  return result;
}

CWI_GA_NGA(Is_mirrored);

/* --- My part of an array, or of a patch of it --- */

typedef cw_error (*piece_function)(const cw_piece *piece, const cw_array_view *view,
                                   const int64_t *ld, const void *context);

/* Calls the function for each piece of a patch that is on this process. The patch is not empty. */
static cw_error for_my_pieces(cw_array array, const int64_t *lo, const int64_t *hi,
                              piece_function function, const void *context)
{
  cw_piece *pieces = NULL;
  size_t count = 0;
  cw_error error = cwi_list_pieces(array, lo, hi, &pieces, &count);
  for (size_t i = 0; i < count && error == CW_OK; i++) {
    cw_array_view view;
    int64_t ld[CW_MAX_DIMENSIONS];
    if (pieces[i].rank != array->team->rank)
      continue;
    error = cw_array_access(array, pieces[i].lo, pieces[i].hi, &view);
    for (int d = 0; d + 1 < array->dimensions && error == CW_OK; d++)
      ld[d] = view.strides[d] / view.strides[d + 1];
    if (error == CW_OK)
      error = function(&pieces[i], &view, ld, context);
    if (error == CW_OK)
      error = cw_array_release(array, &view);
  }
  free(pieces);
  return error;
}

static void all_of(cw_array array, int64_t *lo, int64_t *hi)
{
  for (int d = 0; d < array->dimensions; d++) {
    lo[d] = 0;
    hi[d] = array->axes[d].extent - 1;
  }
}

/* --- Copies --- */

/* Like get_piece, for an array with nominal patches: gets this process's nominal patch. */
static cw_error get_nominal(struct cwi_ga_array *entry, cw_array from)
{
  cw_array_view view;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  if (!cwi_ga_nominal_part(entry, entry->array->team->rank, lo, hi))
    return CW_OK;
  CWI_TRY(cwi_ga_nominal_access(entry, lo, hi, &view));
  CWI_TRY(cw_array_get(from, lo, hi, view.address, NULL));
  return cwi_ga_nominal_release(entry, lo, hi, true);
}

static cw_error get_piece(const cw_piece *piece, const cw_array_view *view, const int64_t *ld,
                          const void *from)
{
  return cw_array_get(((const cw_operand *)from)->array, piece->lo, piece->hi, view->address, ld);
}

cw_error cwi_ga_copy_mirrored(int g_a, int g_b, bool *handled)
{
  const bool from = is_mirrored(g_a), to = is_mirrored(g_b);
  cw_operand a = {.array = NULL}, b = {.array = NULL};
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  *handled = from != to;
  if (!*handled)
    return CW_OK;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a.array));
  CWI_TRY(cwi_ga_array("g_b", g_b, &b.array));
  if (a.array->type != b.array->type || a.array->element != b.array->element)
    return cwi_misuse("g_a and g_b are arrays '%s' and '%s' of different types", a.array->name,
                      b.array->name);
  /* After this, all members whose memory is read have arrived, and their operations are
   * complete. */
  cw_team all = from ? b.array->team : a.array->team;
  all_of(b.array, lo, hi);
  CWI_TRY(cwi_synchronise(all));
  struct cwi_ga_array *entry = cwi_ga_entry(g_b);
  CWI_TRY(entry->nominal != NULL ? get_nominal(entry, a.array)
                                 : for_my_pieces(b.array, lo, hi, get_piece, &a));
  return cwi_synchronise(all);
}

/* Copies a patch between a mirrored array and a distributed one. If the target is mirrored, each
 * node copies the patch to its own array. If the source is mirrored on several nodes, the copy is
 * an error, because the arrays of the nodes may differ. */
cw_error cwi_ga_copy_patch_mirrored(int g_a, const cw_operand *a, int g_b, const cw_operand *b,
                                    bool *handled)
{
  const bool from = is_mirrored(g_a), to = is_mirrored(g_b);
  *handled = from != to && cw_nodes() > 1;
  if (!*handled)
    return CW_OK;
  if (from)
    return cwi_misuse(
        "g_a is %d, array '%s', which is mirrored on several nodes; this call does not take it: "
        "use GA_Copy for the whole array or NGA_Merge_distr_patch for a patch",
        g_a, a->array->name);
  CWI_TRY(cwi_synchronise(a->array->team));
  CWI_TRY(cw_array_copy(a, b));
  return cwi_synchronise(a->array->team);
}

/* --- Sums over the nodes --- */

/* Target of a sum. A piece of the mirrored array is added to the target at its indices plus
 * `shift`. */
struct target {
  cw_array array;
  int64_t shift[CW_MAX_DIMENSIONS];
};

static cw_error add_piece(const cw_piece *piece, const cw_array_view *view, const int64_t *ld,
                          const void *context)
{
  const struct target *target = context;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  for (int d = 0; d < target->array->dimensions; d++) {
    lo[d] = piece->lo[d] + target->shift[d];
    hi[d] = piece->hi[d] + target->shift[d];
  }
  return cw_array_accumulate(target->array, lo, hi, view->address, ld, NULL);
}

/* Adds the arrays of all nodes to the distributed array `sum`, and copies the sum back to all
 * nodes. */
static cw_error merge_through(cw_array array, cw_array sum)
{
  const struct target target = {.array = sum};
  const cw_operand from = {.array = sum};
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  all_of(array, lo, hi);
  CWI_TRY(cw_array_fill(sum, NULL, NULL, NULL));
  CWI_TRY(for_my_pieces(array, lo, hi, add_piece, &target));
  CWI_TRY(cw_array_sync(sum));
  CWI_TRY(for_my_pieces(array, lo, hi, get_piece, &from));
  return cw_array_sync(sum);
}

static cw_error merge(int g_a)
{
  cw_array array = NULL, sum = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  if (!is_mirrored(g_a)) /* nothing to merge */
    return cw_array_sync(array);
  if (array->type == CW_OPAQUE)
    return cwi_misuse("g_a is %d, array '%s', whose elements cannot be added", g_a, array->name);
  CWI_TRY(cw_wait_all());
  CWI_TRY(cw_barrier(cw_team_world()));
  if (cw_nodes() == 1)
    return CW_OK;
  const cw_array_options options = {.name = array->name,
                                    .type = array->type,
                                    .dimensions = array->dimensions,
                                    .extents = cwi_ga_entry(g_a)->dims};
  CWI_TRY(cw_array_create(cw_team_world(), &options, &sum));
  CWI_TRY(merge_through(array, sum)); /* an error ends the job, so `sum` need not be destroyed */
  return cw_array_destroy(&sum);
}

void GA_Merge_mirrored(int g_a)
{
  (void)CWI_GA_WAITS(merge(g_a));
}

CWI_GA_NGA(Merge_mirrored);

/* Sets the patch of the distributed array to the sum of the patches of all nodes. */
static cw_error merge_patch(const struct cwi_ga_operand *from, const struct cwi_ga_operand *to)
{
  cw_operand a, b;
  struct target target = {.array = NULL};
  CWI_TRY(cwi_ga_operand(from, &a));
  CWI_TRY(cwi_ga_operand(to, &b));
  if (!is_mirrored(from->g_a) || is_mirrored(to->g_a))
    return cwi_misuse(
        "g_a and g_b are arrays '%s' and '%s'; the first must be mirrored, and the second must not",
        a.array->name, b.array->name);
  if (a.array->dimensions != b.array->dimensions || a.array->type != b.array->type)
    return cwi_misuse("g_a and g_b are arrays '%s' and '%s' of different dimensions or types",
                      a.array->name, b.array->name);
  target.array = b.array;
  for (int d = 0; d < a.array->dimensions; d++) {
    if (a.hi[d] - a.lo[d] != b.hi[d] - b.lo[d])
      return cwi_misuse(
          "the patches have %lld and %lld elements in dimension %d; the two numbers must be equal",
          (long long)(a.hi[d] - a.lo[d] + 1), (long long)(b.hi[d] - b.lo[d] + 1), d);
    target.shift[d] = b.lo[d] - a.lo[d];
  }
  CWI_TRY(cw_array_fill(b.array, b.lo, b.hi, NULL));
  CWI_TRY(for_my_pieces(a.array, a.lo, a.hi, add_piece, &target));
  return cw_array_sync(b.array);
}

void NGA_Merge_distr_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                             int64_t bhi[])
{
  (void)CWI_GA_WAITS(merge_patch(CWI_GA_PATCH(a), CWI_GA_PATCH(b)));
}

CWI_GA_INT(void, NGA_Merge_distr_patch, 0,
           (int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[]),
           (CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b)))
