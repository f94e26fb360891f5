/* Outstanding bytes at each target, and whether a new operation may go before them. */
#include "route/window/hazard.h"

static int kind_of(const struct cwi_transfer *transfer)
{
  switch (transfer->operation) {
  case CW_PUT:
    return CWI_TRACE_PUT;
  case CW_GET:
    return CWI_TRACE_GET;
  default:
    return CWI_TRACE_ACCUMULATE + (int)transfer->type;
  }
}

static void include(struct cwi_trace *trace, uintptr_t begin, uintptr_t end)
{
  trace->begin = begin < trace->begin ? begin : trace->begin;
  trace->end = end > trace->end ? end : trace->end;
}

static void trace_vectors(const struct cwi_shape *shape, struct cwi_trace *trace)
{
  trace->begin = UINTPTR_MAX;
  trace->end = 0;
  for (size_t v = 0; v < shape->vector_count; v++)
    for (size_t i = 0; i < shape->vectors[v].count && shape->vectors[v].bytes > 0; i++) {
      const uintptr_t begin = (uintptr_t)shape->vectors[v].remote[i];
      include(trace, begin, begin + shape->vectors[v].bytes);
    }
}

static size_t magnitude(ptrdiff_t stride)
{
  return stride < 0 ? (size_t)-stride : (size_t)stride;
}

/* Rows keep their place modulo the row distance if the distances of all levels are multiples of it:
 * tiles side by side in one matrix do not meet. */
static void trace_rows(const struct cwi_shape *shape, struct cwi_trace *trace)
{
  const size_t stride = shape->levels > 0 ? magnitude(shape->remote_strides[0]) : 0;
  if (stride <= shape->run)
    return;
  for (int level = 1; level < shape->levels; level++)
    if (magnitude(shape->remote_strides[level]) % stride != 0)
      return;
  trace->stride = stride;
  trace->run = shape->run;
}

struct cwi_trace cwi_trace_of(const struct cwi_transfer *transfer)
{
  struct cwi_trace trace = {.kind = kind_of(transfer)};
  if (transfer->shape.vectors != NULL) {
    trace_vectors(&transfer->shape, &trace);
    return trace;
  }
  const struct cwi_extent extent = cwi_shape_remote_extent(&transfer->shape);
  trace.begin = extent.begin;
  trace.end = extent.end;
  trace_rows(&transfer->shape, &trace);
  return trace;
}

/* Never says no when the answer is yes. */
static bool overlap(const struct cwi_trace *a, const struct cwi_trace *b)
{
  if (a->begin >= b->end || b->begin >= a->end)
    return false;
  const size_t stride = a->stride != 0 ? a->stride : b->stride;
  if (stride == 0 || (b->stride != 0 && b->stride != stride))
    return true;
  const size_t a_run = a->stride != 0 ? a->run : a->end - a->begin;
  const size_t b_run = b->stride != 0 ? b->run : b->end - b->begin;
  const size_t distance = b->begin >= a->begin ? (b->begin - a->begin) % stride
                                               : (stride - (a->begin - b->begin) % stride) % stride;
  return distance < a_run || stride - distance < b_run;
}

static bool may_pass(int earlier, int later)
{
  return earlier == later && (earlier == CWI_TRACE_GET || earlier >= CWI_TRACE_ACCUMULATE);
}

enum cwi_hazard cwi_hazard_find(const struct cwi_hazards *hazards, const struct cwi_trace *trace)
{
  enum cwi_hazard found = CWI_NO_HAZARD;
  for (int i = 0; i < hazards->count && found != CWI_HAZARD_REMOTE; i++) {
    const struct cwi_trace *other = &hazards->traces[i];
    if (!may_pass(other->kind, trace->kind) && overlap(other, trace))
      found = other->kind == CWI_TRACE_GET ? CWI_HAZARD_LOCAL : CWI_HAZARD_REMOTE;
  }
  return found;
}

static void widen(struct cwi_trace *trace, const struct cwi_trace *other)
{
  include(trace, other->begin, other->end);
  trace->stride = 0;
  trace->ticket = other->ticket > trace->ticket ? other->ticket : trace->ticket;
}

/* One trace of each kind is left. */
static void compact(struct cwi_hazards *hazards)
{
  int kept = 0;
  for (int i = 0; i < hazards->count; i++) {
    int same = 0;
    while (same < kept && hazards->traces[same].kind != hazards->traces[i].kind)
      same++;
    if (same < kept)
      widen(&hazards->traces[same], &hazards->traces[i]);
    else
      hazards->traces[kept++] = hazards->traces[i];
  }
  hazards->count = kept;
}

void cwi_hazard_add(struct cwi_hazards *hazards, const struct cwi_trace *trace)
{
  struct cwi_trace *last = hazards->count > 0 ? &hazards->traces[hazards->count - 1] : NULL;
  if (last != NULL && last->kind == trace->kind && last->stride == 0 && trace->stride == 0 &&
      trace->begin >= last->begin && trace->begin <= last->end) {
    widen(last, trace);
    return;
  }
  if (hazards->count == CWI_TRACES)
    compact(hazards);
  hazards->traces[hazards->count++] = *trace;
}

void cwi_hazard_forget_gets(struct cwi_hazards *hazards, uint64_t ticket)
{
  int kept = 0;
  for (int i = 0; i < hazards->count; i++)
    if (hazards->traces[i].kind != CWI_TRACE_GET || hazards->traces[i].ticket > ticket)
      hazards->traces[kept++] = hazards->traces[i];
  hazards->count = kept;
}
