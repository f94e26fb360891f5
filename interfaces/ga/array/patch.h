/* Functions that calls on arrays share: the patch as an operand, and its checks.
 *
 * create.c        the calls that create arrays, at once or step by step, and destroy them
 * equal.c         compares the elements of two arrays, for GA++'s operator ==
 * gather.c        lists of elements: gather, scatter, and scatter with addition
 * ghosts.c        ghost cells: updates of all sides or of one, and access
 * inquiry.c       properties of arrays, and where their elements are
 * local_access.c  addresses of this process's elements: patches and blocks
 * mirrored.c      mirrored arrays: those of the mirror group, the processes of a node
 * native.c        converts between GA's handles and native arrays
 * nominal.c       access to arrays that CW_GA_DISTRIBUTION has made cyclic
 * onesided.c      one-sided transfers of GA, and Read_inc
 * operand.c       arrays and patches that a program names, as operands of native calls
 * print.c         prints arrays
 * settings.c      settings of an array between GA_Create_handle and GA_Allocate */
#ifndef CWI_GA_ARRAY_PATCH_H
#define CWI_GA_ARRAY_PATCH_H

#include "ga/base/binding.h"

#include "array/array.h"
#include "array/array_arguments.h"

#include <causeway/arithmetic.h>

/* Checks that a patch has at least one element, as GA requires. Errors: CW_MISUSE (hi less than lo,
 * NULL). */
CWI_CHECKED cw_error cwi_ga_check_order(cw_array array, const int64_t *lo, const int64_t *hi);

/* Returns true if GA transfers the part of a patch that is inside the array: where the program sees
 * an array whose processes have several blocks. Of other arrays a patch must be inside. */
static inline bool cwi_ga_clips(int g_a, cw_array array)
{
  return CWI_UNLIKELY(array->layout != CW_BLOCKS) && cwi_ga_entry(g_a)->nominal == NULL;
}

/* GA_Destroy, without its name: create.c. Collective. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_destroy(int g_a);

/* Returns true if the program has given the array ghost cells: create.c. */
bool cwi_ga_sets_ghosts(const struct cwi_ga_array *entry);

/* Makes a handle for a native array of the group, which has none: native.c. Errors: CW_MISUSE (an
 * array that GA cannot have), CW_OUTSIDE (no handle is left). */
CWI_CHECKED cw_error cwi_ga_adopt(cw_array array, int group, int *g_a);

/* Tell the program where a view is, and the extents of what it lies in: local_access.c. ptr points
 * to a pointer of any type. Errors: CW_MISUSE (NULL). */
CWI_CHECKED cw_error cwi_ga_hand_out(const cw_array_view *view, int ndim, void *ptr, int64_t *ld);

/* Converts leading dimensions to int. */
CWI_CHECKED cw_error cwi_ga_narrow_ld(int g_a, const struct cwi_ga_index *wide, int *ld);

/* Storage for results that are then converted to int; NULL if the program passed NULL. */
#define CWI_STORAGE(wide, narrow) ((narrow) != NULL ? (wide).at : (int64_t *)NULL)

/* Returns the operation in progress that a program's handle names, or an empty handle. */
cw_handle cwi_ga_native_handle(const ga_nbhdl_t *handle);

/* Moves bytes offset to offset + size - 1 of each element: onesided.c. If handle is NULL, waits.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_move_field(int g_a, const cw_patch *patch, int offset, int size,
                                       ga_nbhdl_t *handle);

/* Counts the pieces of a patch by owner: inquiry.c. cyclic_only: returns -1 for arrays that are not
 * block-cyclic. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_count_pieces(int g_a, const int64_t *lo, const int64_t *hi,
                                         bool cyclic_only, int *count);

/* Ends the access of a block, given by its indices in the grid of blocks: local_access.c. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_release_block_grid(int g_a, const int64_t *index);

/* An array, or a patch of it, as an argument of a call. If `whole` is set, lo and hi are NULL. */
struct cwi_ga_operand {
  const char *what; /* name of the handle in ga.h */
  int g_a;
  bool whole;
  const int64_t *lo, *hi;
  char transposed; /* 'n', 'N', 't', 'T', or 0 if the call has no such argument */
};

