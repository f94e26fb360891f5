/* Operations on patches, and the same operations on whole arrays if GA has them. Products of
 * matrices are in matrix.c. Every call begins and ends with a synchronisation, which the native
 * calls do. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include "arithmetic/operate.h"

#include <string.h>

/* Opens the operands of one call. Whole arrays must have the same extents. */
static cw_error open_all(int count, const struct cwi_ga_operand given[], cw_operand operands[])
{
  for (int i = 0; i < count; i++) {
    CWI_TRY(cwi_ga_operand(&given[i], &operands[i]));
    if (given[i].whole)
      CWI_TRY(cwi_ga_same_shape(given[i].what, operands[0].array, operands[i].array));
  }
  return CW_OK;
}

/* --- One operand --- */

/* Fills a patch or an array. GA_Fill also fills the ghost cells; the other calls do not. */
static cw_error ga_patch_fill(const struct cwi_ga_operand *given, bool zero, const void *value)
{
  cw_operand a;
  struct cwi_ga_index inside_patch[2];
  bool none = false;
  CWI_TRY(cwi_ga_operand_within(given, inside_patch, &a, &none));
  if (!zero)
    CWI_TRY(cwi_check_not_null("value", value));
  if (none)
    return cwi_ga_do_nothing(given);
  CWI_TRY(CWI_GA_OWN_VALUES(cw_array_fill(a.array, a.lo, a.hi, value)));
  return given->whole && !zero ? cwi_ga_fill_rim(a.array) : CW_OK;
}

void GA_Zero(int g_a)
{
  (void)CWI_GA_WAITS(ga_patch_fill(CWI_GA_WHOLE(a), true, NULL));
}

void NGA_Zero_patch64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA_WAITS(ga_patch_fill(CWI_GA_ONE_PATCH, true, NULL));
}

void GA_Fill(int g_a, void *value)
{
  (void)CWI_GA_WAITS(ga_patch_fill(CWI_GA_WHOLE(a), false, value));
}

void NGA_Fill_patch64(int g_a, int64_t lo[], int64_t hi[], void *value)
{
  (void)CWI_GA_WAITS(ga_patch_fill(CWI_GA_ONE_PATCH, false, value));
}

/* Applies a function to each element. `what` is the name of the argument `value`, or NULL if the
 * function has no such argument. */
static cw_error apply(const struct cwi_ga_operand *given, cw_unary function, const char *what,
                      const void *value)
{
  cw_operand a;
  struct cwi_ga_index inside_patch[2];
  bool none = false;
  CWI_TRY(cwi_ga_operand_within(given, inside_patch, &a, &none));
  if (what != NULL)
    CWI_TRY(cwi_check_not_null(what, value));
  if (none)
    return cwi_ga_do_nothing(given);
  const bool is_alpha = what != NULL && what[0] == 'a';
  return cwi_ga_known_as(CWI_GA_OWN_VALUES(cw_array_apply(a.array, a.lo, a.hi, function, value)),
                         is_alpha ? "value is alpha" : NULL);
}

void GA_Scale(int g_a, void *value)
{
  (void)CWI_GA_WAITS(apply(CWI_GA_WHOLE(a), CW_SCALE, "value", value));
}

void NGA_Scale_patch64(int g_a, int64_t lo[], int64_t hi[], void *alpha)
{
  (void)CWI_GA_WAITS(apply(CWI_GA_ONE_PATCH, CW_SCALE, "alpha", alpha));
}

void GA_Add_constant(int g_a, void *alpha)
{
  (void)CWI_GA_WAITS(apply(CWI_GA_WHOLE(a), CW_ADD_CONSTANT, "alpha", alpha));
}

void GA_Add_constant_patch64(int g_a, int64_t lo[], int64_t hi[], void *alpha)
{
  (void)CWI_GA_WAITS(apply(CWI_GA_ONE_PATCH, CW_ADD_CONSTANT, "alpha", alpha));
}

