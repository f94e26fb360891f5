/* The sides of the kernel transpose. They differ in how tiles reach the process that has them in
 * its B. No other process reads them, so the process that reads a tile in place also adds 1 to it.
 */
#include "transpose.h"

#include <stdlib.h>

/* Adds the tile that lies in a process's memory. */
static void add_there(struct transpose *transpose, int process, void *matrix)
{
  const struct tile to = transpose_tile(transpose, transpose->b, process);
  const struct tile from = transpose_tile(transpose, matrix, transpose->state.problem->process);
  transpose_add(&to, &from, transpose->rows.count, transpose_rows(transpose, process).count, true);
}

/* Returns the partner of a step. Each process begins with itself and continues with the next one.
 * */
static int partner(const struct transpose *transpose, int step)
{
  const struct problem *problem = transpose->state.problem;
  return (problem->process + step) % problem->processes;
}

/* --- Tiles that travel are transposed before they are sent ------------------------------------ */

static void pack(struct transpose *transpose, int process)
{
  const int64_t rows = transpose_rows(transpose, process).count;
  const struct tile from = transpose_tile(transpose, transpose->a, process);
  const struct tile to = {transpose->tiles[process], transpose->rows.count};
  transpose_pack(&to, &from, rows, transpose->rows.count);
}

/* Returns the number of elements of the tile that is sent to a process, and of the one received
 * from it. */
static int tile_count(const struct transpose *transpose, int process)
{
  return (int)(transpose_rows(transpose, process).count * transpose->rows.count);
}

static double *incoming(const struct transpose *transpose, int half, int process)
{
  return (double *)(void *)(transpose->state.memory.mine +
                            transpose_tile_place(transpose, half, process));
}

static void add_incoming(struct transpose *transpose, int half, int process)
{
  const struct tile to = transpose_tile(transpose, transpose->b, process);
  const int64_t columns = transpose_rows(transpose, process).count;
  const double *from = incoming(transpose, half, process);
  for (int64_t i = 0; i < transpose->rows.count; i++)
    for (int64_t j = 0; j < columns; j++)
      to.numbers[i * to.stride + j] += from[i * columns + j];
}

/* --- Causeway: added where memory is shared, else put and notified; no barrier ---------------- */

static void transpose_causeway_begin(void *state)
{
  struct transpose *transpose = state;
  const size_t processes = (size_t)transpose->state.problem->processes;
  CW_MUST(cw_notifications_create(cw_team_world(), processes, &transpose->acknowledged));
  transpose->tiles = allocate(processes * sizeof(double *));
  for (int i = 0; i < (int)processes; i++)
    if (memory_address(&transpose->state.memory, i) == NULL)
      transpose->tiles[i] = allocate(transpose->tile_bytes);
}

static void transpose_causeway_end(void *state)
{
  struct transpose *transpose = state;
  for (int i = 0; i < transpose->state.problem->processes; i++)
    free(transpose->tiles[i]);
  free(transpose->tiles);
  CW_MUST(cw_notifications_free(&transpose->acknowledged));
}

static bool is_remote(const struct transpose *transpose, int process)
{
  return transpose->tiles[process] != NULL;
}

static void causeway_put(struct transpose *transpose, int half, int process)
{
  char *there = transpose->state.memory.all[process];
  const size_t place = transpose_tile_place(transpose, half, transpose->state.problem->process);
  const size_t bytes = (size_t)tile_count(transpose, process) * sizeof(double);
  pack(transpose, process);
  const cw_transfer put =
      cw_contiguous(CW_PUT, transpose->tiles[process], there + place, bytes, process);
  CW_MUST(cw_transfer_start(&put, NULL));
}

/* Notifies a process of its tile. A short tile has been delayed until now and travels in one
 * message with the notification; a long one has left already. */
static void causeway_notify(struct transpose *transpose, int process)
{
  CW_MUST(cw_put_notify(NULL, NULL, 0, process, transpose->acknowledged,
                        (size_t)transpose->state.problem->process));
}

static void causeway_add(struct transpose *transpose, int half, int process)
{
  CW_MUST(cw_notification_wait(transpose->acknowledged, (size_t)process, CW_AT_LEAST,
                               transpose->begun, NULL));
  add_incoming(transpose, half, process);
}

static void causeway_add_near(struct transpose *transpose)
{
  for (int step = 0; step < transpose->state.problem->processes; step++) {
    const int process = partner(transpose, step);
    if (!is_remote(transpose, process))
      add_there(transpose, process, memory_address(&transpose->state.memory, process));
  }
}

