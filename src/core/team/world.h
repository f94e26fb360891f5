/* The world: all processes, and the nodes on which they run. */
#pragma once

#include "base/error.h"
#include "team/team.h"
#include "wait/object_table.h"

#include <mpi.h>

/* The name of a node's machine, truncated if it is longer. */
struct cwi_machine_name {
  char text[28];
};

/* With CW_SERVER=rank the last rank of each node is its server. A server rank is not a process of
 * the world; it has all of these fields except `team`. */
struct cwi_world {
  cw_team team;
  int process, processes; /* process is -1 on a server rank */
  int node, nodes;
  int job;            /* PID of process 0 on its machine */
  int node_processes; /* number of processes on my node */
  int node_ranks;     /* number of processes and server ranks on my node */
  int node_rank;      /* my rank in node_comm */
  bool serves;        /* true on a server rank */
  int *machine_of; /* [processes] lowest rank of the machine; virtual nodes of a machine share it */
  int *node_of;    /* [processes] node of each process */
  int *rank_of;    /* [processes] rank in all_comm */
  /* [nodes] rank in all_comm of the server rank, or of the process whose thread serves */
  int *server_of;
  struct cwi_machine_name *machine_name_of; /* [nodes] */
  int first_process;                        /* lowest process on my node */
  int *peers;                               /* [node_processes] processes on my node, ascending */
  MPI_Comm all_comm;                        /* processes and server ranks */
  MPI_Comm node_comm;                       /* my node's processes, then its server rank */
  MPI_Comm machine_comm; /* ranks that could share memory, regardless of virtual nodes */
  /* number of task phases that run in this process; while there is one, the world cannot stop */
  unsigned phases;
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

/* cwi_node_is_lost returns true if the process that runs the node's server has failed. The node's
 * memory is then gone, and its other processes end. cwi_node_lost returns CW_FAILED with a message
 * that names the node. */
bool cwi_node_is_lost(int node);
CWI_CHECKED cw_error cwi_node_lost(int node);

/* Returns the lowest process of a node, whose thread runs the node's server if it is a thread. */
int cwi_first_of_node(int node);

/* Returns the index of a process among those of my node, or -1 if it is on another node. */
int cwi_node_index(int process);

/* Returns the misuse of a call before cw_init or after cw_finalize. */
CWI_CHECKED cw_error cwi_not_running(void);

/* Returns the misuse of a call whose argument `name` is not a living object of this kind. */
CWI_CHECKED cw_error cwi_object_missing(const struct cwi_objects *objects, const char *name,
                                        const void *object);

/* Returns CW_MISUSE if the argument `name` is not a living object of this kind. */
static inline CWI_CHECKED cw_error cwi_check_object(const struct cwi_objects *objects,
                                                    const char *name, const void *object)
{
  return CWI_LIKELY(cwi_object_lives(objects, object)) ? CW_OK
                                                       : cwi_object_missing(objects, name, object);
}

/* Returns CW_MISUSE if this process is in a phase of a task pool, in which Causeway cannot stop.
 * Local. */
CWI_CHECKED cw_error cwi_world_may_stop(void);

/* Returns CW_MISUSE if `process` is not a process number of the world. */
CWI_CHECKED cw_error cwi_check_process(int process);

/* cwi_world_check returns CW_MISUSE if no world can be made of this communicator; it is local.
 * cwi_world_start makes the world and cwi_world_stop frees it; both are collective. */
CWI_CHECKED cw_error cwi_world_check(MPI_Comm comm);
CWI_CHECKED cw_error cwi_world_start(MPI_Comm comm);
CWI_CHECKED cw_error cwi_world_stop(void);

/* Resets the world after a start that failed, so that public calls report that Causeway does not
 * run. Local. */
void cwi_world_forget(void);
