/* How far a step may go: GA_Step_max and GA_Step_bound_info. Each process looks at what it has of
 * the first operand; the others' elements come from where they are. */
#include "binding.h"
#include "patch.h"

#include "arithmetic/kernels.h"
#include "arithmetic/together.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What GA calls infinite. */
static const struct {
  double real;
  long long whole;
} endless[CW_TYPES] = {
    [CW_INT] = {0, INT_MAX}, [CW_LONG] = {0, LONG_MAX}, [CW_LONG_LONG] = {0, LLONG_MAX},
    [CW_FLOAT] = {1e37, 0},  [CW_DOUBLE] = {1e307, 0},
};

/* Steps in the arithmetic of the type: integers divide as C does. Without bounds a value may not be
 * below 0. */
struct steps {
  bool outside; /* a value is not within its bounds */
  double least, most;
  long long whole_least, whole_most;
};

/* The elements of one piece, dense: values, their changes, and (or NULL) their bounds. */
struct elements {
  cw_type type;
  size_t count;
  const char *x, *v, *low, *high;
};

#define NOTE(kind, least, most, step)                                                              \
  do {                                                                                             \
    const kind now = (step);                                                                       \
    steps->least = now < steps->least ? now : steps->least;                                        \
    steps->most = now > steps->most ? now : steps->most;                                           \
  } while (0)

static double real_step(double x, double v, double bound, double endless_step)
{
  (void)endless_step;
  return (bound - x) / v;
}

/* From a value within its bounds no step is less than 0. The way may be longer than the type's
 * greatest number, and the speed too; a step that is, has no end. */
static long long whole_step(long long x, long long v, long long bound, long long endless_step)
{
  const unsigned long long from = (unsigned long long)x, to = (unsigned long long)bound;
  const unsigned long long way = v < 0 ? from - to : to - from;
  const unsigned long long speed = v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v;
  CWI_ASSERT(speed > 0);
  const unsigned long long step = way / speed;
  return step < (unsigned long long)endless_step ? (long long)step : endless_step;
}

/* Without bounds only 0 is one, from above. A value that does not change never gets anywhere. */
#define LOOK(number, kind, least, most, endless_step, step_of)                                     \
  for (size_t i = 0; i < e->count; i++) {                                                          \
    const number x = ((const number *)(const void *)e->x)[i];                                      \
    const number v = ((const number *)(const void *)e->v)[i];                                      \
    const bool down = v < 0;                                                                       \
    const bool bounded = e->low != NULL && e->high != NULL;                                        \
    if (bounded ? x < ((const number *)(const void *)e->low)[i] ||                                 \
                      x > ((const number *)(const void *)e->high)[i]                               \
                : x < 0)                                                                           \
      steps->outside = true;                                                                       \
    if (e->low == NULL && !down)                                                                   \
      continue;                                                                                    \
    if (v == 0) {                                                                                  \
      NOTE(kind, least, most, endless_step);                                                       \
      continue;                                                                                    \
    }                                                                                              \
    const char *bounds = down ? e->low : e->high;                                                  \
    const number bound = bounds != NULL ? ((const number *)(const void *)bounds)[i] : 0;           \
    NOTE(kind, least, most, step_of(x, v, bound, endless_step));                                   \
  }

static void ga_step_look(const struct elements *e, struct steps *steps)
{
  switch (e->type) {
  case CW_INT:
    LOOK(int, long long, whole_least, whole_most, INT_MAX, whole_step)
    return;
  case CW_LONG:
    LOOK(long, long long, whole_least, whole_most, LONG_MAX, whole_step)
    return;
  case CW_LONG_LONG:
    LOOK(long long, long long, whole_least, whole_most, LLONG_MAX, whole_step)
    return;
  case CW_FLOAT:
    LOOK(float, double, least, most, endless[CW_FLOAT].real, real_step)
    return;
  default:
    LOOK(double, double, least, most, endless[CW_DOUBLE].real, real_step)
    return;
  }
}

/* Operands: values, changes, and either both bounds or none. */
enum { VALUES, CHANGES, LOW, HIGH, OPERANDS };