/* A tile travels while the next one is packed. A process that has sent its tile of the last
 * iteration has finished with this process's tile of the one before, so its buffer is free. Inside
 * a node no wait is needed, because only one process accesses a tile. */
static void causeway_iterate(struct transpose *transpose)
{
  const int processes = transpose->state.problem->processes;
  const int half = (int)(transpose->begun++ % 2);
  int last = -1;
  for (int step = 1; step < processes; step++) {
    const int process = partner(transpose, step);
    if (!is_remote(transpose, process))
      continue;
    causeway_put(transpose, half, process);
    if (last >= 0)
      causeway_notify(transpose, last);
    last = process;
  }
  causeway_add_near(transpose);
  if (last >= 0)
    causeway_notify(transpose, last);
  for (int step = processes - 1; step > 0; step--)
    if (is_remote(transpose, partner(transpose, step)))
      causeway_add(transpose, half, partner(transpose, step));
  CW_MUST(cw_wait_all()); /* the packed tiles may change afterwards */
}

static void transpose_causeway_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    causeway_iterate(state);
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

/* --- MPI, two-sided and one-sided ------------------------------------------------------------- */

static void tiles_begin(void *state)
{
  struct transpose *transpose = state;
  const size_t processes = (size_t)transpose->state.problem->processes;
  transpose->tiles = allocate(processes * sizeof(double *));
  for (size_t i = 0; i < processes; i++)
    transpose->tiles[i] = allocate(transpose->tile_bytes);
}

static void tiles_end(void *state)
{
  struct transpose *transpose = state;
  for (int i = 0; i < transpose->state.problem->processes; i++)
    free(transpose->tiles[i]);
  free(transpose->tiles);
}

/* Creates the requests for each other process in the order of steps: first the receives, then the
 * sends. */
static void transpose_messages_begin(void *state)
{
  struct transpose *transpose = state;
  const int others = transpose->state.problem->processes - 1;
  tiles_begin(state);
  transpose->requests = allocate((size_t)(2 * others) * sizeof(MPI_Request));
  for (int step = 1; step <= others; step++) {
    const int process = partner(transpose, step), count = tile_count(transpose, process);
    MPI_Recv_init(incoming(transpose, 0, process), count, MPI_DOUBLE, process, 0, prk_comm,
                  &transpose->requests[step - 1]);
    MPI_Send_init(transpose->tiles[process], count, MPI_DOUBLE, process, 0, prk_comm,
                  &transpose->requests[others + step - 1]);
  }
}

static void transpose_messages_end(void *state)
{
  struct transpose *transpose = state;
  free_all(2 * (transpose->state.problem->processes - 1), transpose->requests);
  free(transpose->requests);
  tiles_end(state);
}

static void messages_iterate(struct transpose *transpose)
{
  const int me = transpose->state.problem->process,
            others = transpose->state.problem->processes - 1;
  MPI_Startall(others, transpose->requests);
  for (int step = others; step > 0; step--) {
    pack(transpose, partner(transpose, step));
    MPI_Start(&transpose->requests[others + step - 1]);
  }
  add_there(transpose, me, transpose->a);
  for (int arrived = 0, which = 0; arrived < others; arrived++) {
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

const struct side transpose_messages = {transpose_messages_begin, transpose_messages_run,
                                        transpose_messages_end};

/* A process from which the tile of the last iteration has come has finished with this process's
 * tile of the one before, so its buffer is free. */
static void windows_iterate(struct transpose *transpose)
{
  const struct memory *memory = &transpose->state.memory;
  const int me = transpose->state.problem->process,
            others = transpose->state.problem->processes - 1;
  const int half = (int)(transpose->begun++ % 2);
  for (int step = 1; step <= others; step++) {
    const int to = partner(transpose, step), count = tile_count(transpose, to);
    pack(transpose, to);
    memory->touched[to] = true;
    MPI_Put(transpose->tiles[to], count, MPI_DOUBLE, to,
            (MPI_Aint)transpose_tile_place(transpose, half, me), count, MPI_DOUBLE, memory->window);
  }
  add_there(transpose, me, transpose->a);
  memory_push(memory);
  for (int step = 1; step <= others; step++)
    memory_signal(memory, partner(transpose, step), transpose_signal(transpose, me),
                  &transpose->begun, 1);
  memory_push(memory);
  for (int step = others; step > 0; step--) {
    const int from = partner(transpose, step);
    memory_await(memory, transpose_signal(transpose, from), transpose->begun);
    add_incoming(transpose, half, from);
  }
}

static void transpose_windows_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    windows_iterate(state);
}

const struct side transpose_windows = {tiles_begin, transpose_windows_run, tiles_end};
