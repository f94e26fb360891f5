/* The kernel sparse: its sides. They differ in how other processes' elements of x come. */
#include "sparse.h"

#include <stdlib.h>

static void plain_begin(void *state)
{
  sparse_resolve(state);
}

static void plain_end(void *state)
{
  sparse_forget(state);
}

/* What this process needs of an owner. */
static int64_t needed_of(const struct sparse *sparse, int owner)
{
  return sparse->first[owner + 1] - sparse->first[owner];
}

/* --- Causeway: loads where memory is shared, else irregular gets ------------------------------ */

static void sparse_causeway_begin(void *state)
{
  struct sparse *sparse = state;
  sparse_resolve(sparse);
  const int processes = sparse->state.problem->processes;
  const size_t count = (size_t)sparse->first[processes];
  sparse->local = room(count * sizeof(void *));
  sparse->remote = room(count * sizeof(void *));
  for (int owner = 0; owner < processes; owner++)
    for (int64_t i = sparse->first[owner]; i < sparse->first[owner + 1]; i++) {
      sparse->local[i] = sparse->ghosts + i;
      sparse->remote[i] = (double *)sparse->state.memory.all[owner] + sparse->needed[i];
    }
}

static void sparse_causeway_end(void *state)
{
  struct sparse *sparse = state;
  free(sparse->local);
  free(sparse->remote);
  sparse_forget(sparse);
}

static void causeway_get(struct sparse *sparse, int owner)
{
  const double *theirs = memory_address(&sparse->state.memory, owner);
  if (theirs != NULL) {
    sparse_gather(sparse, owner, theirs);
    return;
  }
  const int64_t first = sparse->first[owner];
  const cw_vector elements = {sparse->local + first, sparse->remote + first,
                              (size_t)needed_of(sparse, owner), sizeof(double)};
  const cw_transfer transfer = cw_vectors(CW_GET, &elements, 1, owner);
  CW_MUST(cw_transfer_start(&transfer, &sparse->handle));
}

static void sparse_causeway_run(void *state, int iterations)
{
  struct sparse *sparse = state;
  for (int i = 0; i < iterations; i++) {
    sparse_renew(sparse);
    CW_MUST(cw_barrier(cw_team_world()));
    for (int owner = 0; owner < sparse->state.problem->processes; owner++)
      if (needed_of(sparse, owner) > 0)
        causeway_get(sparse, owner);
    CW_MUST(cw_wait(&sparse->handle));
    CW_MUST(cw_barrier(cw_team_world()));
    sparse_multiply(sparse);
  }
}

const struct side sparse_causeway = {sparse_causeway_begin, sparse_causeway_run,
                                     sparse_causeway_end};

/* --- MPI, two-sided: only what is needed, packed; persistent requests ------------------------- */

/* Processes tell each other what they need. */
static void tell_needs(struct sparse *sparse)
{
  const int processes = sparse->state.problem->processes;
  int *want = room((size_t)(4 * processes) * sizeof(int)), *wanted = want + processes;
  int *starts = wanted + processes, *given_starts = starts + processes;
  sparse->first_given = room((size_t)(processes + 1) * sizeof(int64_t));
  for (int i = 0; i < processes; i++) {
    want[i] = (int)needed_of(sparse, i);
    starts[i] = (int)sparse->first[i];
  }
  MPI_Alltoall(want, 1, MPI_INT, wanted, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < processes; i++) {
    given_starts[i] = (int)sparse->first_given[i];
    sparse->first_given[i + 1] = sparse->first_given[i] + wanted[i];
  }
  sparse->given = room((size_t)sparse->first_given[processes] * sizeof(int64_t));
  sparse->packed = room((size_t)sparse->first_given[processes] * sizeof(double));
  MPI_Alltoallv(sparse->needed, want, starts, MPI_INT64_T, sparse->given, wanted, given_starts,
                MPI_INT64_T, MPI_COMM_WORLD);
  free(want);
}

