/* Functions that the calls on arrays share: patches as operands, and their checks.
 *
 * create.c        the calls that create arrays, at once or step by step, and destroy them
 * equal.c         compares the elements of two arrays, for GA++'s operator ==
 * gather.c        lists of elements: gather, scatter, and scatter with addition
 * ghosts.c        ghost cells: updates of all sides or of one side, and access
 * inquiry.c       properties of arrays, and the locations of their elements
 * local_access.c  addresses of this process's elements: patches and blocks
 * mirrored.c      mirrored arrays: each node has its own array under the same handle
 * native.c        converts between GA's handles and native arrays
 * nominal.c       access to arrays that CW_GA_DISTRIBUTION has made cyclic
 * onesided.c      one-sided transfers of GA, and Read_inc
 * operand.c       arrays and patches that a program names, as operands of native calls
 * print.c         prints arrays
 * settings.c      settings of an array between GA_Create_handle and GA_Allocate */
#pragma once

#include "ga/base/binding.h"

#include "array/array.h"
#include "array/array_arguments.h"

#include <causeway/arithmetic.h>

/* Checks that a patch has at least one element, as GA requires. Errors: CW_MISUSE (hi less than lo,
 * NULL). */
CWI_CHECKED cw_error cwi_ga_check_order(cw_array array, const int64_t *lo, const int64_t *hi);

/* Returns true if GA transfers only the part of a patch that is inside the array. GA does so if the
 * program sees an array whose processes have several blocks. In other arrays a patch must be
 * inside. */
static inline bool cwi_ga_clips(int g_a, cw_array array)
{
  return CWI_UNLIKELY(array->layout != CW_BLOCKS) && cwi_ga_entry(g_a)->nominal == NULL;
}

/* Destroys an array like GA_Destroy, but returns the error: create.c. Collective. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_destroy(int g_a);

/* Returns true if the program has given the array ghost cells: create.c. */
bool cwi_ga_sets_ghosts(const struct cwi_ga_array *entry);

/* Creates a GA handle for a native array of the group that has no handle yet: native.c. Errors:
 * CW_MISUSE (GA does not support such an array), CW_OUTSIDE (no handle is left). */
CWI_CHECKED cw_error cwi_ga_adopt(cw_array array, int group, int *g_a);

/* Stores the address of a view at ptr, and the leading dimensions of its memory in ld:
 * local_access.c. ptr points to a pointer of any type. Errors: CW_MISUSE (NULL). */
CWI_CHECKED cw_error cwi_ga_hand_out(const cw_array_view *view, int ndim, void *ptr, int64_t *ld);

/* Converts leading dimensions to int. */
CWI_CHECKED cw_error cwi_ga_narrow_ld(int g_a, const struct cwi_ga_index *wide, int *ld);

/* Returns storage for results that are converted to int afterwards, or NULL if the program passed
 * NULL. */
#define CWI_STORAGE(wide, narrow) ((narrow) != NULL ? (wide).at : (int64_t *)NULL)

/* Returns the native handle of the operation in progress that a program's handle stands for, or an
 * empty handle. */
cw_handle cwi_ga_native_handle(const ga_nbhdl_t *handle);

/* Moves bytes offset to offset + size - 1 of each element: onesided.c. If handle is NULL, waits.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_move_field(int g_a, const cw_patch *patch, int offset, int size,
                                       ga_nbhdl_t *handle);

/* Stores the number of pieces of a patch in *count: inquiry.c. If cyclic_only is set and the array
 * is not block-cyclic, stores -1. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_count_pieces(int g_a, const int64_t *lo, const int64_t *hi,
                                         bool cyclic_only, int *count);

/* Ends the access to the block with these indices in the grid of blocks: local_access.c. Errors:
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

/* Converts an argument to a native operand. Errors: CW_MISUSE (no such array, hi less than lo,
 * patch outside the array, invalid letter in `transposed`). */
CWI_CHECKED cw_error cwi_ga_operand(const struct cwi_ga_operand *given, cw_operand *operand);

/* Like cwi_ga_operand, for a call that changes the elements of one array in place. As in GA, the
 * patch is reduced to the elements that are inside the array. Their lo and hi are stored in
 * inside_patch. *none is set to true if there are no such elements. */
CWI_CHECKED cw_error cwi_ga_operand_within(const struct cwi_ga_operand *given,
                                           struct cwi_ga_index inside_patch[2], cw_operand *operand,
                                           bool *none);

/* Returns true if all operands are patches with hi less than lo in some dimension. GA then does
 * nothing. */
bool cwi_ga_all_empty(int count, const struct cwi_ga_operand given[]);

/* Only synchronises, for a call whose operands are empty. Collective over the operand's group. */
CWI_CHECKED cw_error cwi_ga_do_nothing(const struct cwi_ga_operand *given);

/* Evaluates a call in which the processes may pass different values, each for its own elements, as
 * GA allows. */
#define CWI_GA_OWN_VALUES(call) (cwi_values_set_own(true), cwi_ga_values_end(call))
static inline CWI_CHECKED cw_error cwi_ga_values_end(cw_error error)
{
  cwi_values_set_own(false);
  return error;
}

/* Appends the name of the patch's array to an error about lo or hi, for calls with several patches.
 * Returns the error. */
CWI_CHECKED cw_error cwi_ga_in_patch(const char *what, cw_error error);

/* Creates a matrix on the processes of the matrix `like`, with the extents of `like` exchanged. */
CWI_CHECKED cw_error cwi_ga_create_turned(cw_array like, cw_array *turned);

/* Checks that two arrays have the same extents. `what` is the name of the second one. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_same_shape(const char *what, cw_array a, cw_array b);

/* Checks that the array has the type. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_check_type(const char *what, int g_a, int code, const char *name);

/* Updates an array's ghost cells, if it has any: ghosts.c. Collective over its team. */
CWI_CHECKED cw_error cwi_ga_fill_rim(cw_array array);

/* Copy between a mirrored array and a distributed one: mirrored.c. If exactly one of the two arrays
 * is mirrored, the functions copy and set *handled to true. Otherwise they set *handled to false.
 * On one node, cwi_ga_copy_patch_mirrored always sets it to false. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_copy_mirrored(int g_a, int g_b, bool *handled);
CWI_CHECKED cw_error cwi_ga_copy_patch_mirrored(int g_a, const cw_operand *a, int g_b,
                                                const cw_operand *b, bool *handled);

/* The operand of the arguments g_x, xlo and xhi of the enclosing function; with _T, also of t_x. */
#define CWI_GA_PATCH(x) (&(struct cwi_ga_operand){"g_" #x, g_##x, false, x##lo, x##hi, 0})
#define CWI_GA_PATCH_T(x) (&(struct cwi_ga_operand){"g_" #x, g_##x, false, x##lo, x##hi, t_##x})
#define CWI_GA_ONE_PATCH                                                                           \
  (&(struct cwi_ga_operand){"g_a", g_a, false, lo, hi, 0}) /* g_a, lo, hi                          \
                                                            */
#define CWI_GA_WHOLE(x) (&(struct cwi_ga_operand){"g_" #x, g_##x, true, NULL, NULL, 0})

/* Converts the indices of the array g_x for CWI_GA_INT, in calls whose arrays may have different
 * dimensions. */
#define CWI_WIDE_OF(x, indices)                                                                    \
  ((indices) != NULL ? cwi_ga_wide(cwi_ga_ndim(g_##x), (indices)).at : (int64_t *)NULL)
#define CWI_WIDE_PATCH(x) g_##x, CWI_WIDE_OF(x, x##lo), CWI_WIDE_OF(x, x##hi)
