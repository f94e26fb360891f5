/* The sides of bench/devices/device.c that take turns: the limits, the naive program, and our
 * calls. */
#include "../program.h"
#include "device.h"

#include "wait/lock.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TAG = 5, NAP_NANOSECONDS = 100000000 };
static const double until_asleep = 30e-6; /* seconds after which a waiting thread sleeps */

/* Memory that both processes share. */
static struct shared {
  struct cwi_signal requested, ping, pong;
  enum side side;
  struct move move;
  size_t bytes;
  size_t times;
} * shared;

static MPI_Comm comm;
static cw_device device;
static void *slices[2], *devices[2];
static char *buffer, *other; /* buffers of MOST_BYTES */
static const double one = 1;

static void *place_of(enum place place)
{
  const int peer = 1 - cw_process();
  switch (place) {
  case BUFFER:
    return buffer;
  case SLICE:
    return slices[cw_process()];
  case DEVICE:
    return devices[cw_process()];
  case PEER_SLICE:
    return slices[peer];
  default:
    return devices[peer];
  }
}

/* --- Signals between the processes ------------------------------------------------------------ */

static void await(struct cwi_signal *signal, uint32_t value)
{
  while (cwi_signal_value(signal) == value)
    cwi_signal_nap(signal, value, NAP_NANOSECONDS);
}

static void ping(bool first)
{
  struct cwi_signal *mine = first ? &shared->ping : &shared->pong;
  struct cwi_signal *theirs = first ? &shared->pong : &shared->ping;
  static uint32_t seen;
  if (first)
    cwi_signal_advance(mine);
  await(theirs, seen++);
  if (!first)
    cwi_signal_advance(mine);
}

/* Sends bytes to process 1 and receives an answer. */
static void message(size_t bytes)
{
  if (cw_process() == 0) {
    MPI_Send(buffer, (int)bytes, MPI_BYTE, 1, TAG, comm);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(other, (int)bytes, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, comm);
  }
}

/* --- Lists ------------------------------------------------------------------------------------ */

/* Segments of the remote side in irregular order; the local side is packed. */
static void *here[SEGMENTS], *there[SEGMENTS];

static void make_list(const struct move *move)
{
  char *local = place_of(move->local), *remote = place_of(move->remote);
  for (size_t i = 0; i < SEGMENTS; i++) {
    here[i] = local + i * move->run;
    there[i] = remote + i * 1667 % SEGMENTS * APART;
  }
}

static int process_of(const struct move *move)
{
  return move->remote == DEVICE || move->remote == SLICE ? 0 : 1;
}

/* Transfers the segments one by one. */
static void naive_list(const struct move *move)
{
  for (size_t i = 0; i < SEGMENTS; i++) {
    cw_transfer single =
        cw_contiguous(move->operation, here[i], there[i], move->run, process_of(move));
    single.local_device = move->local == DEVICE;
    must(cw_transfer_run(&single));
  }
}

/* --- The naive program ------------------------------------------------------------------------ */

static void add(double *to, const double *from, size_t bytes)
{
  for (size_t i = 0; i < bytes / sizeof *to; i++)
    to[i] += from[i];
}

/* Copies from the slice of process 1 to its device, or back. Runs on process 1. */
static void naive_peer(const struct move *move, size_t bytes)
{
  MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
  if (move->operation == CW_PUT)
    must(cw_put(slices[1], devices[1], bytes, 1));
  else
    must(cw_get(slices[1], devices[1], bytes, 1));
  MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, comm);
}

static void notify_peer(void)
{
  MPI_Send(NULL, 0, MPI_BYTE, 1, TAG, comm);
  MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, comm, MPI_STATUS_IGNORE);
}

static void naive_put(const struct move *move, size_t bytes)
{
  const void *host = place_of(move->local == SLICE ? SLICE : BUFFER);
  if (move->local == DEVICE)
    must(cw_get(buffer, devices[0], bytes, 0));
  must(cw_put(host, slices[1], bytes, 1));
  must(cw_fence(1));
  if (move->remote == PEER_DEVICE)
    notify_peer();
}

static void naive_get(const struct move *move, size_t bytes)
{
  if (move->remote == PEER_DEVICE)
    notify_peer();
  must(cw_get(place_of(move->local == SLICE ? SLICE : BUFFER), slices[1], bytes, 1));
  if (move->local == DEVICE)
    must(cw_put(buffer, devices[0], bytes, 0));
}

/* Adds on this process's device only. */
static void naive_add(size_t bytes)
{
  must(cw_get(other, devices[0], bytes, 0));
  add((double *)(void *)other, (const double *)(const void *)buffer, bytes);
  must(cw_put(other, devices[0], bytes, 0));
}

static void naive(const struct move *move, size_t bytes)
{
  if (move->listed)
    naive_list(move);
  else if (move->operation == CW_ACCUMULATE)
    naive_add(bytes);
  else if (move->operation == CW_PUT)
    naive_put(move, bytes);
  else
    naive_get(move, bytes);
}

/* --- Ours ------------------------------------------------------------------------------------- */

static void ours(const struct move *move, size_t bytes)
{
  const bool mine = move->remote == DEVICE || move->remote == SLICE;
  const size_t rows = ROWS;
  const ptrdiff_t near = (ptrdiff_t)move->run, far = APART;
  void *local = place_of(move->local), *remote = place_of(move->remote);
  const cw_vector list = {here, there, SEGMENTS, move->run};
  cw_transfer transfer =
      move->run == 0 ? cw_contiguous(move->operation, local, remote, bytes, process_of(move))
      : move->listed ? cw_vectors(move->operation, &list, 1, process_of(move))
                     : cw_strided(move->operation, local, &near, remote, &far, move->run, &rows, 1,
                                  process_of(move));
  transfer.local_device = move->local == DEVICE;
  transfer.type = CW_DOUBLE;
  transfer.scale = &one;
  must(cw_transfer_run(&transfer));
  if (cw_nodes() > 1 && move->operation != CW_GET && !mine)
    must(cw_fence(1));
}

