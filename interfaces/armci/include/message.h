/* ARMCI: messages and reductions between processes. Processes and roots are ranks of the world. The
 * calls return when they are complete. Calls on a scope or a group are collective over it. Errors
 * end the job, as in armci.h. */
#ifndef ARMCI_MESSAGE_H
#define ARMCI_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

/* armci_msg_me returns the rank of this process, and armci_msg_nproc the number of processes.
 * armci_msg_abort ends the job. The exit status is the low 8 bits of the code, or 1 if these are 0.
 * armci_timer returns the seconds since some time in the past. All are local. */
int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code);
double armci_timer(void);

/* Messages of `len` bytes. armci_msg_snd returns when the buffer may be used again. The receiver's
 * buffer has buflen bytes; *msglen receives the length of the message (msglen may be NULL).
 * armci_msg_rcvany receives a message from any process and returns that process. */
void armci_msg_snd(int tag, void *buffer, int len, int to);
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);

/* Wait for all processes of the world, or of the group. These calls complete no transfers;
 * ARMCI_Barrier does. Twins: parmci_. */
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group *group);

/* Stores the caller's neighbours in a binary tree over the scope, or -1 for a neighbour that does
 * not exist. */
void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right);

/* Copy the `len` bytes of the root's buffer to all processes. */
void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_brdcst(void *buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group);

/* Reduce the n elements of x over all processes, in place; all processes get the result. op: + *
 * max min absmax absmin; for integers also land && lor || band & bor | or ("or" is bitwise). type:
 * one of armci_type_e. */
void armci_msg_reduce(void *x, int n, char *op, int type);
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_igop(int *x, int n, char *op);
void armci_msg_lgop(long *x, int n, char *op);
void armci_msg_llgop(long long *x, int n, char *op);
void armci_msg_fgop(float *x, int n, char *op);
void armci_msg_dgop(double *x, int n, char *op);
void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);

/* Each process passes a record x of n bytes that begins with a value of `type`. All processes of
 * the default group receive the record with the least (op min) or greatest (op max) value. Only
 * records of processes with contribute != 0 compete. */
void armci_msg_sel(void *x, int n, char *op, int type, int contribute);
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);

/* Each process fills its own of the n slots and sets the others to NULL. The call fills all slots
 * on all processes. */
void armci_exchange_address(void *ptr_ar[], int n);
void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group);

/* Like armci_msg_brdcst and armci_msg_igop to armci_msg_dgop, but within the caller's domain. The
 * first process of the domain is the root of the broadcast. */
void armci_msg_clus_brdcst(void *buf, int len);
void armci_msg_clus_igop(int *x, int n, char *op);
void armci_msg_clus_lgop(long *x, int n, char *op);
void armci_msg_clus_llgop(long long *x, int n, char *op);
void armci_msg_clus_fgop(float *x, int n, char *op);
void armci_msg_clus_dgop(double *x, int n, char *op);

/* Rank grp_master of the group sends to the grp_clus_nproc - 1 ranks that follow it. */
void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group *mastergroup);

#ifdef __cplusplus
}
#endif
#endif
