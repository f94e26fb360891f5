/* The second base class of GA::GlobalArray (GlobalArray.h): operations on whole arrays and patches,
 * products and solvers. Each method makes a call of ga.h. This array is the result of the call
 * unless a comment says otherwise. */
#ifndef CWGA_ARRAY_MATH_H
#define CWGA_ARRAY_MATH_H

#include "ArrayAccess.h"

#include <stdio.h>

namespace GA
{

class ArrayMath : public ArrayAccess
{
public:
  /* ---- Whole arrays: this array is the result, or the only array ---- */

  void zero() const
  {
    GA_Zero(mHandle);
  }
  void fill(void *value) const
  {
    GA_Fill(mHandle, value);
  }
  void scale(void *value) const
  {
    GA_Scale(mHandle, value);
  }
  void copy(const ArrayAccess *g_a) const
  {
    GA_Copy(g_a->handle(), mHandle);
  }
  void add(void *alpha, const ArrayAccess *g_a, void *beta, const ArrayAccess *g_b) const
  {
    GA_Add(alpha, g_a->handle(), beta, g_b->handle(), mHandle);
  }
  void transpose(const ArrayAccess *g_b) const
  {
    GA_Transpose(mHandle, g_b->handle());
  }
  void symmetrize() const
  {
    GA_Symmetrize(mHandle);
  }
  void absValue() const
  {
    GA_Abs_value(mHandle);
  }
  void addConstant(void *alpha) const
  {
    GA_Add_constant(mHandle, alpha);
  }
  void recip() const
  {
    GA_Recip(mHandle);
  }
  void elemMultiply(const ArrayAccess *g_a, const ArrayAccess *g_b) const
  {
    GA_Elem_multiply(g_a->handle(), g_b->handle(), mHandle);
  }
  void elemDivide(const ArrayAccess *g_a, const ArrayAccess *g_b) const
  {
    GA_Elem_divide(g_a->handle(), g_b->handle(), mHandle);
  }
  void elemMaximum(const ArrayAccess *g_a, const ArrayAccess *g_b) const
  {
    GA_Elem_maximum(g_a->handle(), g_b->handle(), mHandle);
  }
  void elemMinimum(const ArrayAccess *g_a, const ArrayAccess *g_b) const
  {
    GA_Elem_minimum(g_a->handle(), g_b->handle(), mHandle);
  }
  void median(const ArrayAccess *g_a, const ArrayAccess *g_b, const ArrayAccess *g_c) const
  {
    GA_Median(g_a->handle(), g_b->handle(), g_c->handle(), mHandle);
  }
  void stepMax(const ArrayAccess *g_b, double *step) const
  {
    GA_Step_max(mHandle, g_b->handle(), step);
  }
  int idot(const ArrayAccess *g_a) const
  {
    return GA_Idot(mHandle, g_a->handle());
  }
  long ldot(const ArrayAccess *g_a) const
  {
    return GA_Ldot(mHandle, g_a->handle());
  }
  float fdot(const ArrayAccess *g_a) const
  {
    return GA_Fdot(mHandle, g_a->handle());
  }
  double ddot(const ArrayAccess *g_a) const
  {
    return GA_Ddot(mHandle, g_a->handle());
  }
  DoubleComplex zdot(const ArrayAccess *g_a) const
  {
    return GA_Zdot(mHandle, g_a->handle());
  }
  void selectElem(char *op, void *val, int index[]) const
  {
    NGA_Select_elem(mHandle, op, val, index);
  }
  void selectElem(char *op, void *val, int64_t index[]) const
  {
    NGA_Select_elem64(mHandle, op, val, index);
  }
  void norm1(double *norm) const
  {
    GA_Norm1(mHandle, norm);
  }
  void normInfinity(double *norm) const
  {
    GA_Norm_infinity(mHandle, norm);
  }
  void print() const
  {
    GA_Print(mHandle);
  }
  void printFile(FILE *file) const
  {
    GA_Print_file(file, mHandle);
  }
  void printDistribution() const
  {
    GA_Print_distribution(mHandle);
  }
  /* ---- Diagonals: g_v has one dimension ---- */

  void getDiagonal(const ArrayAccess *g_a) const
  {
    GA_Get_diag(g_a->handle(), mHandle);
  }
  void setDiagonal(const ArrayAccess *g_v) const
  {
    GA_Set_diagonal(mHandle, g_v->handle());
  }
  void addDiagonal(const ArrayAccess *g_v) const
  {
    GA_Add_diagonal(mHandle, g_v->handle());
  }
  void shiftDiagonal(void *c) const
  {
    GA_Shift_diagonal(mHandle, c);
  }
  void zeroDiagonal() const
  {
    GA_Zero_diagonal(mHandle);
  }
  void scaleRows(const ArrayAccess *g_v) const
  {
    GA_Scale_rows(mHandle, g_v->handle());
  }
  void scaleCols(const ArrayAccess *g_v) const
  {
    GA_Scale_cols(mHandle, g_v->handle());
  }

