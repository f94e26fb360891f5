/* Groups of processes, and collective operations on the caller's own values. */
#include "differ.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

/* GA's prototypes take names as char *. */
static char names[][8] = {"+", "*", "max", "min", "absmax", "absmin", "&&", "||", "&", "|"};
enum { FOR_COMPLEX = 2, FOR_REAL = 6, FOR_WHOLE = 10 };

/* Fills in one number of each process; products must not overflow the type. */
static void fill(const kind *type, void *values, int count, const char *op, uint64_t stamp)
{
  bool small = *op == '*', truth = strlen(op) == 2; /* && and || */

  for (int i = 0; i < count; i++) {
    uint64_t x = mix(stamp + (uint64_t)(1000 * run.me + i));

    if (truth) /* GA 5.8.2 leaves other numbers unchanged where a process is alone */
      store(type, values, (size_t)i, (double)(x % 2), 0);
    else if (small)
      store(type, values, (size_t)i, (double)(x % 3) + 1, 0);
    else
      store(type, values, (size_t)i, (double)(x % 2001) - 1000, (double)(x / 2001 % 2001) - 1000);
  }
}

static void reduce_world(const kind *type, void *x, int n, char *op)
{
  switch (type->code) {
  case C_INT:
    GA_Igop(x, n, op);
    break;
  case C_LONG:
    GA_Lgop(x, n, op);
    break;
  case C_LONGLONG:
    GA_Llgop(x, n, op);
    break;
  case C_FLOAT:
    GA_Fgop(x, n, op);
    break;
  case C_DBL:
    GA_Dgop(x, n, op);
    break;
  case C_SCPL:
    GA_Cgop(x, n, op);
    break;
  default:
    GA_Zgop(x, n, op);
    break;
  }
}

static void reduce_group(int group, const kind *type, void *x, int n, char *op)
{
  switch (type->code) {
  case C_INT:
    GA_Pgroup_igop(group, x, n, op);
    break;
  case C_LONG:
    GA_Pgroup_lgop(group, x, n, op);
    break;
  case C_LONGLONG:
    GA_Pgroup_llgop(group, x, n, op);
    break;
  case C_FLOAT:
    GA_Pgroup_fgop(group, x, n, op);
    break;
  case C_DBL:
    GA_Pgroup_dgop(group, x, n, op);
    break;
  case C_SCPL:
    GA_Pgroup_cgop(group, x, n, op);
    break;
  default:
    GA_Pgroup_zgop(group, x, n, op);
    break;
  }
}

static void reduce(void)
{
  const kind *type = &kinds[draw(KINDS)];
  char *op = names[draw(type->is_complex ? FOR_COMPLEX : type->whole ? FOR_WHOLE : FOR_REAL)];
  int count = 1 + draw(MOST), way = draw(3);
  DoubleComplex values[MOST];
  uint64_t h = 0;

  log_text(" %s %s %d %s", type->name, op, count, (const char *[]){"gop", "typed", "group"}[way]);
  fill(type, values, count, op, (uint64_t)draw(1 << 30));
  if (way == 0)
    GA_Gop(type->code, values, count, op);
  if (way == 1)
    reduce_world(type, values, count, op);
  if (way == 2)
    reduce_group(GA_Pgroup_get_default(), type, values, count, op);
  for (int i = 0; i < count; i++)
    h = digest(h, type, values, (size_t)i);
  own_ints("first", 1, (int *)values);
  own(" %016llx", (unsigned long long)h);
}

static void broadcast(void)
{
  int root = draw_layout(run.processes), count = 1 + draw(700), *values, group = draw(2);
  uint64_t h = 0;

  values = take((size_t)count, sizeof *values);
  for (int i = 0; i < count; i++)
    values[i] = 1000 * run.me + i;
  log_text(" %d", count);
  own(" from %d", root);
  if (group)
    GA_Pgroup_brdcst(GA_Pgroup_get_default(), values, count * (int)sizeof *values, root);
  else
    GA_Brdcst(values, count * (int)sizeof *values, root);
  for (int i = 0; i < count; i++)
    h = mix(h + (uint64_t)values[i]);
  own(" %016llx", (unsigned long long)h);
  free(values);
}

