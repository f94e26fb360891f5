/* The rma route's record of outstanding operations, compared with a record of every byte: an
 * operation that conflicts with an outstanding one must never pass; adjacent tiles of a matrix
 * must.
 * */
#include "route/rma/hazard.h"
#include "kit/kit.h"

#include <string.h>

enum { BYTES = 4096, LEVELS = 3, OPERATIONS = 60, ROUNDS = 3000 };

static unsigned short
    outstanding[BYTES]; /* 0, or 1 + kind of the outstanding operation that uses the byte */
static char memory[BYTES];

/* crowd: mostly accumulates, which may pass each other, until there are too many to record singly
 * */
static struct cwi_transfer random_transfer(bool crowd)
{
  const bool any = !crowd || kit_common(20) == 0;
  struct cwi_transfer transfer = {.operation = any ? (cw_operation)kit_common(3) : CW_ACCUMULATE,
                                  .type = any && kit_common(2) ? CW_LONG : CW_DOUBLE};
  struct cwi_shape *shape = &transfer.shape;
  ptrdiff_t low = 0, high = 0;
  shape->run = 1 + (size_t)kit_common(24);
  shape->levels = kit_common(LEVELS + 1);
  shape->bytes = shape->run;
  high = (ptrdiff_t)shape->run;
  for (int level = 0; level < shape->levels; level++) {
    const ptrdiff_t stride = kit_common(160) * (kit_common(4) == 0 ? -1 : 1) +
                             (kit_common(2) ? 64 - kit_common(160) % 64 : 0);
    shape->counts[level] = 2 + (size_t)kit_common(3);
    shape->remote_strides[level] = kit_common(2) ? stride / 64 * 64 : stride;
    const ptrdiff_t reach = shape->remote_strides[level] * (ptrdiff_t)(shape->counts[level] - 1);
    if (reach < 0)
      low += reach;
    else
      high += reach;
  }
  const int space = (int)(BYTES - (high - low));
  shape->remote = memory - low + kit_common(space > 0 ? space : 1);
  return transfer;
}

/* If `mark`, marks the bytes with `kind` + 1. Otherwise returns true if another, conflicting kind
 * uses one of them. */
static bool visit(const struct cwi_transfer *transfer, int kind, bool mark)
{
  const struct cwi_shape *shape = &transfer->shape;
  size_t index[LEVELS + 1] = {0};
  for (;;) {
    const char *row = shape->remote;
    for (int level = 0; level < shape->levels; level++)
      row += shape->remote_strides[level] * (ptrdiff_t)index[level];
    for (size_t i = 0; i < shape->run; i++) {
      unsigned short *byte = &outstanding[row - memory + (ptrdiff_t)i];
      const bool free_to_pass =
          *byte == 0 || (*byte == kind + 1 && kind != CWI_KIND_PUT && kind != CWI_KIND_RMW);
      if (!mark && !free_to_pass)
        return true;
      if (mark)
        *byte = (unsigned short)(kind + 1);
    }
    int level = 0;
    while (level < shape->levels && ++index[level] == shape->counts[level])
      index[level++] = 0;
    if (level == shape->levels)
      return false;
  }
}

static void check_sequences(void)
{
  kit_about("random sequences");
  for (int round = 0; round < ROUNDS; round++) {
    struct cwi_hazards hazards = {0};
    memset(outstanding, 0, sizeof outstanding);
    for (int i = 0; i < OPERATIONS; i++) {
      const struct cwi_transfer transfer = random_transfer(round % 2 == 1);
      const struct cwi_extent extent = cwi_shape_remote_extent(&transfer.shape);
      if (extent.begin < (uintptr_t)memory || extent.end > (uintptr_t)memory + BYTES)
        continue;
      struct cwi_trace trace = cwi_trace_of(&transfer);
      const bool conflicts = visit(&transfer, trace.kind, false);
      const enum cwi_hazard found = cwi_hazard_find(&hazards, &trace);
      if (!kit_check(!conflicts || found != CWI_NO_HAZARD,
                     "an operation overtakes another (round %d)", round))
        return;
      if (found != CWI_NO_HAZARD) {
        hazards.count = 0;
        memset(outstanding, 0, sizeof outstanding);
      }
      trace.ticket = (uint64_t)i + 1;
      cwi_hazard_add(&hazards, &trace);
      visit(&transfer, trace.kind, true);
    }
  }
}

