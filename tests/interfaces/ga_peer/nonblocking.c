/* Nonblocking put, get and accumulate: hundreds of handles at once, completed in any order by wait,
 * by test, or only by the next synchronisation. */
#include "ga_model.h"

#include <stdlib.h>
#include <string.h>

enum { HANDLES = 120, FLOOD = 300 };

/* Ways to complete a batch of handles. */
typedef enum completion { IN_ORDER, REVERSED, TESTED, ENDINGS } completion;
static const char *const ending_names[ENDINGS] = {"waits in order", "waits reversed", "tests"};

typedef struct batch {
  patch patches[FLOOD];
  ga_nbhdl_t handles[FLOOD];
  int count;
} batch;

static void complete(batch *b, completion how)
{
  for (int i = 0; i < b->count; i++) {
    ga_nbhdl_t *h = &b->handles[how == REVERSED ? b->count - 1 - i : i];

    if (how != TESTED)
      NGA_NbWait(h);
    else
      while (!NGA_NbTest(h)) {
      }
  }
}

static void batch_free(batch *b)
{
  for (int i = 0; i < b->count; i++)
    patch_free(&b->patches[i]);
  b->count = 0;
}

/* Draws `count` patches for each process and keeps its own. With disjoint, process q's i-th patch
 * lies in a slab that only it uses, and only once. */
static void draw_batch(batch *b, model *m, int count, bool disjoint)
{
  int n = kit_processes();

  b->count = 0;
  for (int i = 0; i < count; i++)
    for (int q = 0; q < n; q++) {
      patch p;

      if (!patch_draw(&p, m, disjoint ? i * n + q : 0, disjoint ? count * n : 1))
        continue;
      patch_payload(&p, q, i);
      if (disjoint)
        patch_put(&p, m);
      if (q == kit_me())
        b->patches[b->count++] = p;
      else
        patch_free(&p);
    }
}

static void test_puts(batch *b, model *m, int array, completion how)
{
  kit_about("NbPut, %s, %s", m->type->name, ending_names[how]);
  draw_batch(b, m, HANDLES, true);
  for (int i = 0; i < b->count; i++) {
    patch *p = &b->patches[i];
    NGA_NbPut(array, p->lo, p->hi, p->buffer, p->ld, &b->handles[i]);
  }
  complete(b, how);
  /* local completion: the buffers are mine again */
  for (int i = 0; i < b->count; i++)
    memset(b->patches[i].buffer, 0x5a, b->patches[i].bytes);
  batch_free(b);
  model_verify(m, array);
}

static void test_gets(batch *b, model *m, int array, completion how)
{
  kit_about("NbGet, %s, %s", m->type->name, ending_names[how]);
  draw_batch(b, m, HANDLES, false);
  for (int i = 0; i < b->count; i++) {
    patch *p = &b->patches[i];
    memset(p->buffer, 0xa5, p->bytes); /* patch_check's poison */
    NGA_NbGet(array, p->lo, p->hi, p->buffer, p->ld, &b->handles[i]);
  }
  complete(b, how);
  for (int i = 0; i < b->count; i++)
    patch_check(&b->patches[i], "NbGet");
  batch_free(b);
  GA_Sync();
}

static void test_accs(batch *b, model *m, int array, completion how)
{
  DoubleComplex alphas[3]; /* must live until completion */
  model_type plain = model_unscaled(m->type);
  int n = kit_processes();

  kit_about("NbAcc, %s, %s", m->type->name, ending_names[how]);
  for (int a = 0; a < 3; a++)
    model_store(&plain, &alphas[a], 0, model_alpha(m->type, a));
  b->count = 0;
  for (int i = 0; i < HANDLES / 4; i++)
    for (int q = 0; q < n; q++) {
      patch p;
      if (!patch_draw(&p, m, 0, 1))
        continue;
      patch_payload(&p, q, i);
      patch_acc(&p, m, model_alpha(m->type, i % 3));
      if (q == kit_me())
        b->patches[b->count++] = p;
      else
        patch_free(&p);
    }
  for (int i = 0; i < b->count; i++) {
    patch *p = &b->patches[i];
    NGA_NbAcc(array, p->lo, p->hi, p->buffer, p->ld, &alphas[i % 3], &b->handles[i]);
  }
  complete(b, how);
  for (int i = 0; i < b->count; i++)
    memset(b->patches[i].buffer, 0x5a, b->patches[i].bytes);
  batch_free(b);
  model_verify(m, array);
}

/* One handle variable for all transfers, never waited for: the next GA_Sync completes them all.
 * GTFock does this. The number is far beyond the 256 handles that GA keeps. */
static void test_flood(batch *b, model *m, int array)
{
  ga_nbhdl_t handle;

  kit_about("%d NbPuts on one handle, %s", FLOOD, m->type->name);
  draw_batch(b, m, FLOOD, true);
  for (int i = 0; i < b->count; i++) {
    patch *p = &b->patches[i];
    NGA_NbPut(array, p->lo, p->hi, p->buffer, p->ld, &handle);
  }
  GA_Sync();
  batch_free(b);
  model_verify(m, array);
}

/* Transfers of all three kinds on two arrays under way together. */
static void test_mixed(model m[2], const int arrays[2])
{
  int me = kit_me(), n = kit_processes();
  ga_nbhdl_t put, get;
  patch from, to;

  kit_about("NbGet of one array during NbPut to another, %s", m[0].type->name);
  for (int round = 0; round < 8; round++) {
    for (int q = 0; q < n; q++) {
      patch p;
      if (!patch_draw(&p, &m[0], (q + round) % n, n))
        continue;
      patch_payload(&p, q, round);
      patch_put(&p, &m[0]);
      if (q == me) {
        patch_init_whole(&from, &m[1], 1);
        to = p;
        NGA_NbPut(arrays[0], to.lo, to.hi, to.buffer, to.ld, &put);
        NGA_NbGet(arrays[1], from.lo, from.hi, from.buffer, from.ld, &get);
        NGA_NbWait(&get);
        patch_check(&from, "NbGet between");
        NGA_NbWait(&put);
        patch_free(&from);
      }
      patch_free(&p);
    }
    model_verify(&m[0], arrays[0]);
  }
}

static void test_type(batch *b, const model_type *type, int ndim, const int dims[])
{
  model m[2];
  int arrays[2];

  for (int a = 0; a < 2; a++) {
    model_init(&m[a], type, ndim, dims);
    arrays[a] = model_create(&m[a]);
    model_fill(&m[a], arrays[a], a);
  }
  for (completion how = 0; how < ENDINGS; how++) {
    test_puts(b, &m[0], arrays[0], how);
    test_gets(b, &m[0], arrays[0], how);
    if (type->adds)
      test_accs(b, &m[0], arrays[0], how);
  }
  test_flood(b, &m[0], arrays[0]);
  test_mixed(m, arrays);
  for (int a = 0; a < 2; a++) {
    GA_Destroy(arrays[a]);
    model_free(&m[a]);
  }
}

int main(int argc, char **argv)
{
  batch *b;

  kit_start(&argc, &argv, "nonblocking");
  b = kit_alloc(1, sizeof *b);
  /* long enough that every handle of every process has a slab of its own */
  for (int t = 0; t < MODEL_TYPES; t++)
    if (t % 2)
      test_type(b, &model_types[t], 2, (int[]){FLOOD * kit_processes(), 3});
    else
      test_type(b, &model_types[t], 3, (int[]){2, FLOOD * kit_processes(), 2});
  free(b);
  return kit_finish();
}
