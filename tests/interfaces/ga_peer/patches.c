/* Put, get and accumulate of patches: every element type x 1 to 7 dimensions x plain, strided and
 * periodic calls x int and int64_t indices, then the collective operations on patches. */
#include "ga_model.h"

enum shape { PLAIN, STRIDED, PERIODIC };

/* One family of calls with the same meaning, which differ by shape. */
typedef struct calls {
  const char *name;
  enum shape shape;
  void (*put)(int array, patch *p);
  void (*get)(int array, patch *p);
  void (*acc)(int array, patch *p, void *alpha);
} calls;

/* A patch with 64-bit indices. */
typedef struct wide {
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM], ld[GA_MAX_DIM], skip[GA_MAX_DIM];
} wide;

static wide widen(const patch *p)
{
  wide w = {{0}, {0}, {0}, {0}};

  for (int d = 0; d < p->of->ndim; d++) {
    w.lo[d] = p->lo[d];
    w.hi[d] = p->hi[d];
    w.ld[d] = d + 1 < p->of->ndim ? p->ld[d] : 0;
    w.skip[d] = p->skip[d];
  }
  return w;
}

static void plain_put(int array, patch *p)
{
  NGA_Put(array, p->lo, p->hi, p->buffer, p->ld);
}

static void plain_get(int array, patch *p)
{
  NGA_Get(array, p->lo, p->hi, p->buffer, p->ld);
}

static void plain_acc(int array, patch *p, void *alpha)
{
  NGA_Acc(array, p->lo, p->hi, p->buffer, p->ld, alpha);
}

static void plain_put64(int array, patch *p)
{
  wide w = widen(p);
  NGA_Put64(array, w.lo, w.hi, p->buffer, w.ld);
}

static void plain_get64(int array, patch *p)
{
  wide w = widen(p);
  NGA_Get64(array, w.lo, w.hi, p->buffer, w.ld);
}

static void plain_acc64(int array, patch *p, void *alpha)
{
  wide w = widen(p);
  NGA_Acc64(array, w.lo, w.hi, p->buffer, w.ld, alpha);
}

static void strided_put(int array, patch *p)
{
  NGA_Strided_put(array, p->lo, p->hi, p->skip, p->buffer, p->ld);
}

static void strided_get(int array, patch *p)
{
  NGA_Strided_get(array, p->lo, p->hi, p->skip, p->buffer, p->ld);
}

static void strided_acc(int array, patch *p, void *alpha)
{
  NGA_Strided_acc(array, p->lo, p->hi, p->skip, p->buffer, p->ld, alpha);
}

static void periodic_put(int array, patch *p)
{
  NGA_Periodic_put(array, p->lo, p->hi, p->buffer, p->ld);
}

static void periodic_get(int array, patch *p)
{
  NGA_Periodic_get(array, p->lo, p->hi, p->buffer, p->ld);
}

static void periodic_acc(int array, patch *p, void *alpha)
{
  NGA_Periodic_acc(array, p->lo, p->hi, p->buffer, p->ld, alpha);
}

static const calls families[] = {
    {"plain", PLAIN, plain_put, plain_get, plain_acc},
    {"plain, 64-bit indices", PLAIN, plain_put64, plain_get64, plain_acc64},
    {"strided", STRIDED, strided_put, strided_get, strided_acc},
    {"periodic", PERIODIC, periodic_put, periodic_get, periodic_acc},
};

/* GA's strided calls (5.8.2) take a wrong offset into the caller's buffer where the patch crosses a
 * block boundary in any dimension but the last two, with all skips 1 too: such patches are cut at
 * the boundary. */
static void truncate_strided(int array, patch *p)
{
  int lo[GA_MAX_DIM], hi[GA_MAX_DIM];

  NGA_Distribution(array, NGA_Locate(array, p->lo), lo, hi);
  for (int d = 0; d < p->of->ndim - 2; d++)
    if (p->hi[d] > hi[d])
      p->hi[d] = hi[d];
}