struct search {
  int operands;
  cw_operand of[OPERANDS];
  int64_t lo[OPERANDS][CW_MAX_DIMENSIONS]; /* where each patch begins */
};

/* Some slices of a piece, in a buffer. */
static cw_error look_at_slices(const struct search *search, const cw_piece *slices, char *buffer,
                               struct steps *steps)
{
  cw_array array = search->of[VALUES].array;
  const size_t count = cwi_patch_elements(array->dimensions, slices->lo, slices->hi);
  const size_t bytes = count * array->element;
  const char *parts[OPERANDS] = {NULL};
  for (int o = 0; o < search->operands; o++) {
    int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
    for (int d = 0; d < array->dimensions; d++) {
      lo[d] = slices->lo[d] - search->lo[VALUES][d] + search->lo[o][d];
      hi[d] = slices->hi[d] - search->lo[VALUES][d] + search->lo[o][d];
    }
    parts[o] = buffer + (size_t)o * bytes;
    CWI_TRY(cw_array_get(search->of[o].array, lo, hi, buffer + (size_t)o * bytes, NULL));
  }
  ga_step_look(&(struct elements){array->type, count, parts[VALUES], parts[CHANGES], parts[LOW],
                                  parts[HIGH]},
               steps);
  if (steps->outside)
    return search->operands > CHANGES + 1
               ? cwi_misuse("array '%s' has a value outside its bounds", array->name)
               : cwi_misuse("g_a is array '%s', which has a value below 0", array->name);
  return CW_OK;
}

/* As many slices of the first dimension at a time as the caches hold. */
static cw_error look_at_piece(const struct search *search, const cw_piece *piece,
                              struct steps *steps)
{
  enum { AT_ONCE = 4096 };
  cw_array array = search->of[VALUES].array;
  const int64_t extent = piece->hi[0] - piece->lo[0] + 1;
  const size_t all = cwi_patch_elements(array->dimensions, piece->lo, piece->hi);
  if (all == 0)
    return CW_OK;
  const size_t slice = all / (size_t)extent, most = slice < AT_ONCE ? AT_ONCE / slice : 1;
  const int64_t step = (int64_t)most < extent ? (int64_t)most : extent;
  char *buffer = malloc((size_t)search->operands * (size_t)step * slice * array->element);
  if (buffer == NULL)
    return cwi_outside("no memory for %zu elements", (size_t)step * slice);
  cw_error error = CW_OK;
  cw_piece slices = *piece;
  for (int64_t first = piece->lo[0]; first <= piece->hi[0] && error == CW_OK; first += step) {
    slices.lo[0] = first;
    slices.hi[0] = first + step - 1 < piece->hi[0] ? first + step - 1 : piece->hi[0];
    error = look_at_slices(search, &slices, buffer, steps);
  }
  free(buffer);
  return error;
}

static cw_error look_at_mine(const struct search *search, const int64_t *hi, struct steps *steps)
{
  cw_array array = search->of[VALUES].array;
  cw_piece *pieces = NULL;
  size_t count = 0;
  cw_error error = cwi_list_pieces(array, search->lo[VALUES], hi, &pieces, &count);
  for (size_t i = 0; i < count && error == CW_OK; i++)
    if (pieces[i].rank == array->team->rank)
      error = look_at_piece(search, &pieces[i], steps);
  free(pieces);
  return error;
}

/* The first operand's last indices; all patches have the same extents. */
static cw_error open_search(const struct cwi_ga_operand *given, int operands, struct search *search,
                            int64_t *hi)
{
  *search = (struct search){.operands = operands};
  int64_t extents[CW_MAX_DIMENSIONS] = {0};
  for (int o = 0; o < operands; o++) {
    cw_operand *operand = &search->of[o];
    CWI_TRY(cwi_ga_operand(&given[o], operand));
    cw_array array = operand->array, first = search->of[VALUES].array;
    if (array->type != first->type || array->dimensions != first->dimensions)
      return cwi_misuse("%s is array '%s', whose type or dimensions are not those of %s",
                        given[o].what, array->name, given[VALUES].what);
    for (int d = 0; d < array->dimensions; d++) {
      const int64_t last = operand->hi != NULL ? operand->hi[d] : array->axes[d].extent - 1;
      search->lo[o][d] = operand->lo != NULL ? operand->lo[d] : 0;
      if (o == VALUES) {
        hi[d] = last;
        extents[d] = last - search->lo[o][d];
      }
      if (last - search->lo[o][d] != extents[d])
        return cwi_misuse("%s has %lld elements in dimension %d; %s has %lld", given[o].what,
                          (long long)(last - search->lo[o][d] + 1), d, given[VALUES].what,
                          (long long)(extents[d] + 1));
    }
  }
  const cw_type type = search->of[VALUES].array->type;
  if (cwi_type_is_complex(type) || type == CW_OPAQUE)
    return cwi_misuse("%s is array '%s', whose elements are not ordered", given[VALUES].what,
                      search->of[VALUES].array->name);
  return CW_OK;
}

