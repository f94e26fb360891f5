/* Single elements: gather, scatter, scatter-accumulate, read-and-increment, and mutexes. */
#include "differ.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 60, TICKETS = 5 };

/* A list of elements in all forms that the calls accept. */
typedef struct list {
  int count, flat[MOST * DIMS], *rows[MOST];
  int64_t wide[MOST * DIMS], *wide_rows[MOST];
  DoubleComplex values[MOST]; /* space for any type */
} list;

enum form { ROWS, FLAT, WIDE_FLAT, WIDE_ROWS, FORMS };
static const char *const form_names[FORMS] = {"rows", "flat", "flat64", "rows64"};

static void set_sub(list *l, const array *a, int n, size_t index)
{
  l->rows[n] = &l->flat[n * a->ndim];
  l->wide_rows[n] = &l->wide[n * a->ndim];
  for (int d = a->ndim - 1; d >= 0; d--) {
    l->rows[n][d] = (int)(index % (size_t)a->dims[d]);
    l->wide_rows[n][d] = l->rows[n][d];
    index /= (size_t)a->dims[d];
  }
}

/* GA 5.8.2 reads the rows of the 64-bit forms as rows of int: they fail for more than one dimension
   (tests/interfaces/ga_peer/gather.c). */
static enum form draw_form(const array *a)
{
  enum form f = draw(FORMS);

  if (f == WIDE_ROWS && a->ndim > 1)
    f = WIDE_FLAT;
  log_text(" %s %s", a->name, form_names[f]);
  return f;
}

static size_t common_factor(size_t a, size_t b)
{
  return b ? common_factor(b, a % b) : a;
}

/* Every actor takes every fourth element of a walk through the array without repetitions. */
static void draw_distinct(list *l, const array *a, size_t start, size_t step, int actor)
{
  l->count = (int)(a->count / ACTORS);
  if (l->count > MOST)
    l->count = MOST;
  while (common_factor(step, a->count) != 1)
    step++;
  for (int n = 0; n < l->count; n++)
    set_sub(l, a, n, (start + (size_t)(n * ACTORS + actor) * step) % a->count);
}

static void scatter(void)
{
  array *a = array_any(NULL);
  enum form form = draw_form(a);
  list *l = take(1, sizeof *l);
  size_t start = (size_t)draw(1000), step = (size_t)(1 + draw(1000));

  for (int actor = 0; actor < ACTORS; actor++) {
    draw_distinct(l, a, start, step, actor);
    for (int n = 0; n < l->count; n++)
      store(a->type, l->values, (size_t)n, draw(19) - 9, draw(19) - 9);
    if (!acts(actor) || l->count == 0)
      continue;
    if (form == ROWS)
      NGA_Scatter(a->handle, l->values, l->rows, l->count);
    if (form == FLAT)
      NGA_Scatter_flat(a->handle, l->values, l->flat, l->count);
    if (form == WIDE_FLAT)
      NGA_Scatter_flat64(a->handle, l->values, l->wide, l->count);
    if (form == WIDE_ROWS)
      NGA_Scatter64(a->handle, l->values, l->wide_rows, l->count);
  }
  if (a->bound < 18)
    a->bound = 18;
  free(l);
  array_log(a);
}

static void draw_colliding(list *l, const array *a)
{
  l->count = 1 + draw(MOST);
  for (int n = 0; n < l->count; n++)
    set_sub(l, a, n, (size_t)draw((int)a->count));
}

static bool accumulates(const array *a)
{
  return a->type->adds;
}

static void scatter_acc(void)
{
  array *a = array_any(accumulates);
  enum form form = draw_form(a);
  list *l = take(1, sizeof *l);

  array_allow_growth(a, ACTORS * MOST * 9 * 3 * 2);
  for (int actor = 0; actor < ACTORS; actor++) {
    number alpha = draw_number(a->type, 3);

    draw_colliding(l, a);
    log_number(a->type, alpha);
    for (int n = 0; n < l->count; n++)
      store(a->type, l->values, (size_t)n, draw(19) - 9, draw(19) - 9);
    if (!acts(actor))
      continue;
    if (form == ROWS)
      NGA_Scatter_acc(a->handle, l->values, l->rows, l->count, &alpha);
    if (form == FLAT)
      NGA_Scatter_acc_flat(a->handle, l->values, l->flat, l->count, &alpha);
    if (form == WIDE_FLAT)
      NGA_Scatter_acc_flat64(a->handle, l->values, l->wide, l->count, &alpha);
    if (form == WIDE_ROWS)
      NGA_Scatter_acc64(a->handle, l->values, l->wide_rows, l->count, &alpha);
  }
  free(l);
  array_log(a);
}

