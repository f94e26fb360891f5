/* The sides of the kernel synch_p2p. They differ in how a value and its notification reach the next
 * process. */
#include "p2p.h"

#include <stdlib.h>

enum { ROWS, CORNER }; /* tags */

/* The way in which values travel. corner: the last value of a sweep goes from the last process to
 * the first. */
struct ways {
  void (*receive)(struct p2p *p2p, int64_t row);
  void (*send)(struct p2p *p2p, int64_t row);
  void (*send_corner)(struct p2p *p2p, const double *corner);
  void (*receive_corner)(struct p2p *p2p);
};

/* The last value of a sweep becomes the first value of the next one. */
static inline void pass_corner(struct p2p *p2p, const struct ways *ways)
{
  const double corner = -*p2p_right(p2p, p2p->rows - 1);
  if (p2p->left < 0 && p2p->right < 0)
    p2p->grid[0] = corner;
  else if (p2p->right < 0)
    ways->send_corner(p2p, &corner);
  else if (p2p->left < 0)
    ways->receive_corner(p2p);
}

static inline void sweep(struct p2p *p2p, int iterations, const struct ways *ways)
{
  for (int i = 0; i < iterations; i++) {
    for (int64_t row = 1; row < p2p->rows; row++) {
      if (p2p->left >= 0)
        ways->receive(p2p, row);
      p2p_row(p2p, row);
      if (p2p->right >= 0)
        ways->send(p2p, row);
    }
    pass_corner(p2p, ways);
  }
}

/* --- A value is its own signal ---------------------------------------------------------------- */

/* Waits for a value: it has arrived when it differs from that of the previous sweep. Each value is
 * larger than before, or the corner smaller, so a value that is written twice does no harm. The
 * values of the next sweep come only after this process has sent its last value of the current one.
 */
static inline void await_value(struct p2p *p2p, int64_t row)
{
  struct step step = {.value = *p2p_left(p2p, row)};
  step.bits = memory_await_change(&p2p->state.memory, p2p_value_place(row), step.bits);
  *p2p_left(p2p, row) = step.value;
}

static void await_corner_value(struct p2p *p2p)
{
  await_value(p2p, 0);
}

/* --- Causeway: a value is put on an ordered view, and is its own signal ----------------------- */

static void p2p_causeway_begin(void *state)
{
  struct p2p *p2p = state;
  cw_view plain = NULL;
  CW_MUST(cw_view_of(p2p->state.memory.region, &plain));
  CW_MUST(cw_view_dup(plain, &(cw_view_settings){.ordered = true}, &p2p->view));
  CW_MUST(cw_view_free(&plain));
}

static void p2p_causeway_end(void *state)
{
  struct p2p *p2p = state;
  CW_MUST(cw_view_free(&p2p->view));
}

/* Puts a value, whose buffer must not change before the flush. */
static inline void causeway_put(struct p2p *p2p, const double *value, int64_t row, int process)
{
  char *there = p2p->state.memory.all[process];
  CW_MUST(cw_view_put(p2p->view, value, there + p2p_value_place(row), sizeof *value, process));
}

static inline void causeway_send(struct p2p *p2p, int64_t row)
{
  causeway_put(p2p, p2p_right(p2p, row), row, p2p->right);
  if (row == p2p->rows - 1)
    CW_MUST(cw_view_flush_local(p2p->view, p2p->right));
}

static void causeway_send_corner(struct p2p *p2p, const double *corner)
{
  causeway_put(p2p, corner, 0, 0);
  CW_MUST(cw_view_flush_local(p2p->view, 0));
}

static void p2p_causeway_run(void *state, int iterations)
{
  static const struct ways ways = {await_value, causeway_send, causeway_send_corner,
                                   await_corner_value};
  sweep(state, iterations, &ways);
}

const struct side p2p_causeway = {p2p_causeway_begin, p2p_causeway_run, p2p_causeway_end};

/* --- MPI, shared memory: a store for a row ---------------------------------------------------- */

static inline void shared_store(const struct p2p *p2p, double value, int64_t row, int process)
{
  const struct step step = {.value = value};
  struct step *there = p2p->state.memory.all[process];
  __atomic_store_n(&there[row].bits, step.bits, __ATOMIC_RELEASE);
}

static inline void shared_send(struct p2p *p2p, int64_t row)
{
  shared_store(p2p, *p2p_right(p2p, row), row, p2p->right);
}

static void shared_send_corner(struct p2p *p2p, const double *corner)
{
  shared_store(p2p, *corner, 0, 0);
}

static void p2p_shared_run(void *state, int iterations)
{
  static const struct ways ways = {await_value, shared_send, shared_send_corner,
                                   await_corner_value};
  sweep(state, iterations, &ways);
}

const struct side p2p_shared = {NULL, p2p_shared_run, NULL};

/* --- MPI, two-sided: short messages go at once, so that blocking calls are the fastest -------- */

static inline void messages_receive(struct p2p *p2p, int64_t row)
{
  MPI_Recv(p2p_left(p2p, row), 1, MPI_DOUBLE, p2p->left, ROWS, prk_comm, MPI_STATUS_IGNORE);
}

static inline void messages_send(struct p2p *p2p, int64_t row)
{
  MPI_Send(p2p_right(p2p, row), 1, MPI_DOUBLE, p2p->right, ROWS, prk_comm);
}

static void messages_send_corner(struct p2p *p2p, const double *corner)
{
  (void)p2p;
  MPI_Send(corner, 1, MPI_DOUBLE, 0, CORNER, prk_comm);
}

static void messages_receive_corner(struct p2p *p2p)
{
  MPI_Recv(p2p->grid, 1, MPI_DOUBLE, p2p->state.problem->processes - 1, CORNER, prk_comm,
           MPI_STATUS_IGNORE);
}

static void p2p_messages_run(void *state, int iterations)
{
  static const struct ways ways = {messages_receive, messages_send, messages_send_corner,
                                   messages_receive_corner};
  sweep(state, iterations, &ways);
}

const struct side p2p_messages = {NULL, p2p_messages_run, NULL};

/* --- MPI, one-sided: a put for a row, and a flush for a sweep --------------------------------- */

/* Puts a value, whose buffer must not change before the flush that completes it. An accumulate,
 * which MPI promises to be atomic, takes Open MPI 30 times as long between hosts. */
static inline void windows_put(const struct p2p *p2p, const double *value, int64_t row, int process)
{
  MPI_Put(value, 1, MPI_DOUBLE, process, (MPI_Aint)p2p_value_place(row), 1, MPI_DOUBLE,
          p2p->state.memory.window);
}

static inline void windows_send(struct p2p *p2p, int64_t row)
{
  windows_put(p2p, p2p_right(p2p, row), row, p2p->right);
  if (row == p2p->rows - 1)
    MPI_Win_flush(p2p->right, p2p->state.memory.window);
}

static void windows_send_corner(struct p2p *p2p, const double *corner)
{
  windows_put(p2p, corner, 0, 0);
  MPI_Win_flush(0, p2p->state.memory.window);
}

static void p2p_windows_run(void *state, int iterations)
{
  static const struct ways ways = {await_value, windows_send, windows_send_corner,
                                   await_corner_value};
  sweep(state, iterations, &ways);
}

const struct side p2p_windows = {NULL, p2p_windows_run, NULL};
