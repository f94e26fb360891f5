/* Operations on patches, but for products of matrices. */
#include "patch.h"
#include "binding.h"

/* --- One patch --- */

static cw_error fill(int g_a, const int64_t *lo, const int64_t *hi, bool zero, const void *value)
{
  cw_operand a;
  CWI_TRY(cwi_ga_operand(&(struct cwi_ga_operand){"g_a", g_a, false, lo, hi, 0}, &a));
  if (!zero)
    CWI_TRY(cwi_ga_given("value", value));
  return cw_array_fill(a.array, lo, hi, value);
}

void NGA_Zero_patch64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA_WAITS(fill(g_a, lo, hi, true, NULL));
}

void NGA_Fill_patch64(int g_a, int64_t lo[], int64_t hi[], void *value)
{
  (void)CWI_GA_WAITS(fill(g_a, lo, hi, false, value));
}

static cw_error apply(cw_unary function, int g_a, const int64_t *lo, const int64_t *hi,
                      bool has_value, const void *alpha)
{
  cw_operand a;
  CWI_TRY(cwi_ga_operand(&(struct cwi_ga_operand){"g_a", g_a, false, lo, hi, 0}, &a));
  if (has_value)
    CWI_TRY(cwi_ga_given("alpha", alpha));
  return cw_array_apply(a.array, lo, hi, function, alpha);
}

void NGA_Scale_patch64(int g_a, int64_t lo[], int64_t hi[], void *alpha)
{
  (void)CWI_GA_WAITS(apply(CW_SCALE, g_a, lo, hi, true, alpha));
}

void GA_Add_constant_patch64(int g, int64_t lo[], int64_t hi[], void *alpha)
{
  (void)CWI_GA_WAITS(apply(CW_ADD_CONSTANT, g, lo, hi, true, alpha));
}

void GA_Abs_value_patch64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA_WAITS(apply(CW_ABSOLUTE, g_a, lo, hi, false, NULL));
}

void GA_Recip_patch64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA_WAITS(apply(CW_RECIPROCAL, g_a, lo, hi, false, NULL));
}

CWI_GA_INT(void, NGA_Zero_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))
CWI_GA_INT(void, NGA_Fill_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *value),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), value))
CWI_GA_INT(void, NGA_Scale_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *alpha),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), alpha))
CWI_GA_INT(void, GA_Add_constant_patch, cwi_ga_ndim(g), (int g, int lo[], int hi[], void *alpha),
           (g, CWI_WIDE(lo), CWI_WIDE(hi), alpha))
CWI_GA_INT(void, GA_Abs_value_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))
CWI_GA_INT(void, GA_Recip_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))

/* --- Two patches --- */

/* As many elements, in row-major order. */
static cw_error copy(const struct cwi_ga_operand *from, const struct cwi_ga_operand *to)
{
  cw_operand a, b;
  CWI_TRY(cwi_ga_operand(from, &a));
  CWI_TRY(cwi_ga_operand(to, &b));
  return cw_array_copy(&a, &b);
}

void NGA_Copy_patch64(char trans, int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                      int64_t bhi[])
{
  const struct cwi_ga_operand from = {"g_a", g_a, false, alo, ahi, trans != 0 ? trans : '?'};
  (void)CWI_GA_WAITS(copy(&from, CWI_GA_PATCH(b)));
}

CWI_GA_INT(void, NGA_Copy_patch, 0,
           (char trans, int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[]),
           (trans, CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b)))

/* The sum of products, without conjugation, of arrays of one type. name: of the type. */
static cw_error dot(int code, const char *name, const struct cwi_ga_operand *first,
                    const struct cwi_ga_operand *second, void *result)
{
  cw_operand a, b;
  CWI_TRY(cwi_ga_operand(first, &a));
  CWI_TRY(cwi_ga_operand(second, &b));
  CWI_TRY(cwi_ga_check_type(first->what, first->g_a, code, name));
  CWI_TRY(cwi_ga_check_type(second->what, second->g_a, code, name));
  return cw_array_dot(&a, &b, result);
}

