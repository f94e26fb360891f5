/* Mirrored arrays: every node has the whole array, spread over its processes. The copies of
 * different nodes are independent until a merge adds them up. With one node, or one process for
 * each node, all of this must hold as well. */
#include "ga_model.h"

#include <string.h>

enum { ROUNDS = 3 };

/* The copies of all nodes; every process models them all. */
typedef struct mirrored {
  const model_type *type;
  int ndim, dims[3], array;
} mirrored;

/* Returns what the copy of node `node` has after round `round`. */
static void node_values(model *m, int node, int round)
{
  model_type type = *m->type;

  for (size_t i = 0; i < m->count; i++) {
    model_number v = model_payload(node, i, round);
    m->at[i] = type.is_complex ? v : creal(v);
  }
}

static int create_on(const mirrored *g, int group)
{
  int dims[3] = {g->dims[0], g->dims[1], g->dims[2]};
  int array = NGA_Create_config(g->type->code, g->ndim, dims, kit_name, NULL, group);

  kit_check(array != 0, "cannot create the array");
  return array;
}

/* Puts this node's values and reads them back, on the node. */
static void set_copy(const mirrored *g, model *m, int round)
{
  node_values(m, GA_Cluster_nodeid(), round);
  GA_Sync();
  model_write(m, g->array);
  model_verify(m, g->array);
  GA_Sync();
}

static void test_accumulate(const mirrored *g, model *m)
{
  int group = GA_Pgroup_get_mirror(), me = GA_Pgroup_nodeid(group);
  model_type plain = model_unscaled(g->type);
  DoubleComplex alpha;
  patch p;

  patch_init_whole(&p, m, 1);
  for (int q = 0; q < GA_Pgroup_nnodes(group); q++) {
    model_store(&plain, &alpha, 0, model_alpha(g->type, q));
    patch_payload(&p, q, 1);
    patch_acc(&p, m, model_alpha(g->type, q));
    if (q == me)
      NGA_Acc(g->array, p.lo, p.hi, p.buffer, p.ld, &alpha);
  }
  patch_free(&p);
  model_verify(m, g->array);
  GA_Sync();
}

/* Every copy becomes the sum of all. */
static void test_merge(const mirrored *g, model *m)
{
  model one;

  set_copy(g, m, 2);
  model_init(&one, g->type, g->ndim, g->dims);
  memset(m->at, 0, m->count * sizeof *m->at);
  for (int node = 0; node < GA_Cluster_nnodes(); node++) {
    node_values(&one, node, 2);
    for (size_t i = 0; i < m->count; i++)
      m->at[i] += one.at[i];
  }
  GA_Merge_mirrored(g->array);
  model_verify(m, g->array);
  GA_Sync();
  model_free(&one);
}

/* A patch of the merged copies is copied to a distributed array, whose other elements stay
 * unchanged. */
static void test_merge_patch(const mirrored *g)
{
  model target, one;
  int array, lo[3], hi[3];
  patch p;

  model_init(&target, g->type, g->ndim, g->dims);
  model_init(&one, g->type, g->ndim, g->dims);
  array = model_create(&target);
  model_fill(&target, array, 3);
  set_copy(g, &one, 4);
  for (int d = 0; d < g->ndim; d++) {
    /* GA 5.8.2 aborts ("Invalid patch index") if the patch reaches the last element */
    lo[d] = kit_common(g->dims[d] - 1);
    hi[d] = lo[d] + kit_common(g->dims[d] - 1 - lo[d]);
  }
  patch_init(&p, &target, lo, hi, NULL, 0);
  for (int node = 0; node < GA_Cluster_nnodes(); node++) {
    node_values(&one, node, 4);
    for (size_t n = 0; n < p.count; n++) {
      size_t i = patch_find(&p, n).in_model;
      target.at[i] = one.at[i] + (node ? target.at[i] : 0);
    }
  }
  NGA_Merge_distr_patch(g->array, lo, hi, array, lo, hi);
  model_verify(&target, array);
  GA_Destroy(array);
  patch_free(&p);
  model_free(&target);
  model_free(&one);
}

/* Copies a distributed array to a mirrored one, of which each node gets all elements, and back. */
static void test_copy(const mirrored *g, model *m)
{
  int array;
  model back;

  model_init(&back, g->type, g->ndim, g->dims);
  array = model_create(&back);
  model_fill(&back, array, 5);
  GA_Copy(array, g->array);
  model_verify(&back, g->array);
  GA_Sync();
  memset(m->at, 0, m->count * sizeof *m->at);
  GA_Zero(array);
  model_verify(m, array);
  GA_Copy(g->array, array);
  model_verify(&back, array);
  GA_Destroy(array);
  model_free(&back);
}

static void test_type(const model_type *type, int ndim, const int dims[])
{
  mirrored g = {type, ndim, {0}, 0};
  model m;

  memcpy(g.dims, dims, (size_t)ndim * sizeof *dims);
  model_init(&m, type, ndim, dims);
  g.array = create_on(&g, GA_Pgroup_get_mirror());
  kit_about("mirrored %s, %d dimensions, %d nodes", type->name, ndim, GA_Cluster_nnodes());
  /* with one node GA makes an ordinary array */
  if (GA_Cluster_nnodes() > 1)
    kit_check(GA_Is_mirrored(g.array) == 1, "the array is not mirrored");
  for (int round = 0; round < ROUNDS; round++)
    set_copy(&g, &m, round);
  kit_stop_if_failed(); /* merging wrong data may abort */
  if (type->adds) {
    kit_about("mirrored acc, %s, %d dimensions", type->name, ndim);
    test_accumulate(&g, &m);
    kit_about("Merge_mirrored, %s, %d dimensions", type->name, ndim);
    test_merge(&g, &m);
    kit_about("Merge_distr_patch, %s, %d dimensions", type->name, ndim);
    test_merge_patch(&g);
  }
  kit_about("copy to and from mirrored, %s, %d dimensions", type->name, ndim);
  test_copy(&g, &m);
  GA_Destroy(g.array);
  model_free(&m);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "mirrored");
  for (int t = 0; t < MODEL_TYPES; t++) {
    test_type(&model_types[t], 1, (int[]){97});
    test_type(&model_types[t], 2, (int[]){13 + kit_common(5), 11});
    test_type(&model_types[t], 3, (int[]){5, 7 + kit_common(3), 6});
  }
  return kit_finish();
}
