/* TCGMSG: messages, collective operations and a shared counter, for C programs. tcg_pbeginf, or
 * another of its like, comes before all other calls, and GA_Initialize after it. All processes that
 * tcg_nnodes counts are meant, whatever group is the default of GA. Every error ends the job, with
 * a message that names the call, the argument and what is legal. Thread level: one thread at a
 * time.
 */
#ifndef CWI_GA_INCLUDE_TCGMSG_H
#define CWI_GA_INCLUDE_TCGMSG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Start: MPI, if it does not run yet, and Causeway. Collective. The four do the same. */
void tcg_pbegin(int argc, char **argv);
void tcg_pbeginf(void);
void tcg_pbginf(void);
void tcg_alt_pbegin(int *argc, char ***argv);

/* Stop Causeway and MPI, and end this process with exit status 0: it does not return. Collective.
 */
void tcg_pend(void);

/* Print a message and the code, and end the job. tcg_parerr has no message. */
void tcg_error(char *msg, long code);
void tcg_parerr(long code);

/* How many processes there are, and which of them this is. Does TCGMSG run? */
long tcg_nnodes(void);
long tcg_nodeid(void);
long tcg_ready(void);

/* Send lenbuf bytes to a process; type, 0 to 32767 with or without MSGDBL and its like
 * (msgtypesf.h), is what the receiver has to ask for. sync 0: the message is sent while the program
 * goes on; buf must stay as it is until tcg_waitcom. Else it may be reused on return. */
void tcg_snd(long type, void *buf, long lenbuf, long node, long sync);

/* Receive a message of this type, of at most lenbuf bytes, from process nodeselect; -1: from any.
 * lenmes, nodefrom: receive its length and who sent it; NULL: not wanted. sync 0: the program goes
 * on, lenmes is -1, nodefrom is nodeselect, and the data is in buf after tcg_waitcom. */
void tcg_rcv(long type, void *buf, long lenbuf, long *lenmes, long nodeselect, long *nodefrom,
             long sync);

/* Is there a message of this type from this process (-1: from any)? 0 or 1. */
long tcg_probe(long type, long node);

/* Wait for all that was started with sync 0, by or for whichever process. */
void tcg_waitcom(long node);

/* Collective over all processes; type has no meaning. Copy bytes of `originator` to all; reduce x
 * of all, in place (op: "+", "*", "max", "min", "absmax", "absmin", of integers "or" too); wait for
 * all. */
void tcg_brdcst(long type, void *buf, long lenbuf, long originator);
void tcg_dgop(long type, double *x, long n, char *op);
void tcg_igop(long type, long *x, long n, char *op);
void tcg_synch(long type);

/* mproc > 0: the next value of a counter that all processes share; it begins with 0. mproc < 0:
 * collective; the counter begins anew, and the result is 0. */
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

/* What this process prints goes to the file log.<process> from now on. */
void tcg_llog(void);

/* The priority of this process, as nice(2) changes it. */
long tcg_niceftn(long ival);

/* value 1: each call is printed; 0: no more. */
void tcg_setdbg(long value);

/* Prints nothing: CW_STATS=1 counts operations. */
void tcg_stats(void);

#ifdef __cplusplus
}
#endif
#endif