/* All members look at the same arrays and patches. */
static cw_error ga_step_agree(const struct cwi_ga_operand *given, const struct search *search)
{
  struct cwi_agreed list[CWI_AGREED_OPERAND * OPERANDS + 1];
  for (int o = 0; o < search->operands; o++)
    cwi_agreed_operand(given[o].what, &search->of[o], &list[CWI_AGREED_OPERAND * o]);
  list[CWI_AGREED_OPERAND * search->operands] = (struct cwi_agreed)CWI_AGREED_END;
  return cwi_ga_agreed(search->of[VALUES].array->team, list);
}

/* A search, what this process finds, and what all find. */
struct step_job {
  const struct search *search;
  const int64_t *hi;
  struct steps mine, *all;
};

/* The numbers of the type: words that the others get. */
static cw_error find_mine(void *given, struct cwi_contribution *share)
{
  struct step_job *job = given;
  const struct steps *mine = &job->mine;
  const cw_type type = job->search->of[VALUES].array->type;
  CWI_TRY(look_at_mine(job->search, job->hi, &job->mine));
  const double real[2] = {mine->least, mine->most};
  const long long whole[2] = {mine->whole_least, mine->whole_most};
  memcpy(share->words, cwi_type_is_whole(type) ? (const void *)whole : real, sizeof real);
  return CW_OK;
}

static void find_all(void *given, const struct cwi_contribution *share)
{
  struct step_job *job = given;
  struct steps *steps = job->all;
  double real[2] = {steps->least, steps->most};
  long long whole[2] = {steps->whole_least, steps->whole_most};
  if (cwi_type_is_whole(job->search->of[VALUES].array->type))
    memcpy(whole, share->words, sizeof whole);
  else
    memcpy(real, share->words, sizeof real);
  steps->least = real[0] < steps->least ? real[0] : steps->least;
  steps->most = real[1] > steps->most ? real[1] : steps->most;
  steps->whole_least = whole[0] < steps->whole_least ? whole[0] : steps->whole_least;
  steps->whole_most = whole[1] > steps->whole_most ? whole[1] : steps->whole_most;
}

static cw_error find_steps(const struct search *search, const int64_t *hi, struct steps *steps)
{
  cw_array array = search->of[VALUES].array;
  const cw_type type = array->type;
  *steps = (struct steps){false, endless[type].real, -endless[type].real, endless[type].whole,
                          -endless[type].whole};
  struct step_job job = {search, hi, *steps, steps};
  const struct cwi_joint joint = {
      .call = "GA_Step", .team = array->team, .work = find_mine, .merge = find_all};
  CWI_TRY(cw_wait_all());
  return cwi_together(&joint, &job);
}

static void store(cw_type type, double real, long long whole, void *to)
{
  const int as_int = (int)whole;
  const long as_long = (long)whole;
  const float as_float = (float)real;
  switch (type) {
  case CW_INT:
    memcpy(to, &as_int, sizeof as_int);
    return;
  case CW_LONG:
    memcpy(to, &as_long, sizeof as_long);
    return;
  case CW_LONG_LONG:
    memcpy(to, &whole, sizeof whole);
    return;
  case CW_FLOAT:
    memcpy(to, &as_float, sizeof as_float);
    return;
  default:
    memcpy(to, &real, sizeof real);
    return;
  }
}

