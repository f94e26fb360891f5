/* GA's groups: their members, order and numbering; the default group. */
#include "kit/kit.h"

#include <cwga.h>
#include <ga-mpi.h>
#include <ga.h>

static int me, all;

static void check_group(int group, int size, int rank, int first)
{
  int members = 0;
  kit_check_long(GA_Pgroup_nnodes(group), size, "size");
  kit_check_long(NGA_Get_pgroup_size(group), size, "size");
  kit_check_long(GA_Pgroup_nodeid(group), rank, "my number");
  kit_check_long(NGA_Pgroup_absolute_id(group, 0), first, "the first one");
  if (rank >= 0) {
    kit_check_long(GA_Pgroup_absolute_id(group, rank), me, "I");
    MPI_Comm_size(GA_MPI_Comm_pgroup(group), &members);
    kit_check_long(members, size, "size of the communicator");
    GA_Pgroup_sync(group);
  }
}

/* With an empty group as the default group, only its size may be queried. */
static void empty_group(void)
{
  int list[1] = {0};
  const int group = GA_Pgroup_create(list, 0);
  kit_about("without members");
  GA_Pgroup_set_default(group);
  kit_check_long(GA_Nnodes(), 0, "size");
  kit_check_long(GA_Nodeid(), -1, "my number");
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  kit_check_long(GA_Pgroup_destroy(group), 1, "destroyed");
  kit_check_long(GA_Pgroup_destroy(group), 0, "destroyed again");
  kit_about("parts as with GA");
  const int whole = GA_Pgroup_split(-1, 0), mine = GA_Pgroup_split(-1, all + 3);
  kit_check_long(GA_Pgroup_nnodes(whole), all, "one part for 0");
  kit_check_long(GA_Pgroup_nnodes(mine), 1, "no more parts than processes");
  GA_Pgroup_set_default(whole);
  kit_check_long(GA_Pgroup_destroy(whole), 1, "the default group is destroyed");
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Pgroup_destroy(mine);
}

/* A group of the first and the last process in reverse order. */
static void ends(bool first_life)
{
  kit_about("created");
  int list[2] = {all - 1, 0}, count = all > 1 ? 2 : 1;
  const int group = GA_Pgroup_create(list, count);
  kit_check(!first_life || group == 2, "the first group is %d", group);
  check_group(group, count, me == 0 ? 0 : me == all - 1 ? 1 : -1, 0);
  kit_check_long(GA_Pgroup_destroy(group), 1, "destroyed");
  kit_check(GA_Pgroup_self() != group, "a new group has the number of a destroyed one");
}

static void parts(void)
{
  for (int count = 1; count <= all; count++) {
    kit_about("%d parts", count);
    const int width = (all + count - 1) / count, first = me / width * width;
    const int group = NGA_Pgroup_split(GA_Pgroup_get_world(), count);
    check_group(group, first + width <= all ? width : all - first, me - first, first);
    GA_Pgroup_destroy(group);
  }
}

static void colours(void)
{
  kit_about("colours");
  const int group = GA_Pgroup_split_irreg(-1, me % 2);
  const int size = (all + 1 - me % 2) / 2;
  check_group(group, size, me / 2, me % 2);

  kit_about("the default group");
  GA_Pgroup_set_default(group);
  kit_check_long(GA_Nnodes(), size, "processes");
  kit_check_long(GA_Nodeid(), me / 2, "my number");
  kit_check_long(GA_Get_pgroup(GA_Create_handle()), group, "group of an array");
  MPI_Comm_size(GA_MPI_Comm_pgroup_default(), &(int){0});
  GA_Sync();
  int last = size - 1;
  const int inner = GA_Pgroup_create(&last, 1);
  check_group(inner, 1, me / 2 == last ? 0 : -1, 2 * last + me % 2);
  GA_Pgroup_set_default(GA_Pgroup_get_world());

  kit_about("copies");
  const int copy = GA_Pgroup_duplicate(group);
  kit_check(copy != group, "a copy has the same number");
  check_group(copy, size, me / 2, me % 2);
  check_group(GA_Pgroup_self(), 1, 0, me);
}

/* An array that outlives its group. */
static void left(void)
{
  kit_about("an array without its group");
  int dims[] = {4, 3}, lo[2], hi[2], first[] = {0, 0}, list[2] = {all - 1, 0}, ld = 3;
  const int count = all > 1 ? 2 : 1, group = GA_Pgroup_create(list, count);
  double one = 1, value = 0;
  if (me == 0 || me == all - 1) {
    char name[] = "left";
    const int g_a = NGA_Create_config(C_DBL, 2, dims, name, NULL, group);
    GA_Pgroup_destroy(group);
    const int rank = me == 0 ? 0 : 1;
    GA_Fill(g_a, &one);
    NGA_Distribution(g_a, rank, lo, hi);
    kit_check_long((long)(hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1), 12 / count, "my elements");
    GA_Randomize(g_a, &one);
    GA_Fill(g_a, &one);
    kit_check(GA_Ddot(g_a, g_a) == 12, "the sum of squares is not 12");
    NGA_Get(g_a, first, first, &value, &ld);
    kit_check(value == 1, "an element is %g", value);
    const int g_b = GA_Duplicate(g_a, name);
    GA_Copy(g_a, g_b);
    kit_check_long(cw_ga_equal(g_a, g_b), 1, "equal");
    if (rank == count - 1)
      NGA_Put(g_b, first, first, &(double){2}, &ld);
    kit_check_long(cw_ga_equal(g_a, g_b), 0, "equal after a put");
    GA_Destroy(g_b);
    GA_Destroy(g_a);
  }
  GA_Sync();
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "groups");
  for (int life = 0; life < 2; life++) {
    GA_Initialize();
    me = GA_Nodeid();
    all = GA_Nnodes();
    check_group(GA_Pgroup_get_world(), all, me, 0);
    ends(life == 0);
    empty_group();
    parts();
    colours();
    left();
    kit_about("my node");
    const int node = GA_Cluster_nodeid(), first = GA_Cluster_procid(node, 0);
    kit_check_long(GA_Pgroup_get_mirror(), 0, "number");
    if (me == first) { /* with a group of its own: no other process takes part */
      GA_Pgroup_set_default(0);
      kit_check_long(GA_Nnodes(), GA_Cluster_nprocs(node), "the default group");
      kit_check(GA_MPI_Comm_pgroup(0) != MPI_COMM_NULL, "no communicator");
      GA_Pgroup_set_default(GA_Pgroup_get_world());
    }
    GA_Sync();
    check_group(0, GA_Cluster_nprocs(node), me - first, first);
    GA_Terminate();
  }
  return kit_finish();
}
