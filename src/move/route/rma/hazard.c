/* The bytes of outstanding operations at each target, and whether a new operation may overtake
 * them. */
#include "route/rma/hazard.h"

struct cwi_trace cwi_trace_of(const struct cwi_transfer *transfer)
{
  return (struct cwi_trace){.bytes = cwi_footprint_of(&transfer->shape),
                            .kind = cwi_order_kind_of(transfer)};
}

enum cwi_hazard cwi_hazard_find(const struct cwi_hazards *hazards, const struct cwi_trace *trace)
{
  enum cwi_hazard found = CWI_NO_HAZARD;
  for (int i = 0; i < hazards->count && found != CWI_HAZARD_REMOTE; i++) {
    const struct cwi_trace *other = &hazards->traces[i];
    if (!cwi_may_pass(other->kind, trace->kind) &&
        cwi_footprints_overlap(&other->bytes, &trace->bytes))
      found = other->kind == CWI_KIND_GET ? CWI_HAZARD_LOCAL : CWI_HAZARD_REMOTE;
  }
  return found;
}

static void widen(struct cwi_trace *trace, const struct cwi_trace *other)
{
  cwi_footprint_widen(&trace->bytes, &other->bytes);
  trace->ticket = other->ticket > trace->ticket ? other->ticket : trace->ticket;
}

/* Joins traces until one of each kind is left. */
static void join(struct cwi_hazards *hazards)
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

/* Makes space for one more trace. If there are too many kinds, all updates are treated as one kind
 * that no operation may overtake. */
static void compact(struct cwi_hazards *hazards)
{
  join(hazards);
  if (hazards->count < CWI_TRACES)
    return;
  for (int i = 0; i < hazards->count; i++)
    if (hazards->traces[i].kind != CWI_KIND_GET)
      hazards->traces[i].kind = CWI_KIND_PUT;
  join(hazards);
}

void cwi_hazard_add(struct cwi_hazards *hazards, const struct cwi_trace *trace)
{
  struct cwi_trace *last = hazards->count > 0 ? &hazards->traces[hazards->count - 1] : NULL;
  if (last != NULL && last->kind == trace->kind && last->bytes.stride == 0 &&
      trace->bytes.stride == 0 && trace->bytes.begin >= last->bytes.begin &&
      trace->bytes.begin <= last->bytes.end) {
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
    if (hazards->traces[i].kind != CWI_KIND_GET || hazards->traces[i].ticket > ticket)
      hazards->traces[kept++] = hazards->traces[i];
  hazards->count = kept;
}