static cw_error step_max(const struct cwi_ga_operand given[2], void *step)
{
  struct search search;
  struct steps steps;
  int64_t hi[CW_MAX_DIMENSIONS];
  CWI_TRY(open_search(given, 2, &search, hi));
  CWI_TRY(ga_step_agree(given, &search));
  CWI_TRY(cwi_given("step", step));
  CWI_TRY(find_steps(&search, hi, &steps));
  store(search.of[VALUES].array->type, steps.least, steps.whole_least, step);
  return CW_OK;
}

void GA_Step_max(int g_a, int g_b, void *step)
{
  const struct cwi_ga_operand given[] = {*CWI_GA_WHOLE(a), *CWI_GA_WHOLE(b)};
  (void)CWI_GA_WAITS(step_max(given, step));
}

void GA_Step_max_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                         int64_t bhi[], void *step)
{
  const struct cwi_ga_operand given[] = {*CWI_GA_PATCH(a), *CWI_GA_PATCH(b)};
  (void)CWI_GA_WAITS(step_max(given, step));
}

CWI_GA_INT(void, GA_Step_max_patch, 0,
           (int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[], void *step),
           (CWI_WIDE_PATCH(a), CWI_WIDE_PATCH(b), step))

/* GA's wolfemin is the least step, too. */
static cw_error bound_info(const struct cwi_ga_operand given[OPERANDS], void *boundmin,
                           void *wolfemin, void *boundmax)
{
  struct search search;
  struct steps steps;
  int64_t hi[CW_MAX_DIMENSIONS];
  CWI_TRY(open_search(given, OPERANDS, &search, hi));
  CWI_TRY(ga_step_agree(given, &search));
  CWI_TRY(cwi_given("boundmin", boundmin));
  CWI_TRY(cwi_given("wolfemin", wolfemin));
  CWI_TRY(cwi_given("boundmax", boundmax));
  CWI_TRY(find_steps(&search, hi, &steps));
  const cw_type type = search.of[VALUES].array->type;
  store(type, steps.least, steps.whole_least, boundmin);
  store(type, steps.least, steps.whole_least, wolfemin);
  store(type, steps.most, steps.whole_most, boundmax);
  return CW_OK;
}

void GA_Step_bound_info(int g_xx, int g_vv, int g_xxll, int g_xxuu, void *boundmin, void *wolfemin,
                        void *boundmax)
{
  const struct cwi_ga_operand given[] = {*CWI_GA_WHOLE(xx), *CWI_GA_WHOLE(vv), *CWI_GA_WHOLE(xxll),
                                         *CWI_GA_WHOLE(xxuu)};
  (void)CWI_GA_WAITS(bound_info(given, boundmin, wolfemin, boundmax));
}

void GA_Step_bound_info_patch64(int g_xx, int64_t xxlo[], int64_t xxhi[], int g_vv, int64_t vvlo[],
                                int64_t vvhi[], int g_xxll, int64_t xxlllo[], int64_t xxllhi[],
                                int64_t g_xxuu, int64_t xxuulo[], int64_t xxuuhi[], void *boundmin,
                                void *wolfemin, void *boundmax)
{
  const struct cwi_ga_operand upper = {"g_xxuu", (int)g_xxuu, false, xxuulo, xxuuhi, 0};
  const struct cwi_ga_operand given[] = {*CWI_GA_PATCH(xx), *CWI_GA_PATCH(vv), *CWI_GA_PATCH(xxll),
                                         upper};
  (void)CWI_GA_WAITS(bound_info(given, boundmin, wolfemin, boundmax));
}

CWI_GA_INT(void, GA_Step_bound_info_patch, 0,
           (int g_xx, int xxlo[], int xxhi[], int g_vv, int vvlo[], int vvhi[], int g_xxll,
            int xxlllo[], int xxllhi[], int g_xxuu, int xxuulo[], int xxuuhi[], void *boundmin,
            void *wolfemin, void *boundmax),
           (CWI_WIDE_PATCH(xx), CWI_WIDE_PATCH(vv), CWI_WIDE_PATCH(xxll), CWI_WIDE_PATCH(xxuu),
            boundmin, wolfemin, boundmax))
