/* Causeway: derives the type of an element from the type of a pointer. So the compiler finds
 * mistakes that C's void pointers hide: a double for an array of int, an int for CW_FLOAT.
 *
 *   CW_MUST(cw_allreduce(team, CW_TYPE_OF(sums), CW_SUM, 3, sums));
 *   CW_MUST(CW_ARRAY_FILL(array, NULL, NULL, &(double){1.5}));
 *
 * For C and C++; in C++, pass a double (*)[2] instead of std::complex.
 *
 * Thread level of all calls: any. */
#ifndef CAUSEWAY_TYPED_H
#define CAUSEWAY_TYPED_H

#include <causeway/arithmetic.h>
#include <causeway/array.h>
#include <causeway/error.h>
#include <causeway/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checks that the elements of the array have this type, for CW_OF_TYPE and the macros that use it.
 * Local. Errors: CW_MISUSE (no array; the elements have another type, which the message names). */
CW_CHECKED cw_error cw_array_expect(cw_array array, cw_type type);

#ifdef __cplusplus
}
#endif

/* The cw_type of the object that a pointer points to: int, long, long long, float, double, or pairs
 * of reals (complex numbers). Other types do not compile. The pointer is not read. */
#ifndef __cplusplus
#define CW_TYPE_OF(pointer)                                                                        \
  _Generic((pointer),                                                                              \
      int *: CW_INT,                                                                               \
      const int *: CW_INT,                                                                         \
      long *: CW_LONG,                                                                             \
      const long *: CW_LONG,                                                                       \
      long long *: CW_LONG_LONG,                                                                   \
      const long long *: CW_LONG_LONG,                                                             \
      float *: CW_FLOAT,                                                                           \
      const float *: CW_FLOAT,                                                                     \
      double *: CW_DOUBLE,                                                                         \
      const double *: CW_DOUBLE,                                                                   \
      float(*)[2]: CW_FLOAT_COMPLEX,                                                               \
      const float(*)[2]: CW_FLOAT_COMPLEX,                                                         \
      float _Complex *: CW_FLOAT_COMPLEX,                                                          \
      const float _Complex *: CW_FLOAT_COMPLEX,                                                    \
      double(*)[2]: CW_DOUBLE_COMPLEX,                                                             \
      const double(*)[2]: CW_DOUBLE_COMPLEX,                                                       \
      double _Complex *: CW_DOUBLE_COMPLEX,                                                        \
      const double _Complex *: CW_DOUBLE_COMPLEX)
#else
struct cw_type_of_pointer {
  static cw_type of(const int *)
  {
    return CW_INT;
  }
  static cw_type of(const long *)
  {
    return CW_LONG;
  }
  static cw_type of(const long long *)
  {
    return CW_LONG_LONG;
  }
  static cw_type of(const float *)
  {
    return CW_FLOAT;
  }
  static cw_type of(const double *)
  {
    return CW_DOUBLE;
  }
  static cw_type of(const float (*)[2])
  {
    return CW_FLOAT_COMPLEX;
  }
  static cw_type of(const double (*)[2])
  {
    return CW_DOUBLE_COMPLEX;
  }
};
#define CW_TYPE_OF(pointer) cw_type_of_pointer::of(pointer)
#endif

/* Makes a call that takes elements of an array, if the pointer points to elements of its type; else
 * returns CW_MISUSE and makes no call. Completion and errors are those of the call:
 *
 *   CW_MUST(CW_OF_TYPE(array, &two, cw_array_apply(array, NULL, NULL, CW_SCALE, &two)));
 */
#define CW_OF_TYPE(array, pointer, call)                                                           \
  (cw_array_expect((array), CW_TYPE_OF(pointer)) != CW_OK ? CW_MISUSE : (call))

/* Make the most frequent calls with CW_OF_TYPE. The macros evaluate the array twice. */
#define CW_ARRAY_FILL(array, lo, hi, value)                                                        \
  CW_OF_TYPE(array, value, cw_array_fill((array), (lo), (hi), (value)))
#define CW_ARRAY_PUT(array, lo, hi, buffer, ld)                                                    \
  CW_OF_TYPE(array, buffer, cw_array_put((array), (lo), (hi), (buffer), (ld)))
#define CW_ARRAY_GET(array, lo, hi, buffer, ld)                                                    \
  CW_OF_TYPE(array, buffer, cw_array_get((array), (lo), (hi), (buffer), (ld)))

#endif