void GA_Abs_value(int g_a)
{
  (void)CWI_GA_WAITS(apply(CWI_GA_WHOLE(a), CW_ABSOLUTE, NULL, NULL));
}

void GA_Abs_value_patch64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA_WAITS(apply(CWI_GA_ONE_PATCH, CW_ABSOLUTE, NULL, NULL));
}

void GA_Recip(int g_a)
{
  (void)CWI_GA_WAITS(apply(CWI_GA_WHOLE(a), CW_RECIPROCAL, NULL, NULL));
}

void GA_Recip_patch64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA_WAITS(apply(CWI_GA_ONE_PATCH, CW_RECIPROCAL, NULL, NULL));
}

CWI_GA_INT(void, NGA_Zero_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))
CWI_GA_INT(void, NGA_Fill_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *value),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), value))
CWI_GA_INT(void, NGA_Scale_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], void *alpha),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), alpha))
CWI_GA_INT(void, GA_Add_constant_patch, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *alpha), (g_a, CWI_WIDE(lo), CWI_WIDE(hi), alpha))
CWI_GA_INT(void, GA_Abs_value_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))
CWI_GA_INT(void, GA_Recip_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))

/* --- Two operands --- */

/* Stores the patch's extents other than 1, in reverse order if `turned` is set, and returns their
 * number. *elements receives the number of elements. */
static int wide_extents(const cw_operand *patch, bool turned, int64_t *extents, int64_t *elements)
{
  const int ndim = patch->array->dimensions;
  int count = 0;
  *elements = 1;
  for (int i = 0; i < ndim; i++) {
    const int d = turned ? ndim - 1 - i : i;
    const int64_t extent = patch->hi[d] - patch->lo[d] + 1;
    *elements *= extent;
    if (extent > 1)
      extents[count++] = extent;
  }
  return count;
}

/* Prepares a transposed patch. The native calls require that the other patch has the transposed
 * shape. GA takes the elements of the transposed patch in row-major order, and the other patch may
 * have any shape of the same size. If the shapes differ, this function copies the patch to an array
 * of the transposed shape, which is the operand until close_turned. That array belongs to the
 * smaller of the two teams, because perhaps only its members make the call. */
static cw_error open_turned(cw_operand *patch, const cw_operand *other, cw_array *between)
{
  int64_t turned[GA_MAX_DIM], shape[GA_MAX_DIM], elements, others;
  if (!patch->transposed)
    return CW_OK;
  const int count = wide_extents(patch, true, turned, &elements);
  const bool fits = count == wide_extents(other, false, shape, &others) &&
                    memcmp(turned, shape, (size_t)count * sizeof *turned) == 0;
  if (fits || elements != others)
    return CW_OK;
  const cw_array like = patch->array;
  const cw_team here = like->team, there = other->array->team;
  const cw_array_options options = {.name = like->name,
                                    .type = like->type,
                                    .element_bytes = like->element,
                                    .dimensions = count,
                                    .extents = turned};
  CWI_TRY(cw_array_create(there->size < here->size ? there : here, &options, between));
  const cw_operand whole = {.array = *between};
  const cw_error error = cw_array_copy(patch, &whole);
  *patch = whole;
  return error;
}

static cw_error close_turned(cw_error error, cw_array *between)
{
  struct cwi_first_error first;
  if (*between == NULL)
    return error;
  cwi_first_begin(&first, error);
  cwi_first_note(&first, cw_array_destroy(between));
  return cwi_first_return(&first);
}

static cw_error ga_patch_copy(const struct cwi_ga_operand *from, const struct cwi_ga_operand *to)
{
  cw_operand a, b;
  bool handled = false;
  if (cwi_ga_all_empty(2, (struct cwi_ga_operand[]){*from, *to}))
    return cwi_ga_do_nothing(from);
  CWI_TRY(cwi_ga_operand(from, &a));
  CWI_TRY(cwi_ga_operand(to, &b));
  CWI_TRY(cwi_ga_copy_patch_mirrored(from->g_a, &a, to->g_a, &b, &handled));
  if (handled)
    return CW_OK;
  cw_array between = NULL;
  cw_error error = open_turned(&a, &b, &between);
  if (error == CW_OK)
    error = cw_array_copy(&a, &b);
  return close_turned(error, &between);
}