/* Makes the native operand. Errors: CW_MISUSE (no array, hi less than lo, outside, transposed). */
CWI_CHECKED cw_error cwi_ga_operand(const struct cwi_ga_operand *given, cw_operand *operand);

/* Like cwi_ga_operand, for a call that changes the elements of one array in place: GA reduces the
 * patch to the elements that the array has. inside_patch: storage for their lo and hi. none:
 * receives whether there are none. */
CWI_CHECKED cw_error cwi_ga_operand_within(const struct cwi_ga_operand *given,
                                           struct cwi_ga_index inside_patch[2], cw_operand *operand,
                                           bool *none);

/* Returns true if all are patches of arrays with hi less than lo in some dimension. GA does nothing
 * then. */
bool cwi_ga_all_empty(int count, const struct cwi_ga_operand given[]);

/* Synchronises, in place of a call that has nothing to do. Collective over the operand's group. */
CWI_CHECKED cw_error cwi_ga_do_nothing(const struct cwi_ga_operand *given);

/* Evaluates a call in which each process may pass a value of its own for its elements, as GA
 * allows. */
#define CWI_GA_OWN_VALUES(call) (cwi_values_set_own(true), cwi_ga_values_end(call))
static inline CWI_CHECKED cw_error cwi_ga_values_end(cw_error error)
{
  cwi_values_set_own(false);
  return error;
}

/* Appends to an error whose lo and hi it is about, in calls that have several. Returns the
 * error. */
CWI_CHECKED cw_error cwi_ga_in_patch(const char *what, cw_error error);

/* Creates an array on the processes of `like`, which is a matrix, with its extents exchanged. */
CWI_CHECKED cw_error cwi_ga_create_turned(cw_array like, cw_array *turned);

/* Checks that two arrays have the same extents. `what` is the name of the second one. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_same_shape(const char *what, cw_array a, cw_array b);

/* Checks that the array has the type. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_check_type(const char *what, int g_a, int code, const char *name);

/* Updates an array's ghost cells, if it has any: ghosts.c. Collective over its team. */
CWI_CHECKED cw_error cwi_ga_fill_rim(cw_array array);

/* Copy between a mirrored array and a distributed one: mirrored.c. `handled` receives whether one
 * of them is mirrored and the copy has been done. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_copy_mirrored(int g_a, int g_b, bool *handled);
CWI_CHECKED cw_error cwi_ga_copy_patch_mirrored(int g_a, const cw_operand *a, int g_b,
                                                const cw_operand *b, bool *handled);

/* The operand X, in a function with arguments g_X, Xlo, Xhi. */
#define CWI_GA_PATCH(x) (&(struct cwi_ga_operand){"g_" #x, g_##x, false, x##lo, x##hi, 0})
#define CWI_GA_PATCH_T(x) (&(struct cwi_ga_operand){"g_" #x, g_##x, false, x##lo, x##hi, t_##x})
#define CWI_GA_ONE_PATCH                                                                           \
  (&(struct cwi_ga_operand){"g_a", g_a, false, lo, hi, 0}) /* g_a, lo, hi                          \
                                                            */
#define CWI_GA_WHOLE(x) (&(struct cwi_ga_operand){"g_" #x, g_##x, true, NULL, NULL, 0})

/* For CWI_GA_INT, where arrays may have different dimensions: indices of the array g_X. */
#define CWI_WIDE_OF(x, indices)                                                                    \
  ((indices) != NULL ? cwi_ga_wide(cwi_ga_ndim(g_##x), (indices)).at : (int64_t *)NULL)
#define CWI_WIDE_PATCH(x) g_##x, CWI_WIDE_OF(x, x##lo), CWI_WIDE_OF(x, x##hi)
#endif
