/* All transfers of device data, combined at random and compared with a model. They use lists,
 * levels and runs; host memory and memory on this process's two open devices; slices of all
 * processes on either device and in host memory, also mixed in one list; several threads; and
 * regions that are freed and created again elsewhere. Every thread of every process has bytes of
 * its own in every slice, and all add to one number of each. Usage: device_combined [rounds] */
#include "kit/native.h"

#include <causeway/device.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST = 8,
  THREADS = 2,
  REGIONS = 4,
  STORES = 3,
  SLOT_BYTES = 40000,
  HEAD = 64,
  SEGMENTS = 300,
  LATERS = 5
};

static cw_device devices[2];
static int me, processes, slots;
static size_t slice_bytes;

static cw_region regions[REGIONS], mine_regions[STORES];
static char *slices[REGIONS][MOST], *mine[STORES][MOST]; /* store 0 is host memory */
static long rounds_done;

struct later {
  cw_handle handle;
  char *bytes;
};

struct thread {
  struct later laters[LATERS];
  unsigned later;
  uint64_t random;
  int number;
  char *model[REGIONS][MOST]; /* of this process's lanes */
  char *store[STORES], *got, *host;
  void *local[SEGMENTS], *remote[SEGMENTS];
  long adds[REGIONS][MOST];
};
static struct thread threads[THREADS];

static uint32_t draw(struct thread *t, uint32_t below)
{
  return (uint32_t)kit_random(&t->random, (int)below);
}

static char *slot_at(const struct thread *t, int region, int target)
{
  return slices[region][target] + HEAD + (size_t)(me * THREADS + t->number) * SLOT_BYTES;
}

static char *store_at(const struct thread *t, int store)
{
  return store == 0 ? t->host : mine[store][me] + (size_t)t->number * SLOT_BYTES;
}

static void apply(cw_operation operation, char *remote, char *local, size_t bytes)
{
  if (operation == CW_PUT)
    memcpy(remote, local, bytes);
  else if (operation == CW_GET)
    memcpy(local, remote, bytes);
  else
    for (size_t i = 0; i < bytes; i += 4) {
      uint32_t a, b;
      memcpy(&a, remote + i, 4);
      memcpy(&b, local + i, 4);
      a += b;
      memcpy(remote + i, &a, 4);
    }
}

static void check_bytes(struct thread *t, const char *want, const char *what, int a, int b)
{
  size_t at = 0;
  while (at < SLOT_BYTES && want[at] == t->got[at])
    at++;
  kit_check(at == SLOT_BYTES, "turn %ld thread %d: %s %d of %d differs at %zu", rounds_done,
            t->number, what, a, b, at);
}

static void check_slot(struct thread *t, int region, int target)
{
  if (draw(t, 2) == 0) {
    KIT_OK(cw_get(t->got, slot_at(t, region, target), SLOT_BYTES, target));
  } else { /* through this process's device */
    char *by = store_at(t, 1 + (int)draw(t, 2));
    KIT_OK(cw_device_get(by, slot_at(t, region, target), SLOT_BYTES, target));
    KIT_OK(cw_get(t->got, by, SLOT_BYTES, me));
    memcpy(by == store_at(t, 1) ? t->store[1] : t->store[2], t->model[region][target], SLOT_BYTES);
  }
  check_bytes(t, t->model[region][target], "lane of region", region, target);
}

static void check_store(struct thread *t, int store)
{
  if (store == 0)
    memcpy(t->got, t->host, SLOT_BYTES);
  else
    KIT_OK(cw_get(t->got, store_at(t, store), SLOT_BYTES, me));
  check_bytes(t, t->store[store], "store", store, me);
}

static size_t random_bytes(struct thread *t)
{
  static const int most[] = {2, 3, 30, 300, 2000, 5000};
  return 4 * (1 + (size_t)draw(t, (uint32_t)most[draw(t, 6)]));
}

/* Copies local bytes to memory that stays unchanged until the handle is waited for, because the
 * next operation begins before that. */
static char *keep_for_later(struct thread *t, const char *local, cw_handle **handle)
{
  struct later *later = &t->laters[t->later++ % LATERS];
  KIT_OK(cw_wait(&later->handle));
  memcpy(later->bytes, local, SLOT_BYTES);
  *handle = &later->handle;
  return later->bytes;
}