void NGA_Copy_patch64(char trans, int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                      int64_t bhi[])
{
  const struct cwi_ga_operand from = {"g_a", g_a, false, alo, ahi, trans != 0 ? trans : '?'};
  (void)CWI_GA_WAITS(ga_patch_copy(&from, CWI_GA_PATCH(b)));
}

CWI_GA_INT(void, NGA_Copy_patch, 0,
           (char trans, int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[]),
           (trans, CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b)))

/* Computes the dot product of two operands of the same type, without conjugation. As in GA, the
 * second patch is transposed if the two letters differ, whichever of them is 't'. `name` is the
 * name of the type. */
static cw_error dot(int code, const char *name, const struct cwi_ga_operand *first,
                    const struct cwi_ga_operand *second, void *result, size_t bytes)
{
  cw_operand a, b;
  memset(result, 0, bytes);
  if (cwi_ga_all_empty(2, (struct cwi_ga_operand[]){*first, *second}))
    return cwi_ga_do_nothing(first);
  CWI_TRY(cwi_ga_operand(first, &a));
  CWI_TRY(cwi_ga_operand(second, &b));
  CWI_TRY(cwi_ga_check_type(first->what, first->g_a, code, name));
  CWI_TRY(cwi_ga_check_type(second->what, second->g_a, code, name));
  b.transposed = a.transposed != b.transposed;
  a.transposed = false;
  cw_array between = NULL;
  cw_error error = open_turned(&b, &a, &between);
  if (error == CW_OK)
    error = cw_array_dot(&a, &b, result);
  return close_turned(error, &between);
}

/* Defines the dot products of one type: of patches, with int64_t and int indices, and of whole
 * arrays. */
