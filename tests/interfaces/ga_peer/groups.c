/* Processor groups: create and split; collective calls, arrays and the default group on groups that
 * work at the same time and not in step.
 *
 * Not here: GA_Pgroup_duplicate. In GA 5.8.2 it crashes for the world group, and the duplicate of
 * another group does not know its members' world ranks. */
#include "ga_model.h"

#include <stdlib.h>

/* Sum over the group, of every type; members must differ, or a missing one would not show. */
static void test_reductions(int group)
{
  int members = GA_Pgroup_nnodes(group), me = GA_Pgroup_nodeid(group), low = 0, high = 0;
  int i[3] = {1 + me, 100 * (me + 1), -me}, least, most;
  long l[2] = {(1L << 33) + me, 1}, sum = (long)members * (members + 1) / 2;
  float f = (float)(me + 1);
  double d[2] = {0.5 * (me + 1), me};
  DoubleComplex z = {me + 1, -2.0 * (me + 1)};
  char least_op[] = "min", most_op[] = "max", product_op[] = "*";
  double product = 2;

  GA_Pgroup_igop(group, i, 3, kit_sum);
  kit_check_long(i[0], sum, "igop +");
  kit_check_long(i[1], 100 * sum, "igop +");
  kit_check_long(i[2], members - sum, "igop +");
  GA_Pgroup_lgop(group, l, 2, kit_sum);
  kit_check_long(l[0], (1L << 33) * members + sum - members, "lgop +");
  kit_check_long(l[1], members, "lgop +");
  GA_Pgroup_fgop(group, &f, 1, kit_sum);
  kit_check_near((double)f, (double)sum, 0, "fgop +");
  GA_Pgroup_dgop(group, d, 2, kit_sum);
  kit_check_near(d[0], 0.5 * (double)sum, 0, "dgop +");
  GA_Pgroup_zgop(group, &z, 1, kit_sum);
  kit_check_near(z.real, (double)sum, 0, "zgop +, real part");
  kit_check_near(z.imag, -2 * (double)sum, 0, "zgop +, imaginary part");
  GA_Pgroup_dgop(group, &product, 1, product_op);
  kit_check_near(product, (double)(1L << members), 0, "dgop *");
  for (int p = 0; p < members; p++) {
    int world = GA_Pgroup_absolute_id(group, p);
    low = p == 0 || world < low ? world : low;
    high = p == 0 || world > high ? world : high;
  }
  least = most = kit_me();
  GA_Pgroup_igop(group, &least, 1, least_op);
  GA_Pgroup_igop(group, &most, 1, most_op);
  kit_check_long(least, low, "igop min");
  kit_check_long(most, high, "igop max");
}

static void test_broadcast(int group)
{
  int members = GA_Pgroup_nnodes(group), me = GA_Pgroup_nodeid(group);
  int block[700];

  for (int root = 0; root < members; root++) {
    for (int i = 0; i < 700; i++)
      block[i] = me == root ? 1000 * (kit_me() + 1) + i : -1;
    GA_Pgroup_brdcst(group, block, (int)sizeof block, root);
    for (int i = 0; i < 700; i++)
      if (!kit_check_long(block[i], 1000 * (GA_Pgroup_absolute_id(group, root) + 1) + i,
                          "broadcast"))
        break;
  }
}

/* An array that belongs to the group: members put into each other's blocks, all add to all. */
static void test_array(int group, const model_type *type, int rounds)
{
  model m;
  patch p;
  model_type plain = model_unscaled(type);
  int members = GA_Pgroup_nnodes(group), me = GA_Pgroup_nodeid(group);
  int dims[2] = {11 + rounds, 13}, array;

  model_init(&m, type, 2, dims);
  array = NGA_Create_config(type->code, 2, dims, kit_name, NULL, group);
  if (!kit_check(array != 0, "cannot create an array on the group"))
    return;
  kit_check_long(GA_Get_pgroup(array), group, "group of the array");
  for (int round = 0; round < rounds; round++) {
    model_fill(&m, array, round);
    model_verify(&m, array);
    patch_init_whole(&p, &m, 2);
    for (int q = 0; type->adds && q < members; q++) {
      DoubleComplex alpha;
      model_store(&plain, &alpha, 0, model_alpha(type, q));
      patch_payload(&p, q, round);
      patch_acc(&p, &m, model_alpha(type, q));
      if (q == me)
        NGA_Acc(array, p.lo, p.hi, p.buffer, p.ld, &alpha);
    }
    patch_free(&p);
    model_verify(&m, array);
  }
  GA_Destroy(array);
  model_free(&m);
}