static void run(struct thread *t, cw_transfer *transfer)
{
  transfer->type = CW_INT;
  const char *host = t->host;
  if (transfer->vectors == NULL && !transfer->local_device && transfer->operation != CW_GET &&
      draw(t, 2) == 0) {
    cw_handle *handle = NULL;
    transfer->local = keep_for_later(t, host, &handle) + ((char *)transfer->local - host);
    KIT_OK(cw_transfer_start(transfer, handle));
    return;
  }
  if (draw(t, 2) == 0) {
    KIT_OK(cw_transfer_run(transfer));
    return;
  }
  cw_handle handle = {0};
  KIT_OK(cw_transfer_start(transfer, &handle));
  KIT_OK(cw_wait(&handle));
}

/* Segments rise on both sides, so that the result is unique. They lie in any region or store. */
static void try_list(struct thread *t)
{
  const cw_operation operation = (cw_operation)draw(t, 3);
  const int target = (int)draw(t, (uint32_t)processes);
  const bool on_device = draw(t, 2) == 0, one_region = draw(t, 2) == 0,
             bad = draw(t, 8) == 0 && getenv("NO_BAD") == NULL;
  const int first_region = (int)draw(t, REGIONS);
  size_t ends[REGIONS] = {0}, local_ends[STORES] = {0};
  size_t locals[SEGMENTS], remotes[SEGMENTS], sizes[SEGMENTS];
  int where[SEGMENTS], from[SEGMENTS];
  cw_vector vectors[16];
  size_t count = 0, vector_count = 0;
  const int vectors_wanted = 1 + (int)draw(t, 8);
  for (int v = 0; v < vectors_wanted; v++) {
    const size_t bytes = draw(t, 12) == 0 ? 0 : random_bytes(t);
    const size_t begin = count, most = draw(t, 2) ? 3 : 60;
    for (size_t i = 0; i < most && count < SEGMENTS; i++) {
      const int region = one_region ? first_region : (int)draw(t, REGIONS);
      const int store = on_device ? 1 + (int)draw(t, 2) : 0;
      const size_t gap = 4 * (size_t)draw(t, 4), gap2 = draw(t, 2) ? 4 * (size_t)draw(t, 4) : 0;
      if (ends[region] + gap + bytes > SLOT_BYTES || local_ends[store] + gap2 + bytes > SLOT_BYTES)
        continue;
      remotes[count] = ends[region] + gap;
      locals[count] = local_ends[store] + gap2;
      ends[region] = remotes[count] + bytes;
      local_ends[store] = locals[count] + bytes;
      where[count] = region;
      from[count] = store;
      sizes[count] = bytes;
      t->remote[count] = slot_at(t, region, target) + remotes[count];
      t->local[count] = store_at(t, store) + locals[count];
      count++;
    }
    vectors[vector_count++] =
        (cw_vector){t->local + begin, t->remote + begin, count - begin, bytes};
  }
  cw_transfer transfer = cw_vectors(operation, vectors, vector_count, target);
  transfer.local_device = on_device;
  if (bad && count > 0) {
    const size_t worst = draw(t, (uint32_t)count);
    if (sizes[worst] == 0)
      return;
    t->remote[worst] = slices[where[worst]][target] + slice_bytes - 3;
    transfer.type = CW_INT;
    KIT_MISUSE("", cw_transfer_run(&transfer));
  } else {
    run(t, &transfer);
    for (size_t i = 0; i < count; i++)
      apply(operation, t->model[where[i]][target] + remotes[i], t->store[from[i]] + locals[i],
            sizes[i]);
  }
  for (int r = 0; r < REGIONS; r++)
    if (ends[r] > 0 && draw(t, 3) == 0)
      check_slot(t, r, target);
  for (int s = 0; s < STORES; s++)
    if (local_ends[s] > 0 && operation == CW_GET && draw(t, 2) == 0)
      check_store(t, s);
}