static void gather(void)
{
  array *a = array_any(NULL);
  enum form form = draw_form(a);
  list *l = take(1, sizeof *l);

  for (int actor = 0; actor < ACTORS; actor++) {
    uint64_t h = (uint64_t)actor;

    draw_colliding(l, a);
    memset(l->values, 0xa5, sizeof l->values);
    if (!acts(actor))
      continue;
    if (form == ROWS)
      NGA_Gather(a->handle, l->values, l->rows, l->count);
    if (form == FLAT)
      NGA_Gather_flat(a->handle, l->values, l->flat, l->count);
    if (form == WIDE_FLAT)
      NGA_Gather_flat64(a->handle, l->values, l->wide, l->count);
    if (form == WIDE_ROWS)
      NGA_Gather64(a->handle, l->values, l->wide_rows, l->count);
    for (int n = 0; n < l->count; n++)
      h = digest(h, a->type, l->values, (size_t)n);
    own(" actor %d gathered %016llx", actor, (unsigned long long)h);
    share(h);
  }
  free(l);
  GA_Sync();
}

static bool counts(const array *a)
{
  return a->type->code == C_INT || a->type->code == C_LONG;
}

/* All processes draw from one counter: the sum of their results is known. Then each draws from its
 * own counter. */
static void read_inc(void)
{
  array *a = array_any(counts);
  int sub[DIMS], inc = 1 + draw(9);
  int64_t wide[DIMS];
  long sum = 0;

  log_text(" %s by %d", a->name, inc);
  array_allow_growth(a, 2 * ACTORS * TICKETS * 9);
  draw_sub(a, sub);
  log_ints("at", a->ndim, sub);
  for (int d = 0; d < a->ndim; d++)
    wide[d] = sub[d];
  for (int actor = 0; actor < ACTORS; actor++)
    for (int t = 0; t < TICKETS && acts(actor); t++)
      sum += t % 2 ? NGA_Read_inc(a->handle, sub, inc) : NGA_Read_inc64(a->handle, wide, inc);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, run.comm);
  log_text(" sum %ld", sum);
  array_log(a);
  for (int actor = 0; actor < ACTORS; actor++) {
    size_t index = (a->count * (size_t)actor / ACTORS);

    for (int d = a->ndim - 1; d >= 0; d--) {
      sub[d] = (int)(index % (size_t)a->dims[d]);
      index /= (size_t)a->dims[d];
    }
    if (a->count >= ACTORS && acts(actor))
      share((uint64_t)NGA_Read_inc(a->handle, sub, -inc) + (uint64_t)actor * 1000003);
  }
  array_log(a);
}

static bool is_long(const array *a)
{
  return a->type->code == C_LONG;
}

/* Read, change and write under a mutex. Uses only one mutex at a time: from C, GA 5.8.2 maps every
 * number to the same ARMCI mutex (tests/interfaces/ga_peer/locks.c). */
static void mutexes(void)
{
  array *a = array_any(is_long);
  int count = 1 + draw(5), mutex = draw(count), sub[DIMS];

  log_text(" %d, %s under number %d", count, a->name, mutex);
  array_allow_growth(a, ACTORS * ACTORS);
  draw_sub(a, sub);
  own(" create %d", GA_Create_mutexes(count));
  for (int actor = 0; actor < ACTORS; actor++)
    if (acts(actor)) {
      long value = 0;
      int ld[DIMS] = {1, 1, 1, 1, 1, 1, 1};

      GA_Lock(mutex);
      NGA_Get(a->handle, sub, sub, &value, ld);
      value += actor + 1;
      GA_Init_fence();
      NGA_Put(a->handle, sub, sub, &value, ld);
      GA_Fence();
      GA_Unlock(mutex);
    }
  GA_Sync();
  own(" destroy %d", GA_Destroy_mutexes());
  array_log(a);
}

const operation element_operations[] = {
    {"scatter", "elements", 4, true, scatter}, /* GA 5.8.2 accesses the wrong processes in groups */
    {"scatter_acc", "elements", 4, true, scatter_acc},
    {"gather", "elements", 4, true, gather},
    {"read_inc", "counter", 4, false, read_inc},
    {"mutexes", "mutexes", 2, true, mutexes},
    {NULL, NULL, 0, false, NULL},
};
