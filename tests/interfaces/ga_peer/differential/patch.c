/* Operations on patches of arrays. */
#include "differ.h"

#include <math.h>
#include <string.h>

/* Draws an array and a patch of it, the same in all processes. */
static array *draw_patch(fits_fn *fits, box *b)
{
  array *a = array_any(fits);

  box_draw(b, a, 0, 1);
  log_text(" %s", a->name);
  log_box(b);
  return a;
}

/* Draws a patch of the same extents of another array. */
static array *draw_partner(const box *first, box *b)
{
  array *a = array_like(first->of);

  box_draw_like(b, a, first);
  log_text(" %s", a->name);
  log_box(b);
  return a;
}

static void widen(const box *b, int64_t *lo, int64_t *hi)
{
  for (int d = 0; d < b->of->ndim; d++) {
    lo[d] = b->lo[d];
    hi[d] = b->hi[d];
  }
}

/* GA has no elementwise operations for C_LONGLONG. */
static bool has_arithmetic(const array *a)
{
  return a->type->code != C_LONGLONG;
}

static void zero_patch(void)
{
  box b;
  array *a = draw_patch(NULL, &b);
  int64_t lo[DIMS], hi[DIMS];

  widen(&b, lo, hi);
  if (chance(50))
    NGA_Zero_patch(a->handle, b.lo, b.hi);
  else
    NGA_Zero_patch64(a->handle, lo, hi);
  box_free(&b);
  array_log(a);
}

static void fill_patch(void)
{
  box b;
  array *a = draw_patch(NULL, &b);
  number value = draw_number(a->type, 1000);
  int64_t lo[DIMS], hi[DIMS];

  log_number(a->type, value);
  widen(&b, lo, hi);
  if (chance(50))
    NGA_Fill_patch(a->handle, b.lo, b.hi, &value);
  else
    NGA_Fill_patch64(a->handle, lo, hi, &value);
  a->bound = fmax(a->bound, 1500);
  box_free(&b);
  array_log(a);
}

static void scale_patch(void)
{
  box b;
  array *a = draw_patch(NULL, &b);
  number value = draw_number(a->type, 3);

  array_allow_growth(a, a->bound * 5);
  log_number(a->type, value);
  NGA_Scale_patch(a->handle, b.lo, b.hi, &value);
  box_free(&b);
  array_log(a);
}

static void add_constant_patch(void)
{
  box b;
  array *a = draw_patch(has_arithmetic, &b);
  number value = draw_number(a->type, 100);

  array_allow_growth(a, 150);
  log_number(a->type, value);
  GA_Add_constant_patch(a->handle, b.lo, b.hi, &value);
  box_free(&b);
  array_log(a);
}

static void abs_recip_patch(void)
{
  box b;
  array *a = draw_patch(has_arithmetic, &b);
  bool recip = chance(50);

  log_text(" %s", recip ? "recip" : "abs");
  array_fill(a, powers, 4);
  if (recip)
    GA_Recip_patch(a->handle, b.lo, b.hi);
  else
    GA_Abs_value_patch(a->handle, b.lo, b.hi);
  box_free(&b);
  array_log(a);
  array_refresh(a, 9); /* integers again */
}

static void copy_patch(void)
{
  box b, c;
  array *a = draw_patch(NULL, &b), *to = draw_partner(&b, &c);
  int64_t alo[DIMS], ahi[DIMS], clo[DIMS], chi[DIMS];

  widen(&b, alo, ahi);
  widen(&c, clo, chi);
  if (chance(50))
    NGA_Copy_patch('n', a->handle, b.lo, b.hi, to->handle, c.lo, c.hi);
  else
    NGA_Copy_patch64('n', a->handle, alo, ahi, to->handle, clo, chi);
  to->bound = fmax(to->bound, a->bound);
  box_free(&b);
  box_free(&c);
  array_log(to);
}

/* GA 5.8.2 does not transpose patches of cyclic arrays. */
static bool is_wide_matrix(const array *a)
{
  return a->ndim == 2 && a->dims[0] > 2 && a->dims[1] > 2 && is_block(a);
}

static void copy_patch_transposed(void)
{
  array *a = array_any(is_wide_matrix), *to = array_create(a->type, 2, a->dims, CHUNKED);
  int n = a->dims[0] < a->dims[1] ? a->dims[0] : a->dims[1];
  int rows = 1 + draw(n), columns = 1 + draw(n);
  int alo[2] = {draw(a->dims[0] - rows + 1), draw(a->dims[1] - columns + 1)};
  int ahi[2] = {alo[0] + rows - 1, alo[1] + columns - 1};
  int blo[2] = {draw(a->dims[0] - columns + 1), draw(a->dims[1] - rows + 1)};
  int bhi[2] = {blo[0] + columns - 1, blo[1] + rows - 1};

  log_text(" %s [%d:%d,%d:%d] to %s [%d:%d,%d:%d]", a->name, alo[0], ahi[0], alo[1], ahi[1],
           to->name, blo[0], bhi[0], blo[1], bhi[1]);
  NGA_Copy_patch('t', a->handle, alo, ahi, to->handle, blo, bhi);
  to->bound = fmax(to->bound, a->bound);
  array_log(to);
}

