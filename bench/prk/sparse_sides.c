/* The sides of the kernel sparse. They differ in how elements of x reach the processes that need
 * them. */
#include "sparse.h"

#include <stdlib.h>

typedef void (*exchange_function)(struct sparse *sparse);

static void iterate(struct sparse *sparse, int iterations, exchange_function exchange)
{
  for (int i = 0; i < iterations; i++) {
    sparse_renew(sparse);
    exchange(sparse);
    sparse_multiply(sparse);
  }
}

/* Returns true if either process needs elements of the other. Both then signal in each turn, so
 * neither is more than one turn ahead. */
static bool is_partner(const struct sparse *sparse, int process)
{
  return process != sparse->state.problem->process &&
         (sparse_gives(sparse, process) > 0 || sparse_needs(sparse, process) > 0);
}

static void packed_begin(void *state)
{
  struct sparse *sparse = state;
  const int processes = sparse->state.problem->processes;
  sparse->packed = allocate((size_t)sparse->first_given[processes] * sizeof(double));
}

static void packed_end(void *state)
{
  struct sparse *sparse = state;
  free(sparse->packed);
}

/* Packs the elements that another process needs and returns them. */
static double *pack(const struct sparse *sparse, int process)
{
  double *to = sparse->packed + sparse->first_given[process];
  sparse_pack(sparse, process, to);
  return to;
}

/* --- Causeway: stores where memory is shared, else puts; the other process is notified -------- */

static void sparse_causeway_begin(void *state)
{
  struct sparse *sparse = state;
  packed_begin(sparse);
  CW_MUST(cw_notifications_create(cw_team_world(), (size_t)sparse->state.problem->processes,
                                  &sparse->acknowledged));
}

static void sparse_causeway_end(void *state)
{
  struct sparse *sparse = state;
  CW_MUST(cw_notifications_free(&sparse->acknowledged));
  packed_end(sparse);
}

static void causeway_give(struct sparse *sparse, int process)
{
  const struct memory *memory = &sparse->state.memory;
  const size_t me = (size_t)sparse->state.problem->process;
  char *to = memory_address(memory, process);
  if (to != NULL) {
    sparse_pack(sparse, process, (double *)(void *)(to + sparse_gift(sparse, process)));
    CW_MUST(cw_put_notify(NULL, NULL, 0, process, sparse->acknowledged, me));
    return;
  }
  to = memory->all[process];
  CW_MUST(cw_put_notify(pack(sparse, process), to + sparse_gift(sparse, process),
                        (size_t)sparse_gives(sparse, process) * sizeof(double), process,
                        sparse->acknowledged, me));
}

static void causeway_exchange(struct sparse *sparse)
{
  const int processes = sparse->state.problem->processes;
  for (int i = 0; i < processes; i++)
    if (is_partner(sparse, i))
      causeway_give(sparse, i);
  for (int i = 0; i < processes; i++)
    if (is_partner(sparse, i))
      CW_MUST(cw_notification_wait(sparse->acknowledged, (size_t)i, CW_AT_LEAST, sparse->products,
                                   NULL));
}

static void sparse_causeway_run(void *state, int iterations)
{
  iterate(state, iterations, causeway_exchange);
}

const struct side sparse_causeway = {sparse_causeway_begin, sparse_causeway_run,
                                     sparse_causeway_end};

/* --- MPI, two-sided: packed, persistent requests ---------------------------------------------- */

static void sparse_messages_begin(void *state)
{
  struct sparse *sparse = state;
  const int processes = sparse->state.problem->processes;
  double *needed = sparse_buffer(sparse) + sparse->rows.count;
  packed_begin(sparse);
  sparse->requests = allocate((size_t)(2 * processes) * sizeof(MPI_Request));
  for (int i = 0; i < processes; i++) {
    const int incoming = (int)sparse_needs(sparse, i), outgoing = (int)sparse_gives(sparse, i);
    if (incoming > 0)
      MPI_Recv_init(needed + sparse->first[i], incoming, MPI_DOUBLE, i, 0, prk_comm,
                    &sparse->requests[sparse->started++]);
    if (outgoing > 0)
      MPI_Send_init(sparse->packed + sparse->first_given[i], outgoing, MPI_DOUBLE, i, 0, prk_comm,
                    &sparse->requests[sparse->started++]);
  }
}

static void sparse_messages_end(void *state)
{
  struct sparse *sparse = state;
  free_all(sparse->started, sparse->requests);
  free(sparse->requests);
  packed_end(sparse);
}

static void messages_exchange(struct sparse *sparse)
{
  for (int i = 0; i < sparse->state.problem->processes; i++)
    pack(sparse, i);
  MPI_Startall(sparse->started, sparse->requests);
  wait_for_all(sparse->started, sparse->requests);
}

static void sparse_messages_run(void *state, int iterations)
{
  iterate(state, iterations, messages_exchange);
}

const struct side sparse_messages = {sparse_messages_begin, sparse_messages_run,
                                     sparse_messages_end};

/* --- MPI, shared memory and one-sided: elements, followed by a number ------------------------- */

static void signal_all(const struct sparse *sparse)
{
  const struct problem *problem = sparse->state.problem;
  for (int i = 0; i < problem->processes; i++)
    if (is_partner(sparse, i))
      memory_signal(&sparse->state.memory, i, sparse_signal(problem->process), &sparse->products,
                    1);
  memory_push(&sparse->state.memory);
}

static void await_all(const struct sparse *sparse)
{
  for (int i = 0; i < sparse->state.problem->processes; i++)
    if (is_partner(sparse, i))
      memory_await(&sparse->state.memory, sparse_signal(i), sparse->products);
}

static void shared_exchange(struct sparse *sparse)
{
  for (int i = 0; i < sparse->state.problem->processes; i++) {
    char *to = sparse->state.memory.all[i];
    sparse_pack(sparse, i, (double *)(void *)(to + sparse_gift(sparse, i)));
  }
  signal_all(sparse);
  await_all(sparse);
}

static void sparse_shared_run(void *state, int iterations)
{
  iterate(state, iterations, shared_exchange);
}

const struct side sparse_shared = {NULL, sparse_shared_run, NULL};

static void windows_exchange(struct sparse *sparse)
{
  const MPI_Win window = sparse->state.memory.window;
  for (int i = 0; i < sparse->state.problem->processes; i++) {
    const int count = (int)sparse_gives(sparse, i);
    sparse->state.memory.touched[i] = count > 0;
    if (count > 0)
      MPI_Put(pack(sparse, i), count, MPI_DOUBLE, i, (MPI_Aint)sparse_gift(sparse, i), count,
              MPI_DOUBLE, window);
  }
  memory_push(&sparse->state.memory);
  signal_all(sparse);
  await_all(sparse);
}

static void sparse_windows_run(void *state, int iterations)
{
  iterate(state, iterations, windows_exchange);
}

const struct side sparse_windows = {packed_begin, sparse_windows_run, packed_end};
