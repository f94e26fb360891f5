/* The bytes that the outstanding operations at each target touch.
 *
 * MPI does not order a put before a later accumulate or get, but our callers rely on that order. So
 * each target keeps a list of the bytes that its outstanding operations touch. A new operation
 * waits only if it touches some of these bytes. The list is bounded: when it is full, entries are
 * joined. A joined entry covers more bytes, so an operation may wait unnecessarily, but order is
 * kept. */
#pragma once

#include "transfer/footprint.h"
#include "transfer/ordering_kind.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stdint.h>

/* The bytes that one operation touches, or several operations whose entries have been joined. */
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
  CWI_HAZARD_LOCAL, /* wait until gets are locally complete */
  CWI_HAZARD_REMOTE /* wait until puts and accumulates are remotely complete */
};

/* Returns the trace of a transfer, without its ticket. */
struct cwi_trace cwi_trace_of(const struct cwi_transfer *transfer);

/* Returns what an operation with this trace has to wait for. */
enum cwi_hazard cwi_hazard_find(const struct cwi_hazards *hazards, const struct cwi_trace *trace);
/* Adds the trace of an operation that has been issued. */
void cwi_hazard_add(struct cwi_hazards *hazards, const struct cwi_trace *trace);

/* Removes the gets up to operation number `ticket`, whose data has arrived. */
void cwi_hazard_forget_gets(struct cwi_hazards *hazards, uint64_t ticket);