/* Draws one patch for each process; slabs = 1 lets them overlap. Frees all but this process's,
 * which is left in *mine. Each is handed to `apply`, in the same order everywhere. */
typedef void apply_fn(patch *p, model *m, int process, int round);

static bool draw_all(const calls *c, model *m, int array, bool disjoint, int round, apply_fn *apply,
                     patch *mine)
{
  int n = kit_processes(), shift[GA_MAX_DIM];
  bool have_mine = false;

  /* the same shift for all, so that disjoint patches stay disjoint modulo the extents */
  for (int d = 0; d < m->ndim; d++)
    shift[d] = c->shape == PERIODIC ? kit_common(2 * m->dims[d]) - m->dims[d] : 0;
  for (int q = 0; q < n; q++) {
    patch drawn, p;
    int slab = disjoint ? (q + round) % n : 0, skip[GA_MAX_DIM];

    if (!patch_draw(&drawn, m, slab, disjoint ? n : 1))
      continue;
    for (int d = 0; d < m->ndim; d++) {
      skip[d] = c->shape == STRIDED ? 1 + kit_common(3) : 1;
      drawn.lo[d] += shift[d];
      drawn.hi[d] += shift[d];
    }
    if (c->shape == STRIDED)
      truncate_strided(array, &drawn);
    patch_init(&p, m, drawn.lo, drawn.hi, skip, kit_common(3));
    patch_free(&drawn);
    if (apply)
      apply(&p, m, q, round);
    if (q == kit_me()) {
      *mine = p;
      have_mine = true;
    } else {
      patch_free(&p);
    }
  }
  return have_mine;
}

static void apply_put(patch *p, model *m, int process, int round)
{
  patch_payload(p, process, round);
  patch_put(p, m);
}

static void apply_acc(patch *p, model *m, int process, int round)
{
  patch_payload(p, process, round);
  patch_acc(p, m, model_alpha(m->type, process + round));
}

static void test_family(const calls *c, model *m, int array, int round)
{
  patch p;
  DoubleComplex alpha;                        /* room for any type */
  model_type plain = model_unscaled(m->type); /* only the data carry the scale */

  kit_about("%s put, %s, %d dimensions", c->name, m->type->name, m->ndim);
  if (draw_all(c, m, array, true, round, apply_put, &p)) {
    c->put(array, &p);
    patch_free(&p);
  }
  model_verify(m, array);
  if (m->type->adds) {
    kit_about("%s acc, %s, %d dimensions", c->name, m->type->name, m->ndim);
    model_store(&plain, &alpha, 0, model_alpha(m->type, kit_me() + round));
    if (draw_all(c, m, array, false, round, apply_acc, &p)) {
      c->acc(array, &p, &alpha);
      patch_free(&p);
    }
    model_verify(m, array);
  }
  kit_about("%s get, %s, %d dimensions", c->name, m->type->name, m->ndim);
  if (draw_all(c, m, array, false, round, NULL, &p)) {
    c->get(array, &p);
    patch_check(&p, "get");
    patch_free(&p);
  }
  GA_Sync();
}

static void draw_dims(int ndim, int dims[])
{
  static const int longest[GA_MAX_DIM] = {300, 33, 13, 8, 6, 5, 4};

  for (int d = 0; d < ndim; d++)
    dims[d] = longest[ndim - 1] - kit_common(2 + (ndim < 4 ? 5 : 0));
}

static void test_transfers(const model_type *type)
{
  for (int ndim = 1; ndim <= GA_MAX_DIM; ndim++) {
    model m;
    int dims[GA_MAX_DIM], array;

    draw_dims(ndim, dims);
    model_init(&m, type, ndim, dims);
    array = model_create(&m);
    kit_about("fill, %s, %d dimensions", type->name, ndim);
    model_fill(&m, array, ndim);
    model_verify(&m, array);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
      test_family(&families[f], &m, array, ndim + (int)f);
    GA_Destroy(array);
    model_free(&m);
  }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "patches");
  for (int t = 0; t < MODEL_TYPES; t++)
    test_transfers(&model_types[t]);
  return kit_finish();
}
