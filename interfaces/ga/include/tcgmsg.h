/* TCGMSG: messages, collective operations and a shared counter, for C programs. Call tcg_pbeginf,
 * or one of its variants, before all other calls, and before GA_Initialize. The calls always use
 * all processes, whatever the default group of GA is. Every error ends the job with a message that
 * names the call, the argument and the valid values. Thread level: one thread at a time. */
#ifndef CWGA_TCGMSG_H
#define CWGA_TCGMSG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Start TCGMSG: MPI, if it does not run yet, and Causeway. The four calls do the same.
 * Collective. */
void tcg_pbegin(int argc, char **argv);
void tcg_pbeginf(void);
void tcg_pbginf(void);
void tcg_alt_pbegin(int *argc, char ***argv);

/* Stop Causeway and MPI, and end this process with exit status 0. Does not return. Collective. A
 * program begins and ends with:
 *
 *   tcg_pbeginf();
 *   ...
 *   tcg_pend();
 */
void tcg_pend(void);

/* Print a message and the code, and end the job. tcg_parerr has no message. */
void tcg_error(char *msg, long code);
void tcg_parerr(long code);

/* tcg_nnodes returns the number of processes, and tcg_nodeid the number of this process. tcg_ready
 * returns 1 if TCGMSG is running. */
long tcg_nnodes(void);
long tcg_nodeid(void);
long tcg_ready(void);

/* Sends lenbuf bytes to process `node`. The receiver must pass the same type. It is a number from 0
 * to 32767, to which MSGDBL, MSGINT or MSGCHR may be added. If sync is 0, the call returns before
 * the message is sent, and the program must not change buf until tcg_waitcom. Otherwise the program
 * may reuse buf on return. */
void tcg_snd(long type, void *buf, long lenbuf, long node, long sync);

/* Receives a message of this type and of at most lenbuf bytes from process nodeselect, or from any
 * process if nodeselect is -1. *lenmes receives its length and *nodefrom its sender; both arguments
 * may be NULL. If sync is 0, the call returns immediately, *lenmes is -1, *nodefrom is nodeselect,
 * and the data is in buf after tcg_waitcom. */
void tcg_rcv(long type, void *buf, long lenbuf, long *lenmes, long nodeselect, long *nodefrom,
             long sync);

/* Returns 1 if there is a message of this type from process `node`, or from any process if node is
 * -1. Otherwise returns 0. */
long tcg_probe(long type, long node);

/* Waits for all transfers that were started with sync 0. `node` has no effect. */
void tcg_waitcom(long node);

/* Collective operations over all processes. `type` has no effect. tcg_brdcst copies lenbuf bytes
 * from process `originator` to all others. tcg_dgop and tcg_igop reduce the x of all processes in
 * place. op is "+", "*", "max", "min", "absmax" or "absmin"; for integers it may also be "or".
 * tcg_synch waits for all processes. */
void tcg_brdcst(long type, void *buf, long lenbuf, long originator);
void tcg_dgop(long type, double *x, long n, char *op);
void tcg_igop(long type, long *x, long n, char *op);
void tcg_synch(long type);

/* If mproc > 0, returns the next value of a counter that all processes share; it begins with 0. If
 * mproc < 0, the call is collective, resets the counter and returns 0. */
long tcg_nxtval(long mproc);

/* Copies a file of process node0 to all others, under the same name. Collective. */
void tcg_pfcopy(long type, long node0, char *fname);

/* Convert sizes: n doubles to bytes, n long to bytes, n doubles to long, and n long to doubles.
 * Results are rounded up. */
long tcg_mdtob(long n);
long tcg_mitob(long n);
long tcg_mdtoi(long n);
long tcg_mitod(long n);

/* Return the hundredths of a second, or the seconds, since the first call. */
long tcg_mtime(void);
double tcg_time(void);

/* tcg_drand48 returns a random number from 0 to less than 1. tcg_srand48 sets the seed of the
 * sequence. */
double tcg_drand48(void);
void tcg_srand48(long seed);

/* Redirects the standard output of this process to the file log.<process>. */
void tcg_llog(void);

/* Adds ival to the nice value of this process, as nice(2) does, and returns the new value. */
long tcg_niceftn(long ival);

/* If value is not 0, each call prints its name from now on. If it is 0, this is switched off. */
void tcg_setdbg(long value);

/* Prints nothing. CW_STATS=1 counts operations. */
void tcg_stats(void);

#ifdef __cplusplus
}
#endif
#endif