#define DOT(letter, number, code)                                                                  \
  number NGA_##letter##dot_patch64(int g_a, char t_a, int64_t alo[], int64_t ahi[], int g_b,       \
                                   char t_b, int64_t blo[], int64_t bhi[])                         \
  {                                                                                                \
    number result;                                                                                 \
    (void)CWI_GA_WAITS(                                                                            \
        dot(code, #code, CWI_GA_PATCH_T(a), CWI_GA_PATCH_T(b), &result, sizeof result));           \
    return result;                                                                                 \
  }                                                                                                \
  CWI_GA_INT(number, NGA_##letter##dot_patch, 0,                                                   \
             (int g_a, char t_a, int alo[], int ahi[], int g_b, char t_b, int blo[], int bhi[]),   \
             (g_a, t_a, CWI_WIDE_OF(a, alo), CWI_WIDE_OF(a, ahi), g_b, t_b, CWI_WIDE_OF(b, blo),   \
              CWI_WIDE_OF(b, bhi)))                                                                \
  number GA_##letter##dot(int g_a, int g_b)                                                        \
  {                                                                                                \
    number result;                                                                                 \
    (void)CWI_GA_WAITS(                                                                            \
        dot(code, #code, CWI_GA_WHOLE(a), CWI_GA_WHOLE(b), &result, sizeof result));               \
    return result;                                                                                 \
  }

DOT(I, int, C_INT)
DOT(L, long, C_LONG)
DOT(Ll, long long, C_LONGLONG)
DOT(F, float, C_FLOAT)
DOT(D, double, C_DBL)
DOT(C, SingleComplex, C_SCPL)
DOT(Z, DoubleComplex, C_DCPL)

/* --- Three operands and four --- */

static cw_error combine(cw_binary function, const void *alpha, const void *beta,
                        const struct cwi_ga_operand given[3])
{
  cw_operand of[3];
  if (cwi_ga_all_empty(3, given))
    return cwi_ga_do_nothing(given);
  CWI_TRY(open_all(3, given, of));
  if (function == CW_ELEMENT_SUM) {
    CWI_TRY(cwi_check_not_null("alpha", alpha));
    CWI_TRY(cwi_check_not_null("beta", beta));
  }
  return CWI_GA_OWN_VALUES(cw_array_combine(function, alpha, &of[0], beta, &of[1], &of[2]));
}

#define TWO(kind) ((struct cwi_ga_operand[]){*kind(a), *kind(b)})
#define THREE(kind) ((struct cwi_ga_operand[]){*kind(a), *kind(b), *kind(c)})
#define FOUR(kind) ((struct cwi_ga_operand[]){*kind(a), *kind(b), *kind(c), *kind(m)})

void GA_Add(void *alpha, int g_a, void *beta, int g_b, int g_c)
{
  (void)CWI_GA_WAITS(combine(CW_ELEMENT_SUM, alpha, beta, THREE(CWI_GA_WHOLE)));
}

void NGA_Add_patch64(void *alpha, int g_a, int64_t alo[], int64_t ahi[], void *beta, int g_b,
                     int64_t blo[], int64_t bhi[], int g_c, int64_t clo[], int64_t chi[])
{
  (void)CWI_GA_WAITS(combine(CW_ELEMENT_SUM, alpha, beta, THREE(CWI_GA_PATCH)));
}

CWI_GA_INT(void, NGA_Add_patch, 0,
           (void *alpha, int g_a, int alo[], int ahi[], void *beta, int g_b, int blo[], int bhi[],
            int g_c, int clo[], int chi[]),
           (alpha, CWI_WIDE_PATCH(a), beta, CWI_WIDE_PATCH(b), CWI_WIDE_PATCH(c)))

#define COMBINE(name, function)                                                                    \
  void name(int g_a, int g_b, int g_c)                                                             \
  {                                                                                                \
    (void)CWI_GA_WAITS(combine(function, NULL, NULL, THREE(CWI_GA_WHOLE)));                        \
  }                                                                                                \
  void name##_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],               \
                      int64_t bhi[], int g_c, int64_t clo[], int64_t chi[])                        \
  {                                                                                                \
    (void)CWI_GA_WAITS(combine(function, NULL, NULL, THREE(CWI_GA_PATCH)));                        \
  }                                                                                                \
  CWI_GA_INT(void, name##_patch, 0,                                                                \
             (int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c, int clo[],    \
              int chi[]),                                                                          \
             (CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b), CWI_WIDE_PATCH(c)))

COMBINE(GA_Elem_multiply, CW_ELEMENT_PRODUCT)
COMBINE(GA_Elem_divide, CW_ELEMENT_QUOTIENT)
COMBINE(GA_Elem_maximum, CW_ELEMENT_MAXIMUM)
COMBINE(GA_Elem_minimum, CW_ELEMENT_MINIMUM)

static cw_error median(const struct cwi_ga_operand given[4])
{
  cw_operand of[4];
  if (cwi_ga_all_empty(4, given))
    return cwi_ga_do_nothing(given);
  CWI_TRY(open_all(4, given, of));
  return cwi_ga_known_as(cw_array_median(&of[0], &of[1], &of[2], &of[3]), "v is g_c, c is g_m");
}

void GA_Median(int g_a, int g_b, int g_c, int g_m)
{
  (void)CWI_GA_WAITS(median(FOUR(CWI_GA_WHOLE)));
}

void GA_Median_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[], int64_t bhi[],
                       int g_c, int64_t clo[], int64_t chi[], int g_m, int64_t mlo[], int64_t mhi[])
{
  (void)CWI_GA_WAITS(median(FOUR(CWI_GA_PATCH)));
}

CWI_GA_INT(void, GA_Median_patch, 0,
           (int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], int g_c, int clo[],
            int chi[], int g_m, int mlo[], int mhi[]),
           (CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b), CWI_WIDE_PATCH(c), CWI_WIDE_PATCH(m)))

/* --- The largest step --- */

