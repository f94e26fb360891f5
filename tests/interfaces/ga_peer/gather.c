/* Gather, scatter and scatter-accumulate of single elements in all their spellings, and
 * read-and-increment with every process on the same counters. */
#include "ga_model.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 200, TICKETS = 60, COUNTERS = 5 };

/* A list of elements, as the three forms of the calls want it. */
typedef struct list {
  int ndim;
  int flat[ELEMENTS * GA_MAX_DIM];
  int *rows[ELEMENTS];
  int64_t wide_flat[ELEMENTS * GA_MAX_DIM];
  size_t index[ELEMENTS];
  DoubleComplex values[ELEMENTS]; /* room for any type */
} list;

typedef struct calls {
  const char *name;
  void (*gather)(int array, list *l);
  void (*scatter)(int array, list *l);
  void (*scatter_acc)(int array, list *l, void *alpha);
} calls;

static void gather_rows(int array, list *l)
{
  NGA_Gather(array, l->values, l->rows, ELEMENTS);
}

static void scatter_rows(int array, list *l)
{
  NGA_Scatter(array, l->values, l->rows, ELEMENTS);
}

static void scatter_acc_rows(int array, list *l, void *alpha)
{
  NGA_Scatter_acc(array, l->values, l->rows, ELEMENTS, alpha);
}

static void gather_flat(int array, list *l)
{
  NGA_Gather_flat(array, l->values, l->flat, ELEMENTS);
}

static void scatter_flat(int array, list *l)
{
  NGA_Scatter_flat(array, l->values, l->flat, ELEMENTS);
}

static void scatter_acc_flat(int array, list *l, void *alpha)
{
  NGA_Scatter_acc_flat(array, l->values, l->flat, ELEMENTS, alpha);
}

static void gather_wide_flat(int array, list *l)
{
  NGA_Gather_flat64(array, l->values, l->wide_flat, ELEMENTS);
}

static void scatter_wide_flat(int array, list *l)
{
  NGA_Scatter_flat64(array, l->values, l->wide_flat, ELEMENTS);
}

static void scatter_acc_wide_flat(int array, list *l, void *alpha)
{
  NGA_Scatter_acc_flat64(array, l->values, l->wide_flat, ELEMENTS, alpha);
}

/* Not here: NGA_Gather64, NGA_Scatter64 and NGA_Scatter_acc64. GA (5.8.2) reads their rows of
 * int64_t as rows of int, so that they fail for more than one dimension. */
static const calls forms[] = {
    {"rows", gather_rows, scatter_rows, scatter_acc_rows},
    {"flat", gather_flat, scatter_flat, scatter_acc_flat},
    {"64-bit flat", gather_wide_flat, scatter_wide_flat, scatter_acc_wide_flat},
};

static void list_set(list *l, const model *m, int n, size_t index)
{
  int *sub = &l->flat[n * m->ndim];

  l->index[n] = index;
  for (int d = m->ndim - 1; d >= 0; d--) {
    sub[d] = (int)(index % (size_t)m->dims[d]);
    l->wide_flat[n * m->ndim + d] = sub[d];
    index /= (size_t)m->dims[d];
  }
  l->rows[n] = sub;
}

/* Distinct elements for all processes: a random walk through the array in steps that share no
 * factor with its size, of which each process takes every P-th. */
static void draw_distinct(list *l, const model *m, size_t start, int process)
{
  const size_t step = 10007; /* a prime, larger than any factor of the sizes below */

  for (int n = 0; n < ELEMENTS; n++) {
    size_t k = start + (size_t)(n * kit_processes() + process);
    list_set(l, m, n, k * step % m->count);
  }
}

/* Elements that collide within a process and between processes. */
static void draw_colliding(list *l, const model *m)
{
  for (int n = 0; n < ELEMENTS; n++)
    list_set(l, m, n, (size_t)kit_common((int)m->count / 9));
}

static void payload(list *l, const model *m, int process, int round)
{
  for (int n = 0; n < ELEMENTS; n++)
    model_store(m->type, l->values, (size_t)n, model_payload(process, (size_t)n, round));
}

