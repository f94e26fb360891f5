/* Threads collect gets on handles, and wait for space among the outstanding replies. While one
 * waits, others begin replies in the same message. */
#include "kit/native.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8, GETS = 12, LONGEST = 1500, SHORT = 40, CELLS = 1 << 16 };

static int rounds;
static void **slices;

/* Cell i of the other process has i. */
struct piece {
  long got[LONGEST];
  size_t first, count, step;
};

static void draw(struct piece *piece, int number, uint64_t *state)
{
  piece->step = 1 + (size_t)(number % 2);
  piece->count = 1 + (size_t)kit_random(state, number % 3 == 0 ? LONGEST : SHORT);
  piece->first = (size_t)kit_random(state, CELLS - 2 * LONGEST);
  for (size_t i = 0; i < piece->count; i++)
    piece->got[i] = -1;
}

static void start(struct piece *piece, cw_handle *handle)
{
  const ptrdiff_t here = sizeof(long), there = (ptrdiff_t)(piece->step * sizeof(long));
  const cw_transfer transfer =
      cw_strided(CW_GET, piece->got, &here, (long *)slices[1] + piece->first, &there, sizeof(long),
                 &piece->count, 1, 1);
  KIT_OK(cw_transfer_start(&transfer, handle));
}

static int count_wrong(const struct piece *piece)
{
  int wrong = 0;
  for (size_t i = 0; i < piece->count; i++)
    wrong += piece->got[i] != (long)(piece->first + i * piece->step);
  return wrong;
}

static void *get_pieces(void *context)
{
  uint64_t state = *(const uint64_t *)context;
  struct piece *pieces = kit_alloc(GETS, sizeof *pieces);
  int wrong = 0;
  for (int round = 0; round < rounds; round++) {
    cw_handle handle = {0};
    KIT_OK(cw_handle_set_aggregate(&handle, true));
    for (int i = 0; i < GETS; i++) {
      draw(&pieces[i], i, &state);
      start(&pieces[i], &handle);
    }
    KIT_OK(cw_wait(&handle));
    for (int i = 0; i < GETS; i++)
      wrong += count_wrong(&pieces[i]);
  }
  kit_check_long(wrong, 0, "cells that are wrong");
  free(pieces);
  return NULL;
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  pthread_t threads[THREADS];
  uint64_t seeds[THREADS];
  rounds = argc > 1 ? atoi(argv[1]) : 100;
  kit_start_native(&argc, &argv, "replies");
  kit_need_threads();
  kit_hang_guard();
  kit_make_region(CELLS * sizeof(long), &region, &slices);
  for (long i = 0; i < CELLS; i++)
    ((long *)slices[kit_me()])[i] = i;
  KIT_OK(cw_barrier(cw_team_world()));
  for (unsigned i = 0; i < THREADS && kit_me() == 0; i++) {
    seeds[i] = i;
    kit_check(pthread_create(&threads[i], NULL, get_pieces, &seeds[i]) == 0, "a thread");
  }
  for (int i = 0; i < THREADS && kit_me() == 0; i++)
    pthread_join(threads[i], NULL);
  kit_free_region(&region, slices);
  return kit_finish_native();
}
