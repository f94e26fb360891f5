/* What the files of the GA binding share: errors, spellings, and the way from GA's numbers to
 * native objects. A call is written once, with int64_t indices under its GA_ name (or NGA_, if it
 * has no other); what follows makes the other spellings of it.
 *
 * fortran_messages.c  sentences of GA's calls for programs in Fortran: dimensions are counted
 *                     from 1, and from the
 * ga_error.c          errors of GA calls: a sentence, and the end of the job
 * handle.c            GA's handles of arrays: which are taken, and what they stand for
 * types.c             GA's codes of types: those of C, those of Fortran, and those that a program
 *                     registers
 * unsupported.c       the calls of GA's headers that are left out: each ends the job with a
 *                     message that names it */
#ifndef CWI_GA_BASE_BINDING_H
#define CWI_GA_BASE_BINDING_H

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

/* NGA_X is GA_X. Stands behind the function. */
#define CWI_GA_NGA(operation)                                                                      \
  extern __typeof__(GA_##operation) NGA_##operation __attribute__((alias("GA_" #operation)))

/* The function `name` with int indices calls name64. `count`: how many dimensions the indices have;
 * the arguments name each array of indices as CWI_WIDE, and ld as CWI_WIDE_LD:
 *
 *   CWI_GA_INT(void, NGA_Get, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *buf, int ld[]),
 *              (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld)))
 *
 * Only for indices that are read; for those that are written there is cwi_ga_narrow. */
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

/* Lives to the end of the expression that it stands in. Of a count that no array has, which the
   call refuses, nothing is read. */
struct cwi_ga_index {
  int64_t at[GA_MAX_DIM];
};

static inline struct cwi_ga_index cwi_ga_wide(int count, const int *indices)
{
  struct cwi_ga_index wide = {{0}};
  if (count > GA_MAX_DIM)
    return wide;
    /* As a loop this takes 15 ns longer for the three arrays of a put, of 60 in all. */
#pragma GCC unroll 7
  for (int d = 0; d < GA_MAX_DIM && d < count; d++)
    wide.at[d] = indices[d];
  return wide;
}

/* Hand indices that were found to a program that knows int only. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_narrow(const char *what, size_t count, const int64_t *from, int *to);

/* --- Errors --- */

/* 0; or print the message of the failed call, with the name of the GA call, and end the job. */
#define CWI_GA(error) cwi_ga_result(__func__, (error))
int cwi_ga_fail(const char *call, cw_error error);

/* A message as a Fortran program is to read it: fortran_messages.c. */
void cwi_ga_fortran_message(const char *message, char *text, size_t size);

static inline int cwi_ga_result(const char *call, cw_error error)
{
  return CWI_LIKELY(error == CW_OK) ? 0 : cwi_ga_fail(call, error);
}

/* The call that a Fortran program has made of this thread, of which C's calls are a part: sentences
 * name it, and count as it does. ndim: of the arguments that have a number for each dimension; 0:
 * none has. turned: a product of two matrices is to C that of the second and the first. matrix:
 * the factors' patches are given as ilo, ihi, jlo, jhi. doubted: an argument looks as if INTEGER
 * had another size in the program. */
struct cwi_ga_fortran {
  const char *call; /* NULL: the program has called C */
  int ndim;
  bool turned, matrix, doubted;
};
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_ga_fortran cwi_ga_fortran;

/* The same for calls that may wait long for other processes: a report of that names this call. */
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

/* Sentences of the native calls name their own arguments: name this call's in their place. What
 * most calls share stands in ga_error.c. */
static inline cw_error cwi_ga_known_as(cw_error error, const char *names)
{
  return CWI_LIKELY(error == CW_OK) ? CW_OK : cwi_reword(error, names);
}

/* With CW_CHECK=1: what all members of a collective call have to give, where the native calls below
 * do not compare it, or under other names. Errors: CW_MISUSE that names it, on all. */
CWI_CHECKED cw_error cwi_ga_agreed(cw_team team, const struct cwi_argument *list);

/* Between GA_Initialize and GA_Terminate, which say so here: what many calls ask. Errors:
 * CW_MISUSE.
 */
extern bool cwi_ga_runs;
CWI_CHECKED cw_error cwi_ga_running(void);

/* --- Types: types.c --- */

/* What a code of GA's means natively. code: receives that of C for one of Fortran. bytes: of an
 * element. Errors: CW_MISUSE (no such type). */
CWI_CHECKED cw_error cwi_ga_type(int *code, cw_type *type, size_t *bytes);

/* Fortran's code for a type of C; that of C where Fortran has none. */
int cwi_ga_fortran_code(int code);

/* The way back. Errors: CW_MISUSE (no code is known for such elements). */
CWI_CHECKED cw_error cwi_ga_code(cw_type type, size_t bytes, int *code);
#endif
