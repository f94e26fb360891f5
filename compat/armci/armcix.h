/* ARMCI extensions: split and duplicate groups, mutex sets of any group, progress. */
#ifndef ARMCIX_H
#define ARMCIX_H

#include "armci.h"
#include "armciconf.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As MPI_Comm_split and MPI_Comm_dup. Collective over parent; return 0. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);

/* A set of mutexes, `count` of them hosted by me; proc is a rank of the world. Trylock returns 0
 * when the mutex is mine now. */
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif
#endif
