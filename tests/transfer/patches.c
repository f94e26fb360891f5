/* Long patches of a matrix, each of several messages between nodes: puts, gets and accumulates of
 * random rows that overlap, are adjacent, or are one run, blocking and not, compared with a model.
 * Operations of one process on its own part of a target take effect in the order of their calls.
 *
 *   patches [patches of each process] */
#include "kit/native.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* doubles; a process has its own LINES of each slice */
enum { COLUMNS = 1500, LINES = 300, CELLS = COLUMNS * LINES, OPEN = 5 };

static cw_region region;
static void **at;
static double *model;  /* [processes][CELLS] contents of this process's part of each slice */
static double *buffer; /* [OPEN][CELLS] */

struct patch {
  int target;
  size_t first, width, lines; /* cells */
  size_t local_line;          /* cells from line to line in the buffer */
  cw_operation operation;
  double scale;
};

static struct patch open_patches[OPEN];
static cw_handle open_handles[OPEN];
static int open_count;

static double *part(int target)
{
  return (double *)at[target] + (size_t)cw_process() * CELLS;
}

static struct patch random_patch(void)
{
  const bool whole = kit_own(4) == 0;
  const size_t width = whole ? COLUMNS : 1 + (size_t)kit_own(COLUMNS);
  const size_t lines = 1 + (size_t)kit_own(LINES);
  const size_t column = (size_t)kit_own((int)(COLUMNS - width) + 1);
  const size_t line = (size_t)kit_own((int)(LINES - lines) + 1);
  return (struct patch){.target = kit_own(cw_processes()),
                        .first = line * COLUMNS + column,
                        .width = width,
                        .lines = lines,
                        .local_line = kit_own(2) ? width : COLUMNS,
                        .operation = (cw_operation)kit_own(3),
                        .scale = kit_own(2) ? 1 : 3};
}

static cw_error run(const struct patch *patch, double *local, cw_handle *handle)
{
  const ptrdiff_t local_stride = (ptrdiff_t)(patch->local_line * sizeof(double));
  const ptrdiff_t remote_stride = (ptrdiff_t)(COLUMNS * sizeof(double));
  const cw_transfer transfer = {.operation = patch->operation,
                                .type = CW_DOUBLE,
                                .scale = &patch->scale,
                                .process = patch->target,
                                .local = local,
                                .remote = part(patch->target) + patch->first,
                                .bytes = patch->width * sizeof(double),
                                .levels = 1,
                                .counts = &patch->lines,
                                .local_strides = &local_stride,
                                .remote_strides = &remote_stride};
  return handle != NULL ? cw_transfer_start(&transfer, handle) : cw_transfer_run(&transfer);
}

/* Applies the operation to the model's cells of a patch, or compares them with the result of a
 * get. */
static void apply(const struct patch *patch, const double *local)
{
  size_t wrong = 0;
  double *mine = model + (size_t)patch->target * CELLS + patch->first;
  for (size_t line = 0; line < patch->lines; line++)
    for (size_t i = 0; i < patch->width; i++) {
      const double value = local[line * patch->local_line + i];
      double *cell = &mine[line * COLUMNS + i];
      if (patch->operation == CW_PUT)
        *cell = value;
      else if (patch->operation == CW_ACCUMULATE)
        *cell += patch->scale * value;
      else
        wrong += *cell != value;
    }
  kit_check_long((long)wrong, 0, "cells of a get");
}

/* The columns between two lines belong to the program. */
static void check_gaps(const struct patch *patch, const double *local)
{
  size_t wrong = 0;
  for (size_t line = 0; line + 1 < patch->lines; line++)
    for (size_t i = patch->width; i < patch->local_line; i++)
      wrong += local[line * patch->local_line + i] != -1;
  kit_check_long((long)wrong, 0, "cells of the program between the lines");
}

static void fill(const struct patch *patch, double *local)
{
  for (size_t i = 0; i < CELLS; i++)
    local[i] = -1;
  for (size_t line = 0; line < patch->lines && patch->operation != CW_GET; line++)
    for (size_t i = 0; i < patch->width; i++)
      local[line * patch->local_line + i] = kit_own(1000);
}

static void complete_open(void)
{
  for (int i = 0; i < open_count; i++) {
    KIT_OK(cw_wait(&open_handles[i]));
    if (open_patches[i].operation == CW_GET) {
      apply(&open_patches[i], buffer + (size_t)i * CELLS);
      check_gaps(&open_patches[i], buffer + (size_t)i * CELLS);
    }
  }
  open_count = 0;
}

static bool overlap(const struct patch *a, const struct patch *b)
{
  const size_t row_a = a->first / COLUMNS, row_b = b->first / COLUMNS;
  const size_t column_a = a->first % COLUMNS, column_b = b->first % COLUMNS;
  return a->target == b->target && row_a < row_b + b->lines && row_b < row_a + a->lines &&
         column_a < column_b + b->width && column_b < column_a + a->width;
}

/* A get in flight may or may not see later operations, which the model cannot predict. */
static bool disturbs_open(const struct patch *patch)
{
  for (int i = 0; i < open_count; i++)
    if (open_patches[i].operation == CW_GET && patch->operation != CW_GET &&
        overlap(patch, &open_patches[i]))
      return true;
  return false;
}

static void do_one(void)
{
  const struct patch patch = random_patch();
  const bool blocking = kit_own(3) == 0;
  if (open_count == OPEN || disturbs_open(&patch))
    complete_open();
  double *local = buffer + (size_t)open_count * CELLS;
  fill(&patch, local);
  kit_about("%s of %zu x %zu cells",
            patch.operation == CW_PUT   ? "put"
            : patch.operation == CW_GET ? "get"
                                        : "accumulate",
            patch.lines, patch.width);
  open_handles[open_count] = (cw_handle){0};
  KIT_OK(run(&patch, local, blocking ? NULL : &open_handles[open_count]));
  if (blocking || patch.operation != CW_GET)
    apply(&patch, local);
  if (blocking)
    check_gaps(&patch, local);
  else
    open_patches[open_count++] = patch;
}

/* Compares all parts of this process, by one run each. */
static void check_all(void)
{
  complete_open();
  KIT_OK(cw_fence_all());
  for (int target = 0; target < cw_processes(); target++) {
    KIT_OK(cw_get(buffer, part(target), CELLS * sizeof *buffer, target));
    kit_about("part of process %d", target);
    long wrong = 0;
    for (size_t i = 0; i < CELLS; i++)
      wrong += buffer[i] != model[(size_t)target * CELLS + i];
    kit_check_long(wrong, 0, "cells that are not the model's");
  }
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "patches");
  const int patches = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 30);
  const size_t processes = (size_t)cw_processes();
  kit_make_region(processes * CELLS * sizeof(double), &region, &at);
  model = kit_alloc(processes * CELLS, sizeof *model);
  buffer = kit_alloc((size_t)OPEN * CELLS, sizeof *buffer);
  memset(model, 0, processes * CELLS * sizeof *model);
  for (int i = 0; i < patches; i++)
    do_one();
  check_all();
  kit_free_region(&region, at);
  free(model);
  free(buffer);
  return kit_finish_native();
}
