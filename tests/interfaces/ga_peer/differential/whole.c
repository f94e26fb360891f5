/* Operations on whole arrays and elementwise operations, in place or from two arrays to a third. */
#include "differ.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* GA has no elementwise operations for C_LONGLONG. */
static bool has_arithmetic(const array *a)
{
  return a->type->code != C_LONGLONG;
}

static void zero(void)
{
  array *a = array_any(NULL);

  log_text(" %s", a->name);
  GA_Zero(a->handle);
  a->bound = 0;
  array_log(a);
}

static void fill(void)
{
  array *a = array_any(NULL);
  number value = draw_number(a->type, 1000);

  log_text(" %s", a->name);
  log_number(a->type, value);
  GA_Fill(a->handle, &value);
  a->bound = 1500;
  array_log(a);
}

/* Refreshes the array unless its numbers may be multiplied by `factor` and grow by `more`. */
static void prepare(array *a, double factor, double more)
{
  if (a->bound * factor + more > a->type->limit) {
    log_text(" {refresh %s}", a->name);
    array_refresh(a, 9);
  }
  a->bound = a->bound * factor + more;
}

static void scale(void)
{
  array *a = array_any(NULL);
  number value = draw_number(a->type, 4);

  log_text(" %s", a->name);
  prepare(a, 8, 0);
  log_number(a->type, value);
  GA_Scale(a->handle, &value);
  array_log(a);
}

static void add_constant(void)
{
  array *a = array_any(has_arithmetic);
  number value = draw_number(a->type, 100);

  log_text(" %s", a->name);
  prepare(a, 1, 150);
  log_number(a->type, value);
  GA_Add_constant(a->handle, &value);
  array_log(a);
}

static void copy(void)
{
  array *a = array_any(NULL), *b = array_of_shape(a);

  log_text(" %s to %s", a->name, b->name);
  GA_Copy(a->handle, b->handle);
  b->bound = a->bound;
  array_log(b);
}

/* Returns the target of an operation on two arrays: one of them, or a third. */
static array *target(array *a, array *b)
{
  int which = draw(4);

  return which == 0 ? a : which == 1 ? b : array_like(a);
}

static void add(void)
{
  array *a = array_any(NULL), *b = array_like(a), *c = target(a, b);
  number alpha = draw_number(a->type, 3), beta = draw_number(a->type, 3);

  log_text(" %s %s to %s", a->name, b->name, c->name);
  array_allow_growth(a, 7 * b->bound + 7 * a->bound);
  log_number(a->type, alpha);
  log_number(a->type, beta);
  GA_Add(&alpha, a->handle, &beta, b->handle, c->handle);
  c->bound = 8 * (a->bound + b->bound);
  array_log(c);
}

static void duplicate(void)
{
  array *a = array_any(has_twins), *b = array_twin(a);

  log_text(" named %s", GA_Inquire_name(b->handle));
  own(" compare_distr %d", GA_Compare_distr(a->handle, b->handle));
  array_log(b);
}

static bool is_even_block(const array *a)
{
  return is_block(a) && !has_ghosts(a) && has_twins(a);
}

/* Makes an array in memory of the caller. */
static void assemble(void)
{
  array *a = array_any(is_even_block);
  int lo[DIMS], hi[DIMS], most = 1, handle;
  void *memory;

  log_text(" like %s", a->name);
  for (int d = 0; d < a->ndim; d++)
    most *= a->dims[d];
  memory = GA_Getmem(a->type->code, most, GA_Get_pgroup(a->handle));
  NGA_Distribution(a->handle, run.me, lo, hi);
  handle = GA_Assemble_duplicate(a->handle, (char[]){"assembled"}, memory);
  log_text(" %d", handle != 0);
  GA_Copy(a->handle, handle);
  log_text(" same %d", GA_Compare_distr(a->handle, handle));
  GA_Sync();
  GA_Destroy(handle); /* frees the memory too, in GA 5.8.2: GA_Freemem would free it twice */
}

static void destroy(void)
{
  array *a = array_any(NULL);
  int handle = a->handle;

  array_destroy(a);
  log_text(" valid %d", GA_Valid_handle(handle));
}

static void dot(void)
{
  array *a = array_any(NULL), *b = array_like(a);
  double sum = a->bound * b->bound * (double)a->count * 2;

  log_text(" %s %s", a->name, b->name);
  if (sum > a->type->limit) {
    log_text(" {refresh both}");
    array_refresh(a, 9);
    array_refresh(b, 9);
  }
  switch (a->type->code) {
  case C_INT:
    log_text(" %d", GA_Idot(a->handle, b->handle));
    break;
  case C_LONG:
    log_text(" %ld", GA_Ldot(a->handle, b->handle));
    break;
  case C_LONGLONG:
    log_text(" %lld", GA_Lldot(a->handle, b->handle));
    break;
  case C_FLOAT:
    log_text(" %.9g", (double)GA_Fdot(a->handle, b->handle));
    break;
  case C_DBL:
    log_text(" %.17g", GA_Ddot(a->handle, b->handle));
    break;
  case C_SCPL:
    log_number(a->type, (number){.c = GA_Cdot(a->handle, b->handle)});
    break;
  default:
    log_number(a->type, (number){.z = GA_Zdot(a->handle, b->handle)});
    break;
  }
}

static void abs_value(void)
{
  array *a = array_any(has_arithmetic);

  log_text(" %s", a->name);
  if (a->type->is_complex)
    array_fill(a, evens, 18);
  GA_Abs_value(a->handle);
  array_log(a);
}

static void recip(void)
{
  array *a = array_any(has_arithmetic);

  log_text(" %s", a->name);
  array_fill(a, powers, 4);
  GA_Recip(a->handle);
  array_log(a);
  array_refresh(a, 9); /* integers again */
}

