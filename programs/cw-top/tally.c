/* Sums by name or number, of one sample, and their increase between two samples. */
#include "cw-top.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
  const struct top_tally *one = a, *other = b;
  return one->process != other->process ? (one->process > other->process ? 1 : -1)
                                        : strcmp(one->name, other->name);
}

static int compare_bytes(const void *a, const void *b)
{
  const struct top_tally *one = a, *other = b;
  if (one->bytes != other->bytes)
    return one->bytes < other->bytes ? 1 : -1;
  if (one->operations != other->operations)
    return one->operations < other->operations ? 1 : -1;
  return compare_names(a, b);
}

void top_tally_merge(struct top_list *tallies)
{
  struct top_tally *rows = tallies->rows;
  size_t count = 0;
  if (tallies->count == 0)
    return;
  qsort(rows, tallies->count, sizeof *rows, compare_names);
  for (size_t i = 1; i < tallies->count; i++)
    if (compare_names(&rows[count], &rows[i]) == 0) {
      rows[count].operations += rows[i].operations;
      rows[count].bytes += rows[i].bytes;
    } else {
      rows[++count] = rows[i];
    }
  tallies->count = count + 1;
}

/* Returns the increase of a counter. Counters begin at 0 again with each world, so a smaller count
 * is all new. */
static uint64_t less(uint64_t now, uint64_t before)
{
  return now >= before ? now - before : now;
}

struct top_list top_tally_since(const struct top_list *now, const struct top_list *before)
{
  struct top_list since = {0};
  const struct top_tally *rows = now->rows, *old = before->rows;
  size_t at = 0;
  for (size_t i = 0; i < now->count; i++) {
    struct top_tally row = rows[i];
    while (at < before->count && compare_names(&old[at], &row) < 0)
      at++;
    if (at < before->count && compare_names(&old[at], &row) == 0) {
      row.operations = less(row.operations, old[at].operations);
      row.bytes = less(row.bytes, old[at].bytes);
    }
    if (row.operations > 0)
      *(struct top_tally *)top_add(&since, sizeof row) = row;
  }
  if (since.count > 0)
    qsort(since.rows, since.count, sizeof(struct top_tally), compare_bytes);
  return since;
}
