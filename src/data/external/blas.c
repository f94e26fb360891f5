/* BLAS for the products of matrices: xGEMM of each type, and the number of threads. */
#include "external/blas.h"

#include "external/routines.h"

#include <cblas.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Pointers to the C interface of BLAS. */
static __typeof__(&cblas_sgemm) sgemm;
static __typeof__(&cblas_dgemm) dgemm;
static __typeof__(&cblas_cgemm) cgemm;
static __typeof__(&cblas_zgemm) zgemm;

static const struct cwi_symbol routines[] = {{"cblas_sgemm", &sgemm},
                                             {"cblas_dgemm", &dgemm},
                                             {"cblas_cgemm", &cgemm},
                                             {"cblas_zgemm", &zgemm},
                                             {NULL, NULL}};

static const float float_zero[2] = {0, 0}, float_one[2] = {1, 0};
static const double double_zero[2] = {0, 0}, double_one[2] = {1, 0};

static CBLAS_TRANSPOSE flag(cw_transposition transposition)
{
  if (transposition == CW_NOT_TRANSPOSED)
    return CblasNoTrans;
  return transposition == CW_TRANSPOSED ? CblasTrans : CblasConjTrans;
}

static void gemm_float(const struct cwi_gemm *g)
{
  sgemm(CblasRowMajor, flag(g->ta), flag(g->tb), g->m, g->n, g->k, *(const float *)g->alpha, g->a,
        g->lda, g->b, g->ldb, *(const float *)g->beta, g->c, g->ldc);
}

static void gemm_double(const struct cwi_gemm *g)
{
  dgemm(CblasRowMajor, flag(g->ta), flag(g->tb), g->m, g->n, g->k, *(const double *)g->alpha, g->a,
        g->lda, g->b, g->ldb, *(const double *)g->beta, g->c, g->ldc);
}

static void gemm_float_complex(const struct cwi_gemm *g)
{
  cgemm(CblasRowMajor, flag(g->ta), flag(g->tb), g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b,
        g->ldb, g->beta, g->c, g->ldc);
}

static void gemm_double_complex(const struct cwi_gemm *g)
{
  zgemm(CblasRowMajor, flag(g->ta), flag(g->tb), g->m, g->n, g->k, g->alpha, g->a, g->lda, g->b,
        g->ldb, g->beta, g->c, g->ldc);
}

const struct cwi_field *cwi_field_of(cw_type type)
{
  static const struct cwi_field fields[CW_TYPES] = {
      [CW_FLOAT] = {gemm_float, float_zero, float_one},
      [CW_DOUBLE] = {gemm_double, double_zero, double_one},
      [CW_FLOAT_COMPLEX] = {gemm_float_complex, float_zero, float_one},
      [CW_DOUBLE_COMPLEX] = {gemm_double_complex, double_zero, double_one},
  };
  return (unsigned)type < CW_TYPES && fields[type].gemm != NULL ? &fields[type] : NULL;
}

/* Sets one thread for OpenBLAS. Other BLAS libraries do not have this function. */
static void choose_threads(void)
{
  void *found = cwi_routines_optional(CWI_BLAS, "openblas_set_num_threads");
  void (*set_threads)(int threads) = NULL;
  memcpy(&set_threads, &found, sizeof found);
  if (set_threads != NULL && getenv("OPENBLAS_NUM_THREADS") == NULL)
    set_threads(1);
}

cw_error cwi_blas_begin(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  CWI_TRY(cwi_routines_find(CWI_BLAS, routines));
  CWI_ASSERT(pthread_once(&once, choose_threads) == 0);
  return CW_OK;
}
