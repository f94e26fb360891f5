/* The sides of the kernel stencil. They differ in how the neighbours' cells arrive. */
#include "stencil.h"

#include <stdlib.h>

typedef void (*exchange_function)(struct stencil *stencil);

static void packed_begin(void *state)
{
  struct stencil *stencil = state;
  for (int way = 0; way < WAYS; way++)
    stencil->packed[way] = allocate(stencil->halo_bytes);
}

static void packed_end(void *state)
{
  struct stencil *stencil = state;
  for (int way = 0; way < WAYS; way++)
    free(stencil->packed[way]);
}

static void iterate(struct stencil *stencil, int iterations, exchange_function exchange)
{
  for (int i = 0; i < iterations; i++) {
    exchange(stencil);
    stencil_compute(stencil);
  }
}

/* Returns the address of the cells that came from a neighbour. */
static char *incoming(const struct stencil *stencil, int way)
{
  return stencil->state.memory.mine + stencil_halo_place(stencil, way);
}

/* --- Causeway: the border itself is put and the neighbour notified; no barrier ---------------- */

static void stencil_causeway_begin(void *state)
{
  struct stencil *stencil = state;
  CW_MUST(cw_notifications_create(cw_team_world(), WAYS, &stencil->acknowledged));
}

static void stencil_causeway_end(void *state)
{
  struct stencil *stencil = state;
  CW_MUST(cw_notifications_free(&stencil->acknowledged));
}

/* Puts the border, which is strided here and contiguous at the neighbour. An implicit operation is
 * delayed, so that between nodes the border and its notification are one message. */
static void causeway_put(struct stencil *stencil, int way)
{
  const int neighbour = stencil->neighbours[way], there = way ^ 1;
  char *to = stencil->state.memory.all[neighbour];
  const struct rectangle border = stencil_border(stencil, way);
  const size_t bytes = (size_t)border.columns * sizeof(double), count = (size_t)border.rows;
  const ptrdiff_t local_stride = stencil->stride * (ptrdiff_t)sizeof(double);
  const ptrdiff_t remote_stride = (ptrdiff_t)bytes;
  const cw_transfer transfer =
      cw_strided(CW_PUT, border.from, &local_stride, to + stencil_halo_place(stencil, there),
                 &remote_stride, bytes, &count, 1, neighbour);
  CW_MUST(cw_transfer_start(&transfer, NULL));
  CW_MUST(cw_put_notify(NULL, NULL, 0, neighbour, stencil->acknowledged, (size_t)there));
}

static void causeway_exchange(struct stencil *stencil)
{
  for (int way = 0; way < WAYS; way++)
    if (stencil->neighbours[way] >= 0)
      causeway_put(stencil, way);
  for (int way = 0; way < WAYS; way++)
    if (stencil->neighbours[way] >= 0) {
      CW_MUST(cw_notification_wait(stencil->acknowledged, (size_t)way, CW_AT_LEAST,
                                   stencil->exchanges + 1, NULL));
      stencil_unpack(stencil, way, incoming(stencil, way));
    }
  CW_MUST(cw_wait_all()); /* the borders may change afterwards */
  stencil->exchanges++;
}

static void stencil_causeway_run(void *state, int iterations)
{
  iterate(state, iterations, causeway_exchange);
}

const struct side stencil_causeway = {stencil_causeway_begin, stencil_causeway_run,
                                      stencil_causeway_end};

/* --- MPI, two-sided: persistent requests of types, so that MPI alone copies ------------------- */

static void stencil_messages_begin(void *state)
{
  struct stencil *stencil = state;
  for (int way = 0; way < WAYS; way++) {
    const int neighbour = stencil->neighbours[way];
    if (neighbour < 0)
      continue;
    const struct rectangle border = stencil_border(stencil, way), halo = stencil_halo(stencil, way);
    MPI_Datatype cells;
    MPI_Type_vector((int)border.rows, (int)border.columns, (int)stencil->stride, MPI_DOUBLE,
                    &cells);
    MPI_Type_commit(&cells);
    MPI_Recv_init(halo.from, 1, cells, neighbour, way, prk_comm,
                  &stencil->requests[stencil->started++]);
    MPI_Send_init(border.from, 1, cells, neighbour, way ^ 1, prk_comm,
                  &stencil->requests[stencil->started++]);
    MPI_Type_free(&cells);
  }
}

static void stencil_messages_end(void *state)
{
  struct stencil *stencil = state;
  free_all(stencil->started, stencil->requests);
}

static void messages_exchange(struct stencil *stencil)
{
  MPI_Startall(stencil->started, stencil->requests);
  wait_for_all(stencil->started, stencil->requests);
}

static void stencil_messages_run(void *state, int iterations)
{
  iterate(state, iterations, messages_exchange);
}

const struct side stencil_messages = {stencil_messages_begin, stencil_messages_run,
                                      stencil_messages_end};

/* --- MPI, shared memory and one-sided: cells, followed by a number ---------------------------- */

static void await_all(struct stencil *stencil)
{
  for (int way = 0; way < WAYS; way++)
    if (stencil->neighbours[way] >= 0) {
      memory_await(&stencil->state.memory, stencil_signal(way), stencil->exchanges + 1);
      stencil_unpack(stencil, way, incoming(stencil, way));
    }
  stencil->exchanges++;
}

static void signal_all(const struct stencil *stencil)
{
  const int64_t exchanges = stencil->exchanges + 1;
  for (int way = 0; way < WAYS; way++)
    if (stencil->neighbours[way] >= 0)
      memory_signal(&stencil->state.memory, stencil->neighbours[way], stencil_signal(way ^ 1),
                    &exchanges, 1);
  memory_push(&stencil->state.memory);
}

static void shared_exchange(struct stencil *stencil)
{
  for (int way = 0; way < WAYS; way++)
    if (stencil->neighbours[way] >= 0) {
      char *to = stencil->state.memory.all[stencil->neighbours[way]];
      stencil_pack(stencil, way, to + stencil_halo_place(stencil, way ^ 1));
    }
  signal_all(stencil);
  await_all(stencil);
}

static void stencil_shared_run(void *state, int iterations)
{
  iterate(state, iterations, shared_exchange);
}

const struct side stencil_shared = {NULL, stencil_shared_run, NULL};

static void windows_exchange(struct stencil *stencil)
{
  const struct memory *memory = &stencil->state.memory;
  for (int way = 0; way < WAYS; way++)
    if (stencil->neighbours[way] >= 0) {
      const int bytes = (int)stencil_pack(stencil, way, stencil->packed[way]);
      memory->touched[stencil->neighbours[way]] = true;
      MPI_Put(stencil->packed[way], bytes, MPI_BYTE, stencil->neighbours[way],
              (MPI_Aint)stencil_halo_place(stencil, way ^ 1), bytes, MPI_BYTE, memory->window);
    }
  memory_push(memory);
  signal_all(stencil);
  await_all(stencil);
}

static void stencil_windows_run(void *state, int iterations)
{
  iterate(state, iterations, windows_exchange);
}

const struct side stencil_windows = {packed_begin, stencil_windows_run, packed_end};
