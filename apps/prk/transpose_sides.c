/* The kernel transpose: its sides. They differ in how tiles come to the process that has them in
 * its B. Nobody else reads them: so who reads a tile where it lies also adds 1 to it. */
#include "transpose.h"

#include <stdlib.h>

/* The tile of another process's A that belongs to rows of mine. */
static struct tile tile_at(const struct transpose *transpose, void *matrix)
{
  return transpose_tile(transpose, matrix, transpose->state.problem->process);
}

/* Add the tile that lies in a process's memory. */
static void add_there(struct transpose *transpose, int process, void *matrix)
{
  const struct tile to = transpose_tile(transpose, transpose->b, process),
                    from = tile_at(transpose, matrix);
  transpose_add(&to, &from, transpose->rows.count, transpose_rows(transpose, process).count, true);
}

/* Each process begins with itself, and goes on with the next one. */
static int partner(const struct transpose *transpose, int step)
{
  const struct problem *problem = transpose->state.problem;
  return (problem->process + step) % problem->processes;
}

/* --- Causeway: load where memory is shared, else get ------------------------------------------ */

static void transpose_causeway_begin(void *state)
{
  struct transpose *transpose = state;
  const size_t processes = (size_t)transpose->state.problem->processes;
  transpose->handles = room(processes * sizeof(cw_handle));
  transpose->tiles = room(processes * sizeof(double *));
  for (int i = 0; i < (int)processes; i++)
    if (memory_address(&transpose->state.memory, i) == NULL)
      transpose->tiles[i] = room(transpose->tile_bytes);
}

static void transpose_causeway_end(void *state)
{
  struct transpose *transpose = state;
  for (int i = 0; i < transpose->state.problem->processes; i++)
    free(transpose->tiles[i]);
  free(transpose->tiles);
  free(transpose->handles);
}

static void causeway_get(struct transpose *transpose, int process)
{
  const size_t count = (size_t)transpose_rows(transpose, process).count;
  const size_t bytes = (size_t)transpose->rows.count * sizeof(double);
  const ptrdiff_t local_stride = (ptrdiff_t)bytes;
  const ptrdiff_t remote_stride = transpose->order * (ptrdiff_t)sizeof(double);
  double *there = tile_at(transpose, transpose->state.memory.all[process]).numbers;
  const cw_transfer transfer = cw_strided(CW_GET, transpose->tiles[process], &local_stride, there,
                                          &remote_stride, bytes, &count, 1, process);
  CW_MUST(cw_transfer_start(&transfer, &transpose->handles[process]));
}

static void causeway_add(struct transpose *transpose, int process)
{
  const struct tile to = transpose_tile(transpose, transpose->b, process);
  const struct tile from = {transpose->tiles[process], transpose->rows.count};
  CW_MUST(cw_wait(&transpose->handles[process]));
  transpose_add(&to, &from, transpose->rows.count, transpose_rows(transpose, process).count, false);
}

/* What processes of other nodes have got is mine to change. */
static void causeway_grow(struct transpose *transpose, int process)
{
  const struct tile tile = transpose_tile(transpose, transpose->a, process);
  const int64_t columns = transpose_rows(transpose, process).count;
  for (int64_t i = 0; i < transpose->rows.count; i++)
    for (int64_t j = 0; j < columns; j++)
      tile.numbers[i * tile.stride + j] += 1;
}

static void causeway_others(struct transpose *transpose,
                            void (*act)(struct transpose *transpose, int process))
{
  for (int step = 1; step < transpose->state.problem->processes; step++)
    if (transpose->tiles[partner(transpose, step)] != NULL)
      act(transpose, partner(transpose, step));
}

static void causeway_iterate(struct transpose *transpose)
{
  causeway_others(transpose, causeway_get);
  for (int step = 0; step < transpose->state.problem->processes; step++) {
    const int process = partner(transpose, step);
    if (transpose->tiles[process] == NULL)
      add_there(transpose, process, memory_address(&transpose->state.memory, process));
  }
  causeway_others(transpose, causeway_add);
}

/* Inside a node nobody waits: a tile is one process's. */
static void transpose_causeway_run(void *state, int iterations)
{
  struct transpose *transpose = state;
  for (int i = 0; i < iterations; i++) {
    causeway_iterate(transpose);
    if (cw_nodes() == 1)
      continue;
    CW_MUST(cw_barrier(cw_team_world()));
    causeway_others(transpose, causeway_grow);
    CW_MUST(cw_barrier(cw_team_world()));
  }
}

const struct side transpose_causeway = {transpose_causeway_begin, transpose_causeway_run,
                                        transpose_causeway_end};

/* --- MPI, shared memory ----------------------------------------------------------------------- */

