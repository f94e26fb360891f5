/* Measures transfers to and from devices. The limit is the time of the device's back end, memcpy, a
 * futex and MPI for the same transfer. A naive program without transfers of device memory copies
 * the data to host memory, puts or gets that, and the other process copies it on. Where a device
 * shares its memory with the host, slices on the host are the limit.
 *
 *   device [ROUNDS [BYTES]]   two processes of one node, or of two virtual ones (CW_NODE_SIZE=1);
 *                             0 bytes: lists alone; fewer than usual: no lists
 *
 * Process 0 acts. Process 1 sleeps, except for its part of a limit or of the naive program. Sides
 * take turns; the results are medians of single transfers. */
#include "device.h"
#include "../program.h"
#include "../samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHORT = 8, MOST_ROUNDS = 99, MOST_TIMES = 50, ADDED = 1 << 20 };

/* --- Turns ------------------------------------------------------------------------------------ */

static bool slices_are_shared; /* device slices are host memory, so host slices are the limit */

/* Returns the parts of the limit, with a bit for each side. */
static unsigned parts_of(const struct move *move, size_t bytes)
{
  const bool puts = move->operation == CW_PUT, notifies = move->remote == PEER_DEVICE;
  unsigned parts = 0;
  if (slices_are_shared)
    return 1U << HOST;
  if (move->listed)
    return 1U << RECT | 1U << BY_KERNEL | (notifies ? 1U << FUTEX : 0);
  if (move->operation == CW_ACCUMULATE)
    return 1U << ADD;
  if (move->run > 0)
    return 1U << RECT | 1U << BY_KERNEL;
  if (move->local == DEVICE)
    parts |= 1U << (puts ? READ : WRITE);
  if (notifies || move->remote == DEVICE)
    parts |= 1U << (puts ? WRITE : READ);
  if (notifies)
    parts |= 1U << FUTEX;
  if (cw_nodes() > 1)
    parts |= 1U << MESSAGE;
  if (notifies && move->local == BUFFER && bytes > SHORT) /* the data is copied once on its way */
    parts |= 1U << COPY;
  return parts;
}

static bool takes_part(enum side side, const struct move *move, size_t bytes)
{
  const bool is_naive =
      move->listed || (move->run == 0 && !move->rests && !slices_are_shared &&
                       (move->operation == CW_ACCUMULATE) == (move->remote == DEVICE));
  return side == OURS || (side == NAIVE ? is_naive : (parts_of(move, bytes) >> side & 1) != 0);
}

static size_t times_of(size_t bytes)
{
  return bytes <= 1 << 16 ? MOST_TIMES : bytes <= 1 << 20 ? 10 : bytes <= 1 << 23 ? 2 : 1;
}