static cw_error step_max(const struct cwi_ga_operand given[2], void *step)
{
  cw_operand of[2];
  CWI_TRY(open_all(2, given, of));
  CWI_TRY(cwi_check_not_null("step", step));
  return cwi_ga_known_as(cw_array_step(&of[0], &of[1], NULL, NULL, step, NULL),
                         "x is g_a, v is g_b");
}

void GA_Step_max(int g_a, int g_b, void *step)
{
  (void)CWI_GA_WAITS(step_max(TWO(CWI_GA_WHOLE), step));
}

void GA_Step_max_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                         int64_t bhi[], void *step)
{
  (void)CWI_GA_WAITS(step_max(TWO(CWI_GA_PATCH), step));
}

CWI_GA_INT(void, GA_Step_max_patch, 0,
           (int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], void *step),
           (CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b), step))

/* Computes step lengths to the bounds. As in GA, an element that is on a bound and does not move
 * has the step 0, except for wolfemin. */
static cw_error bound_info(const struct cwi_ga_operand given[4], void *boundmin, void *wolfemin,
                           void *boundmax)
{
  cw_operand of[4];
  CWI_TRY(cwi_ga_known_as(open_all(4, given, of), "g_a is g_xx"));
  CWI_TRY(cwi_check_not_null("boundmin", boundmin));
  CWI_TRY(cwi_check_not_null("wolfemin", wolfemin));
  CWI_TRY(cwi_check_not_null("boundmax", boundmax));
  return cwi_ga_known_as(
      cwi_step_bounds(&of[0], &of[1], &of[2], &of[3], boundmin, wolfemin, boundmax),
      "x is g_xx, v is g_vv, low is g_xxll, high is g_xxuu");
}

void GA_Step_bound_info(int g_xx, int g_vv, int g_xxll, int g_xxuu, void *boundmin, void *wolfemin,
                        void *boundmax)
{
  const struct cwi_ga_operand given[] = {*CWI_GA_WHOLE(xx), *CWI_GA_WHOLE(vv), *CWI_GA_WHOLE(xxll),
                                         *CWI_GA_WHOLE(xxuu)};
  (void)CWI_GA_WAITS(bound_info(given, boundmin, wolfemin, boundmax));
}

static cw_error bound_info_patch(struct cwi_ga_operand *given, int64_t g_xxuu, void *boundmin,
                                 void *wolfemin, void *boundmax)
{
  CWI_TRY(cwi_ga_narrow("g_xxuu", 1, &g_xxuu, &given[3].g_a));
  return bound_info(given, boundmin, wolfemin, boundmax);
}

/* g_xxuu is int64_t here, because it is among the indices, and some interfaces give it the same
 * width. */
void GA_Step_bound_info_patch64(int g_xx, int64_t xxlo[], int64_t xxhi[], int g_vv, int64_t vvlo[],
                                int64_t vvhi[], int g_xxll, int64_t xxlllo[], int64_t xxllhi[],
                                int64_t g_xxuu, int64_t xxuulo[], int64_t xxuuhi[], void *boundmin,
                                void *wolfemin, void *boundmax)
{
  struct cwi_ga_operand given[] = {*CWI_GA_PATCH(xx),
                                   *CWI_GA_PATCH(vv),
                                   *CWI_GA_PATCH(xxll),
                                   {"g_xxuu", 0, false, xxuulo, xxuuhi, 0}};
  (void)CWI_GA_WAITS(bound_info_patch(given, g_xxuu, boundmin, wolfemin, boundmax));
}

CWI_GA_INT(void, GA_Step_bound_info_patch, 0,
           (int g_xx, int xxlo[], int xxhi[], int g_vv, int vvlo[], int vvhi[], int g_xxll,
            int xxlllo[], int xxllhi[], int g_xxuu, int xxuulo[], int xxuuhi[], void *boundmin,
            void *wolfemin, void *boundmax),
           (CWI_WIDE_PATCH(xx), CWI_WIDE_PATCH(vv), CWI_WIDE_PATCH(xxll), CWI_WIDE_PATCH(xxuu),
            boundmin, wolfemin, boundmax))

CWI_GA_NGA(Zero);
CWI_GA_NGA(Fill);