/* While the group is the default one, plain calls mean the group. */
static void test_default(int group)
{
  int old = GA_Pgroup_get_default(), members = GA_Pgroup_nnodes(group);
  model_type counter_type = model_unscaled(&model_types[MODEL_LONG]);
  model m;
  long one = 1;
  int counter, zero = 0;

  GA_Pgroup_set_default(group);
  kit_check_long(GA_Pgroup_get_default(), group, "default group");
  kit_check_long(GA_Nnodes(), members, "Nnodes in the default group");
  kit_check_long(GA_Nodeid(), GA_Pgroup_nodeid(group), "Nodeid in the default group");
  GA_Lgop(&one, 1, kit_sum);
  kit_check_long(one, members, "Lgop on the default group");
  model_init(&m, &counter_type, 1, (int[]){3 * members});
  counter = model_create(&m);
  GA_Zero(counter);
  for (int i = 0; i < 10; i++)
    NGA_Read_inc(counter, &zero, 1 + kit_me());
  for (int p = 0; p < members; p++)
    m.at[0] += 10 * (1 + GA_Pgroup_absolute_id(group, p));
  model_verify(&m, counter);
  GA_Sync();
  GA_Destroy(counter);
  model_free(&m);
  GA_Pgroup_set_default(old);
  kit_check_long(GA_Nnodes(), kit_processes(), "Nnodes in the old default group");
}

/* members[i] is the world rank of the group's process i. */
static void test_group(const char *name, int group, const int *members, int count, int rounds)
{
  kit_about("%s, %d processes", name, count);
  kit_check_long(GA_Pgroup_nnodes(group), count, "size");
  kit_check_long(GA_Get_pgroup_size(group), count, "size");
  for (int i = 0; i < count; i++) {
    kit_check_long(GA_Pgroup_absolute_id(group, i), members[i], "world rank of a member");
    if (members[i] == kit_me())
      kit_check_long(GA_Pgroup_nodeid(group), i, "my rank in the group");
  }
  test_reductions(group);
  test_broadcast(group);
  for (int t = 0; t < MODEL_TYPES; t++)
    test_array(group, &model_types[t], rounds);
  test_default(group);
  GA_Pgroup_sync(group);
}

/* The processes that have this process's colour, in ascending order. */
static int with_colour(int (*colour)(int), int *members)
{
  int count = 0;

  for (int q = 0; q < kit_processes(); q++)
    if (colour(q) == colour(kit_me()))
      members[count++] = q;
  return count;
}

static int parity(int q)
{
  return q % 2;
}

static int upper_half(int q)
{
  return q >= (kit_processes() + 1) / 2;
}

static void test_create(int *members)
{
  int groups[2], count, mine = parity(kit_me());

  /* every process creates both, the list of the second in descending order */
  for (int c = 0; c < 2; c++) {
    count = 0;
    for (int q = 0; q < kit_processes(); q++)
      if (parity(q) == c)
        members[count++] = q;
    for (int i = 0; c == 1 && i < count / 2; i++) {
      int other = members[count - 1 - i];
      members[count - 1 - i] = members[i];
      members[i] = other;
    }
    groups[c] = count ? GA_Pgroup_create(members, count) : 0;
  }
  count = with_colour(parity, members); /* GA sorts the list */
  /* not in step: the odd group does more */
  test_group("even and odd", groups[mine], members, count, 1 + 2 * mine);
  GA_Sync();
  for (int c = 0; c < 2; c++)
    if (c == mine)
      kit_check(GA_Pgroup_destroy(groups[c]) == 1, "cannot destroy the group");
  GA_Sync();
}

static void test_split(int *members)
{
  int world = GA_Pgroup_get_world(), count, group;

  count = with_colour(upper_half, members);
  group = GA_Pgroup_split_irreg(world, upper_half(kit_me()));
  test_group("split_irreg", group, members, count, 1 + upper_half(kit_me()));
  GA_Sync();
  if (kit_processes() % 2 == 0) {
    group = GA_Pgroup_split(world, 2);
    test_group("split", group, members, count, 1);
    GA_Sync();
  }
  members[0] = kit_me();
  test_group("self", GA_Pgroup_self(), members, 1, 1);
  GA_Sync();
}

/* Members of both groups meet in an array of the world, each group writing its half. */
static void test_world_array(int *members)
{
  model m;
  patch p;
  int n = kit_processes(), world = GA_Pgroup_get_world(), array, group;

  kit_about("array of the world used from groups");
  model_init(&m, &model_types[MODEL_DOUBLE], 2, (int[]){4 * n, 7});
  array = model_create(&m);
  group = GA_Pgroup_split_irreg(world, upper_half(kit_me()));
  GA_Pgroup_set_default(group);
  for (int q = 0; q < n; q++) {
    int row = n - 1 - q;
    patch_init(&p, &m, (int[]){4 * row, 0}, (int[]){4 * row + 3, 6}, NULL, 1);
    patch_payload(&p, q, 0);
    patch_put(&p, &m);
    if (q == kit_me())
      NGA_Put(array, p.lo, p.hi, p.buffer, p.ld);
    patch_free(&p);
  }
  GA_Pgroup_set_default(world);
  model_verify(&m, array);
  GA_Destroy(array);
  model_free(&m);
  for (int q = 0; q < n; q++)
    members[q] = q;
  test_group("world", world, members, n, 1);
}

int main(int argc, char **argv)
{
  int *members;

  kit_start(&argc, &argv, "groups");
  members = kit_alloc((size_t)kit_processes(), sizeof *members);
  for (int round = 0; round < 2; round++) {
    test_create(members);
    test_split(members);
    test_world_array(members);
  }
  free(members);
  return kit_finish();
}
