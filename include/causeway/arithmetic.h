/* Causeway: operations on whole arrays and on patches of them.
 *
 * Every call is collective over the team of its arrays, which must all be on the same processes. A
 * call synchronises the team at its beginning and end: it sees all that members have put before,
 * and all members see its result afterwards. Its result is the same in each run with the same
 * number of processes and the same distribution of them over nodes. lo and hi may be NULL, which
 * means the whole array. Scalars are one element of the array's type. Arrays may have different
 * distributions.
 *
 * If an array has parts on devices (array.h), cw_array_fill, cw_array_copy, cw_array_apply with
 * CW_SCALE, cw_array_combine with CW_ELEMENT_SUM and cw_array_dot run there as kernels; scans,
 * pack, unpack and cw_array_symmetrize work by transfers. All other calls accept such an array as
 * an input, unless they must access its elements directly. For an output, or for direct access,
 * they return CW_MISUSE; the message suggests cw_array_copy.
 *
 * All members pass the same arguments. If an argument is wrong on some members only, all members
 * get an error. On those members the message names the argument; on the others it names a process
 * that passed it. The result may then be partly written. But a member that passes no array (NULL,
 * or a destroyed one), or an array on other processes, does not know which team to inform: it
 * returns an error, and the others wait for it.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_ARITHMETIC_H
#define CAUSEWAY_ARITHMETIC_H

#include <causeway/array.h>
#include <causeway/error.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets all elements of a patch to *value, or to zero bytes if value is NULL. For elements of type
 * CW_OPAQUE, value is NULL or points to as many bytes as an element has. Collective over the
 * array's team. Complete on return: everywhere. Errors, on every member: CW_MISUSE (no array; patch
 * outside). After GA_Fill, GA_Zero. */
CW_CHECKED cw_error cw_array_fill(cw_array array, const int64_t *lo, const int64_t *hi,
                                  const void *value);

/* Sets all elements of a patch to random numbers: reals in [0, 1), integers in the range of int,
 * complex numbers with both parts in [0, 1). The same seed gives the same numbers, whatever the
 * number of processes and the distribution.
 *
 * limit: one element, or NULL for no limit. Reals, and each part of complex numbers, are multiplied
 * by it. Integers are replaced by their remainders modulo the limit, with its sign (all 0 if the
 * limit is 0). Collective over the array's team. Complete on return: everywhere. Errors, on every
 * member: CW_MISUSE (no array; patch outside; type without arithmetic). After GA_Randomize. */
CW_CHECKED cw_error cw_array_randomize(cw_array array, const int64_t *lo, const int64_t *hi,
                                       const void *limit, uint64_t seed);

/* Copies a patch: to = from. The patches have the same number of elements, taken in row-major
 * order; if one of them is transposed, its extents in reverse order must be those of the other, not
 * counting extents of 1. Overlapping patches of one array are an error, unless they are the same.
 * Types must be equal. The team of one array may be a part of the other's. Then only the members of
 * the smaller team call. Other processes that have put to the array of the larger team, or will
 * read it, must synchronise with the callers. Collective over the arrays' team (if they have two,
 * the smaller one). Complete on return: everywhere. Errors, on every member: CW_MISUSE (no array;
 * patches, types or teams that do not fit), CW_OUTSIDE. After GA_Copy, GA_Transpose,
 * NGA_Copy_patch. */
CW_CHECKED cw_error cw_array_copy(const cw_operand *from, const cw_operand *to);

/* Functions of one element x. v is the value that the call passes. */
typedef enum cw_unary {
  CW_SCALE = 0,        /* x * v */
  CW_ADD_CONSTANT = 1, /* x + v */
  CW_ABSOLUTE = 2,     /* |x|; of a complex number its modulus, as a real number */
  CW_RECIPROCAL = 3,   /* 1 / x; x = 0 is a misuse */
  CW_CONJUGATE = 4
} cw_unary;

/* Applies a function to all elements of a patch. value: one element; only CW_SCALE and
 * CW_ADD_CONSTANT use it. Collective over the array's team. Complete on return: everywhere. Errors,
 * on every member: CW_MISUSE (no array; patch outside; type without arithmetic; a zero divisor:
 * elements may then be changed). After GA_Scale, GA_Add_constant, GA_Abs_value, GA_Recip. */
CW_CHECKED cw_error cw_array_apply(cw_array array, const int64_t *lo, const int64_t *hi,
                                   cw_unary function, const void *value);