/* Stores the median microseconds of each side; 0 if it takes no part. */
static void measure(const struct move *move, size_t bytes, int rounds, double medians[SIDES])
{
  static double samples[SIDES][MOST_ROUNDS * MOST_TIMES];
  const size_t times = times_of(bytes);
  for (int round = -1; round < rounds; round++) /* the first one does not count */
    for (int side = 0; side < SIDES; side++)
      if (takes_part((enum side)side, move, bytes))
        measure_round((enum side)side, move, bytes,
                      &samples[side][(round > 0 ? (size_t)round : 0) * times], times);
  for (int side = 0; side < SIDES; side++)
    medians[side] = takes_part((enum side)side, move, bytes)
                        ? 1e6 * median_of(samples[side], times * (size_t)rounds)
                        : 0;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void print_end(double ours, double limit, double naive, double most)
{
  const bool missed = (most > 0 && ours > most * limit) || (naive > 0 && ours > 1.05 * naive);
  char text[16] = "";
  if (most > 0)
    snprintf(text, sizeof text, "%.2f", most);
  printf(" %5.2f | %4s | %5s |\n", ours / limit, text, missed ? "UNDER" : most > 0 ? "ok" : "");
}

/* Returns the limit: the sum of its parts for short transfers, else the slowest part; plus the
 * futex. */
static double limit_of(size_t bytes, const double medians[SIDES])
{
  double limit = 0;
  for (int side = 0; side < FUTEX; side++)
    limit = bytes <= SHORT ? limit + medians[side] : fmax(limit, medians[side]);
  limit = bytes <= SHORT ? limit + medians[MESSAGE] : fmax(limit, medians[MESSAGE]);
  return limit + medians[FUTEX];
}

static void compare(const struct move *move, size_t bytes, int rounds, double most)
{
  double medians[SIDES];
  char naive[16] = "";
  measure(move, bytes, rounds, medians);
  const double limit = limit_of(bytes, medians);
  if (medians[NAIVE] > 0)
    snprintf(naive, sizeof naive, "%.1f", medians[NAIVE]);
  printf("| %-40s | %8zu | %9.1f | %9s | %9.1f |", move->name, bytes, limit, naive, medians[OURS]);
  print_end(medians[OURS], limit, medians[NAIVE], most);
}

static const struct move near[] = {
    {"put to my device", CW_PUT, BUFFER, DEVICE, {1.15, 1 / 0.95}, 0, false, false},
    {"get from my device", CW_GET, BUFFER, DEVICE, {1.15, 1 / 0.95}, 0, false, false},
    {"put a slice to a peer's device", CW_PUT, SLICE, PEER_DEVICE, {2, 1 / 0.9}, 0, false, false},
    {"get a peer's device into a slice", CW_GET, SLICE, PEER_DEVICE, {2, 1 / 0.9}, 0, false, false},
    {"put other memory to a peer's device",
     CW_PUT,
     BUFFER,
     PEER_DEVICE,
     {2, 1.25},
     0,
     false,
     false},
    {"get a peer's device into other memory",
     CW_GET,
     BUFFER,
     PEER_DEVICE,
     {2, 1.25},
     0,
     false,
     false},
    {"put my device to a peer's slice", CW_PUT, DEVICE, PEER_SLICE, {0, 0}, 0, false, false},
    {"get a peer's slice to my device", CW_GET, DEVICE, PEER_SLICE, {0, 0}, 0, false, false},
    {"put my device to a peer's", CW_PUT, DEVICE, PEER_DEVICE, {0, 0}, 0, false, false},
};

static const struct move apart[] = {
    {"put a slice to another node's device",
     CW_PUT,
     SLICE,
     PEER_DEVICE,
     {0, 1 / 0.85},
     0,
     false,
     false},
    {"get another node's device into a slice",
     CW_GET,
     SLICE,
     PEER_DEVICE,
     {0, 1 / 0.85},
     0,
     false,
     false},
    {"put my device to another node's slice",
     CW_PUT,
     DEVICE,
     PEER_SLICE,
     {0, 1 / 0.85},
     0,
     false,
     false},
    {"get another node's slice to my device",
     CW_GET,
     DEVICE,
     PEER_SLICE,
     {0, 1 / 0.85},
     0,
     false,
     false},
    {"put my device to another node's",
     CW_PUT,
     DEVICE,
     PEER_DEVICE,
     {0, 1 / 0.85},
     0,
     false,
     false},
};

/* Transfers of slices that a device shares with the host. */
static const struct move shared_moves[] = {
    {"put to a peer's shared device", CW_PUT, BUFFER, PEER_DEVICE, {1.05, 1.05}, 0, false, false},
    {"get from a peer's shared device", CW_GET, BUFFER, PEER_DEVICE, {1.05, 1.05}, 0, false, false},
    {"put to my shared device", CW_PUT, BUFFER, DEVICE, {1.05, 1.05}, 0, false, false},
    {"put my shared device to a peer's", CW_PUT, DEVICE, PEER_DEVICE, {0, 1.05}, 0, false, false},
};

static void transfers(const struct move *moves, size_t count, size_t most, int rounds)
{
  printf("| %-40s | %8s | %9s | %9s | %9s | %5s | %4s | %5s |\n", "transfer", "bytes", "limit, µs",
         "naive, µs", "ours, µs", "ours / limit", "at most", "");
  printf("|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < count; i++)
    compare(&moves[i], SHORT, rounds, moves[i].most[0]);
  for (size_t i = 0; i < count; i++)
    for (size_t bytes = 16384; bytes <= most; bytes *= 16)
      compare(&moves[i], bytes, rounds, bytes == MOST_BYTES ? moves[i].most[1] : 0);
}

/* Measures transfers after an idle period, when the peer's agent must wake up. */
static void silence(int rounds)
{
  struct move move = near[2];
  move.name = "put 8 bytes to a peer's device, silence";
  move.rests = true;
  compare(&move, SHORT, rounds, 2);
}

static void shared_additions(int rounds)
{
  const struct move mine = {
      "add to my shared device", CW_ACCUMULATE, BUFFER, DEVICE, {0, 0}, 0, false, false};
  const struct move theirs = {
      "add to a peer's shared device", CW_ACCUMULATE, BUFFER, PEER_DEVICE, {0, 0}, 0, false, false};
  compare(&mine, ADDED, rounds, 1.05);
  compare(&theirs, ADDED, rounds, 1.05);
}

static void additions(int rounds)
{
  const struct move mine = {
      "add to my device", CW_ACCUMULATE, BUFFER, DEVICE, {0, 0}, 0, false, false};
  const struct move theirs = {
      "add to a peer's device", CW_ACCUMULATE, BUFFER, PEER_DEVICE, {0, 0}, 0, false, false};
  compare(&mine, ADDED, rounds, 1.2);
  compare(&theirs, ADDED, rounds, 0);
}

static void rows(int rounds)
{
  static const size_t runs[] = {8, 64, 256, 512, 2048, 4096};
  printf("| %-5s | %5s | %9s | %9s | %9s | %5s | %4s | %5s |\n", "8192", "bytes", "Rect, µs",
         "kernel and copy, µs", "ours, µs", "ours / limit", "at most", "");
  printf("|---|---|---|---|---|---|---|---|\n");
  for (int get = 0; get < 2; get++)
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
      const struct move move = {get ? "get" : "put",
                                get ? CW_GET : CW_PUT,
                                BUFFER,
                                DEVICE,
                                {0, 0},
                                runs[i],
                                false,
                                false};
      double medians[SIDES];
      measure(&move, 1 << 20, rounds, medians);
      const double rect = medians[RECT], kernel = medians[BY_KERNEL];
      printf("| %-5s | %5zu | %9.1f | %9.1f | %9.1f |", move.name, runs[i], rect, kernel,
             medians[OURS]);
      print_end(medians[OURS], runs[i] < 512 && kernel < rect ? kernel : rect, 0, 1 / 0.9);
    }
}

/* Measures lists. The limit is the same number of equidistant rows by the faster way, plus the
 * futex for a peer. */
static void lists(int rounds)
{
  static const size_t runs[] = {8, 64};
  static const struct move moves[] = {
      {"put to my device", CW_PUT, BUFFER, DEVICE, {0, 0}, 0, false, true},
      {"get from my device", CW_GET, BUFFER, DEVICE, {0, 0}, 0, false, true},
      {"add to my device", CW_ACCUMULATE, BUFFER, DEVICE, {0, 0}, 0, false, true},
      {"put to a peer's device", CW_PUT, BUFFER, PEER_DEVICE, {0, 0}, 0, false, true},
      {"get from a peer's device", CW_GET, BUFFER, PEER_DEVICE, {0, 0}, 0, false, true},
      {"add to a peer's device", CW_ACCUMULATE, BUFFER, PEER_DEVICE, {0, 0}, 0, false, true},
      {"put my device to a peer's slice", CW_PUT, DEVICE, PEER_SLICE, {0, 0}, 0, false, true},
      {"put my device to a peer's", CW_PUT, DEVICE, PEER_DEVICE, {0, 0}, 0, false, true},
  };
  printf("| %-40s | %8s | %9s | %9s | %9s | %5s | %4s | %5s |\n", "list of 4096 segments", "bytes",
         "limit, µs", "one by one, µs", "ours, µs", "ours / limit", "at most", "");
  printf("|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
    for (size_t j = 0; j < sizeof runs / sizeof runs[0]; j++) {
      struct move move = moves[i];
      double medians[SIDES];
      move.run = runs[j];
      measure(&move, MOST_BYTES / 8, rounds, medians);
      const double limit = fmin(medians[RECT], medians[BY_KERNEL]) + medians[FUTEX];
      printf("| %-40s | %8zu | %9.1f | %9.1f | %9.1f |", move.name, move.run, limit, medians[NAIVE],
             medians[OURS]);
      print_end(medians[OURS], limit, medians[NAIVE], 0);
    }
}

/* --- All -------------------------------------------------------------------------------------- */

static void lead(size_t most, int rounds)
{
  cw_device_facts facts;
  sides_describe(&facts);
  printf("%s, %s\n", facts.name, cw_nodes() == 1 ? "one node" : "two virtual nodes");
  slices_are_shared = facts.shared;
  if (facts.shared && most > 0) {
    transfers(shared_moves, sizeof shared_moves / sizeof shared_moves[0], most, rounds);
    shared_additions(rounds);
  } else if (most > 0 && cw_nodes() == 1) {
    transfers(near, sizeof near / sizeof near[0], most, rounds);
    silence(rounds);
    additions(rounds);
    rows(rounds);
  } else if (most > 0)
    transfers(apart, sizeof apart / sizeof apart[0], most, rounds);
  if (!facts.shared && (most == 0 || most == MOST_BYTES))
    lists(rounds);
  rounds_end();
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 9;
  const size_t most = argc > 2 ? strtoul(argv[2], NULL, 10) : MOST_BYTES;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 2 || rounds < 1 || rounds > MOST_ROUNDS || most > MOST_BYTES)
    cw_abort("device: two processes, 1 to 99 rounds, at most 67108864 bytes", 1);
  sides_begin();
  cw_process() == 0 ? lead(most, rounds) : serve();
  sides_end();
  must(cw_finalize());
  return MPI_Finalize();
}
