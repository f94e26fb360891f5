/* Operations on whole arrays and on patches. All are collective over the arrays' group unless a
 * comment says otherwise. A patch has the indices lo to hi, including hi. Factors and constants are
 * addresses of a number of the array's type. See ga.h. */
#ifndef CWGA_MATH_H
#define CWGA_MATH_H

#include "gacommon.h"
#include "typesf2c.h"

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Whole arrays ---- */

/* Set every element to zero, to a value, or to a random number below *value; multiply every element
 * by *value. Fill and Randomize fill ghost cells, too. GA_Rand is local and returns a random number
 * from 0 to less than 1. */
void GA_Zero(int g_a);
void NGA_Zero(int g_a);
void GA_Fill(int g_a, void *value);
void NGA_Fill(int g_a, void *value);
void GA_Randomize(int g_a, void *value);
void NGA_Randomize(int g_a, void *value);
double GA_Rand(int seed);
double NGA_Rand(int seed);
void GA_Scale(int g_a, void *value);

/* Copy computes b = a, Add c = alpha a + beta b, Transpose b = transposed a, and Symmetrize a = (a
 * + transposed a) / 2. The distributions of the arrays may differ. */
void GA_Copy(int g_a, int g_b);
void GA_Add(void *alpha, int g_a, void *beta, int g_b, int g_c);
void GA_Transpose(int g_a, int g_b);
void GA_Symmetrize(int g_a);

/* Return the sum of a[i] b[i], without conjugation. All processes get the same result. */
int GA_Idot(int g_a, int g_b);
long GA_Ldot(int g_a, int g_b);
long long GA_Lldot(int g_a, int g_b);
float GA_Fdot(int g_a, int g_b);
double GA_Ddot(int g_a, int g_b);
SingleComplex GA_Cdot(int g_a, int g_b);
DoubleComplex GA_Zdot(int g_a, int g_b);

/* Store the least or the greatest element (op "min" or "max") and its index. */
void NGA_Select_elem(int g_a, char *op, void *value, int index[]);
void NGA_Select_elem64(int g_a, char *op, void *value, int64_t index[]);

/* Replace each element by its absolute value, by its sum with *alpha, or by its reciprocal. */
void GA_Abs_value(int g_a);
void GA_Add_constant(int g_a, void *alpha);
void GA_Recip(int g_a);

/* Compute c = a op b, element by element, or the median m of a, b and c. A division by zero ends
 * the job. */
void GA_Elem_multiply(int g_a, int g_b, int g_c);
void GA_Elem_divide(int g_a, int g_b, int g_c);
void GA_Elem_maximum(int g_a, int g_b, int g_c);
void GA_Elem_minimum(int g_a, int g_b, int g_c);
void GA_Median(int g_a, int g_b, int g_c, int g_m);

/* Step_max stores the greatest step for which a + step b >= 0. Step_bound_info stores steps to
 * bounds. */
void GA_Step_max(int g_a, int g_b, void *step);
void GA_Step_bound_info(int g_xx, int g_vv, int g_xxll, int g_xxuu, void *boundmin, void *wolfemin,
                        void *boundmax);

/* Operations on the diagonal of a matrix. g_v has one dimension. Shift_diagonal adds *c to the
 * diagonal. */
void GA_Get_diag(int g_a, int g_v);
void GA_Set_diagonal(int g_a, int g_v);
void GA_Add_diagonal(int g_a, int g_v);
void GA_Shift_diagonal(int g_a, void *c);
void GA_Zero_diagonal(int g_a);

/* Multiply row i, or column i, by v[i]. */
void GA_Scale_rows(int g_a, int g_v);
void GA_Scale_cols(int g_a, int g_v);

/* Store the sum (Norm1) or the maximum (Norm_infinity) of the absolute values of all elements. */
void GA_Norm1(int g_a, double *norm);
void GA_Norm_infinity(int g_a, double *norm);

/* ---- Patches ---- */

/* Operations on patches: lo and hi select a patch of each array. Two patches may have different
 * shapes, but they must have the same number of elements. The patch is transposed if trans is 'T'
 * or 't'. */
void NGA_Zero_patch(int g_a, int lo[], int hi[]);
void NGA_Zero_patch64(int g_a, int64_t lo[], int64_t hi[]);
void NGA_Fill_patch(int g_a, int lo[], int hi[], void *value);
void NGA_Fill_patch64(int g_a, int64_t lo[], int64_t hi[], void *value);
void NGA_Scale_patch(int g_a, int lo[], int hi[], void *alpha);
void NGA_Scale_patch64(int g_a, int64_t lo[], int64_t hi[], void *alpha);
void NGA_Copy_patch(char trans, int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[]);
void NGA_Copy_patch64(char trans, int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                      int64_t bhi[]);
void NGA_Add_patch(void *alpha, int g_a, int alo[], int ahi[], void *beta, int g_b, int blo[],
                   int bhi[], int g_c, int clo[], int chi[]);
void NGA_Add_patch64(void *alpha, int g_a, int64_t alo[], int64_t ahi[], void *beta, int g_b,
                     int64_t blo[], int64_t bhi[], int g_c, int64_t clo[], int64_t chi[]);