/* Functions that combine two elements. CW_ELEMENT_MAXIMUM and _MINIMUM compare complex numbers by
 * modulus; if the moduli are equal, the result is b. The result is NaN if one of the two elements
 * is NaN. */
typedef enum cw_binary {
  CW_ELEMENT_SUM = 0, /* alpha * a + beta * b */
  CW_ELEMENT_PRODUCT = 1,
  CW_ELEMENT_QUOTIENT = 2, /* a zero divisor is a misuse */
  CW_ELEMENT_MAXIMUM = 3,
  CW_ELEMENT_MINIMUM = 4
} cw_binary;

/* Computes c = f(a, b), element by element; patches as for cw_array_copy. alpha, beta: factors,
 * used by CW_ELEMENT_SUM only; NULL stands for 1. c may be the same patch as a or b; other overlaps
 * with c are an error. Collective over the arrays' team. Complete on return: everywhere. Errors, on
 * every member: CW_MISUSE (as cw_array_copy; a zero divisor). After GA_Add, GA_Elem_multiply. */
CW_CHECKED cw_error cw_array_combine(cw_binary function, const void *alpha, const cw_operand *a,
                                     const void *beta, const cw_operand *b, const cw_operand *c);

/* Returns the sum of a[i] * b[i], without conjugation; patches as for cw_array_copy, and they may
 * overlap. Sums of float are computed in double, those of integers wrap. result: one element, on
 * all members. Collective over the arrays' team. Complete on return: result. Errors, on every
 * member: CW_MISUSE (as cw_array_copy). After GA_Ddot. */
CW_CHECKED cw_error cw_array_dot(const cw_operand *a, const cw_operand *b, void *result);

/* Norms: the sum of |a[i]|, the square root of the sum of squares, the greatest |a[i]|. */
typedef enum cw_norm { CW_NORM_SUM = 0, CW_NORM_EUCLIDEAN = 1, CW_NORM_MAXIMUM = 2 } cw_norm;

/* Computes a norm. norm: receives it, on all members; NaN if an element is NaN. A Euclidean norm of
 * doubles is correct even if the squares overflow or underflow. In that case, and if the norm is 0,
 * the elements are read twice. Collective over the array's team. Complete on return: norm. Errors,
 * on every member: CW_MISUSE. After GA_Norm1, GA_Norm_infinity. */
CW_CHECKED cw_error cw_array_norm(cw_array array, const int64_t *lo, const int64_t *hi,
                                  cw_norm kind, double *norm);

/* Finds the least or greatest element, and its index. Complex numbers are compared by modulus.
 * Among equal elements it selects the first one in row-major order. The call skips NaN, unless all
 * elements are NaN.
 *
 * value: receives the element. index: [dimensions], receives its index. Both on all members.
 * Collective over the array's team. Complete on return: both. Errors, on every member: CW_MISUSE.
 * After NGA_Select_elem. */
CW_CHECKED cw_error cw_array_select(cw_array array, const int64_t *lo, const int64_t *hi,
                                    bool greatest, void *value, int64_t *index);

/* Computes the greatest step: how many times v may be added to x before an element leaves its
 * bounds, low to high. If low and high are NULL, elements have 0 as their lower bound, and no upper
 * bound. Patches as for cw_array_copy, but they may overlap; the elements are integers or reals.
 * Steps are computed in the arithmetic of the type. least: receives the step of the element that
 * reaches a bound first. most: receives the step of the element that reaches a bound last, if there
 * are bounds; may be NULL. Both are one element, on all members. An unlimited step is 1e307, for
 * float 1e37, for integers the type's greatest number; if no element has a step, `most` is minus
 * that number. Collective over the arrays' team. Complete on return: least and most. Errors, on
 * every member: CW_MISUSE (as cw_array_copy; elements without an order; an element outside its
 * bounds; one bound alone). After GA_Step_max, GA_Step_bound_info. */
CW_CHECKED cw_error cw_array_step(const cw_operand *x, const cw_operand *v, const cw_operand *low,
                                  const cw_operand *high, void *least, void *most);

/* Computes a = (a + transpose(a)) / 2 for a square matrix of float, double or complex. Collective
 * over the array's team. Complete on return: everywhere. Errors, on every member: CW_MISUSE. After
 * GA_Symmetrize. */
CW_CHECKED cw_error cw_array_symmetrize(cw_array array);

