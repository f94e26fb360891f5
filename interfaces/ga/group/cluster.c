/* GA's view of the nodes of the machine. */
#include "ga/base/binding.h"

static cw_error node(const char *what, int number)
{
  CWI_TRY(cwi_ga_running());
  if (number >= 0 && number < cw_nodes())
    return CW_OK;
  return cwi_misuse("%s is node %d; there are nodes 0 to %d", what, number, cw_nodes() - 1);
}

/* Returns the process with index `place` on node `number`. If there is none, returns -1 and stores
 * the node's number of processes in *count. */
static int process_on(int number, int place, int *count)
{
  *count = 0;
  for (int process = 0; process < cw_processes(); process++)
    if (cw_process_node(process) == number && (*count)++ == place)
      return process;
  return -1;
}

int GA_Cluster_nnodes(void)
{
  return CWI_GA(cwi_ga_running()) == 0 ? cw_nodes() : 0;
}

int GA_Cluster_nodeid(void)
{
  return CWI_GA(cwi_ga_running()) == 0 ? cw_process_node(cw_process()) : -1;
}

/* Stores the number of processes on node x. A negative x means the node of this process. */
static cw_error processes_on(int x, int *count)
{
  CWI_TRY(cwi_ga_running());
  const int number = x < 0 ? cw_process_node(cw_process()) : x;
  CWI_TRY(node("x", number));
  process_on(number, -1, count);
  return CW_OK;
}

int GA_Cluster_nprocs(int x)
{
  int count = 0;
  (void)CWI_GA(processes_on(x, &count));
  return count;
}

static cw_error process_of(int x, int y, int *process)
{
  int count = 0;
  CWI_TRY(node("x", x));
  CWI_TRY(cwi_check_not_negative("y", y));
  *process = process_on(x, y, &count);
  if (*process >= 0)
    return CW_OK;
  return cwi_misuse("y is %d; node %d has processes 0 to %d", y, x, count - 1);
}

int GA_Cluster_procid(int x, int y)
{
  int process = -1;
  (void)CWI_GA(process_of(x, y, &process));
  return process;
}

/* Stores the node of a process. The number stays unchanged for process -1, which other calls return
 * to mean "no process". */
static cw_error node_of(int process, int *number)
{
  CWI_TRY(cwi_ga_running());
  if (process == -1)
    return CW_OK;
  *number = cw_process_node(process);
  if (*number >= 0)
    return CW_OK;
  return cwi_misuse("process is %d; there are processes 0 to %d", process, cw_processes() - 1);
}

int GA_Cluster_proc_nodeid(int process)
{
  int number = -1;
  (void)CWI_GA(node_of(process, &number));
  return number;
}

/* Fills the list with 0 to count - 1, because the message-passing numbers of the processes are GA's
 * numbers. `count` may exceed the number of processes, because programs pass a list of fixed
 * length. */
static cw_error list(int *numbers, int count)
{
  CWI_TRY(cwi_ga_running());
  if (count > 0)
    CWI_TRY(cwi_check_not_null("list", numbers));
  for (int i = 0; i < count; i++)
    numbers[i] = i;
  return CW_OK;
}

void GA_List_nodeid(int numbers[], int count)
{
  (void)CWI_GA(list(numbers, count));
}

CWI_GA_NGA(List_nodeid);
