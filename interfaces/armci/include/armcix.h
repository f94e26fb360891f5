/* ARMCI extensions: split and duplicate groups, mutex sets of any group, progress. */
#ifndef ARMCIX_H
#define ARMCIX_H

#include "armci.h"
#include "armciconf.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Make groups as MPI_Comm_split and MPI_Comm_dup make communicators. Collective over the parent. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);

/* Sets of mutexes. Create and Destroy are collective over the group. Each member hosts `count`
 * mutexes, and (mutex, proc) names one; proc is a rank of the world. Trylock does not wait: it
 * returns 0 if the caller has the mutex now, and 1 if not. */
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/* Lets MPI make progress, and serves requests from other processes. Local. */
void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif
#endif