static void transpose_shared_run(void *state, int iterations)
{
  struct transpose *transpose = state;
  for (int i = 0; i < iterations; i++)
    for (int step = 0; step < transpose->state.problem->processes; step++) {
      const int process = partner(transpose, step);
      add_there(transpose, process, transpose->state.memory.all[process]);
    }
  MPI_Win_sync(transpose->state.memory.window);
}

const struct side transpose_shared = {NULL, transpose_shared_run, NULL};

/* --- MPI, two-sided and one-sided: tiles are transposed before they go ------------------------ */

static void tiles_begin(void *state)
{
  struct transpose *transpose = state;
  const size_t processes = (size_t)transpose->state.problem->processes;
  transpose->requests = room(2 * processes * sizeof(MPI_Request));
  transpose->tiles = room(processes * sizeof(double *));
  for (size_t i = 0; i < processes; i++)
    transpose->tiles[i] = room(transpose->tile_bytes);
}

static void tiles_end(void *state)
{
  struct transpose *transpose = state;
  for (int i = 0; i < transpose->state.problem->processes; i++)
    free(transpose->tiles[i]);
  free(transpose->tiles);
  free(transpose->requests);
}

static int pack(struct transpose *transpose, int process)
{
  const int64_t rows = transpose_rows(transpose, process).count;
  const struct tile from = transpose_tile(transpose, transpose->a, process);
  const struct tile to = {transpose->tiles[process], transpose->rows.count};
  transpose_pack(&to, &from, rows, transpose->rows.count);
  return (int)(rows * transpose->rows.count);
}

static double *incoming(const struct transpose *transpose, int turn, int process)
{
  return (double *)(void *)(transpose->state.memory.mine +
                            transpose_tile_place(transpose, turn, process));
}

static void add_incoming(struct transpose *transpose, int turn, int process)
{
  const struct tile to = transpose_tile(transpose, transpose->b, process);
  const int64_t columns = transpose_rows(transpose, process).count;
  const double *from = incoming(transpose, turn, process);
  for (int64_t i = 0; i < transpose->rows.count; i++)
    for (int64_t j = 0; j < columns; j++)
      to.numbers[i * to.stride + j] += from[i * columns + j];
}

static void messages_iterate(struct transpose *transpose)
{
  const int me = transpose->state.problem->process,
            others = transpose->state.problem->processes - 1;
  for (int step = 1; step <= others; step++) {
    const int from = partner(transpose, step);
    const int64_t count = transpose->rows.count * transpose_rows(transpose, from).count;
    MPI_Irecv(incoming(transpose, 0, from), (int)count, MPI_DOUBLE, from, 0, prk_comm,
              &transpose->requests[step - 1]);
  }
  for (int step = others; step > 0; step--) {
    const int to = partner(transpose, step), count = pack(transpose, to);
    MPI_Isend(transpose->tiles[to], count, MPI_DOUBLE, to, 0, prk_comm,
              &transpose->requests[others + step - 1]);
  }
  add_there(transpose, me, transpose->a);
  for (int come = 0, which = 0; come < others; come++) {
    MPI_Waitany(others, transpose->requests, &which, MPI_STATUS_IGNORE);
    add_incoming(transpose, 0, partner(transpose, which + 1));
  }
  wait_for_all(others, transpose->requests + others);
}

static void transpose_messages_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    messages_iterate(state);
}

const struct side transpose_messages = {tiles_begin, transpose_messages_run, tiles_end};

/* Who has got my tile of the last iteration has taken that of the one before it out of its room. */
static void windows_iterate(struct transpose *transpose)
{
  const struct memory *memory = &transpose->state.memory;
  const int me = transpose->state.problem->process,
            others = transpose->state.problem->processes - 1;
  const int turn = (int)(transpose->turns++ % 2);
  for (int step = 1; step <= others; step++) {
    const int to = partner(transpose, step), count = pack(transpose, to);
    MPI_Put(transpose->tiles[to], count, MPI_DOUBLE, to,
            (MPI_Aint)transpose_tile_place(transpose, turn, me), count, MPI_DOUBLE, memory->window);
  }
  add_there(transpose, me, transpose->a);
  MPI_Win_flush_all(memory->window);
  for (int step = 1; step <= others; step++)
    memory_signal(memory, partner(transpose, step), transpose_signal(transpose, me),
                  transpose->turns);
  for (int step = others; step > 0; step--) {
    const int from = partner(transpose, step);
    memory_await(memory, transpose_signal(transpose, from), transpose->turns);
    add_incoming(transpose, turn, from);
  }
}

static void transpose_windows_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    windows_iterate(state);
}

const struct side transpose_windows = {tiles_begin, transpose_windows_run, tiles_end};