/* Checks a group's queries of itself. */
static void own_group(int group)
{
  int members = GA_Pgroup_nnodes(group), sum = GA_Nodeid() + 1;

  own(" %d of %d %d:", GA_Pgroup_nodeid(group), members, GA_Get_pgroup_size(group));
  for (int m = 0; m < members; m++)
    own(" %d", GA_Pgroup_absolute_id(group, m));
  GA_Pgroup_igop(group, &sum, 1, names[0]);
  own(" sum %d", sum);
  GA_Pgroup_sync(group);
}

/* Uses an array of the group; each member adds to all of it. */
static void use_array(int group)
{
  int dims[2] = {7, 5}, lo[2] = {0, 0}, hi[2] = {6, 4}, ld = 5, one = 1, values[35];
  int g = NGA_Create_config(C_INT, 2, dims, (char[]){"of a group"}, NULL, group);

  own(" group %d", GA_Get_pgroup(g) == group);
  if (GA_Pgroup_nodeid(group) == 0) {
    memset(values, 0, sizeof values);
    NGA_Put(g, lo, hi, values, &ld);
  }
  GA_Pgroup_sync(group);
  for (int i = 0; i < 35; i++)
    values[i] = i * (GA_Pgroup_nodeid(group) + 1);
  NGA_Acc(g, lo, hi, values, &ld, &one);
  GA_Pgroup_sync(group);
  NGA_Get(g, lo, hi, values, &ld);
  own(" last %d", values[34]);
  GA_Pgroup_sync(group);
  GA_Destroy(g);
}

static void group_create(void)
{
  int count = 0, *list = take((size_t)run.processes, sizeof *list), group;
  int parts = 1 + draw_layout(run.processes);
  bool split = chance(50);

  if (split) {
    group = GA_Pgroup_split_irreg(GA_Pgroup_get_world(), run.me % parts);
    own_group(group);
    use_array(group);
  } else {
    for (int p = run.processes - 1; p >= 0; p--) /* GA sorts the list */
      if (p % parts == 0)
        list[count++] = p;
    group = GA_Pgroup_create(list, count);
    if (run.me % parts == 0) {
      own_group(group);
      use_array(group);
    }
  }
  GA_Sync();
  if (split || run.me % parts == 0)
    own(" destroyed %d", GA_Pgroup_destroy(group));
  GA_Sync();
  free(list);
}

/* Not the mirror group: it is the node's, and for GA 5.8.2 over ARMCI each process is a node. */
static void group_inquire(void)
{
  own(" world %d default %d self %d", GA_Pgroup_nnodes(GA_Pgroup_get_world()),
      GA_Pgroup_nnodes(GA_Pgroup_get_default()), GA_Pgroup_nnodes(GA_Pgroup_self()));
  own_group(GA_Pgroup_get_default());
}

static bool is_regular(const array *a)
{
  return a->layout == PLAIN || a->layout == CHUNKED || a->layout == IRREGULAR;
}

/* With one node, a mirrored array is an ordinary one on the mirror group. */
static void mirrored(void)
{
  array *a = array_any(is_regular);
  int g = NGA_Create_config(a->type->code, a->ndim, a->dims, (char[]){"mirrored"}, NULL,
                            GA_Pgroup_get_mirror());

  log_text(" %s", a->name);
  GA_Copy(a->handle, g);
  GA_Zero(a->handle);
  GA_Copy(g, a->handle);
  array_log(a);
  GA_Destroy(g);
}

const operation group_operations[] = {
    {"reduce", "collectives", 4, false, reduce},
    {"broadcast", "collectives", 2, false, broadcast},
    {"group_create", "groups", 2, true, group_create},
    {"group_inquire", "groups", 1, false, group_inquire},
    {"mirrored", "mirrored", 1, true, mirrored},
    {NULL, NULL, 0, false, NULL},
};
