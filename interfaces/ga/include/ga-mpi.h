/* GA and MPI: communicators of groups, and GA on some of the processes. */
#ifndef CWGA_MPI_H
#define CWGA_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts GA on the processes of comm, which are then GA's world. Returns 1. Collective over comm.
 * ga.h includes this declaration, too. */
int GA_Initialize_comm(MPI_Comm comm);
int NGA_Initialize_comm(MPI_Comm comm);

/* Return the communicators of the world, of a group and of the default group. Their ranks are the
 * process numbers in the group. They belong to GA, which never sends its own messages on them.
 * Local. */
MPI_Comm GA_MPI_Comm(void);
MPI_Comm GA_MPI_Comm_pgroup(int pgroup);
MPI_Comm GA_MPI_Comm_pgroup_default(void);

#ifdef __cplusplus
}
#endif
#endif
