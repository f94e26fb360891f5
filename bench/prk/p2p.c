/* The kernel synch_p2p: the definition. */
#include "p2p.h"

#include <math.h>

static struct span columns_of(const struct problem *problem, int process)
{
  return span_of(problem->sizes[0] - 1, problem->processes, process);
}

static const char *p2p_reject(const struct problem *problem)
{
  return problem->sizes[0] > problem->processes ? NULL : "has fewer columns than processes";
}

static size_t p2p_measure(void *state)
{
  struct p2p *p2p = state;
  const struct problem *problem = p2p->state.problem;
  const int last = problem->processes - 1;
  p2p->rows = problem->sizes[1];
  p2p->columns = columns_of(problem, problem->process).count;
  p2p->stride = p2p->columns + 1;
  p2p->left = problem->process - 1;
  p2p->right = problem->process < last ? problem->process + 1 : -1;
  return lines(p2p_value_place(p2p->rows)) + (size_t)(p2p->rows * p2p->stride) * sizeof(double);
}

static void p2p_place(void *state)
{
  struct p2p *p2p = state;
  char *memory = p2p->state.memory.mine;
  p2p->from_left = (struct step *)(void *)memory;
  p2p->grid = (double *)(void *)(memory + lines(p2p_value_place(p2p->rows)));
}

static void p2p_reset(void *state)
{
  struct p2p *p2p = state;
  const int64_t first = columns_of(p2p->state.problem, p2p->state.problem->process).first;
  for (int64_t row = 0; row < p2p->rows; row++) {
    p2p->from_left[row].value =
        0; /* also the initial value on the left, until another one arrives */
    for (int64_t i = 0; i < p2p->stride; i++)
      p2p_left(p2p, row)[i] = row == 0 ? (double)(first + i) : first + i == 0 ? (double)row : 0;
  }
}

void p2p_row(const struct p2p *p2p, int64_t row)
{
  double *now = p2p_left(p2p, row), left = now[0];
  const double *before = now - p2p->stride;
  for (int64_t i = 1; i <= p2p->columns; i++) {
    left += before[i] - before[i - 1];
    now[i] = left;
  }
}

/* Checks all cells but the constant first row and column: row + column, plus a number that grows
 * with each sweep, because a sweep begins with the last corner of the one before. */
static double p2p_check(void *state)
{
  const struct p2p *p2p = state;
  const struct problem *problem = p2p->state.problem;
  const double grown = (p2p->state.runs - 1) * (double)(problem->sizes[0] + problem->sizes[1] - 2);
  const int64_t first = columns_of(problem, problem->process).first;
  double errors = 0;
  for (int64_t row = 1; row < p2p->rows; row++)
    for (int64_t i = 1; i <= p2p->columns; i++)
      errors += fabs(p2p_left(p2p, row)[i] - ((double)(row + first + i) + grown));
  return errors;
}

/* Puts a value of the previous sweep into a row that is not the last one. */
static void p2p_spoil(void *state)
{
  const struct p2p *p2p = state;
  const struct problem *problem = p2p->state.problem;
  *p2p_right(p2p, p2p->rows / 2) -= (double)(problem->sizes[0] + problem->sizes[1] - 2);
}

static double p2p_work(const struct problem *problem)
{
  return 2 * (double)(problem->sizes[0] - 1) * (double)(problem->sizes[1] - 1);
}

const struct kernel p2p_kernel = {
    .name = "synch_p2p",
    .what = "a wave over a grid: one number goes to the next process for each row",
    .unit = "MFlop/s",
    .sizes = {{"columns", 64, 23, 2, 1 << 24}, {"rows", 4000, 12, 2, 1 << 24}},
    .usual_iterations = 100,
    .small_iterations = 4,
    .state_bytes = sizeof(struct p2p),
    .reject = p2p_reject,
    .measure = p2p_measure,
    .place = p2p_place,
    .reset = p2p_reset,
    .check = p2p_check,
    .spoil = p2p_spoil,
    .work = p2p_work,
    .sides = {&p2p_causeway, &p2p_messages, &p2p_shared, &p2p_windows},
};
