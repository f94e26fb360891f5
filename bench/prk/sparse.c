/* The kernel sparse: the definition. */
#include "sparse.h"

#include <math.h>
#include <stdlib.h>

static int64_t order_of(const struct problem *problem)
{
  return (int64_t)1 << 2 * problem->sizes[0];
}

static double entries_of(const struct problem *problem)
{
  return (double)order_of(problem) * (double)(4 * problem->sizes[1] + 1);
}

static struct span rows_of(const struct problem *problem, int process)
{
  return span_of(order_of(problem), problem->processes, process);
}

static const char *sparse_reject(const struct problem *problem)
{
  if (2 * problem->sizes[1] + 1 > (int64_t)1 << problem->sizes[0])
    return "has a star that is larger than the grid";
  return order_of(problem) >= problem->processes ? NULL : "has fewer rows than processes";
}

/* --- The matrix ------------------------------------------------------------------------------- */

/* Returns the number with the bits of `number` in reverse order. */
static int64_t scramble(const struct sparse *sparse, int64_t number)
{
  int64_t reverse = 0;
  for (int i = 0; i < 2 * sparse->bits; i++)
    reverse |= (number >> i & 1) << (2 * sparse->bits - 1 - i);
  return reverse;
}

static int sparse_compare(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Makes a row: a star around a point of a periodic grid, whose points have scrambled numbers. */
static void make_row(const struct sparse *sparse, int64_t row, int64_t *columns, double *values)
{
  const int64_t side = (int64_t)1 << sparse->bits, i = row % side, j = row / side;
  int64_t *next = columns;
  *next++ = scramble(sparse, row);
  for (int64_t r = 1; r <= sparse->radius; r++) {
    *next++ = scramble(sparse, j * side + (i + r) % side);
    *next++ = scramble(sparse, j * side + (i - r + side) % side);
    *next++ = scramble(sparse, (j + r) % side * side + i);
    *next++ = scramble(sparse, (j - r + side) % side * side + i);
  }
  qsort(columns, (size_t)sparse->points, sizeof *columns, sparse_compare);
  for (int k = 0; k < sparse->points; k++)
    values[k] = 1.0 / (double)(columns[k] + 1);
}

static void make_matrix(struct sparse *sparse)
{
  const size_t entries = (size_t)(sparse->rows.count * sparse->points);
  sparse->values = allocate(entries * sizeof(double));
  sparse->columns = allocate(entries * sizeof(int64_t));
  for (int64_t i = 0; i < sparse->rows.count; i++)
    make_row(sparse, sparse->rows.first + i, sparse->columns + i * sparse->points,
             sparse->values + i * sparse->points);
}

/* --- Exchange of needs ------------------------------------------------------------------------ */

/* Marks each column: 1 if this process needs another one's element. The mark later becomes the
 * element's index in the buffer. */
static int64_t *mark(const struct sparse *sparse)
{
  const struct problem *problem = sparse->state.problem;
  const int64_t order = order_of(problem);
  int64_t *marks = allocate((size_t)order * sizeof(int64_t));
  for (int64_t i = 0; i < sparse->rows.count * sparse->points; i++) {
    const int owner = span_owner(order, problem->processes, sparse->columns[i]);
    marks[sparse->columns[i]] = owner != problem->process;
  }
  return marks;
}

/* Returns the numbers, at their owners, of the elements that this process needs. */
static int64_t *list_needed(struct sparse *sparse, int64_t *marks)
{
  const struct problem *problem = sparse->state.problem;
  int64_t count = 0;
  for (int64_t i = 0; i < order_of(problem); i++)
    count += marks[i];
  int64_t *needed = allocate((size_t)count * sizeof(int64_t));
  sparse->first = allocate((size_t)(problem->processes + 1) * sizeof(int64_t));
  count = 0;
  for (int owner = 0; owner < problem->processes; owner++) {
    const struct span rows = rows_of(problem, owner);
    for (int64_t i = rows.first; i < rows.first + rows.count; i++)
      if (marks[i] != 0) {
        needed[count] = i - rows.first;
        marks[i] = sparse->rows.count + count++;
      } else if (owner == problem->process) {
        marks[i] = i - rows.first;
      }
    sparse->first[owner + 1] = count;
  }
  return needed;
}

/* Processes exchange the numbers of the elements that they need, and where in their buffers these
 * go. */
static void notify_needs(struct sparse *sparse, const int64_t *needed)
{
  const int processes = sparse->state.problem->processes;
  int *counts = allocate((size_t)(4 * processes) * sizeof(int)), *given_counts = counts + processes;
  int *starts = given_counts + processes, *given_starts = starts + processes;
  int64_t *here = allocate((size_t)processes * sizeof(int64_t));
  sparse->first_given = allocate((size_t)(processes + 1) * sizeof(int64_t));
  sparse->there = allocate((size_t)processes * sizeof(int64_t));
  for (int i = 0; i < processes; i++) {
    counts[i] = (int)sparse_needs(sparse, i);
    starts[i] = (int)sparse->first[i];
    here[i] = sparse->rows.count + sparse->first[i];
  }
  MPI_Alltoall(counts, 1, MPI_INT, given_counts, 1, MPI_INT, prk_comm);
  MPI_Alltoall(here, 1, MPI_INT64_T, sparse->there, 1, MPI_INT64_T, prk_comm);
  for (int i = 0; i < processes; i++) {
    given_starts[i] = (int)sparse->first_given[i];
    sparse->first_given[i + 1] = sparse->first_given[i] + given_counts[i];
  }
  sparse->given = allocate((size_t)sparse->first_given[processes] * sizeof(int64_t));
  MPI_Alltoallv(needed, counts, starts, MPI_INT64_T, sparse->given, given_counts, given_starts,
                MPI_INT64_T, prk_comm);
  free(counts);
  free(here);
}

static void share_out(struct sparse *sparse)
{
  int64_t *marks = mark(sparse), *needed = list_needed(sparse, marks);
  for (int64_t i = 0; i < sparse->rows.count * sparse->points; i++)
    sparse->columns[i] = marks[sparse->columns[i]];
  notify_needs(sparse, needed);
  free(needed);
  free(marks);
}

/* --- Memory: signals, buffers, y -------------------------------------------------------------- */

size_t sparse_signal(int process)
{
  return (size_t)process * LINE;
}

static size_t buffer_place(const struct sparse *sparse, int64_t which)
{
  return sparse_signal(sparse->state.problem->processes) + (size_t)which * sparse->buffer_bytes;
}

size_t sparse_gift(const struct sparse *sparse, int process)
{
  return buffer_place(sparse, sparse->products % sparse->buffer_count) +
         (size_t)sparse->there[process] * sizeof(double);
}

static size_t sparse_measure(void *state)
{
  struct sparse *sparse = state;
  const struct problem *problem = sparse->state.problem;
  sparse->bits = (int)problem->sizes[0];
  sparse->radius = (int)problem->sizes[1];
  sparse->points = 4 * sparse->radius + 1;
  sparse->rows = rows_of(problem, problem->process);
  make_matrix(sparse);
  share_out(sparse);
  int64_t most = sparse->rows.count + sparse->first[problem->processes];
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, prk_comm);
  sparse->buffer_bytes = lines((size_t)most * sizeof(double));
  return buffer_place(sparse, 2) + (size_t)sparse->rows.count * sizeof(double);
}