static struct cwi_transfer tile(cw_operation operation, size_t row, size_t column)
{
  struct cwi_transfer transfer = {.operation = operation, .type = CW_DOUBLE};
  transfer.shape = (struct cwi_shape){.remote = memory + row * 256 + column,
                                      .run = 64,
                                      .levels = 1,
                                      .counts = {4},
                                      .remote_strides = {256},
                                      .bytes = 256};
  return transfer;
}

static enum cwi_hazard after(const struct cwi_transfer *first, const struct cwi_transfer *second)
{
  struct cwi_hazards hazards = {0};
  const struct cwi_trace one = cwi_trace_of(first), two = cwi_trace_of(second);
  cwi_hazard_add(&hazards, &one);
  return cwi_hazard_find(&hazards, &two);
}

static void check_tiles(void)
{
  kit_about("tiles of a matrix");
  const struct cwi_transfer put = tile(CW_PUT, 0, 0), get = tile(CW_GET, 0, 0);
  const struct cwi_transfer beside = tile(CW_PUT, 0, 64), below = tile(CW_PUT, 4, 0);
  const struct cwi_transfer across = tile(CW_PUT, 2, 32), sum = tile(CW_ACCUMULATE, 0, 0);
  kit_check_long(after(&put, &beside), CWI_NO_HAZARD, "tile beside");
  kit_check_long(after(&put, &below), CWI_NO_HAZARD, "tile below");
  kit_check_long(after(&put, &across), CWI_HAZARD_REMOTE, "tile across");
  kit_check_long(after(&put, &get), CWI_HAZARD_REMOTE, "get after put");
  kit_check_long(after(&get, &put), CWI_HAZARD_LOCAL, "put after get");
  kit_check_long(after(&get, &get), CWI_NO_HAZARD, "get after get");
  kit_check_long(after(&sum, &sum), CWI_NO_HAZARD, "accumulate after accumulate");
  kit_check_long(after(&sum, &put), CWI_HAZARD_REMOTE, "put after accumulate");
}

/* More kinds of accumulates than are recorded singly, all of them disjoint. */
static void check_kinds(void)
{
  enum { KINDS = 100, APART = 32 };
  struct cwi_hazards hazards = {0};
  kit_about("many kinds");
  for (int i = 0; i < KINDS; i++) {
    struct cwi_transfer sum = {.operation = CW_ACCUMULATE,
                               .type = (cw_type)(i % CW_TYPES),
                               .reduction = (cw_reduction)(i / CW_TYPES)};
    sum.shape = (struct cwi_shape){.remote = memory + i * APART, .run = 8, .bytes = 8};
    const struct cwi_trace trace = cwi_trace_of(&sum);
    cwi_hazard_add(&hazards, &trace);
    if (!kit_check(hazards.count <= CWI_TRACES, "%d traces", hazards.count))
      return;
  }
  for (int i = 0; i < KINDS; i++) {
    struct cwi_transfer get = {.operation = CW_GET};
    get.shape = (struct cwi_shape){.remote = memory + i * APART, .run = 8, .bytes = 8};
    const struct cwi_trace trace = cwi_trace_of(&get);
    kit_check(cwi_hazard_find(&hazards, &trace) == CWI_HAZARD_REMOTE, "a get passes number %d", i);
  }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "window_hazard");
  check_sequences();
  check_tiles();
  check_kinds();
  return kit_finish();
}
