/* TCGMSG: messages, collective operations and a shared counter, for C programs. tcg_pbeginf, or one
 * of its variants, comes before all other calls, and GA_Initialize after it. All calls are about
 * all processes that tcg_nnodes counts, whatever the default group of GA is. Every error ends the
 * job, with a message that names the call, the argument and the valid values. Thread level: one
 * thread at a time. */
#ifndef CWGA_TCGMSG_H
#define CWGA_TCGMSG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Start: MPI, if it does not run yet, and Causeway. Collective. The four do the same. */
void tcg_pbegin(int argc, char **argv);
void tcg_pbeginf(void);
void tcg_pbginf(void);
void tcg_alt_pbegin(int *argc, char ***argv);

/* Stop Causeway and MPI, and end this process with exit status 0. Does not return. Collective.
 */
void tcg_pend(void);

/* Print a message and the code, and end the job. tcg_parerr has no message. */
void tcg_error(char *msg, long code);
void tcg_parerr(long code);

/* tcg_nnodes returns the number of processes, tcg_nodeid the number of this one, and tcg_ready
 * whether TCGMSG is running. */
long tcg_nnodes(void);
long tcg_nodeid(void);
long tcg_ready(void);

/* Send lenbuf bytes to a process. The receiver must give the same type, which is 0 to 32767 with or
 * without MSGDBL and the others of msgtypesf.h. If sync is 0, the call returns before the message
 * is sent, and buf must not change until tcg_waitcom. Otherwise buf may be reused on return. */
void tcg_snd(long type, void *buf, long lenbuf, long node, long sync);

/* Receive a message of this type, of at most lenbuf bytes, from process nodeselect; -1 for any
 * process. lenmes, nodefrom: receive its length and its sender; may be NULL. If sync is 0, the call
 * returns at once, lenmes is -1, nodefrom is nodeselect, and the data is in buf after
 * tcg_waitcom. */
void tcg_rcv(long type, void *buf, long lenbuf, long *lenmes, long nodeselect, long *nodefrom,
             long sync);

/* Returns 1 if there is a message of this type from this process (from any, if node is -1), and 0
 * otherwise. */
long tcg_probe(long type, long node);

/* Wait for all transfers that were started with sync 0, whichever process they are to or from. */
void tcg_waitcom(long node);

/* Collective over all processes; type has no meaning. Copy bytes of `originator` to all; reduce x
 * of all, in place (op: "+", "*", "max", "min", "absmax", "absmin", of integers "or" too); wait for
 * all. */
void tcg_brdcst(long type, void *buf, long lenbuf, long originator);
void tcg_dgop(long type, double *x, long n, char *op);
void tcg_igop(long type, long *x, long n, char *op);
void tcg_synch(long type);

/* If mproc > 0, returns the next value of a counter that all processes share; it begins with 0. If
 * mproc < 0, the call is collective, resets the counter and returns 0. */
long tcg_nxtval(long mproc);

/* Copy a file of process node0 to all others, under the same name. Collective. */
void tcg_pfcopy(long type, long node0, char *fname);

/* Sizes: bytes of n doubles, of n long; n doubles in long, n long in doubles, rounded up. */
long tcg_mdtob(long n);
long tcg_mitob(long n);
long tcg_mdtoi(long n);
long tcg_mitod(long n);

/* Hundredths of a second, and seconds, since the first call. */
long tcg_mtime(void);
double tcg_time(void);

/* A random number from 0 to 1, and the seed of the sequence. */
double tcg_drand48(void);
void tcg_srand48(long seed);

/* From now on the output of this process goes to the file log.<process>. */
void tcg_llog(void);

/* The priority of this process, as nice(2) changes it. */
long tcg_niceftn(long ival);

/* Starts printing each call if value is 1, and stops it if value is 0. */
void tcg_setdbg(long value);

/* Prints nothing: CW_STATS=1 counts operations. */
void tcg_stats(void);

#ifdef __cplusplus
}
#endif
#endif
