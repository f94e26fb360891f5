/* The world: all processes, and the nodes they sit on. */
#ifndef CWI_TEAM_WORLD_H
#define CWI_TEAM_WORLD_H

#include "base/error.h"
#include "team/team.h"

#include <mpi.h>

/* The name of a node's machine, cut off where it is longer. */
struct cwi_machine_name {
  char text[28];
};

/* With CW_SERVER=rank the last rank of each node is its server: it is no process of the world, and
 * knows of it what is here but for `team`. */
struct cwi_world {
  cw_team team;
  int process, processes; /* a server rank's process is -1 */
  int node, nodes;
  int job;            /* the PID of process 0, on its machine */
  int node_processes; /* on my node */
  int node_ranks;     /* and its server rank, if it has one */
  int node_rank;      /* mine among them */
  bool serves;        /* I am a server rank */
  int *machine_of;    /* [processes] lowest rank of the machine: virtual nodes share one */
  int *node_of;       /* [processes] */
  int *rank_of;       /* [processes] rank in all_comm */
  int *server_of;     /* [nodes] rank in all_comm of the server, or of its thread's process */
  struct cwi_machine_name *machine_name_of; /* [nodes] */
  int first_process;                        /* of my node */
  int *peers;                               /* [node_processes] processes on my node, ascending */
  MPI_Comm all_comm;                        /* processes and server ranks */
  MPI_Comm node_comm;                       /* my node's processes, then its server rank */
  MPI_Comm machine_comm; /* those that could share memory, before virtual nodes */
  unsigned phases;       /* of tasks, which are on in this process: the world has to stay */
};

extern struct cwi_world cwi_world;

static inline bool cwi_is_process(int process)
{
  return process >= 0 && process < cwi_world.processes;
}

static inline bool cwi_same_node(int process)
{
  return cwi_world.node_of[process] == cwi_world.node;
}

static inline bool cwi_same_machine(int process)
{
  return cwi_world.machine_of[process] == cwi_world.machine_of[cwi_world.process];
}

/* The index of a process among those of my node; -1: it is on another. */
int cwi_node_index(int process);

/* The misuse of a call before cw_init or after cw_finalize. */
CWI_CHECKED cw_error cwi_not_running(void);

/* May Causeway be stopped? Not by a task. Local. */
CWI_CHECKED cw_error cwi_world_may_stop(void);

/* The misuse of a process number that is none. */
CWI_CHECKED cw_error cwi_check_process(int process);

/* Can a world be made of this communicator? Errors: CW_MISUSE. Local. */
CWI_CHECKED cw_error cwi_world_check(MPI_Comm comm);
CWI_CHECKED cw_error cwi_world_start(MPI_Comm comm);
CWI_CHECKED cw_error cwi_world_stop(void);

/* After a start that failed: there is no world, and public calls say so. Local. */
void cwi_world_forget(void);
#endif
