/* Sums the communication of pairs of processes: into pairs of nodes, and into the cells of a matrix
 * that is small enough to be drawn. */
#include "cw-report.h"

#include <stdlib.h>

/* --- Nodes ------------------------------------------------------------------------------------ */

static int node_of(const struct report_profile *profile, int process)
{
  const struct report_process *rows = profile->per_process.rows;
  size_t low = 0, high = profile->per_process.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (rows[middle].process == process)
      return rows[middle].node;
    if (rows[middle].process < process)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

static int compare_members(const void *a, const void *b)
{
  const struct report_pair *one = a, *other = b;
  if (one->origin != other->origin)
    return one->origin < other->origin ? -1 : 1;
  return (one->target > other->target) - (one->target < other->target);
}

void report_pairs_of_nodes(const struct report_profile *profile, struct report_list *pairs,
                           uint64_t *left_out)
{
  struct report_pair *nodes = report_allocate(profile->pairs.count, sizeof *nodes);
  size_t count = 0, merged = 0;
  *left_out = 0;
  for (size_t i = 0; i < profile->pairs.count; i++) {
    struct report_pair pair = REPORT_ROWS(profile->pairs, struct report_pair)[i];
    pair.origin = node_of(profile, pair.origin);
    pair.target = node_of(profile, pair.target);
    if (pair.origin < 0 || pair.target < 0)
      *left_out = report_sum(*left_out, pair.operations);
    else
      nodes[count++] = pair;
  }
  qsort(nodes, count, sizeof *nodes, compare_members);
  for (size_t i = 0; i < count; i++)
    if (merged > 0 && compare_members(&nodes[merged - 1], &nodes[i]) == 0) {
      struct report_pair *into = &nodes[merged - 1];
      into->operations = report_sum(into->operations, nodes[i].operations);
      into->bytes = report_sum(into->bytes, nodes[i].bytes);
      into->seconds += nodes[i].seconds;
    } else {
      nodes[merged++] = nodes[i];
    }
  *pairs = (struct report_list){.count = merged, .capacity = merged, .rows = nodes};
}

/* --- Cells ------------------------------------------------------------------------------------ */

void report_matrix_make(struct report_matrix *matrix, const struct report_list *pairs,
                        size_t members, size_t most_cells)
{
  matrix->members = members;
  matrix->each = (members + most_cells - 1) / most_cells;
  matrix->cells = (members + matrix->each - 1) / matrix->each;
  for (int measure = 0; measure < REPORT_MEASURES; measure++)
    matrix->value[measure] =
        report_allocate(matrix->cells * matrix->cells, sizeof *matrix->value[measure]);
  for (size_t i = 0; i < pairs->count; i++) {
    const struct report_pair *pair = REPORT_ROWS(*pairs, struct report_pair) + i;
    const size_t cell =
        (size_t)pair->origin / matrix->each * matrix->cells + (size_t)pair->target / matrix->each;
    matrix->value[REPORT_BY_BYTES][cell] += (double)pair->bytes;
    matrix->value[REPORT_BY_COUNT][cell] += (double)pair->operations;
    matrix->value[REPORT_BY_TIME][cell] += pair->seconds;
  }
}

void report_matrix_free(struct report_matrix *matrix)
{
  for (int measure = 0; measure < REPORT_MEASURES; measure++)
    free(matrix->value[measure]);
}