static void add_patch(void)
{
  box b, c, e;
  array *a = draw_patch(NULL, &b), *second = draw_partner(&b, &c), *third = draw_partner(&b, &e);
  number alpha = draw_number(a->type, 3), beta = draw_number(a->type, 3);

  array_allow_growth(a, 7 * a->bound + 7 * second->bound);
  log_number(a->type, alpha);
  log_number(a->type, beta);
  NGA_Add_patch(&alpha, a->handle, b.lo, b.hi, &beta, second->handle, c.lo, c.hi, third->handle,
                e.lo, e.hi);
  third->bound = fmax(third->bound, 8 * (a->bound + second->bound));
  box_free(&b);
  box_free(&c);
  box_free(&e);
  array_log(a);
  array_log(third);
}

typedef struct pairwise {
  const char *name;
  void (*call)(int g_a, int *alo, int *ahi, int g_b, int *blo, int *bhi, int g_c, int *clo,
               int *chi);
  value_fn *first, *second;
} pairwise;

static const pairwise pairs[] = {
    {"multiply", GA_Elem_multiply_patch, multiples, powers},
    {"divide", GA_Elem_divide_patch, multiples, powers},
    {"maximum", GA_Elem_maximum_patch, evens, odds},
    {"minimum", GA_Elem_minimum_patch, evens, odds},
};

static void elementwise_patch(void)
{
  const pairwise *p = &pairs[draw((int)(sizeof pairs / sizeof *pairs))];
  box b, c, e;
  array *a, *second, *third;

  log_text(" %s", p->name);
  a = draw_patch(has_arithmetic, &b);
  second = draw_partner(&b, &c);
  third = draw_partner(&b, &e);
  array_fill(a, p->first, 16 * 9 * 1.5);
  array_fill(second, p->second, 19);
  p->call(a->handle, b.lo, b.hi, second->handle, c.lo, c.hi, third->handle, e.lo, e.hi);
  third->bound = fmax(third->bound, 16 * 9 * 1.5 * 4);
  box_free(&b);
  box_free(&c);
  box_free(&e);
  array_log(a);
  array_log(third);
}

/* Not GA_Median_patch: in GA 5.8.2 it computes wrongly and overwrites its own memory. */

static void log_dot(const kind *type, int g_a, box *b, int g_b, box *c)
{
  switch (type->code) {
  case C_INT:
    log_text(" %d", NGA_Idot_patch(g_a, 'n', b->lo, b->hi, g_b, 'n', c->lo, c->hi));
    break;
  case C_LONG:
    log_text(" %ld", NGA_Ldot_patch(g_a, 'n', b->lo, b->hi, g_b, 'n', c->lo, c->hi));
    break;
  case C_LONGLONG:
    log_text(" %lld", NGA_Lldot_patch(g_a, 'n', b->lo, b->hi, g_b, 'n', c->lo, c->hi));
    break;
  case C_FLOAT:
    log_text(" %.9g", (double)NGA_Fdot_patch(g_a, 'n', b->lo, b->hi, g_b, 'n', c->lo, c->hi));
    break;
  case C_DBL:
    log_text(" %.17g", NGA_Ddot_patch(g_a, 'n', b->lo, b->hi, g_b, 'n', c->lo, c->hi));
    break;
  case C_SCPL:
    log_number(type, (number){.c = NGA_Cdot_patch(g_a, 'n', b->lo, b->hi, g_b, 'n', c->lo, c->hi)});
    break;
  default:
    log_number(type, (number){.z = NGA_Zdot_patch(g_a, 'n', b->lo, b->hi, g_b, 'n', c->lo, c->hi)});
    break;
  }
}

static void dot_patch(void)
{
  box b, c;
  array *a = draw_patch(NULL, &b), *second = draw_partner(&b, &c);

  if (a->bound * second->bound * (double)a->count * 2 > a->type->limit) {
    log_text(" {refresh both}");
    array_refresh(a, 9);
    array_refresh(second, 9);
  }
  log_dot(a->type, a->handle, &b, second->handle, &c);
  array_log(a); /* inputs must be unchanged */
  array_log(second);
  box_free(&b);
  box_free(&c);
}

const operation patch_operations[] = {
    {"zero_patch", "patch", 2, false, zero_patch},
    {"fill_patch", "patch", 2, false, fill_patch},
    {"scale_patch", "patch", 2, false, scale_patch},
    {"add_constant_patch", "patch", 2, false, add_constant_patch},
    {"abs_recip_patch", "patch", 2, false, abs_recip_patch},
    {"copy_patch", "patch", 4, false, copy_patch},
    {"copy_patch_transposed", "patch", 2, false, copy_patch_transposed},
    {"add_patch", "patch", 4, false, add_patch},
    {"pairwise_patch", "patch", 5, false, elementwise_patch},
    {"dot_patch", "patch", 4, false, dot_patch},
    {NULL, NULL, 0, false, NULL},
};
