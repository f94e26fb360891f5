/* Groups, created in every way that programs use; ranks, copies, default group. */
#include "armci_kit.h"

#include <string.h>

static int me, all;

/* Returns a group with random contents, as GA's group records have. */
static ARMCI_Group garbage(void)
{
  ARMCI_Group group;
  memset(&group, 0xee, sizeof group);
  return group;
}

/* Members are list[0..n-1] (world ids). A sum over the group proves that it communicates. */
static void check_group(ARMCI_Group *group, int n, const int *list)
{
  int place = -1, rank = 99, size = 99, sum = 0, one = 1;
  for (int i = 0; i < n; i++)
    place = list[i] == me ? i : place;
  kit_check_long(ARMCI_Group_rank(group, &rank), place < 0, "result of ARMCI_Group_rank");
  ARMCI_Group_size(group, &size);
  kit_check_long(rank, place, "group rank");
  kit_check_long(size, place < 0 ? 0 : n, "group size");
  kit_check_long(group->rank, place, "rank in the struct");
  kit_check((group->comm == MPI_COMM_NULL) == (place < 0), "communicator of the group");
  if (place < 0)
    return;
  for (int i = 0; i < n; i++) {
    kit_check_long(ARMCI_Absolute_id(group, i), list[i], "absolute id");
    sum += list[i];
  }
  int got = me;
  armci_msg_group_igop(&got, 1, armci_kit_sum, group);
  kit_check_long(got, sum, "sum of the members");
  armci_msg_group_igop(&one, 1, armci_kit_sum, group);
  kit_check_long(one, n, "number of members");
  int from = list[n - 1] == me ? 77 : 0;
  armci_msg_group_bcast_scope(SCOPE_ALL, &from, sizeof from, list[n - 1], group);
  kit_check_long(from, 77, "broadcast from an absolute id");
  armci_msg_group_barrier(group);
}

static int stride_list(int first, int step, int *list)
{
  int n = 0;
  for (int p = first; p < all; p += step)
    list[n++] = p;
  return n;
}

/* (a) All processes call with the same list, members or not; the list may be empty. */
static void all_call(void)
{
  int list[64];
  for (int parity = 0; parity < 2; parity++) {
    kit_about("all call, parity %d", parity);
    const int n = stride_list(parity, 2, list);
    ARMCI_Group world, group = garbage(), child = garbage();
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create(n, list, &group);
    check_group(&group, n, list);
    ARMCI_Group_create_child(n, list, &child, &world);
    check_group(&child, n, list);
    ARMCI_Group_free(&group);
    ARMCI_Group_free(&child);
    check_group(&group, 0, list);
  }
}

/* (b) Each process calls once, with its own list; all lists are disjoint. */
static void disjoint_lists(void)
{
  int list[64];
  for (int step = 1; step <= 3; step++) {
    kit_about("disjoint lists, step %d", step);
    ARMCI_Group group = garbage();
    const int n = stride_list(me % step, step, list);
    ARMCI_Group_create(n, list, &group);
    check_group(&group, n, list);
    ARMCI_Group_free(&group);
  }
  kit_about("a group of my own");
  ARMCI_Group alone = garbage();
  list[0] = me;
  ARMCI_Group_create(1, list, &alone);
  check_group(&alone, 1, list);
  ARMCI_Group_free(&alone);
}

/* (c) Only the members call. */
static void members_call(void)
{
  int list[64];
  const int n = stride_list(0, 2, list);
  kit_about("only members call");
  if (me % 2 != 0)
    return;
  ARMCI_Group group = garbage();
  ARMCI_Group_create(n, list, &group);
  check_group(&group, n, list);
  ARMCI_Group_free(&group);
}

/* A child is made of ranks of its parent, which is the default group if there is one. */
static void children(void)
{
  int list[64], last = 0, absolute = 0;
  const int n = stride_list(me % 2, 2, list);
  ARMCI_Group world, half = garbage(), child = garbage(), current = garbage();
  kit_about("children of a default group");
  ARMCI_Group_get_world(&world);
  ARMCI_Group_create(n, list, &half);
  ARMCI_Group_set_default(&half);
  ARMCI_Group_get_default(&current);
  check_group(&current, n, list);
  last = n - 1;
  absolute = list[last];
  ARMCI_Group_create(1, &last, &child);
  check_group(&child, 1, &absolute);
  ARMCI_Group_set_default(&world);
  ARMCI_Group_free(&child);
  ARMCI_Group_free(&half);
}

static void split_and_dup(void)
{
  int list[64], n = 0;
  ARMCI_Group world, group = garbage(), copy = garbage();
  kit_about("split, reversed");
  ARMCI_Group_get_world(&world);
  kit_check_long(ARMCIX_Group_split(&world, me % 2, all - me, &group), 0, "ARMCIX_Group_split");
  for (int p = all - 1; p >= 0; p--)
    if (p % 2 == me % 2)
      list[n++] = p;
  check_group(&group, n, list);
  kit_check_long(ARMCIX_Group_dup(&group, &copy), 0, "ARMCIX_Group_dup");
  check_group(&copy, n, list);
  ARMCI_Group_free(&group);
  check_group(&copy, n, list);
  ARMCI_Group_free(&copy);
  kit_about("split, process 0 stays out");
  ARMCIX_Group_split(&world, me == 0 ? MPI_UNDEFINED : 1, me, &group);
  check_group(&group, me == 0 ? 0 : stride_list(1, 1, list), list);
  ARMCI_Group_free(&group);
}

/* Copies that outlive their group must be invalid, even if a new group uses the same entry. */
static void stale_copies(void)
{
  int list[64];
  const int n = stride_list(0, 1, list);
  ARMCI_Group group = garbage(), again = garbage(), stale;
  kit_about("stale copies");
  ARMCI_Group_create(n, list, &group);
  stale = group;
  ARMCI_Group_free(&group);
  ARMCI_Group_create(n, list, &again);
  ARMCI_Group_free(&stale);
  ARMCI_Group_free(&stale);
  ARMCI_Group_free(&group);
  check_group(&again, n, list);
  kit_check_long(ARMCI_Absolute_id(&stale, 0), -1, "absolute id in a freed group");
  ARMCI_Fence(-1);
  armci_msg_group_barrier(&stale);
  ARMCI_Group_free(&again);
}

static void world_group(void)
{
  int list[64];
  ARMCI_Group world = garbage();
  kit_about("the world");
  ARMCI_Group_get_world(&world);
  check_group(&world, stride_list(0, 1, list), list);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.groups");
  me = kit_me();
  all = kit_processes();
  world_group();
  for (int round = 0; round < 3; round++) {
    all_call();
    disjoint_lists();
    members_call();
    children();
    split_and_dup();
    stale_copies();
  }
  return armci_kit_finish();
}