typedef struct pairwise {
  const char *name;
  void (*call)(int g_a, int g_b, int g_c);
  value_fn *first, *second; /* required contents of a and b, or NULL for any */
} pairwise;

static const pairwise pairs[] = {
    {"multiply", GA_Elem_multiply, NULL, NULL},
    {"divide", GA_Elem_divide, multiples, powers},
    {"maximum", GA_Elem_maximum, evens, odds},
    {"minimum", GA_Elem_minimum, evens, odds},
};

static bool has_products(const array *a)
{
  return has_arithmetic(a) && (has_twins(a) || !a->type->is_complex);
}

static void elementwise(void)
{
  const pairwise *p = &pairs[draw((int)(sizeof pairs / sizeof *pairs))];
  array *a = array_any(has_products);
  /* GA 5.8.2 multiplies and divides complex numbers wrongly if the target is one of the operands.
   * If the distributions differ, GA itself copies an operand into the target. */
  bool apart = a->type->is_complex && p->second != odds;
  array *b = apart ? array_twin(a) : array_like(a), *c = apart ? array_twin(a) : target(a, b);

  log_text(" %s %s %s to %s", p->name, a->name, b->name, c->name);
  if (p->first) {
    array_fill(a, p->first, 16 * 9 * 1.5);
    array_fill(b, p->second, 19);
  } else if (2 * a->bound * b->bound > a->type->limit) {
    log_text(" {refresh both}");
    array_refresh(a, 9);
    array_refresh(b, 9);
  }
  p->call(a->handle, b->handle, c->handle);
  c->bound = 2 * fmax(a->bound, 1) * fmax(b->bound, 1);
  array_log(c);
}

static bool has_median(const array *a)
{
  return !a->type->is_complex && has_arithmetic(a) && has_twins(a);
}

static void median(void)
{
  /* GA 5.8.2 aborts where the distributions differ: "patches mismatch". */
  array *a = array_any(has_median), *b = array_twin(a), *c = array_twin(a), *m = array_twin(a);

  log_text(" %s %s %s to %s", a->name, b->name, c->name, m->name);
  GA_Median(a->handle, b->handle, c->handle, m->handle);
  m->bound = fmax(a->bound, fmax(b->bound, c->bound));
  array_log(m);
}

/* GA 5.8.2 aborts for arrays with ghosts ("layout problem"), and returns indices of cyclic arrays
 * that are one too small in each dimension. */
static bool has_order(const array *a)
{
  return !a->type->is_complex && !has_ghosts(a) && is_block(a);
}

/* The largest or smallest element is stored first: which of several equal ones is found is
 * undefined. */
static void select_elem(void)
{
  array *a = array_any(has_order);
  bool most = chance(50);
  int sub[DIMS], index[DIMS] = {0}, ld[DIMS] = {1, 1, 1, 1, 1, 1, 1};
  number value;
  double re, im;

  draw_sub(a, sub);
  array_allow_growth(a, 5);
  log_text(" %s %s", most ? "max" : "min", a->name);
  log_ints("put at", a->ndim, sub);
  memset(&value, 0, sizeof value);
  store(a->type, &value, 0, most ? a->bound + 3 : -a->bound - 3, 0);
  a->bound += 3;
  GA_Sync();
  if (acts(2))
    NGA_Put(a->handle, sub, sub, &value, ld);
  GA_Sync();
  memset(&value, 0, sizeof value);
  NGA_Select_elem(a->handle, most ? (char[]){"max"} : (char[]){"min"}, &value, index);
  load(a->type, &value, 0, &re, &im);
  log_text(" %.17g", re);
  log_ints("found at", a->ndim, index);
}

/* GA 5.8.2 symmetrizes arrays with ghosts wrongly. */
static bool is_square(const array *a)
{
  return a->type->code == C_DBL && a->ndim == 2 && a->dims[0] == a->dims[1] && !has_ghosts(a);
}

static void symmetrize(void)
{
  int n = 1 + draw(25), dims[2];
  array *a;

  dims[0] = dims[1] = n;
  a = chance(50) ? array_any(is_square) : array_create(&kinds[DOUBLE], 2, dims, CHUNKED);
  log_text(" %s", a->name);
  array_fill(a, multiples, 16 * 9);
  GA_Symmetrize(a->handle);
  array_log(a);
}

static void transpose(void)
{
  array *a = array_any(is_matrix), *b;
  int dims[2] = {a->dims[1], a->dims[0]};

  b = array_new(a->type, 2, dims);
  log_text(" %s to %s", a->name, b->name);
  GA_Transpose(a->handle, b->handle);
  b->bound = a->bound;
  array_log(b);
}

const operation whole_operations[] = {
    {"zero", "whole", 2, false, zero},
    {"fill", "whole", 3, false, fill},
    {"scale", "whole", 3, false, scale},
    {"copy", "whole", 4, false, copy},
    {"add", "whole", 5, false, add},
    {"dot", "whole", 4, false, dot},
    {"duplicate", "create", 3, false, duplicate},
    {"assemble", "create", 1, true, assemble},
    {"destroy", "create", 3, false, destroy},
    {"symmetrize", "whole", 2, false, symmetrize},
    {"transpose", "whole", 3, false, transpose},
    {"select_elem", "whole", 3, false, select_elem},
    {"add_constant", "elementwise", 2, false, add_constant},
    {"abs_value", "elementwise", 2, false, abs_value},
    {"recip", "elementwise", 2, false, recip},
    {"pairwise", "elementwise", 6, false, elementwise},
    {"median", "elementwise", 2, false, median},
    {NULL, NULL, 0, false, NULL},
};