static void sparse_messages_begin(void *state)
{
  struct sparse *sparse = state;
  const int processes = sparse->state.problem->processes;
  sparse_resolve(sparse);
  tell_needs(sparse);
  sparse->requests = room((size_t)(2 * processes) * sizeof(MPI_Request));
  for (int i = 0; i < processes; i++) {
    const int64_t come = sparse->first[i], go = sparse->first_given[i];
    if (needed_of(sparse, i) > 0)
      MPI_Recv_init(sparse->ghosts + come, (int)needed_of(sparse, i), MPI_DOUBLE, i, 0,
                    MPI_COMM_WORLD, &sparse->requests[sparse->started++]);
    if (sparse->first_given[i + 1] > go)
      MPI_Send_init(sparse->packed + go, (int)(sparse->first_given[i + 1] - go), MPI_DOUBLE, i, 0,
                    MPI_COMM_WORLD, &sparse->requests[sparse->started++]);
  }
}

static void sparse_messages_end(void *state)
{
  struct sparse *sparse = state;
  for (int i = 0; i < sparse->started; i++)
    MPI_Request_free(&sparse->requests[i]);
  free(sparse->requests);
  free(sparse->given);
  free(sparse->first_given);
  free(sparse->packed);
  sparse_forget(sparse);
}

static void sparse_messages_run(void *state, int iterations)
{
  struct sparse *sparse = state;
  const int64_t go = sparse->first_given[sparse->state.problem->processes];
  for (int i = 0; i < iterations; i++) {
    sparse_renew(sparse);
    for (int64_t k = 0; k < go; k++)
      sparse->packed[k] = sparse->x[sparse->given[k]];
    MPI_Startall(sparse->started, sparse->requests);
    wait_for_all(sparse->started, sparse->requests);
    sparse_multiply(sparse);
  }
}

const struct side sparse_messages = {sparse_messages_begin, sparse_messages_run,
                                     sparse_messages_end};

/* --- MPI, shared memory ----------------------------------------------------------------------- */

static void sparse_meet(const struct sparse *sparse)
{
  MPI_Win_sync(sparse->state.memory.window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(sparse->state.memory.window);
}

static void sparse_shared_run(void *state, int iterations)
{
  struct sparse *sparse = state;
  for (int i = 0; i < iterations; i++) {
    sparse_renew(sparse);
    sparse_meet(sparse);
    for (int owner = 0; owner < sparse->state.problem->processes; owner++)
      sparse_gather(sparse, owner, sparse->state.memory.all[owner]);
    sparse_meet(sparse);
    sparse_multiply(sparse);
  }
}

const struct side sparse_shared = {plain_begin, sparse_shared_run, plain_end};

/* --- MPI, one-sided: gets of what is needed, by types made once ------------------------------- */

static void sparse_windows_begin(void *state)
{
  struct sparse *sparse = state;
  const int processes = sparse->state.problem->processes;
  sparse_resolve(sparse);
  sparse->types = room((size_t)processes * sizeof(MPI_Datatype));
  int *places = room((size_t)sparse->first[processes] * sizeof(int));
  for (int64_t i = 0; i < sparse->first[processes]; i++)
    places[i] = (int)sparse->needed[i];
  for (int i = 0; i < processes; i++) {
    MPI_Type_create_indexed_block((int)needed_of(sparse, i), 1, places + sparse->first[i],
                                  MPI_DOUBLE, &sparse->types[i]);
    MPI_Type_commit(&sparse->types[i]);
  }
  free(places);
}

static void sparse_windows_end(void *state)
{
  struct sparse *sparse = state;
  for (int i = 0; i < sparse->state.problem->processes; i++)
    MPI_Type_free(&sparse->types[i]);
  free(sparse->types);
  sparse_forget(sparse);
}

static void sparse_windows_run(void *state, int iterations)
{
  struct sparse *sparse = state;
  const MPI_Win window = sparse->state.memory.window;
  for (int i = 0; i < iterations; i++) {
    sparse_renew(sparse);
    sparse_meet(sparse);
    for (int owner = 0; owner < sparse->state.problem->processes; owner++)
      if (needed_of(sparse, owner) > 0)
        MPI_Get(sparse->ghosts + sparse->first[owner], (int)needed_of(sparse, owner), MPI_DOUBLE,
                owner, 0, 1, sparse->types[owner], window);
    MPI_Win_flush_all(window);
    sparse_meet(sparse);
    sparse_multiply(sparse);
  }
}

const struct side sparse_windows = {sparse_windows_begin, sparse_windows_run, sparse_windows_end};