/* The dot products of one type: of patches, with int64_t and int indices, and of whole arrays. */
#define DOT(letter, number, code)                                                                  \
  number NGA_##letter##dot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b,       \
                                   char t_b, int64_t blo[], int64_t bhi[])                         \
  {                                                                                                \
    number result;                                                                                 \
    (void)CWI_GA_WAITS(dot(code, #code, CWI_GA_PATCH_T(a), CWI_GA_PATCH_T(b), &result));           \
    return result;                                                                                 \
  }                                                                                                \
  CWI_GA_INT(number, NGA_##letter##dot_patch, 0,                                                   \
             (int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[], int bhi[]),   \
             (g_a, t_a, CWI_WIDE_OF(a, alo), CWI_WIDE_OF(a, ahi), g_b, t_b, CWI_WIDE_OF(b, blo),   \
              CWI_WIDE_OF(b, bhi)))                                                                \
  number GA_##letter##dot(int g_a, int g_b)                                                        \
  {                                                                                                \
    number result;                                                                                 \
    (void)CWI_GA_WAITS(dot(code, #code, CWI_GA_WHOLE(a), CWI_GA_WHOLE(b), &result));               \
    return result;                                                                                 \
  }

DOT(I, int, C_INT)
DOT(L, long, C_LONG)
DOT(Ll, long long, C_LONGLONG)
DOT(F, float, C_FLOAT)
DOT(D, double, C_DBL)
DOT(C, SingleComplex, C_SCPL)
DOT(Z, DoubleComplex, C_DCPL)

/* --- Three patches and four --- */

static cw_error combine(cw_binary function, const void *alpha, const struct cwi_ga_operand *first,
                        const void *beta, const struct cwi_ga_operand *second,
                        const struct cwi_ga_operand *third)
{
  cw_operand a, b, c;
  CWI_TRY(cwi_ga_operand(first, &a));
  CWI_TRY(cwi_ga_operand(second, &b));
  CWI_TRY(cwi_ga_operand(third, &c));
  if (function == CW_ELEMENT_SUM) {
    CWI_TRY(cwi_ga_given("alpha", alpha));
    CWI_TRY(cwi_ga_given("beta", beta));
  }
  return cw_array_combine(function, alpha, &a, beta, &b, &c);
}

void NGA_Add_patch64(void *alpha, int g_a, int64_t alo[], int64_t ahi[], void *beta, int g_b,
                     int64_t blo[], int64_t bhi[], int g_c, int64_t clo[], int64_t chi[])
{
  (void)CWI_GA_WAITS(
      combine(CW_ELEMENT_SUM, alpha, CWI_GA_PATCH(a), beta, CWI_GA_PATCH(b), CWI_GA_PATCH(c)));
}

CWI_GA_INT(void, NGA_Add_patch, 0,
           (void *alpha, int g_a, int alo[], int ahi[], void *beta, int g_b, int blo[], int bhi[],
            int g_c, int clo[], int chi[]),
           (alpha, CWI_WIDE_PATCH(a), beta, CWI_WIDE_PATCH(b), CWI_WIDE_PATCH(c)))

#define COMBINE(name, function)                                                                    \
  void name##64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[], int64_t bhi[],      \
                int g_c, int64_t clo[], int64_t chi[])                                             \
  {                                                                                                \
    (void)CWI_GA_WAITS(                                                                            \
        combine(function, NULL, CWI_GA_PATCH(a), NULL, CWI_GA_PATCH(b), CWI_GA_PATCH(c)));         \
  }                                                                                                \
  CWI_GA_INT(void, name, 0,                                                                        \
             (int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c, int clo[],    \
              int chi[]),                                                                          \
             (CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b), CWI_WIDE_PATCH(c)))

COMBINE(GA_Elem_multiply_patch, CW_ELEMENT_PRODUCT)
COMBINE(GA_Elem_divide_patch, CW_ELEMENT_QUOTIENT)
COMBINE(GA_Elem_maximum_patch, CW_ELEMENT_MAXIMUM)
COMBINE(GA_Elem_minimum_patch, CW_ELEMENT_MINIMUM)

static cw_error median(const struct cwi_ga_operand given[4])
{
  cw_operand operands[4];
  for (int i = 0; i < 4; i++)
    CWI_TRY(cwi_ga_operand(&given[i], &operands[i]));
  return cw_array_median(&operands[0], &operands[1], &operands[2], &operands[3]);
}

void GA_Median_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[], int64_t bhi[],
                       int g_c, int64_t clo[], int64_t chi[], int g_m, int64_t mlo[], int64_t mhi[])
{
  const struct cwi_ga_operand all[] = {*CWI_GA_PATCH(a), *CWI_GA_PATCH(b), *CWI_GA_PATCH(c),
                                       *CWI_GA_PATCH(m)};
  (void)CWI_GA_WAITS(median(all));
}

CWI_GA_INT(void, GA_Median_patch, 0,
           (int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c, int clo[],
            int chi[], int g_m, int mlo[], int mhi[]),
           (CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b), CWI_WIDE_PATCH(c), CWI_WIDE_PATCH(m)))
