/* ARMCI's domains: one for each process, or one for each node. */
#include "binding.h"

#include "base/settings.h"
#include "memory/zone.h"
#include "team/world.h"

/* number of processes in each domain */
static int per_domain = 1;

/* Returns true if each node can be a domain. Programs compute the process numbers of a domain by
 * arithmetic. They also load, store and poll flags in the memory of other processes of their
 * domain. If any of this does not work, every process is a domain of its own. */
static bool nodes_can_be_domains(void)
{
  const int per = cwi_world.processes / cwi_world.nodes;
  bool regular = cwi_world.processes % cwi_world.nodes == 0;
  for (int process = 0; process < cwi_world.processes; process++)
    regular = regular && cwi_world.node_of[process] == process / per;
  return regular && cwi_settings.route != CWI_ROUTE_RMA && cwi_zone.base != NULL;
}

void cwi_armci_domains_start(void)
{
  const bool nodes = cwi_settings.domains == CWI_DOMAINS_NODE && nodes_can_be_domains();
  per_domain = nodes ? cwi_world.processes / cwi_world.nodes : 1;
}

int cwi_armci_domain_size(void)
{
  return per_domain;
}

int cwi_armci_domain_of(int process)
{
  return process / per_domain;
}

cw_error cwi_armci_check_scope(int scope)
{
  if (scope >= SCOPE_ALL && scope <= SCOPE_MASTERS)
    return CW_OK;
  return cwi_misuse("scope is %d; it may be SCOPE_ALL (0), SCOPE_NODE (1) or SCOPE_MASTERS (2)",
                    scope);
}

static int checked_domain(const char *call, const char *what, int process)
{
  return cwi_armci_result(call, cwi_armci_process(what, process)) == 0 ? process / per_domain : -1;
}

/* All domains have the same number of processes, so id does not matter. */
int armci_domain_nprocs(armci_domain_t domain, int id)
{
  (void)domain;
  (void)id;
  return per_domain;
}

int armci_domain_count(armci_domain_t domain)
{
  (void)domain;
  return cwi_world.processes / per_domain;
}

int armci_domain_id(armci_domain_t domain, int glob_proc_id)
{
  (void)domain;
  return checked_domain(__func__, "glob_proc_id", glob_proc_id);
}

int armci_domain_my_id(armci_domain_t domain)
{
  (void)domain;
  return checked_domain(__func__, "this", cwi_world.process);
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id)
{
  (void)domain;
  cw_error error = cwi_armci_running();
  if (error == CW_OK && (id < 0 || id >= cwi_world.processes / per_domain))
    error =
        cwi_misuse("id is %d; there are domains 0 to %d", id, cwi_world.processes / per_domain - 1);
  else if (error == CW_OK && (loc_proc_id < 0 || loc_proc_id >= per_domain))
    error = cwi_misuse("loc_proc_id is %d; a domain has processes 0 to %d", loc_proc_id,
                       per_domain - 1);
  return CWI_ARMCI(error) == 0 ? id * per_domain + loc_proc_id : -1;
}

int armci_domain_same_id(armci_domain_t domain, int proc)
{
  (void)domain;
  return checked_domain(__func__, "proc", proc) == cwi_armci_domain_of(cwi_world.process);
}

int ARMCI_Same_node(int proc)
{
  return checked_domain(__func__, "proc", proc) == cwi_armci_domain_of(cwi_world.process);
}