static void sparse_place(void *state)
{
  struct sparse *sparse = state;
  char *memory = sparse->state.memory.mine;
  for (int i = 0; i < 2; i++)
    sparse->buffers[i] = (double *)(void *)(memory + buffer_place(sparse, i));
  sparse->buffer_count = sparse->state.memory.side == MESSAGES ? 1 : 2;
  sparse->y = (double *)(void *)(memory + buffer_place(sparse, 2));
}

static void sparse_release(void *state)
{
  struct sparse *sparse = state;
  free(sparse->values);
  free(sparse->columns);
  free(sparse->first);
  free(sparse->given);
  free(sparse->first_given);
  free(sparse->there);
}

/* --- What is computed ------------------------------------------------------------------------- */

static void sparse_reset(void *state)
{
  const struct sparse *sparse = state;
  for (int64_t i = 0; i < sparse->rows.count; i++)
    sparse->buffers[0][i] = sparse->buffers[1][i] = sparse->y[i] = 0;
}

void sparse_renew(struct sparse *sparse)
{
  const double *before = sparse_buffer(sparse);
  sparse->products++;
  double *now = sparse_buffer(sparse);
  for (int64_t i = 0; i < sparse->rows.count; i++)
    now[i] = before[i] + (double)(sparse->rows.first + i + 1);
}

void sparse_pack(const struct sparse *sparse, int process, double *to)
{
  const double *x = sparse_buffer(sparse);
  const int64_t *given = sparse->given + sparse->first_given[process];
  for (int64_t i = 0; i < sparse_gives(sparse, process); i++)
    to[i] = x[given[i]];
}

void sparse_multiply(const struct sparse *sparse)
{
  const double *x = sparse_buffer(sparse), *value = sparse->values;
  const int64_t *column = sparse->columns;
  const int points = sparse->points;
  for (int64_t i = 0; i < sparse->rows.count; i++, value += points, column += points) {
    double sum = 0;
    for (int k = 0; k < points; k++)
      sum += value[k] * x[column[k]];
    sparse->y[i] += sum;
  }
}

/* --- Verification ----------------------------------------------------------------------------- */

/* Each element of M x is the number of the iteration. Returns the number of sums with a relative
 * error above 1e-8. */
static double sparse_check(void *state)
{
  const struct sparse *sparse = state;
  const double runs = sparse->state.runs, element = sparse->points * runs * (runs + 1) / 2;
  double errors = 0;
  for (int64_t i = 0; i < sparse->rows.count; i++)
    errors += !(fabs(sparse->y[i] - element) <= 1e-8 * element);
  return errors;
}

/* Makes an element of x one iteration too old. */
static void sparse_spoil(void *state)
{
  const struct sparse *sparse = state;
  sparse->y[0] -= 1;
}

static double sparse_work(const struct problem *problem)
{
  return 2 * entries_of(problem);
}

const struct kernel sparse_kernel = {
    .name = "sparse",
    .what =
        "a sparse matrix of 4^bits rows, stars of a radius with scrambled columns, times a vector",
    .unit = "MFlop/s",
    .sizes = {{"bits", 8, 4, 1, 14}, {"radius", 4, 2, 1, 1000}},
    .usual_iterations = 20,
    .small_iterations = 4,
    .state_bytes = sizeof(struct sparse),
    .reject = sparse_reject,
    .measure = sparse_measure,
    .place = sparse_place,
    .reset = sparse_reset,
    .check = sparse_check,
    .spoil = sparse_spoil,
    .release = sparse_release,
    .work = sparse_work,
    .sides = {&sparse_causeway, &sparse_messages, &sparse_shared, &sparse_windows},
};
