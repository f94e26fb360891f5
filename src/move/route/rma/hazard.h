/* The bytes that window operations touch, and those outstanding at one target.
 *
 * MPI does not order a put before the accumulate or get that follows it; our callers rely on the
 * order. So each target keeps a list of the bytes that its outstanding operations touch, and only
 * an operation that would meet them waits. Memory is bounded: when the list is full, neighbours are
 * joined, which can only make an operation wait unnecessarily. */
#ifndef CWI_ROUTE_RMA_HAZARD_H
#define CWI_ROUTE_RMA_HAZARD_H

#include "transfer/footprint.h"
#include "transfer/ordering_kind.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stdint.h>

/* The bytes that an operation touches, or several that have been joined. */
struct cwi_trace {
  struct cwi_footprint bytes;
  uint64_t ticket; /* number of the operation at its target */
  int kind;        /* cwi_order_kind_of */
};

/* Upper bound on the traces of a target. */
enum { CWI_TRACES = 16 };

/* The outstanding operations at a target. */
struct cwi_hazards {
  int count;
  struct cwi_trace traces[CWI_TRACES];
};

/* The completion that a new operation has to wait for. */
enum cwi_hazard {
  CWI_NO_HAZARD,
  CWI_HAZARD_LOCAL, /* gone once gets are locally complete */
  CWI_HAZARD_REMOTE /* gone once puts and accumulates are remotely complete */
};

/* Returns the trace of a transfer, without its ticket. */
struct cwi_trace cwi_trace_of(const struct cwi_transfer *transfer);

/* Returns what an operation with this trace has to wait for. */
enum cwi_hazard cwi_hazard_find(const struct cwi_hazards *hazards, const struct cwi_trace *trace);
/* Adds the trace of an operation that has been issued. */
void cwi_hazard_add(struct cwi_hazards *hazards, const struct cwi_trace *trace);

/* Removes the gets up to operation number `ticket`, whose data has arrived. */
void cwi_hazard_forget_gets(struct cwi_hazards *hazards, uint64_t ticket);
#endif