/* Operations on the diagonal of a matrix. */
typedef enum cw_diagonal {
  CW_DIAGONAL_SET = 0,   /* a[i][i] = v[i] */
  CW_DIAGONAL_ADD = 1,   /* a[i][i] += v[i] */
  CW_DIAGONAL_GET = 2,   /* v[i] = a[i][i] */
  CW_DIAGONAL_SHIFT = 3, /* a[i][i] += *value */
  CW_DIAGONAL_ZERO = 4
} cw_diagonal;

/* Applies an operation to the diagonal. array: a matrix. vector: an array of one dimension, as long
 * as the diagonal, of the same type; value: one element, for CW_DIAGONAL_SHIFT. Operations that do
 * not need vector or value take NULL. Collective over the array's team. Complete on return:
 * everywhere. Errors, on every member: CW_MISUSE (not a matrix; a vector that does not fit; NULL; a
 * type without arithmetic), CW_OUTSIDE. After GA_Set_diagonal, GA_Add_diagonal, GA_Get_diag,
 * GA_Shift_diagonal, GA_Zero_diagonal. */
CW_CHECKED cw_error cw_array_diagonal(cw_array array, cw_diagonal what, cw_array vector,
                                      const void *value);

/* Multiplies all elements that have index i in a dimension by vector[i]. In a matrix, this scales
 * the rows (dimension 0) or columns (1). Collective over the array's team. Complete on return:
 * everywhere. Errors, on every member: CW_MISUSE. After GA_Scale_rows, GA_Scale_cols. */
CW_CHECKED cw_error cw_array_scale_slices(cw_array array, int dimension, cw_array vector);

/* Scans of arrays of one dimension, from lo to hi.
 *
 * mask: an array of numbers that has the indices lo to hi; a complex number counts as 0 if both
 * parts are 0. Let j be the last index <= i whose mask is not 0. cw_array_scan_copy sets to[i] =
 * from[j]. cw_array_scan_add sets to[i] = from[j] + ... + from[i]; if `exclusive`, it leaves
 * from[i] out, and to[j] is 0. If there is no such j, to[i] is unchanged. `to` may be `from`.
 * Collective over the arrays' team. Complete on return: everywhere. Errors, on every member:
 * CW_MISUSE (dimensions, indices, types or teams that do not fit), CW_OUTSIDE. After GA_Scan_copy,
 * GA_Scan_add. */
CW_CHECKED cw_error cw_array_scan_copy(cw_array from, cw_array to, cw_array mask, int64_t lo,
                                       int64_t hi);
CW_CHECKED cw_error cw_array_scan_add(cw_array from, cw_array to, cw_array mask, int64_t lo,
                                      int64_t hi, bool exclusive);

/* cw_array_pack stores the elements of from[lo..hi] whose mask is not 0 in to[0], to[1], ...
 * cw_array_unpack stores from[0], from[1], ... in the elements of to[lo..hi] whose mask is not 0.
 *
 * mask: as for cw_array_scan_copy. count: receives the number of these elements, on all members.
 * Collective over the arrays' team. Complete on return: everywhere. Errors, on every member:
 * CW_MISUSE (dimensions, indices, types or teams that do not fit; `to` is `from` or mask; the
 * packed array is too short: the call moves nothing), CW_OUTSIDE. After GA_Pack, GA_Unpack. */
CW_CHECKED cw_error cw_array_pack(cw_array from, cw_array to, cw_array mask, int64_t lo, int64_t hi,
                                  int64_t *count);
CW_CHECKED cw_error cw_array_unpack(cw_array from, cw_array to, cw_array mask, int64_t lo,
                                    int64_t hi, int64_t *count);

/* Sets element k of a patch, in row-major order, to start + k * step. step: NULL stands for 1.
 * Collective over the array's team. Complete on return: everywhere. Errors, on every member:
 * CW_MISUSE (as cw_array_apply; start is NULL). After GA_Patch_enum. */
CW_CHECKED cw_error cw_array_enumerate(cw_array array, const int64_t *lo, const int64_t *hi,
                                       const void *start, const void *step);

/* Sets c to the median of a, b and v, element by element: this limits a to the range between b and
 * v. Collective over the arrays' team. Complete on return: everywhere. Errors, on every member:
 * CW_MISUSE. After GA_Median. */
CW_CHECKED cw_error cw_array_median(const cw_operand *a, const cw_operand *b, const cw_operand *v,
                                    const cw_operand *c);

#ifdef __cplusplus
}
#endif
#endif