int NGA_Idot_patch(int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[],
                   int bhi[]);
int NGA_Idot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b, char t_b,
                     int64_t blo[], int64_t bhi[]);
long NGA_Ldot_patch(int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[],
                    int bhi[]);
long NGA_Ldot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b, char t_b,
                      int64_t blo[], int64_t bhi[]);
long long NGA_Lldot_patch(int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[],
                          int bhi[]);
long long NGA_Lldot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b, char t_b,
                            int64_t blo[], int64_t bhi[]);
float NGA_Fdot_patch(int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[],
                     int bhi[]);
float NGA_Fdot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b, char t_b,
                       int64_t blo[], int64_t bhi[]);
double NGA_Ddot_patch(int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[],
                      int bhi[]);
double NGA_Ddot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b, char t_b,
                        int64_t blo[], int64_t bhi[]);
SingleComplex NGA_Cdot_patch(int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[],
                             int bhi[]);
SingleComplex NGA_Cdot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b, char t_b,
                               int64_t blo[], int64_t bhi[]);
DoubleComplex NGA_Zdot_patch(int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[],
                             int bhi[]);
DoubleComplex NGA_Zdot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b, char t_b,
                               int64_t blo[], int64_t bhi[]);

void GA_Abs_value_patch(int g_a, int lo[], int hi[]);
void GA_Abs_value_patch64(int g_a, int64_t lo[], int64_t hi[]);
void GA_Add_constant_patch(int g_a, int lo[], int hi[], void *alpha);
void GA_Add_constant_patch64(int g_a, int64_t lo[], int64_t hi[], void *alpha);
void GA_Recip_patch(int g_a, int lo[], int hi[]);
void GA_Recip_patch64(int g_a, int64_t lo[], int64_t hi[]);

void GA_Elem_multiply_patch(int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c,
                            int clo[], int chi[]);
void GA_Elem_multiply_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                              int64_t bhi[], int g_c, int64_t clo[], int64_t chi[]);
void GA_Elem_divide_patch(int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c,
                          int clo[], int chi[]);
void GA_Elem_divide_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                            int64_t bhi[], int g_c, int64_t clo[], int64_t chi[]);
void GA_Elem_maximum_patch(int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c,
                           int clo[], int chi[]);
void GA_Elem_maximum_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                             int64_t bhi[], int g_c, int64_t clo[], int64_t chi[]);
void GA_Elem_minimum_patch(int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c,
                           int clo[], int chi[]);
void GA_Elem_minimum_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                             int64_t bhi[], int g_c, int64_t clo[], int64_t chi[]);
void GA_Median_patch(int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c,
                     int clo[], int chi[], int g_m, int mlo[], int mhi[]);
void GA_Median_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[], int64_t bhi[],
                       int g_c, int64_t clo[], int64_t chi[], int g_m, int64_t mlo[],
                       int64_t mhi[]);

void GA_Step_max_patch(int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], void *step);
void GA_Step_max_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                         int64_t bhi[], void *step);
void GA_Step_bound_info_patch(int g_xx, int xxlo[], int xxhi[], int g_vv, int vvlo[], int vvhi[],
                              int g_xxll, int xxlllo[], int xxllhi[], int g_xxuu, int xxuulo[],
                              int xxuuhi[], void *boundmin, void *wolfemin, void *boundmax);
void GA_Step_bound_info_patch64(int g_xx, int64_t xxlo[], int64_t xxhi[], int g_vv, int64_t vvlo[],
                                int64_t vvhi[], int g_xxll, int64_t xxlllo[], int64_t xxllhi[],
                                int64_t g_xxuu, int64_t xxuulo[], int64_t xxuuhi[], void *boundmin,
                                void *wolfemin, void *boundmax);

/* ---- Matrix multiply and linear algebra ---- */

/* Compute c = alpha op(a) op(b) + beta c. The letters ta and tb select op: 'n' for none, 't' for
 * transposed, 'c' for conjugate transposed. Matrices are row-major: op(a) has m rows and k columns,
 * c has m rows and n columns. Matmul_patch multiplies two-dimensional patches. */
void GA_Sgemm(char ta, char tb, int m, int n, int k, float alpha, int g_a, int g_b, float beta,
              int g_c);
void GA_Sgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, int g_a, int g_b,
                float beta, int g_c);
void GA_Dgemm(char ta, char tb, int m, int n, int k, double alpha, int g_a, int g_b, double beta,
              int g_c);
void GA_Dgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, int g_a, int g_b,
                double beta, int g_c);
void GA_Cgemm(char ta, char tb, int m, int n, int k, SingleComplex alpha, int g_a, int g_b,
              SingleComplex beta, int g_c);
void GA_Cgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, SingleComplex alpha, int g_a,
                int g_b, SingleComplex beta, int g_c);
void GA_Zgemm(char ta, char tb, int m, int n, int k, DoubleComplex alpha, int g_a, int g_b,
              DoubleComplex beta, int g_c);