  /* ---- Patches ---- */

  void zeroPatch(int lo[], int hi[]) const
  {
    NGA_Zero_patch(mHandle, lo, hi);
  }
  void zeroPatch(int64_t lo[], int64_t hi[]) const
  {
    NGA_Zero_patch64(mHandle, lo, hi);
  }
  void fillPatch(int lo[], int hi[], void *value) const
  {
    NGA_Fill_patch(mHandle, lo, hi, value);
  }
  void fillPatch(int64_t lo[], int64_t hi[], void *value) const
  {
    NGA_Fill_patch64(mHandle, lo, hi, value);
  }
  void scalePatch(int lo[], int hi[], void *value) const
  {
    NGA_Scale_patch(mHandle, lo, hi, value);
  }
  void scalePatch(int64_t lo[], int64_t hi[], void *value) const
  {
    NGA_Scale_patch64(mHandle, lo, hi, value);
  }
  void absValuePatch(int lo[], int hi[]) const
  {
    GA_Abs_value_patch(mHandle, lo, hi);
  }
  void absValuePatch(int64_t lo[], int64_t hi[]) const
  {
    GA_Abs_value_patch64(mHandle, lo, hi);
  }
  void addConstantPatch(int lo[], int hi[], void *alpha) const
  {
    GA_Add_constant_patch(mHandle, lo, hi, alpha);
  }
  void addConstantPatch(int64_t lo[], int64_t hi[], void *alpha) const
  {
    GA_Add_constant_patch64(mHandle, lo, hi, alpha);
  }
  void recipPatch(int lo[], int hi[]) const
  {
    GA_Recip_patch(mHandle, lo, hi);
  }
  void recipPatch(int64_t lo[], int64_t hi[]) const
  {
    GA_Recip_patch64(mHandle, lo, hi);
  }
  void copyPatch(char trans, const ArrayAccess *g_a, int alo[], int ahi[], int blo[],
                 int bhi[]) const
  {
    NGA_Copy_patch(trans, g_a->handle(), alo, ahi, mHandle, blo, bhi);
  }
  void copyPatch(char trans, const ArrayAccess *g_a, int64_t alo[], int64_t ahi[], int64_t blo[],
                 int64_t bhi[]) const
  {
    NGA_Copy_patch64(trans, g_a->handle(), alo, ahi, mHandle, blo, bhi);
  }
  void addPatch(void *alpha, const ArrayAccess *g_a, int alo[], int ahi[], void *beta,
                const ArrayAccess *g_b, int blo[], int bhi[], int clo[], int chi[]) const
  {
    NGA_Add_patch(alpha, g_a->handle(), alo, ahi, beta, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void addPatch(void *alpha, const ArrayAccess *g_a, int64_t alo[], int64_t ahi[], void *beta,
                const ArrayAccess *g_b, int64_t blo[], int64_t bhi[], int64_t clo[],
                int64_t chi[]) const
  {
    NGA_Add_patch64(alpha, g_a->handle(), alo, ahi, beta, g_b->handle(), blo, bhi, mHandle, clo,
                    chi);
  }
  void elemMultiplyPatch(const ArrayAccess *g_a, int alo[], int ahi[], const ArrayAccess *g_b,
                         int blo[], int bhi[], int clo[], int chi[]) const
  {
    GA_Elem_multiply_patch(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void elemMultiplyPatch(const ArrayAccess *g_a, int64_t alo[], int64_t ahi[],
                         const ArrayAccess *g_b, int64_t blo[], int64_t bhi[], int64_t clo[],
                         int64_t chi[]) const
  {
    GA_Elem_multiply_patch64(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void elemDividePatch(const ArrayAccess *g_a, int alo[], int ahi[], const ArrayAccess *g_b,
                       int blo[], int bhi[], int clo[], int chi[]) const
  {
    GA_Elem_divide_patch(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void elemDividePatch(const ArrayAccess *g_a, int64_t alo[], int64_t ahi[], const ArrayAccess *g_b,
                       int64_t blo[], int64_t bhi[], int64_t clo[], int64_t chi[]) const
  {
    GA_Elem_divide_patch64(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void elemMaximumPatch(const ArrayAccess *g_a, int alo[], int ahi[], const ArrayAccess *g_b,
                        int blo[], int bhi[], int clo[], int chi[]) const
  {
    GA_Elem_maximum_patch(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void elemMaximumPatch(const ArrayAccess *g_a, int64_t alo[], int64_t ahi[],
                        const ArrayAccess *g_b, int64_t blo[], int64_t bhi[], int64_t clo[],
                        int64_t chi[]) const
  {
    GA_Elem_maximum_patch64(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void elemMinimumPatch(const ArrayAccess *g_a, int alo[], int ahi[], const ArrayAccess *g_b,
                        int blo[], int bhi[], int clo[], int chi[]) const
  {
    GA_Elem_minimum_patch(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void elemMinimumPatch(const ArrayAccess *g_a, int64_t alo[], int64_t ahi[],
                        const ArrayAccess *g_b, int64_t blo[], int64_t bhi[], int64_t clo[],
                        int64_t chi[]) const
  {
    GA_Elem_minimum_patch64(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, mHandle, clo, chi);
  }
  void medianPatch(const ArrayAccess *g_a, int alo[], int ahi[], const ArrayAccess *g_b, int blo[],
                   int bhi[], const ArrayAccess *g_c, int clo[], int chi[], int mlo[],
                   int mhi[]) const
  {
    GA_Median_patch(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, g_c->handle(), clo, chi,
                    mHandle, mlo, mhi);
  }
  void medianPatch(const ArrayAccess *g_a, int64_t alo[], int64_t ahi[], const ArrayAccess *g_b,
                   int64_t blo[], int64_t bhi[], const ArrayAccess *g_c, int64_t clo[],
                   int64_t chi[], int64_t mlo[], int64_t mhi[]) const
  {
    GA_Median_patch64(g_a->handle(), alo, ahi, g_b->handle(), blo, bhi, g_c->handle(), clo, chi,
                      mHandle, mlo, mhi);
  }
  void stepMaxPatch(int alo[], int ahi[], const ArrayAccess *g_b, int blo[], int bhi[],
                    double *step) const
  {
    GA_Step_max_patch(mHandle, alo, ahi, g_b->handle(), blo, bhi, step);
  }
  void stepMaxPatch(int64_t alo[], int64_t ahi[], const ArrayAccess *g_b, int64_t blo[],
                    int64_t bhi[], double *step) const
  {
    GA_Step_max_patch64(mHandle, alo, ahi, g_b->handle(), blo, bhi, step);
  }
  long idotPatch(char ta, int alo[], int ahi[], const ArrayAccess *g_a, char tb, int blo[],
                 int bhi[]) const
  {
    return NGA_Idot_patch(mHandle, ta, alo, ahi, g_a->handle(), tb, blo, bhi);
  }
  long idotPatch(char ta, int64_t alo[], int64_t ahi[], const ArrayAccess *g_a, char tb,
                 int64_t blo[], int64_t bhi[]) const
  {
    return NGA_Idot_patch64(mHandle, ta, alo, ahi, g_a->handle(), tb, blo, bhi);
  }
  long ldotPatch(char ta, int alo[], int ahi[], const ArrayAccess *g_a, char tb, int blo[],
                 int bhi[]) const
  {
    return NGA_Ldot_patch(mHandle, ta, alo, ahi, g_a->handle(), tb, blo, bhi);
  }
  long ldotPatch(char ta, int64_t alo[], int64_t ahi[], const ArrayAccess *g_a, char tb,
                 int64_t blo[], int64_t bhi[]) const
  {
    return NGA_Ldot_patch64(mHandle, ta, alo, ahi, g_a->handle(), tb, blo, bhi);
  }
  float fdotPatch(char ta, int alo[], int ahi[], const ArrayAccess *g_b, char tb, int blo[],
                  int bhi[]) const
  {
    return NGA_Fdot_patch(mHandle, ta, alo, ahi, g_b->handle(), tb, blo, bhi);
  }
  float fdotPatch(char ta, int64_t alo[], int64_t ahi[], const ArrayAccess *g_b, char tb,
                  int64_t blo[], int64_t bhi[]) const
  {
    return NGA_Fdot_patch64(mHandle, ta, alo, ahi, g_b->handle(), tb, blo, bhi);
  }
  double ddotPatch(char ta, int alo[], int ahi[], const ArrayAccess *g_b, char tb, int blo[],
                   int bhi[]) const
  {
    return NGA_Ddot_patch(mHandle, ta, alo, ahi, g_b->handle(), tb, blo, bhi);
  }
  double ddotPatch(char ta, int64_t alo[], int64_t ahi[], const ArrayAccess *g_b, char tb,
                   int64_t blo[], int64_t bhi[]) const
  {
    return NGA_Ddot_patch64(mHandle, ta, alo, ahi, g_b->handle(), tb, blo, bhi);
  }
  DoubleComplex zdotPatch(char ta, int alo[], int ahi[], const ArrayAccess *g_b, char tb, int blo[],
                          int bhi[]) const
  {
    return NGA_Zdot_patch(mHandle, ta, alo, ahi, g_b->handle(), tb, blo, bhi);
  }
  DoubleComplex zdotPatch(char ta, int64_t alo[], int64_t ahi[], const ArrayAccess *g_b, char tb,
                          int64_t blo[], int64_t bhi[]) const
  {
    return NGA_Zdot_patch64(mHandle, ta, alo, ahi, g_b->handle(), tb, blo, bhi);
  }
  void printPatch(int lo[], int hi[], int pretty) const
  {
    NGA_Print_patch(mHandle, lo, hi, pretty);
  }
  void printPatch(int64_t lo[], int64_t hi[], int pretty) const
  {
    NGA_Print_patch64(mHandle, lo, hi, pretty);
  }

  /* ---- Vectors: this array is read, and g_dest is written ---- */

  void scanCopy(const ArrayAccess *g_dest, const ArrayAccess *g_mask, int lo, int hi) const
  {
    GA_Scan_copy(mHandle, g_dest->handle(), g_mask->handle(), lo, hi);
  }
  void scanCopy(const ArrayAccess *g_dest, const ArrayAccess *g_mask, int64_t lo, int64_t hi) const
  {
    GA_Scan_copy64(mHandle, g_dest->handle(), g_mask->handle(), lo, hi);
  }
  void scanAdd(const ArrayAccess *g_dest, const ArrayAccess *g_mask, int lo, int hi, int excl) const
  {
    GA_Scan_add(mHandle, g_dest->handle(), g_mask->handle(), lo, hi, excl);
  }
  void scanAdd(const ArrayAccess *g_dest, const ArrayAccess *g_mask, int64_t lo, int64_t hi,
               int excl) const
  {
    GA_Scan_add64(mHandle, g_dest->handle(), g_mask->handle(), lo, hi, excl);
  }
  void pack(const ArrayAccess *g_dest, const ArrayAccess *g_mask, int lo, int hi, int *icount) const
  {
    GA_Pack(mHandle, g_dest->handle(), g_mask->handle(), lo, hi, icount);
  }
  void pack(const ArrayAccess *g_dest, const ArrayAccess *g_mask, int64_t lo, int64_t hi,
            int64_t *icount) const
  {
    GA_Pack64(mHandle, g_dest->handle(), g_mask->handle(), lo, hi, icount);
  }
  void unpack(ArrayAccess *g_dest, ArrayAccess *g_mask, int lo, int hi, int *icount) const
  {
    GA_Unpack(mHandle, g_dest->handle(), g_mask->handle(), lo, hi, icount);
  }
  void unpack(ArrayAccess *g_dest, ArrayAccess *g_mask, int64_t lo, int64_t hi,
              int64_t *icount) const
  {
    GA_Unpack64(mHandle, g_dest->handle(), g_mask->handle(), lo, hi, icount);
  }
  void patchEnum(int lo, int hi, void *start, void *inc)
  {
    GA_Patch_enum(mHandle, lo, hi, start, inc);
  }
  void patchEnum(int64_t lo, int64_t hi, void *start, void *inc)
  {
    GA_Patch_enum64(mHandle, lo, hi, start, inc);
  }

  /* ---- Products, solvers: this array is the result ---- */

  void sgemm(char ta, char tb, int m, int n, int k, float alpha, const ArrayAccess *g_a,
             const ArrayAccess *g_b, float beta) const
  {
    GA_Sgemm(ta, tb, m, n, k, alpha, g_a->handle(), g_b->handle(), beta, mHandle);
  }
  void sgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const ArrayAccess *g_a,
             const ArrayAccess *g_b, float beta) const
  {
    GA_Sgemm64(ta, tb, m, n, k, alpha, g_a->handle(), g_b->handle(), beta, mHandle);
  }
  void dgemm(char ta, char tb, int m, int n, int k, double alpha, const ArrayAccess *g_a,
             const ArrayAccess *g_b, double beta) const
  {
    GA_Dgemm(ta, tb, m, n, k, alpha, g_a->handle(), g_b->handle(), beta, mHandle);
  }
  void dgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha,
             const ArrayAccess *g_a, const ArrayAccess *g_b, double beta) const
  {
    GA_Dgemm64(ta, tb, m, n, k, alpha, g_a->handle(), g_b->handle(), beta, mHandle);
  }
  void zgemm(char ta, char tb, int m, int n, int k, DoubleComplex alpha, const ArrayAccess *g_a,
             const ArrayAccess *g_b, DoubleComplex beta) const
  {
    GA_Zgemm(ta, tb, m, n, k, alpha, g_a->handle(), g_b->handle(), beta, mHandle);
  }
  void zgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, DoubleComplex alpha,
             const ArrayAccess *g_a, const ArrayAccess *g_b, DoubleComplex beta) const
  {
    GA_Zgemm64(ta, tb, m, n, k, alpha, g_a->handle(), g_b->handle(), beta, mHandle);
  }
  void matmulPatch(char transa, char transb, void *alpha, void *beta, const ArrayAccess *g_a,
                   int ailo, int aihi, int ajlo, int ajhi, const ArrayAccess *g_b, int bilo,
                   int bihi, int bjlo, int bjhi, int cilo, int cihi, int cjlo, int cjhi) const
  {
    GA_Matmul_patch(transa, transb, alpha, beta, g_a->handle(), ailo, aihi, ajlo, ajhi,
                    g_b->handle(), bilo, bihi, bjlo, bjhi, mHandle, cilo, cihi, cjlo, cjhi);
  }
  void matmulPatch(char transa, char transb, void *alpha, void *beta, const ArrayAccess *g_a,
                   int64_t ailo, int64_t aihi, int64_t ajlo, int64_t ajhi, const ArrayAccess *g_b,
                   int64_t bilo, int64_t bihi, int64_t bjlo, int64_t bjhi, int64_t cilo,
                   int64_t cihi, int64_t cjlo, int64_t cjhi) const
  {
    GA_Matmul_patch64(transa, transb, alpha, beta, g_a->handle(), ailo, aihi, ajlo, ajhi,
                      g_b->handle(), bilo, bihi, bjlo, bjhi, mHandle, cilo, cihi, cjlo, cjhi);
  }
  void matmulPatch(char transa, char transb, void *alpha, void *beta, const ArrayAccess *g_a,
                   int alo[], int ahi[], const ArrayAccess *g_b, int blo[], int bhi[], int clo[],
                   int chi[]) const
  {
    NGA_Matmul_patch(transa, transb, alpha, beta, g_a->handle(), alo, ahi, g_b->handle(), blo, bhi,
                     mHandle, clo, chi);
  }
  void matmulPatch(char transa, char transb, void *alpha, void *beta, const ArrayAccess *g_a,
                   int64_t alo[], int64_t ahi[], const ArrayAccess *g_b, int64_t blo[],
                   int64_t bhi[], int64_t clo[], int64_t chi[]) const
  {
    NGA_Matmul_patch64(transa, transb, alpha, beta, g_a->handle(), alo, ahi, g_b->handle(), blo,
                       bhi, mHandle, clo, chi);
  }
  int solve(const ArrayAccess *g_a) const
  {
    return GA_Solve(g_a->handle(), mHandle);
  }
  int lltSolve(const ArrayAccess *g_a) const
  {
    return GA_Llt_solve(g_a->handle(), mHandle);
  }
  void luSolve(char trans, const ArrayAccess *g_a) const
  {
    GA_Lu_solve(trans, g_a->handle(), mHandle);
  }
  int spdInvert() const
  {
    return GA_Spd_invert(mHandle);
  }
  void diag(const ArrayAccess *g_s, ArrayAccess *g_v, void *eval) const
  {
    GA_Diag(mHandle, g_s->handle(), g_v->handle(), eval);
  }
  void diagReuse(int control, const ArrayAccess *g_s, ArrayAccess *g_v, void *eval) const
  {
    GA_Diag_reuse(control, mHandle, g_s->handle(), g_v->handle(), eval);
  }
  void diagSeq(const ArrayAccess *g_s, const ArrayAccess *g_v, void *eval) const
  {
    GA_Diag_seq(mHandle, g_s->handle(), g_v->handle(), eval);
  }
  void diagStd(ArrayAccess *g_v, void *eval) const
  {
    GA_Diag_std(mHandle, g_v->handle(), eval);
  }
  void diagStdSeq(const ArrayAccess *g_v, void *eval) const
  {
    GA_Diag_std_seq(mHandle, g_v->handle(), eval);
  }

protected:
  explicit ArrayMath(int handle) : ArrayAccess(handle) {}
};

} // namespace GA

#endif