/* Does the transfer between slices on the host. */
static void on_host(const struct move *move, size_t bytes)
{
  struct move same = *move;
  same.remote = move->remote == DEVICE ? SLICE : PEER_SLICE;
  same.local = move->local == DEVICE ? SLICE : move->local;
  ours(&same, bytes);
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* Runs process 0's part of one transfer. */
static void act(enum side side, const struct move *move, size_t bytes)
{
  switch (side) {
  case WRITE:
    limit_move(CW_PUT, place_of(move->local == SLICE ? SLICE : BUFFER), bytes);
    break;
  case READ:
    limit_move(CW_GET, place_of(move->local == SLICE ? SLICE : BUFFER), bytes);
    break;
  case ADD:
    limit_add(buffer, bytes);
    break;
  case RECT:
    limit_rows(move->operation, buffer, move->run, move->listed ? SEGMENTS : ROWS, APART);
    break;
  case BY_KERNEL:
    limit_rows_by_kernel(move->operation, buffer, move->run, move->listed ? SEGMENTS : ROWS, APART);
    break;
  case COPY:
    memcpy(other, buffer, bytes);
    break;
  case HOST:
    on_host(move, bytes);
    break;
  case FUTEX:
    ping(true);
    break;
  case MESSAGE:
    message(bytes);
    break;
  case NAIVE:
    naive(move, bytes);
    break;
  default:
    ours(move, bytes);
  }
}

/* Waits until a thread that waits for a futex sleeps, and so does an agent. */
static void let_sleep(void)
{
  const double begin = seconds(CLOCK_MONOTONIC);
  while (seconds(CLOCK_MONOTONIC) - begin < until_asleep)
    cwi_pause();
}

static bool needs_peer(enum side side, const struct move *move)
{
  return side == FUTEX || side == MESSAGE ||
         (side == NAIVE && move->remote == PEER_DEVICE && !move->listed);
}

/* Process 1 serves until process 0 requests no more transfers. */
void serve(void)
{
  for (uint32_t seen = 0;; seen++) {
    await(&shared->requested, seen);
    if (shared->times == 0)
      return;
    for (size_t i = 0; i < shared->times; i++)
      if (shared->side == FUTEX)
        ping(false);
      else if (shared->side == MESSAGE)
        message(shared->bytes);
      else
        naive_peer(&shared->move, shared->bytes);
  }
}

static void send_request(enum side side, const struct move *move, size_t bytes, size_t times)
{
  shared->side = side;
  shared->move = *move;
  shared->bytes = bytes;
  shared->times = times;
  cwi_signal_advance(&shared->requested);
}

void measure_round(enum side side, const struct move *move, size_t bytes, double *samples,
                   size_t times)
{
  if (move->listed)
    make_list(move);
  if (needs_peer(side, move))
    send_request(side, move, bytes, times);
  for (size_t i = 0; i < times; i++) {
    if (side == FUTEX || (side == OURS && move->rests))
      let_sleep();
    const double begin = seconds(CLOCK_MONOTONIC);
    act(side, move, bytes);
    samples[i] = seconds(CLOCK_MONOTONIC) - begin;
  }
}

void rounds_end(void)
{
  send_request(FUTEX, &(struct move){0}, 0, 0);
}

/* --- Start and end ---------------------------------------------------------------------------- */

static cw_region regions[2];

/* Opens memory of process 0 on process 1 through /proc, because their hosts may be namespaces of
 * one machine. */
static void share(void)
{
  int place[2] = {(int)getpid(), -1};
  char path[64];
  if (cw_process() == 0) {
    place[1] = memfd_create("device", 0);
    if (place[1] < 0 || ftruncate(place[1], sizeof *shared) != 0)
      cw_abort("device: no memory to share", 1);
  }
  MPI_Bcast(place, 2, MPI_INT, 0, comm);
  snprintf(path, sizeof path, "/proc/%d/fd/%d", place[0], place[1]);
  const int file = open(path, O_RDWR);
  shared = file < 0 ? MAP_FAILED
                    : mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED)
    cw_abort("device: both processes have to be on one machine", 1);
  MPI_Barrier(comm);
}

void sides_begin(void)
{
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  share();
  must(cw_device_open(NULL, &device));
  must(cw_region_create(cw_team_world(), MOST_BYTES, &regions[0], slices));
  must(cw_region_create_on(cw_team_world(), device, MOST_BYTES, &regions[1], devices));
  buffer = aligned_alloc(4096, MOST_BYTES);
  other = aligned_alloc(4096, MOST_BYTES);
  if (buffer == NULL || other == NULL)
    cw_abort("device: no memory", 1);
  memset(buffer, 0, MOST_BYTES);
  memset(other, 0, MOST_BYTES);
  memset(slices[cw_process()], 0, MOST_BYTES);
  limit_begin(devices[cw_process()], MOST_BYTES);
  must(cw_barrier(cw_team_world()));
}

void sides_end(void)
{
  must(cw_barrier(cw_team_world()));
  limit_end();
  must(cw_region_free(cw_team_world(), &regions[1]));
  must(cw_region_free(cw_team_world(), &regions[0]));
  must(cw_device_close(&device));
  free(buffer);
  free(other);
}

void sides_describe(cw_device_facts *facts)
{
  must(cw_device_describe(device, facts));
}