static void test_form(const calls *c, model *m, int array, list *l, list *mine)
{
  int round = kit_common(100), me = kit_me();
  size_t start = (size_t)kit_common(1000);
  DoubleComplex alpha;
  model_type plain = model_unscaled(m->type); /* only the data carry the scale */

  kit_about("scatter, %s, %s, %d dimensions", c->name, m->type->name, m->ndim);
  for (int q = 0; q < kit_processes(); q++) {
    draw_distinct(l, m, start, q);
    payload(l, m, q, round);
    for (int n = 0; n < ELEMENTS; n++)
      m->at[l->index[n]] = model_load(m->type, l->values, (size_t)n);
    if (q == me)
      c->scatter(array, l);
  }
  model_verify(m, array);
  kit_about("scatter_acc, %s, %s, %d dimensions", c->name, m->type->name, m->ndim);
  for (int q = 0; m->type->adds && q < kit_processes(); q++) {
    model_store(&plain, &alpha, 0, model_alpha(m->type, q));
    draw_colliding(l, m);
    payload(l, m, q, round);
    for (int n = 0; n < ELEMENTS; n++)
      m->at[l->index[n]] += model_alpha(m->type, q) * model_load(m->type, l->values, (size_t)n);
    if (q == me)
      c->scatter_acc(array, l, &alpha);
  }
  model_verify(m, array);
  kit_about("gather, %s, %s, %d dimensions", c->name, m->type->name, m->ndim);
  for (int n = 0; n < ELEMENTS; n++)
    list_set(mine, m, n, (size_t)kit_own((int)m->count));
  memset(mine->values, 0xa5, sizeof mine->values);
  c->gather(array, mine);
  for (int n = 0; n < ELEMENTS; n++)
    model_check(m, mine->index[n], model_load(m->type, mine->values, (size_t)n), "gathered");
  GA_Sync();
}

static void test_elements(const model_type *type, list *l, list *mine)
{
  static const int dims[4][4] = {{1320}, {33, 40}, {11, 12, 10}, {5, 6, 11, 4}};

  for (int ndim = 1; ndim <= 4; ndim++) {
    model m;
    int array;

    model_init(&m, type, ndim, dims[ndim - 1]);
    array = model_create(&m);
    model_fill(&m, array, ndim);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
      test_form(&forms[f], &m, array, l, mine);
    GA_Destroy(array);
    model_free(&m);
  }
}

static int compare_long(const void *a, const void *b)
{
  long x = *(const long *)a, y = *(const long *)b;

  return (x > y) - (x < y);
}

/* All processes draw from one counter: each must see rising numbers, and together they must have
 * drawn start, start+step, ... with none missing or twice. */
static void test_tickets(int array, int counter, long start, int step)
{
  int n = kit_processes();
  long mine[TICKETS], *all = kit_alloc((size_t)(n * TICKETS), sizeof *all);

  for (int t = 0; t < TICKETS; t++) {
    mine[t] = NGA_Read_inc(array, &counter, step);
    if (t > 0)
      kit_check(mine[t] > mine[t - 1], "drew %ld after %ld", mine[t], mine[t - 1]);
  }
  MPI_Allgather(mine, TICKETS, MPI_LONG, all, TICKETS, MPI_LONG, kit_comm());
  qsort(all, (size_t)(n * TICKETS), sizeof *all, compare_long);
  for (int t = 0; t < n * TICKETS; t++)
    if (!kit_check_long(all[t], start + (long)t * step, "sorted tickets of all processes"))
      break;
  free(all);
}

static void test_counters(const model_type *type)
{
  model m;
  model_type plain = model_unscaled(type);
  int array, n = kit_processes();

  model_init(&m, &plain, 1, (int[]){COUNTERS * n}); /* some in every process */
  array = model_create(&m);
  kit_about("contended read_inc, %s", type->name);
  for (int c = 0; c < COUNTERS * n; c += 3) {
    long start = type->code == C_INT ? -50 : (1L << 33) - 50; /* across zero, across 33 bits */
    int step = 1 + c % 4, last = kit_common(n);
    long value = start;
    int narrow = (int)start;

    if (kit_me() == last)
      NGA_Put(array, &c, &c, type->code == C_INT ? (void *)&narrow : (void *)&value, NULL);
    GA_Sync();
    test_tickets(array, c, start, step);
    m.at[c] = start + (double)step * n * TICKETS;
  }
  /* the totals must be in the array too; untouched counters are set now */
  for (int c = 0; c < COUNTERS * n; c++) {
    long value = c;
    if (c % 3 == 0)
      continue;
    m.at[c] = c;
    if (c % n == kit_me())
      NGA_Put(array, &c, &c, type->code == C_INT ? (void *)&(int){c} : (void *)&value, NULL);
  }
  model_verify(&m, array);
  GA_Destroy(array);
  model_free(&m);
}

int main(int argc, char **argv)
{
  list *l, *mine;

  kit_start(&argc, &argv, "gather");
  l = kit_alloc(1, sizeof *l);
  mine = kit_alloc(1, sizeof *mine);
  for (int t = 0; t < MODEL_TYPES; t++)
    test_elements(&model_types[t], l, mine);
  test_counters(&model_types[MODEL_INT]);
  test_counters(&model_types[MODEL_LONG]);
  free(l);
  free(mine);
  return kit_finish();
}
