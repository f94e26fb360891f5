/* Distributes tasks by a counter: an element of a matrix, which a process increments to get its
 * next task. */
#include "distribute.h"

#include <causeway.h>

void distribute_by_counter(int64_t count, task_function run, void *what)
{
  const int64_t extents[2] = {1, 1}, one = 1;
  const cw_array_options options = {
      .name = "counter", .type = CW_INT64, .dimensions = 2, .extents = extents};
  cw_array array = NULL;
  cw_matrix counter = NULL;
  int64_t number = 0;
  CW_MUST(cw_array_create(cw_team_world(), &options, &array));
  CW_MUST(cw_array_fill(array, NULL, NULL, NULL));
  CW_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &counter));
  CW_MUST(cw_matrix_fetch_add(counter, 0, 0, &one, &number));
  while (number < count) {
    run(what, number);
    CW_MUST(cw_matrix_fetch_add(counter, 0, 0, &one, &number));
  }
  CW_MUST(cw_matrix_detach(&counter));
  CW_MUST(cw_array_destroy(&array));
}
