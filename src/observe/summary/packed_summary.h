/* Packs a summary into bytes and merges the summaries of all processes on rank 0, along a tree. */
#pragma once

#include "summary/summary.h"

#include <mpi.h>

/* Packs a summary into *bytes bytes. Returns memory that the caller frees, or NULL if there is
 * none. */
char *cwi_summary_pack(const struct cwi_summary *summary, size_t *bytes);

/* Adds a packed summary to `sum`. If it is damaged, `sum` is only marked incomplete. */
void cwi_summary_unpack(struct cwi_summary *sum, const char *packed_summary, size_t bytes);

/* Sends or receives any number of bytes in pieces. If `to` is NULL, because there was no memory,
 * the bytes are received and dropped, so that the sender does not wait. */
CWI_CHECKED cw_error cwi_bytes_send(const void *from, uint64_t bytes, int rank, MPI_Comm comm);
CWI_CHECKED cw_error cwi_bytes_receive(void *to, uint64_t bytes, int rank, MPI_Comm comm);

/* Adds the summaries of all processes of `comm` to that of rank 0. Each process takes part in at
 * most log2(size) exchanges. Collective. */
CWI_CHECKED cw_error cwi_summary_merge(struct cwi_summary *mine, MPI_Comm comm);
