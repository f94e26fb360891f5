/* The sides of the kernel dgemm. They differ in how columns of A and rows of B arrive; those of the
 * next terms travel while this process multiplies. */
#include "dgemm.h"

#include <string.h>

/* The way in which terms arrive. slot: index (0 or 1) of their buffers. */
struct ways {
  void (*start)(struct dgemm *dgemm, const struct terms *terms, int slot);
  void (*finish)(struct dgemm *dgemm, const struct terms *terms, int slot, struct panel factors[2]);
};

static void add_product(struct dgemm *dgemm, const struct terms *terms,
                        const struct panel factors[2])
{
  product_add(dgemm->rows.count, dgemm->columns.count, terms->count, &factors[FACTOR_A],
              &factors[FACTOR_B], dgemm->c);
}

static void multiply(struct dgemm *dgemm, int iterations, const struct ways *ways)
{
  for (int i = 0; i < iterations; i++) {
    ways->start(dgemm, &dgemm->terms[0], 0);
    for (int k = 0; k < dgemm->terms_count; k++) {
      struct panel factors[2];
      if (k + 1 < dgemm->terms_count)
        ways->start(dgemm, &dgemm->terms[k + 1], (k + 1) % 2);
      ways->finish(dgemm, &dgemm->terms[k], k % 2, factors);
      add_product(dgemm, &dgemm->terms[k], factors);
    }
  }
}

static struct panel a_buffer(const struct dgemm *dgemm, const struct terms *terms, int slot)
{
  return (struct panel){dgemm->buffers[slot][FACTOR_A], terms->count};
}

static struct panel b_buffer(const struct dgemm *dgemm, int slot)
{
  return (struct panel){dgemm->buffers[slot][FACTOR_B], dgemm->columns.count};
}

/* Returns the factor in its owner's memory if this process can load it there, else a panel with
 * NULL data. */
static struct panel a_there(const struct dgemm *dgemm, const struct terms *terms)
{
  char *there = memory_address(&dgemm->state.memory, terms->a_owner);
  if (there == NULL)
    return (struct panel){NULL, 0};
  return (struct panel){(const double *)(void *)(there + terms->a_place), terms->a_stride};
}

static struct panel b_there(const struct dgemm *dgemm, const struct terms *terms)
{
  char *there = memory_address(&dgemm->state.memory, terms->b_owner);
  if (there == NULL)
    return (struct panel){NULL, 0};
  return (struct panel){(const double *)(void *)(there + terms->b_place), terms->b_stride};
}

/* Uses factors where they lie if this process can load them; the others have arrived in buffers. */
static void take(const struct dgemm *dgemm, const struct terms *terms, int slot,
                 struct panel factors[2])
{
  factors[FACTOR_A] = a_there(dgemm, terms);
  factors[FACTOR_B] = b_there(dgemm, terms);
  if (factors[FACTOR_A].numbers == NULL)
    factors[FACTOR_A] = a_buffer(dgemm, terms, slot);
  if (factors[FACTOR_B].numbers == NULL)
    factors[FACTOR_B] = b_buffer(dgemm, slot);
}

static void buffers_begin(void *state)
{
  dgemm_make_buffers(state);
}

static void buffers_end(void *state)
{
  dgemm_free_buffers(state);
}

/* --- Causeway: loads where memory is shared, else gets ---------------------------------------- */

static void causeway_get_a(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  char *there = dgemm->state.memory.all[terms->a_owner];
  const size_t bytes = (size_t)terms->count * sizeof(double);
  const size_t count = (size_t)dgemm->rows.count;
  const ptrdiff_t local_stride = (ptrdiff_t)bytes;
  const ptrdiff_t remote_stride = terms->a_stride * (ptrdiff_t)sizeof(double);
  const cw_transfer get =
      cw_strided(CW_GET, dgemm->buffers[slot][FACTOR_A], &local_stride, there + terms->a_place,
                 &remote_stride, bytes, &count, 1, terms->a_owner);
  CW_MUST(cw_transfer_start(&get, &dgemm->handles[slot]));
}

static void causeway_get_b(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  char *there = dgemm->state.memory.all[terms->b_owner];
  const size_t bytes = (size_t)(terms->count * dgemm->columns.count) * sizeof(double);
  const cw_transfer get = cw_contiguous(CW_GET, dgemm->buffers[slot][FACTOR_B],
                                        there + terms->b_place, bytes, terms->b_owner);
  CW_MUST(cw_transfer_start(&get, &dgemm->handles[slot]));
}

static void causeway_start(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  if (a_there(dgemm, terms).numbers == NULL)
    causeway_get_a(dgemm, terms, slot);
  if (b_there(dgemm, terms).numbers == NULL)
    causeway_get_b(dgemm, terms, slot);
}

static void causeway_finish(struct dgemm *dgemm, const struct terms *terms, int slot,
                            struct panel factors[2])
{
  CW_MUST(cw_wait(&dgemm->handles[slot]));
  take(dgemm, terms, slot, factors);
}

static void dgemm_causeway_run(void *state, int iterations)
{
  static const struct ways ways = {causeway_start, causeway_finish};
  multiply(state, iterations, &ways);
}

const struct side dgemm_causeway = {buffers_begin, dgemm_causeway_run, buffers_end};

