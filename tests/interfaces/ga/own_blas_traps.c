/* Routines of a program that the library must not call: functions with the names of routines that
 * it or its libraries call. A program may use these names for anything. */
#include <stdio.h>
#include <stdlib.h>

#define TRAP(name)                                                                                 \
  void name(void);                                                                                 \
  void name(void)                                                                                  \
  {                                                                                                \
    fprintf(stderr, "the library calls the program's " #name "\n");                                \
    _Exit(EXIT_FAILURE);                                                                           \
  }

TRAP(cblas_sgemm)
TRAP(cblas_dgemm)
TRAP(cblas_cgemm)
TRAP(cblas_zgemm)
TRAP(dgemm_)
TRAP(dgemv_)
TRAP(dtrsm_)
TRAP(dsyrk_)
TRAP(dcopy_)
TRAP(ddot_)
TRAP(idamax_)
TRAP(lsame_)
TRAP(xerbla_)
TRAP(ilaenv_)
TRAP(dlamch_)
TRAP(dgetrf_)
TRAP(dgetrs_)
TRAP(dpotrf_)
TRAP(dpotrs_)
TRAP(dpotri_)
TRAP(dsygst_)
TRAP(dsyevd_)
TRAP(dsteqr_)
TRAP(pdgetrf_)
TRAP(pdgetrs_)
TRAP(pdpotrf_)
TRAP(pdsyevd_)
TRAP(pdtrsm_)
TRAP(pdgemm_)
TRAP(pb_topget_)
TRAP(pb_topset_)
TRAP(numroc_)
TRAP(Csys2blacs_handle)
TRAP(Cblacs_gridmap)
TRAP(Cblacs_gridinfo)
TRAP(Cdgsum2d)
