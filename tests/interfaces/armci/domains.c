/* Domains: one for each process or, with CW_DOMAINS=node, one for each node, if nodes are regular.
 * */
#include "armci_kit.h"

#include <stdlib.h>

static int me, all, per;

/* Returns the size that the environment gives to the nodes of this job. The test runs on one
 * machine. */
static int expected_size(void)
{
  const char *domains = getenv("CW_DOMAINS"), *size = getenv("CW_NODE_SIZE"),
             *route = getenv("CW_ROUTE");
  const int node = size != NULL && atoi(size) > 0 && atoi(size) < all ? atoi(size) : all;
  const bool nodes = domains != NULL && domains[0] == 'n' && (route == NULL || route[0] != 'w');
  return nodes && all % node == 0 ? node : 1;
}

static void arithmetic(void)
{
  const armci_domain_t domain = ARMCI_DOMAIN_SMP;
  kit_about("arithmetic, %d in a domain", per);
  kit_check_long(armci_domain_count(domain), all / per, "domains");
  kit_check_long(armci_domain_nprocs(domain, -1), per, "processes in mine");
  kit_check_long(armci_domain_my_id(domain), me / per, "my domain");
  for (int p = 0; p < all; p++) {
    kit_check_long(armci_domain_id(domain, p), p / per, "domain of a process");
    kit_check_long(armci_domain_nprocs(domain, p / per), per, "processes in a domain");
    kit_check_long(armci_domain_glob_proc_id(domain, p / per, p % per), p, "process of a place");
    kit_check_long(armci_domain_same_id(domain, p), p / per == me / per, "same domain");
    kit_check_long(ARMCI_Same_node(p), p / per == me / per, "same node");
  }
  kit_check_long(ARMCI_Uses_shm(), 0, "ARMCI_Uses_shm");
}

/* The slices of this process's domain can be loaded and stored. */
static void shared_slices(void)
{
  void **slices = armci_kit_malloc(sizeof(int), 0);
  const int first = me - me % per, next = first + (me + 1 - first) % per;
  kit_about("load and store");
  *(int *)slices[next] = 10 + me;
  armci_msg_barrier();
  for (int k = 0; k < per; k++)
    kit_check_long(*(int *)slices[first + (k + 1) % per], 10 + first + k, "a peer's number");
  armci_msg_barrier();
  armci_kit_free(slices);
}

static void scopes(ARMCI_Group *group, int members)
{
  int x = 1, y = 1, z = 1, w = me % per == 0 ? 5 + me : 0;
  const int masters = members / per;
  armci_msg_gop_scope(SCOPE_NODE, &x, 1, armci_kit_sum, ARMCI_INT);
  kit_check_long(x, per, "sum over my domain");
  armci_msg_clus_igop(&x, 1, armci_kit_sum);
  kit_check_long(x, per * per, "sum over my domain, again");
  armci_msg_group_gop_scope(SCOPE_MASTERS, &y, 1, armci_kit_sum, ARMCI_INT, group);
  kit_check_long(y, me % per == 0 ? masters : 1, "sum over the masters");
  armci_msg_group_gop_scope(SCOPE_NODE, &z, 1, armci_kit_sum, ARMCI_INT, group);
  kit_check_long(z, per, "sum over my domain in a group");
  armci_msg_clus_brdcst(&w, sizeof w);
  kit_check_long(w, 5 + me - me % per, "my master's number");
}

/* In each scope, every process but the root is the child of exactly one process. */
static void trees(void)
{
  int *parents = kit_alloc((size_t)all, sizeof *parents);
  for (int scope = SCOPE_ALL; scope <= SCOPE_MASTERS; scope++) {
    int root, up, left, right;
    kit_about("tree of scope %d", scope);
    armci_msg_bintree(scope, &root, &up, &left, &right);
    for (int p = 0; p < all; p++)
      parents[p] = (p == left) + (p == right);
    armci_msg_igop(parents, all, armci_kit_sum);
    const bool covered = scope != SCOPE_MASTERS || me % per == 0;
    const bool first = scope == SCOPE_NODE ? me % per == 0 : me == 0;
    kit_check_long(parents[me], covered && !first, "times that I am a child");
    kit_check((up >= 0) == (covered && !first), "up is %d", up);
  }
  free(parents);
}

int main(int argc, char **argv)
{
  ARMCI_Group world, copy;
  armci_kit_start(&argc, &argv, "armci.domains");
  me = kit_me();
  all = kit_processes();
  per = expected_size();
  arithmetic();
  shared_slices();
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_dup(&world, &copy);
  for (int round = 0; round < 3; round++) {
    kit_about("scopes, round %d", round);
    scopes(&world, all);
    scopes(&copy, all);
  }
  ARMCI_Group_free(&copy);
  trees();
  return armci_kit_finish();
}