/* --- MPI, shared memory ----------------------------------------------------------------------- */

static void shared_start(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  (void)dgemm;
  (void)terms;
  (void)slot;
}

static void shared_finish(struct dgemm *dgemm, const struct terms *terms, int slot,
                          struct panel factors[2])
{
  take(dgemm, terms, slot, factors);
}

static void dgemm_shared_run(void *state, int iterations)
{
  static const struct ways ways = {shared_start, shared_finish};
  multiply(state, iterations, &ways);
}

const struct side dgemm_shared = {NULL, dgemm_shared_run, NULL};

/* --- MPI, two-sided: broadcasts in rows and columns of processes ------------------------------ */

static void dgemm_messages_begin(void *state)
{
  struct dgemm *dgemm = state;
  const int me = dgemm->state.problem->process, width = dgemm->counts[1];
  dgemm_make_buffers(dgemm);
  MPI_Comm_split(prk_comm, me / width, me, &dgemm->row);
  MPI_Comm_split(prk_comm, me % width, me, &dgemm->column);
}

static void dgemm_messages_end(void *state)
{
  struct dgemm *dgemm = state;
  MPI_Comm_free(&dgemm->row);
  MPI_Comm_free(&dgemm->column);
  dgemm_free_buffers(dgemm);
}

/* Columns of A are not contiguous at their owner, so they are packed. Rows of B are broadcast in
 * place. */
static void messages_start(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  const int me = dgemm->state.problem->process, width = dgemm->counts[1];
  double *a = dgemm->buffers[slot][FACTOR_A], *b = dgemm->buffers[slot][FACTOR_B];
  if (terms->a_owner == me && width > 1) {
    const struct panel from = a_there(dgemm, terms);
    for (int64_t i = 0; i < dgemm->rows.count; i++)
      memcpy(a + i * terms->count, from.numbers + i * from.stride,
             (size_t)terms->count * sizeof(double));
  }
  if (terms->b_owner == me)
    b = (double *)(void *)(dgemm->state.memory.mine + terms->b_place);
  if (width > 1)
    MPI_Ibcast(a, (int)(terms->count * dgemm->rows.count), MPI_DOUBLE, terms->a_owner % width,
               dgemm->row, &dgemm->requests[slot][FACTOR_A]);
  if (dgemm->counts[0] > 1)
    MPI_Ibcast(b, (int)(terms->count * dgemm->columns.count), MPI_DOUBLE, terms->b_owner / width,
               dgemm->column, &dgemm->requests[slot][FACTOR_B]);
}

static void buffers_finish(struct dgemm *dgemm, const struct terms *terms, int slot,
                           struct panel factors[2])
{
  wait_for_all(2, dgemm->requests[slot]);
  take(dgemm, terms, slot, factors);
}

static void dgemm_messages_run(void *state, int iterations)
{
  static const struct ways ways = {messages_start, buffers_finish};
  multiply(state, iterations, &ways);
}

const struct side dgemm_messages = {dgemm_messages_begin, dgemm_messages_run, dgemm_messages_end};

/* --- MPI, one-sided: gets of other processes' blocks ------------------------------------------ */

static void windows_get_a(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  MPI_Datatype columns;
  const int rows = (int)dgemm->rows.count;
  MPI_Type_vector(rows, (int)terms->count, (int)terms->a_stride, MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  dgemm->state.memory.touched[terms->a_owner] = true;
  MPI_Get(dgemm->buffers[slot][FACTOR_A], rows * (int)terms->count, MPI_DOUBLE, terms->a_owner,
          (MPI_Aint)terms->a_place, 1, columns, dgemm->state.memory.window);
  MPI_Type_free(&columns);
}

static void windows_get_b(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  const int count = (int)(terms->count * dgemm->columns.count);
  dgemm->state.memory.touched[terms->b_owner] = true;
  MPI_Get(dgemm->buffers[slot][FACTOR_B], count, MPI_DOUBLE, terms->b_owner,
          (MPI_Aint)terms->b_place, count, MPI_DOUBLE, dgemm->state.memory.window);
}

static void windows_get(struct dgemm *dgemm, const struct terms *terms, int slot)
{
  const int me = dgemm->state.problem->process;
  if (terms->a_owner != me)
    windows_get_a(dgemm, terms, slot);
  if (terms->b_owner != me)
    windows_get_b(dgemm, terms, slot);
}

/* One flush completes all terms that have begun; the next ones begin after it. MPI_Rget could
 * complete them one by one, but up to MPICH 5.0.1 its request is complete before the data of a
 * non-contiguous type is there (https://github.com/pmodels/mpich/issues/7896). */
static void windows_multiply(struct dgemm *dgemm)
{
  windows_get(dgemm, &dgemm->terms[0], 0);
  for (int k = 0; k < dgemm->terms_count; k++) {
    struct panel factors[2];
    memory_push(&dgemm->state.memory);
    if (k + 1 < dgemm->terms_count)
      windows_get(dgemm, &dgemm->terms[k + 1], (k + 1) % 2);
    take(dgemm, &dgemm->terms[k], k % 2, factors);
    add_product(dgemm, &dgemm->terms[k], factors);
  }
}

static void dgemm_windows_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    windows_multiply(state);
}

const struct side dgemm_windows = {buffers_begin, dgemm_windows_run, buffers_end};
