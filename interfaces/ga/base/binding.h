/* Functions and macros that the files of the GA binding share: errors, variants of calls, and the
 * conversion of GA's numbers to native objects. A call is written once, with int64_t indices. It
 * has its GA_ name, or its NGA_ name if there is no other. The macros below define its other
 * variants.
 *
 * fortran_messages.c  messages of GA's calls for programs in Fortran, which count dimensions from 1
 * ga_error.c          errors of GA calls: a message, and the end of the job
 * handle.c            GA's handles of arrays: the table of handles in use
 * types.c             GA's codes of types: those of C, those of Fortran, and those that a program
 *                     registers
 * unsupported.c       the calls of GA's headers that are not implemented: each ends the job with
 *                     a message that names it */
#pragma once

#include "base/error.h"
#include "base/reword.h"
#include "ga/base/handle.h"
#include "team/collective_arguments.h"
#include "wait/wait_report.h"

#include "ga-mpi.h"
#include "ga.h"

#include <causeway.h>

#include <stdbool.h>
#include <stdint.h>

/* --- Spellings --- */

/* Declares NGA_X as another name of GA_X. Put it after the function. */
#define CWI_GA_NGA(operation)                                                                      \
  extern __typeof__(GA_##operation) NGA_##operation __attribute__((alias("GA_" #operation)))

/* Defines the function `name` with int indices, which calls name64. `count` is the number of
 * dimensions of the indices. In `arguments`, each array of indices is written as CWI_WIDE, and ld
 * as CWI_WIDE_LD:
 *
 *   CWI_GA_INT(void, NGA_Get, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *buf, int ld[]),
 *              (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld)))
 *
 * This is only for indices that the call reads. For indices that it writes, use cwi_ga_narrow. */
#define CWI_GA_INT(result, name, count, parameters, arguments)                                     \
  result name parameters                                                                           \
  {                                                                                                \
    const int cwi_dimensions = (count);                                                            \
    (void)cwi_dimensions;                                                                          \
    return name##64 arguments;                                                                     \
  }
#define CWI_WIDE(indices)                                                                          \
  ((indices) != NULL ? cwi_ga_wide(cwi_dimensions, (indices)).at : (int64_t *)NULL)
#define CWI_WIDE_LD(ld) ((ld) != NULL ? cwi_ga_wide(cwi_dimensions - 1, (ld)).at : (int64_t *)NULL)

/* Indices as int64_t. The result of cwi_ga_wide is valid until the end of the full expression that
 * contains the call. If `count` exceeds GA_MAX_DIM, no index is read; the call then rejects it. */
struct cwi_ga_index {
  int64_t at[GA_MAX_DIM];
};

static inline struct cwi_ga_index cwi_ga_wide(int count, const int *indices)
{
  struct cwi_ga_index wide = {{0}};
  if (count > GA_MAX_DIM)
    return wide;
    /* As a loop this takes 15 ns longer for the three arrays of a put, which takes 60 ns in all. */
#pragma GCC unroll 7
  for (int d = 0; d < GA_MAX_DIM && d < count; d++)
    wide.at[d] = indices[d];
  return wide;
}

/* Converts indices to int, for a program that uses int indices. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_narrow(const char *what, size_t count, const int64_t *from, int *to);

/* --- Errors --- */

/* Returns 0 if there is no error. Otherwise prints the error message with the name of the GA call,
 * and ends the job. */
#define CWI_GA(error) cwi_ga_result(__func__, (error))
int cwi_ga_fail(const char *call, cw_error error);

/* Converts a message to the form for Fortran programs: fortran_messages.c. */
void cwi_ga_fortran_message(const char *message, char *text, size_t size);

static inline int cwi_ga_result(const char *call, cw_error error)
{
  return CWI_LIKELY(error == CW_OK) ? 0 : cwi_ga_fail(call, error);
}

/* The call that a Fortran program has made on this thread. Its implementation makes C calls.
 * Messages use the name of the Fortran call, and count as Fortran does.
 *
 * turned: the call is a product of two matrices, which are exchanged for the C call.
 * matrix: the patches of the factors are given as ilo, ihi, jlo, jhi.
 * doubted: an argument looks as if INTEGER had another size in the program. */
struct cwi_ga_fortran {
  const char *call; /* NULL if the program has called C */
  int ndim;         /* number of dimensions of arguments with a number for each dimension, or 0 */
  bool turned, matrix, doubted;
};
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_ga_fortran cwi_ga_fortran;

/* Like CWI_GA, for calls that may wait long for other processes: a report of a long wait names this
 * call. */
#define CWI_GA_WAITS(error) CWI_GA_WAITS_AS(__func__, error)
#define CWI_GA_WAITS_AS(call, error)                                                               \
  (cwi_ga_enter(call), cwi_ga_leave(cwi_ga_result(call, (error))))

static inline void cwi_ga_enter(const char *call)
{
  cwi_waiting =
      (struct cwi_waiting){.call = cwi_ga_fortran.call != NULL ? cwi_ga_fortran.call : call};
}

static inline int cwi_ga_leave(int result)
{
  cwi_waiting_leave();
  return result;
}

/* Replaces the argument names of the native call in an error message by those of the GA call.
 * `names` has the form "value is c, array is g_a". The names that most calls have in common are in
 * ga_error.c. */
static inline cw_error cwi_ga_known_as(cw_error error, const char *names)
{
  return CWI_LIKELY(error == CW_OK) ? CW_OK : cwi_reword(error, names);
}

/* With CW_CHECK=1, compares arguments that must be the same on all members of a collective call. It
 * is used for arguments that the native calls do not compare, or that have other names there.
 * Errors: CW_MISUSE on all members, with the name of the argument. */
CWI_CHECKED cw_error cwi_ga_agreed(cw_team team, const struct cwi_argument *list);

/* Checks that GA runs. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_running(void);

/* --- Types: types.c --- */

/* Finds the native type of a GA type code, and the number of bytes of an element. If *code is a
 * code of Fortran, it is replaced by C's code. Errors: CW_MISUSE (no such type). */
CWI_CHECKED cw_error cwi_ga_type(int *code, cw_type *type, size_t *bytes);

/* Returns Fortran's code for a type of C, or the code of C if Fortran has none. */
int cwi_ga_fortran_code(int code);

/* Finds the GA type code of a native type. Errors: CW_MISUSE (no code is known for such
 * elements). */
CWI_CHECKED cw_error cwi_ga_code(cw_type type, size_t bytes, int *code);
