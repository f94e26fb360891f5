/* A summary as bytes, and the tree by which those of all processes come to process 0. */
#ifndef CWI_SUMMARY_PACKED_SUMMARY_H
#define CWI_SUMMARY_PACKED_SUMMARY_H

#include "summary/summary.h"

#include <mpi.h>

/* To be freed; NULL: no memory. */
char *cwi_summary_pack(const struct cwi_summary *summary, size_t *bytes);

/* Add what is in a packed_summary; one that is not whole only makes the sum incomplete. */
void cwi_summary_unpack(struct cwi_summary *sum, const char *packed_summary, size_t bytes);

/* Bytes from one process to another, in pieces. to: NULL: there is no memory for them, and their
 * sender gets rid of them all the same. */
CWI_CHECKED cw_error cwi_bytes_send(const void *from, uint64_t bytes, int rank, MPI_Comm comm);
CWI_CHECKED cw_error cwi_bytes_receive(void *to, uint64_t bytes, int rank, MPI_Comm comm);

/* Add those of all processes of comm to that of rank 0. Each takes part in as many messages as log2
 * of their number, at most. Collective. */
CWI_CHECKED cw_error cwi_summary_merge(struct cwi_summary *mine, MPI_Comm comm);
#endif
