/* Finds out how wide the integers of routines are, by calls that are harmless for both widths. They
 * pass numbers of 8 bytes, of which a routine with integers of 4 bytes reads the lower half. */
#include "external/routines.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns a number that is read as `low` by a routine with integers of 4 bytes, and as a negative
 * number by one with integers of 8 bytes. */
static int64_t negative_if_wide(int32_t low)
{
  return low - ((int64_t)1 << 32);
}

static const int64_t zero = 0, one = 1;

/* IxAMAX returns the number of the greatest of two elements, or 0 if the number of elements is
 * negative. */
static bool amax_is_wide(void *routine)
{
  int (*amax)(const int64_t *n, const void *x, const int64_t *inc) = NULL;
  const int64_t n = negative_if_wide(2);
  const double x[4] = {1, 1, 1, 1};
  memcpy(&amax, &routine, sizeof amax);
  return amax(&n, x, &one) == 0;
}

/* ILAENV returns a block size, or a negative number if `question` is invalid. */
static bool ilaenv_is_wide(void *routine)
{
  int (*ilaenv)(const int64_t *question, const char *name, const char *options, const int64_t *n1,
                const int64_t *n2, const int64_t *n3, const int64_t *n4, size_t name_length,
                size_t options_length) = NULL;
  const int64_t question = negative_if_wide(1);
  memcpy(&ilaenv, &routine, sizeof ilaenv);
  return ilaenv(&question, "DGETRF", " ", &one, &one, &one, &one, 6, 1) < 0;
}

/* For a matrix without rows, xGETRF and xPOTRF set info to 0. With integers of 4 bytes they set
 * only the lower half. */
static bool getrf_is_wide(void *routine)
{
  void (*getrf)(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, int64_t *pivots,
                int64_t *info) = NULL;
  int64_t pivots[1] = {0}, info = -1;
  double a[2] = {0, 0};
  memcpy(&getrf, &routine, sizeof getrf);
  getrf(&zero, &zero, a, &one, pivots, &info);
  return info == 0;
}

static bool potrf_is_wide(void *routine)
{
  void (*potrf)(const char *uplo, const int64_t *n, void *a, const int64_t *lda, int64_t *info,
                size_t uplo_length) = NULL;
  int64_t info = -1;
  double a[2] = {0, 0};
  memcpy(&potrf, &routine, sizeof potrf);
  potrf("L", &zero, a, &one, &info, 1);
  return info == 0;
}

/* DGEMM computes a product of one row and two columns. The leading dimension is 2^32 + 1. A routine
 * that reads 4 bytes of it stores the second element next to the first; a routine that reads all 8
 * bytes stores it 32 GiB after it. Only the first and the last pages of that range have memory. */
static bool dgemm_is_wide(void *routine)
{
  void (*dgemm)(const char *ta, const char *tb, const int64_t *m, const int64_t *n,
                const int64_t *k, const double *alpha, const double *a, const int64_t *lda,
                const double *b, const int64_t *ldb, const double *beta, double *c,
                const int64_t *ldc, size_t ta_length, size_t tb_length) = NULL;
  const int64_t two = 2, ldc = ((int64_t)1 << 32) + 1;
  const double factor = 1, nothing = 0, a[1] = {1}, b[2] = {1, 1};
  const size_t page = (size_t)sysconf(_SC_PAGESIZE),
               distance = (size_t)ldc * sizeof *b / page * page, bytes = distance + 2 * page;
  double *c = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (c == MAP_FAILED) /* a limit of address space; the other routines decide */
    return false;
  memcpy(&dgemm, &routine, sizeof dgemm);
  bool wide = false;
  if (mprotect(c, page, PROT_READ | PROT_WRITE) == 0 &&
      mprotect((char *)c + distance, 2 * page, PROT_READ | PROT_WRITE) == 0) {
    dgemm("N", "N", &one, &two, &one, &factor, a, &one, b, &one, &nothing, c, &ldc, 1, 1);
    wide = c[0] == 1 && c[1] == 0;
  }
  munmap(c, bytes);
  return wide;
}

/* NUMROC returns the number of rows on the first of two processes, which have two blocks of one
 * row. */
static bool numroc_is_wide(void *routine)
{
  int (*numroc)(const int64_t *n, const int64_t *block, const int64_t *process,
                const int64_t *first, const int64_t *processes) = NULL;
  const int64_t n = negative_if_wide(2), two = 2;
  memcpy(&numroc, &routine, sizeof numroc);
  return numroc(&n, &one, &zero, &zero, &two) != 1;
}

/* A program with routines of its own has at least one of these. */
static const struct probe {
  const char *name;
  bool (*is_wide)(void *routine);
} probes[] = {
    {"idamax_", amax_is_wide},  {"izamax_", amax_is_wide},   {"isamax_", amax_is_wide},
    {"icamax_", amax_is_wide},  {"dgemm_", dgemm_is_wide},   {"dgetrf_", getrf_is_wide},
    {"zgetrf_", getrf_is_wide}, {"sgetrf_", getrf_is_wide},  {"cgetrf_", getrf_is_wide},
    {"dpotrf_", potrf_is_wide}, {"zpotrf_", potrf_is_wide},  {"spotrf_", potrf_is_wide},
    {"cpotrf_", potrf_is_wide}, {"ilaenv_", ilaenv_is_wide}, {"numroc_", numroc_is_wide},
};

static struct cwi_wide width_search(void *library, bool outside)
{
  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
    void *inner = dlsym(library, probes[i].name);
    void *routine = outside ? dlsym(RTLD_DEFAULT, probes[i].name) : inner;
    if (routine != NULL && !(outside && routine == inner) && probes[i].is_wide(routine))
      return (struct cwi_wide){probes[i].name, routine};
  }
  return (struct cwi_wide){NULL, NULL};
}

struct cwi_wide cwi_wide_inside(void *library)
{
  return width_search(library, false);
}

struct cwi_wide cwi_wide_outside(void *library)
{
  return width_search(library, true);
}