/* Transfers a run or rows, also between lanes of this process. */
static void try_rows(struct thread *t)
{
  const cw_operation operation = (cw_operation)draw(t, 3);
  const int target = (int)draw(t, (uint32_t)processes), region = (int)draw(t, REGIONS);
  const int other = (int)draw(t, REGIONS);
  const bool from_slot = draw(t, 3) == 0 && other != region &&
                         cw_device_locate(slices[other][me], &(cw_device_location){0}) == CW_OK;
  const int store = (int)draw(t, STORES);
  size_t run_bytes = 4 * (1 + (size_t)draw(t, draw(t, 2) ? 8 : 300)), counts[2];
  ptrdiff_t there[2], here[2];
  int levels = 1 + (int)draw(t, 2);
  size_t extents[2];
  do {
    extents[0] = extents[1] = run_bytes;
    for (int l = 0; l < levels; l++) {
      counts[l] = 1 + draw(t, 30);
      there[l] = (ptrdiff_t)(extents[0] + 4 * draw(t, 5));
      here[l] = (ptrdiff_t)(extents[1] + 4 * draw(t, 5));
      extents[0] += (size_t)there[l] * (counts[l] - 1);
      extents[1] += (size_t)here[l] * (counts[l] - 1);
    }
    if (draw(t, 3) == 0)
      levels = 0, extents[0] = extents[1] = run_bytes = 4 * (1 + draw(t, SLOT_BYTES / 4));
  } while (extents[0] > SLOT_BYTES || extents[1] > SLOT_BYTES);
  const size_t at = 4 * draw(t, (uint32_t)(SLOT_BYTES - extents[0]) / 4 + 1),
               mine_at = 4 * draw(t, (uint32_t)(SLOT_BYTES - extents[1]) / 4 + 1);
  char *local = (from_slot ? slot_at(t, other, me) : store_at(t, store)) + mine_at;
  char *model_local = (from_slot ? t->model[other][me] : t->store[store]) + mine_at;
  char *model = t->model[region][target] + at;
  cw_transfer transfer = cw_strided(operation, local, here, slot_at(t, region, target) + at, there,
                                    run_bytes, counts, levels, target);
  transfer.local_device = from_slot || store > 0;
  run(t, &transfer);
  for (size_t j = 0; j < (levels > 1 ? counts[1] : 1); j++)
    for (size_t i = 0; i < (levels > 0 ? counts[0] : 1); i++) {
      const size_t a =
          (levels > 0 ? (size_t)there[0] * i : 0) + (levels > 1 ? (size_t)there[1] * j : 0);
      const size_t b =
          (levels > 0 ? (size_t)here[0] * i : 0) + (levels > 1 ? (size_t)here[1] * j : 0);
      apply(operation, model + a, model_local + b, run_bytes);
    }
  if (draw(t, 2) == 0)
    check_slot(t, region, target);
  if (from_slot && operation == CW_GET)
    check_slot(t, other, me);
  else if (operation == CW_GET)
    check_store(t, store);
}

static void try_add(struct thread *t)
{
  const int32_t one = 1;
  const int target = (int)draw(t, (uint32_t)processes), region = (int)draw(t, REGIONS);
  const int store = (int)draw(t, STORES);
  t->adds[region][target]++;
  memcpy(t->store[store], &one, 4);
  if (store == 0)
    memcpy(t->host, &one, 4);
  else
    KIT_OK(cw_put(&one, store_at(t, store), 4, me));
  if (store == 0)
    KIT_OK(cw_accumulate(CW_INT, NULL, &one, slices[region][target], 4, target));
  else
    KIT_OK(
        cw_device_accumulate(CW_INT, NULL, store_at(t, store), slices[region][target], 4, target));
}

static long operations = 40;

static void *work(void *argument)
{
  struct thread *t = argument;
  for (long i = 0; i < operations; i++)
    switch (draw(t, 5)) {
    case 0:
    case 1:
      try_list(t);
      break;
    case 2:
    case 3:
      try_rows(t);
      break;
    default:
      try_add(t);
    }
  for (int i = 0; i < LATERS; i++)
    KIT_OK(cw_wait(&t->laters[i].handle));
  return NULL;
}

/* Creates a region on a device or the host; processes may draw differently. */
static void make_region(int r)
{
  const int kind = kit_own(3);
  void *at[MOST];
  KIT_MUST(cw_region_create_on(cw_team_world(), kind < 2 ? devices[kind] : NULL, slice_bytes,
                               &regions[r], at));
  for (int p = 0; p < processes; p++)
    slices[r][p] = at[p];
  char *zeros = kit_alloc(slice_bytes, 1);
  KIT_OK(cw_put(zeros, slices[r][me], slice_bytes, me));
  free(zeros);
  for (int n = 0; n < THREADS; n++)
    for (int p = 0; p < processes; p++) {
      memset(threads[n].model[r][p], 0, SLOT_BYTES);
      threads[n].adds[r][p] = 0;
    }
  KIT_OK(cw_barrier(cw_team_world()));
}