void GA_Zgemm64(char ta, char tb, int64_t m, int64_t n, int64_t k, DoubleComplex alpha, int g_a,
                int g_b, DoubleComplex beta, int g_c);
void GA_Matmul_patch(char transa, char transb, void *alpha, void *beta, int g_a, int ailo, int aihi,
                     int ajlo, int ajhi, int g_b, int bilo, int bihi, int bjlo, int bjhi, int g_c,
                     int cilo, int cihi, int cjlo, int cjhi);
void NGA_Matmul_patch(char transa, char transb, void *alpha, void *beta, int g_a, int alo[],
                      int ahi[], int g_b, int blo[], int bhi[], int g_c, int clo[], int chi[]);
void GA_Matmul_patch64(char transa, char transb, void *alpha, void *beta, int g_a, int64_t ailo,
                       int64_t aihi, int64_t ajlo, int64_t ajhi, int g_b, int64_t bilo,
                       int64_t bihi, int64_t bjlo, int64_t bjhi, int g_c, int64_t cilo,
                       int64_t cihi, int64_t cjlo, int64_t cjhi);
void NGA_Matmul_patch64(char transa, char transb, void *alpha, void *beta, int g_a, int64_t alo[],
                        int64_t ahi[], int g_b, int64_t blo[], int64_t bhi[], int g_c,
                        int64_t clo[], int64_t chi[]);

/* Solve a x = b and overwrite b with x. As in GA, each row of b is a right-hand side. Lu_solve
 * solves with transposed a if tran is 't'. For Llt_solve and Spd_invert, a must be symmetric and
 * positive definite. Spd_invert replaces a by its inverse. Solve, Llt_solve and Spd_invert return 0
 * on success. Llt_solve and Spd_invert otherwise return the number of the pivot that is not
 * positive or not finite, and change nothing. Solve first tries Cholesky, then LU. It returns 0 if
 * Cholesky succeeded, otherwise a number greater than 0. If a is singular, Solve and Lu_solve end
 * the job. */
int GA_Solve(int g_a, int g_b);
void GA_Lu_solve(char tran, int g_a, int g_b);
int GA_Llt_solve(int g_a, int g_b);
int GA_Spd_invert(int g_a);

/* Compute eigenvalues and eigenvectors. eval receives the eigenvalues in ascending order on every
 * process. Row k of g_v receives eigenvector k. The calls with g_s solve a v = s v e. reuse has no
 * effect, because the factors of s are not kept between calls. */
void GA_Diag_std(int g_a, int g_v, void *eval);
void GA_Diag_std_seq(int g_a, int g_v, void *eval);
void GA_Diag(int g_a, int g_s, int g_v, void *eval);
void GA_Diag_seq(int g_a, int g_s, int g_v, void *eval);
void GA_Diag_reuse(int reuse, int g_a, int g_s, int g_v, void *eval);

/* ---- Arrays of one dimension ---- */

/* Copy or sum elements. A new run begins at each index where sbit is not 0. Scan_copy copies the
 * first element of a run to the whole run. Scan_add computes the sums from the first element of a
 * run on; if excl is not 0, a sum does not include the element itself. */
void GA_Scan_copy(int g_a, int g_b, int g_sbit, int lo, int hi);
void GA_Scan_copy64(int g_a, int g_b, int g_sbit, int64_t lo, int64_t hi);
void GA_Scan_add(int g_a, int g_b, int g_sbit, int lo, int hi, int excl);
void GA_Scan_add64(int g_a, int g_b, int g_sbit, int64_t lo, int64_t hi, int excl);

/* Pack copies the elements where the mask is not 0 to the start of g_dest. Unpack copies them back.
 * *count receives their number. */
void GA_Pack(int g_src, int g_dest, int g_mask, int lo, int hi, int *count);
void GA_Pack64(int g_src, int g_dest, int g_mask, int64_t lo, int64_t hi, int64_t *count);
void GA_Unpack(int g_src, int g_dest, int g_mask, int lo, int hi, int *count);
void GA_Unpack64(int g_src, int g_dest, int g_mask, int64_t lo, int64_t hi, int64_t *count);

/* Set a[lo + k] = start + k inc. */
void GA_Patch_enum(int g_a, int lo, int hi, void *start, void *inc);
void GA_Patch_enum64(int g_a, int64_t lo, int64_t hi, void *start, void *inc);

/* ---- Print ---- */

/* Process 0 prints the array, a patch of it, or the part of each process. Collective. */
void GA_Print(int g_a);
void GA_Print_file(FILE *file, int g_a);
void GA_Print_patch(int g_a, int ilo, int ihi, int jlo, int jhi, int pretty);
void NGA_Print_patch(int g_a, int lo[], int hi[], int pretty);
void NGA_Print_patch64(int g_a, int64_t lo[], int64_t hi[], int pretty);
void GA_Print_distribution(int g_a);

/* Print_stats prints the number of arrays and the bytes that they use on this process. Summarize
 * prints a list of the arrays. Local. */
void GA_Print_stats(void);
void GA_Summarize(int verbose);

#ifdef __cplusplus
}
#endif
#endif