static void check_adds(int r)
{
  long all[MOST] = {0}, sums[MOST];
  for (int p = 0; p < processes; p++)
    for (int n = 0; n < THREADS; n++)
      all[p] += threads[n].adds[r][p];
  MPI_Allreduce(all, sums, processes, MPI_LONG, MPI_SUM, kit_comm());
  for (int p = 0; p < processes; p++) {
    int32_t sum = -1;
    KIT_OK(cw_get(&sum, slices[r][p], 4, p));
    kit_check(sum == sums[p], "turn %ld: region %d of %d counts %d, not %ld", rounds_done, r, p,
              (int)sum, sums[p]);
  }
}

static void free_region(int r)
{
  KIT_OK(cw_barrier(cw_team_world()));
  check_adds(r);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &regions[r]));
}

static void take_memory(struct thread *t)
{
  for (int r = 0; r < REGIONS; r++)
    for (int p = 0; p < processes; p++)
      t->model[r][p] = kit_alloc(SLOT_BYTES, 1);
  for (int s = 0; s < STORES; s++)
    t->store[s] = kit_alloc(SLOT_BYTES, 1);
  for (int i = 0; i < LATERS; i++)
    t->laters[i].bytes = kit_alloc(SLOT_BYTES, 1);
  t->got = kit_alloc(SLOT_BYTES, 1);
  t->host = kit_alloc(SLOT_BYTES, 1);
}

static void give_memory(struct thread *t)
{
  for (int r = 0; r < REGIONS; r++)
    for (int p = 0; p < processes; p++)
      free(t->model[r][p]);
  for (int s = 0; s < STORES; s++)
    free(t->store[s]);
  for (int i = 0; i < LATERS; i++)
    free(t->laters[i].bytes);
  free(t->got);
  free(t->host);
}

static void fill_stores(struct thread *t)
{
  for (int s = 0; s < STORES; s++) {
    for (size_t i = 0; i < SLOT_BYTES; i++)
      t->store[s][i] = (char)draw(t, 256);
    if (s == 0)
      memcpy(t->host, t->store[s], SLOT_BYTES);
    else
      KIT_OK(cw_put(t->store[s], store_at(t, s), SLOT_BYTES, me));
  }
}

int main(int argc, char **argv)
{

  kit_start_native(&argc, &argv, "device_combined");
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 10);
  int count = 0;
  me = kit_me();
  processes = kit_processes();
  slots = processes * THREADS;
  slice_bytes = HEAD + (size_t)slots * SLOT_BYTES;
  KIT_MUST(cw_device_count(CW_DEVICE_ANY, &count, NULL, 0));
  for (int d = 0; d < 2; d++)
    KIT_MUST(cw_device_open(NULL, &devices[d]));
  for (int s = 1; s < STORES; s++)
    KIT_MUST(cw_region_create_on(cw_team_world(), devices[s - 1], (size_t)THREADS * SLOT_BYTES,
                                 &mine_regions[s], (void **)mine[s]));
  for (int n = 0; n < THREADS; n++) {
    threads[n].number = n;
    threads[n].random = 88172645463325252ULL + (uint64_t)kit_own(1 << 30) * 7919 + (uint64_t)n;
    take_memory(&threads[n]);
    fill_stores(&threads[n]);
  }
  for (int r = 0; r < REGIONS; r++)
    make_region(r);
  const bool many = getenv("ONE_THREAD") == NULL;
  for (rounds_done = 0; rounds_done < rounds; rounds_done++) {
    pthread_t other;
    if (many)
      pthread_create(&other, NULL, work, &threads[1]);
    work(&threads[0]);
    if (many)
      pthread_join(other, NULL);
    const int again = kit_common(REGIONS);
    free_region(again);
    make_region(again);
  }
  for (int r = 0; r < REGIONS; r++)
    free_region(r);
  for (int s = 1; s < STORES; s++)
    KIT_OK(cw_region_free(cw_team_world(), &mine_regions[s]));
  for (int n = 0; n < THREADS; n++)
    give_memory(&threads[n]);
  for (int d = 0; d < 2; d++)
    KIT_OK(cw_device_close(&devices[d]));
  return kit_finish_native();
}
