/* Random lists of segments and shapes of several levels on devices, compared with a model in host
 * memory. Targets are slices on devices and in host memory of this process, of node peers and of
 * other nodes; the local side is in host memory or on this process's device. Usage: device_lists
 * [rounds] */
#include "device/fake_cuda/control.h"
#include "kit/native.h"
#include "number/atomic_update.h"

#include <causeway/device.h>

#include <stdlib.h>
#include <string.h>

/* Each process has an area in each target's slice that no other process accesses. */
enum { MOST = 8, AREA = 3 << 20, MOST_SEGMENTS = 6000, MOST_VECTORS = 400 };

static cw_device device;
static cw_region on_device, on_host, of_mine;
static void *devices[MOST], *hosts[MOST], *mine[MOST];
static int me, processes;
static char *model, *local_model, *got, *buffer;

/* --- Lists ------------------------------------------------------------------------------------ */

static struct {
  void *local[MOST_SEGMENTS], *remote[MOST_SEGMENTS];
  size_t at[2][MOST_SEGMENTS]; /* in the areas, local and remote */
  cw_vector vectors[MOST_VECTORS];
  size_t vector_count, segments, bytes;
  cw_operation operation;
  cw_type type;
  int target;
  bool target_device, mine_device;
} list;

static size_t random_size(size_t element)
{
  static const int most[] = {1, 3, 12, 200, 1500, 5000};
  const int longest = kit_own(60) == 0 ? 40000 : most[kit_own(6)];
  return element * (1 + (size_t)kit_own(longest / (longest > (int)element ? (int)element : 1)));
}

/* Places disjoint segments in rising order, as many as there is space for. */
static size_t place_apart(size_t *at, size_t first, size_t count, size_t bytes, size_t element,
                          size_t *end)
{
  const bool dense = kit_own(2) == 0;
  size_t placed = 0;
  for (; placed < count; placed++) {
    const size_t gap = dense ? 0 : element * (size_t)kit_own(40);
    if (*end + gap + bytes > AREA)
      break;
    at[first + placed] = *end + gap;
    *end += gap + bytes;
  }
  return placed;
}

/* Places segments anywhere, also overlapping. */
static void place_anywhere(size_t *at, size_t first, size_t count, size_t bytes, size_t element,
                           size_t begin)
{
  const size_t places = (AREA - begin - bytes) / element;
  const int few = 1 + kit_own((int)(places < 5000 ? places : 5000));
  for (size_t i = 0; i < count; i++)
    at[first + i] = begin + element * (size_t)kit_own(few);
}

static void shuffle(size_t first, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (int side = 0; side < 2; side++) {
      const size_t other = (size_t)kit_own((int)count);
      const size_t place = list.at[side][first + i];
      list.at[side][first + i] = list.at[side][first + other];
      list.at[side][first + other] = place;
    }
}

/* Segments that are stored must be disjoint; those that are added or only read need not. */
static void make_vectors(size_t element)
{
  static const int counts[] = {1, 5, 60, 1200, 4000};
  const size_t begin = (size_t)kit_own(9);
  size_t ends[2] = {begin, begin};
  const int vectors = kit_own(4) == 0 ? MOST_VECTORS : kit_own(6);
  const int longest = vectors == MOST_VECTORS ? 12 : counts[kit_own(5)];
  const int stored = list.operation == CW_GET ? 0 : 1;
  const bool any[2] = {stored != 0 && kit_own(2) == 0, list.operation != CW_PUT && kit_own(2) == 0};
  list.segments = list.bytes = list.vector_count = 0;
  for (int v = 0; v < vectors; v++) {
    const size_t bytes = kit_own(20) == 0 ? 0 : random_size(element);
    size_t count = (size_t)kit_own(longest + 1);
    if (count > MOST_SEGMENTS - list.segments)
      count = MOST_SEGMENTS - list.segments;
    for (int side = 0; side < 2 && bytes > 0; side++)
      if (!any[side])
        count = place_apart(list.at[side], list.segments, count, bytes, element, &ends[side]);
    for (int side = 0; side < 2 && bytes > 0; side++)
      if (any[side])
        place_anywhere(list.at[side], list.segments, count, bytes, element, begin);
    if (bytes > 0 && kit_own(2) == 0)
      shuffle(list.segments, count);
    list.vectors[list.vector_count++] =
        (cw_vector){list.local + list.segments, list.remote + list.segments, count, bytes};
    list.segments += bytes > 0 ? count : 0;
    list.bytes += count * bytes;
    if (bytes == 0)
      list.vectors[v].count = 0;
  }
}

static char *area_of_target(void)
{
  return (char *)(list.target_device ? devices : hosts)[list.target] + (size_t)me * AREA;
}

static char *area_of_mine(void)
{
  return list.mine_device ? mine[me] : buffer;
}

static void make_addresses(void)
{
  for (size_t i = 0; i < list.segments; i++) {
    list.local[i] = area_of_mine() + list.at[0][i];
    list.remote[i] = area_of_target() + list.at[1][i];
  }
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* Fills with integers of every type, or with random bytes for other types. Areas are filled from
 * each possible first byte, so that numbers are valid wherever a list begins. */
static void fill(char *bytes, size_t begin)
{
  const size_t element = list.operation == CW_ACCUMULATE ? cwi_type_bytes[list.type] : 1;
  for (size_t at = begin; at + element <= AREA; at += element) {
    const int value = kit_own(200) - 100;
    const float single[2] = {(float)value, (float)-value};
    const double real[2] = {value, -value};
    const long whole = value;
    const bool is_real = element > 1 && !cwi_type_is_whole(list.type);
    const void *from = !is_real                        ? (const void *)&whole
                       : cwi_type_is_single(list.type) ? (const void *)single
                                                       : (const void *)real;
    memcpy(bytes + at, from, element);
  }
}

static void set_areas(size_t begin)
{
  memset(model, 7, AREA);
  memset(local_model, 9, AREA);
  fill(model, begin);
  fill(local_model, begin);
  KIT_OK(cw_put(model, area_of_target(), AREA, list.target));
  if (list.mine_device)
    KIT_OK(cw_put(local_model, area_of_mine(), AREA, me));
  else
    memcpy(buffer, local_model, AREA);
  KIT_OK(cw_fence(list.target));
}

static void check_areas(void)
{
  KIT_OK(cw_fence(list.target));
  KIT_OK(cw_get(got, area_of_target(), AREA, list.target));
  kit_check_bytes(got, model, AREA, "the remote side");
  if (list.mine_device)
    KIT_OK(cw_get(got, area_of_mine(), AREA, me));
  kit_check_bytes(list.mine_device ? got : buffer, local_model, AREA, "the local side");
}

/* --- Rounds ----------------------------------------------------------------------------------- */

static void draw(void)
{
  static const cw_type types[] = {CW_INT,   CW_LONG, CW_FLOAT, CW_DOUBLE, CW_DOUBLE_COMPLEX,
                                  CW_UINT8, CW_INT16};
  list.operation = (cw_operation)kit_own(3);
  list.type = list.operation == CW_ACCUMULATE ? types[kit_own(7)] : CW_DOUBLE;
  list.target = kit_own(processes);
  list.target_device = kit_own(4) > 0;
  list.mine_device = !list.target_device || kit_own(2) == 0;
}

static size_t element_of(void)
{
  return list.operation == CW_ACCUMULATE ? cwi_type_bytes[list.type] : 1;
}

static void describe(const char *what, long round)
{
  static const char *const names[] = {"put", "get", "accumulate"};
  kit_about("round %ld: %s of %s: %s, %zu vectors, %zu segments, %zu bytes, %s to %s of %d", round,
            names[list.operation], cwi_type_word(list.type), what, list.vector_count, list.segments,
            list.bytes, list.mine_device ? "my device" : "my memory",
            list.target_device ? "a device" : "host memory", list.target);
}

static void model_segment(const cw_transfer *transfer, size_t local, size_t remote, size_t bytes)
{
  if (transfer->operation == CW_PUT)
    memcpy(model + remote, local_model + local, bytes);
  else if (transfer->operation == CW_GET)
    memcpy(local_model + local, model + remote, bytes);
  else
    cwi_update_kernel(transfer->reduction, transfer->type, transfer->scale != NULL)(
        model + remote, 0, local_model + local, 0, bytes, 1, transfer->scale);
}

static void finish_transfer(cw_transfer *transfer, union cwi_scalar *scale)
{
  transfer->local_device = list.mine_device;
  transfer->type = list.type;
  if (list.operation != CW_ACCUMULATE)
    return;
  const int way = kit_own(3);
  if (way == 1 && list.type < CW_TYPES) {
    memset(scale, 0, sizeof *scale);
    if (cwi_type_is_whole(list.type))
      scale->i64 = 3;
    else if (cwi_type_is_single(list.type))
      scale->f[0] = 2;
    else
      scale->d[0] = 2;
    transfer->scale = scale;
  } else if (way == 2 && list.type != CW_DOUBLE_COMPLEX) {
    transfer->reduction = CW_MAXIMUM;
  }
}

static size_t begin_of_list(void)
{
  size_t begin = AREA;
  for (size_t i = 0; i < list.segments; i++)
    for (int side = 0; side < 2; side++)
      begin = list.at[side][i] < begin ? list.at[side][i] : begin;
  return begin % element_of();
}

static void try_list(long round)
{
  union cwi_scalar scale;
  draw();
  make_vectors(element_of());
  make_addresses();
  describe("list", round);
  set_areas(begin_of_list());
  cw_transfer transfer = cw_vectors(list.operation, list.vectors, list.vector_count, list.target);
  finish_transfer(&transfer, &scale);
  KIT_OK(cw_transfer_run(&transfer));
  for (size_t v = 0, i = 0; v < list.vector_count; v++)
    for (size_t n = 0; n < list.vectors[v].count; n++, i++)
      model_segment(&transfer, list.at[0][i], list.at[1][i], list.vectors[v].bytes);
  check_areas();
}

/* One bad segment: the others must not move any data. */
static void try_bad(long round)
{
  union cwi_scalar scale;
  draw();
  make_vectors(element_of());
  make_addresses();
  if (list.segments == 0)
    return;
  const size_t bad = (size_t)kit_own((int)list.segments);
  list.remote[bad] = (char *)(list.target_device ? devices : hosts)[list.target] +
                     (kit_own(2) == 0 ? (ptrdiff_t)processes * AREA : -(1L << 30));
  describe("a bad segment", round);
  set_areas(0);
  cw_transfer transfer = cw_vectors(list.operation, list.vectors, list.vector_count, list.target);
  finish_transfer(&transfer, &scale);
  KIT_MISUSE("segment|of vector", cw_transfer_run(&transfer));
  check_areas();
}

/* Transfers rows of up to four levels, some of them longer than a batch. */
static void try_levels(long round)
{
  size_t counts[4], extents[2];
  ptrdiff_t strides[2][4];
  union cwi_scalar scale;
  draw();
  const int levels = 2 + kit_own(3);
  const size_t element = element_of(), run = element * (1 + (size_t)kit_own(kit_own(2) ? 9 : 300));
  do {
    extents[0] = extents[1] = run;
    for (int level = 0; level < levels; level++) {
      counts[level] = 1 + (size_t)kit_own(level == 0 ? 60 : 25);
      for (int side = 0; side < 2; side++) {
        strides[side][level] = (ptrdiff_t)(extents[side] + element * (size_t)kit_own(9));
        extents[side] += (size_t)strides[side][level] * (counts[level] - 1);
      }
    }
  } while (extents[0] > AREA || extents[1] > AREA);
  list.vector_count = 0;
  list.segments = (size_t)levels;
  list.bytes = run * counts[0];
  describe("levels", round);
  set_areas(0);
  cw_transfer transfer = cw_strided(list.operation, area_of_mine(), strides[0], area_of_target(),
                                    strides[1], run, counts, levels, list.target);
  finish_transfer(&transfer, &scale);
  KIT_OK(cw_transfer_run(&transfer));
  size_t index[4] = {0};
  for (bool more = true; more;) {
    size_t at[2] = {0, 0};
    for (int side = 0; side < 2; side++)
      for (int level = 0; level < levels; level++)
        at[side] += index[level] * (size_t)strides[side][level];
    model_segment(&transfer, at[0], at[1], run);
    int level = 0;
    while (level < levels && ++index[level] == counts[level])
      index[level++] = 0;
    more = level < levels;
  }
  check_areas();
}

/* --- Two memories at once --------------------------------------------------------------------- */

enum { ROUNDS = 60 };

static void check_word(const void *remote, int target, int64_t want, const char *what)
{
  int64_t word = -1;
  KIT_OK(cw_get(&word, remote, sizeof word, target));
  kit_check(word == want, "%s of process %d: a word is %ld, not %ld", what, target, (long)word,
            (long)want);
}

/* Alternates words for a device and for host memory: to another node they travel together. */
static void try_in_rounds(int target)
{
  const size_t at = (size_t)me * AREA;
  for (int64_t i = 0; i < ROUNDS; i++) {
    const int64_t words[2] = {1000 * me + i, -1000 * me - i};
    KIT_OK(cw_put(&words[0], (char *)devices[target] + at + 8 * i, 8, target));
    KIT_OK(cw_put(&words[1], (char *)hosts[target] + at + 8 * i, 8, target));
  }
  KIT_OK(cw_fence(target));
  for (int64_t i = 0; i < ROUNDS; i++) {
    check_word((char *)devices[target] + at + 8 * i, target, 1000 * me + i, "device");
    check_word((char *)hosts[target] + at + 8 * i, target, -1000 * me - i, "host");
  }
}

/* Transfers from this process's device to two slices of the other process by one list. */
static void try_two_slices(int target)
{
  const int64_t words[2] = {7 * me + 1, 7 * me + 2};
  char *from = (char *)mine[me] + AREA / 2;
  void *local[2] = {from, from + 8};
  void *remote[2] = {(char *)devices[target] + (size_t)me * AREA, (char *)mine[target] + 64 * me};
  const cw_vector vector = {local, remote, 2, 8};
  cw_transfer transfer = cw_vectors(CW_PUT, &vector, 1, target);
  transfer.local_device = true;
  KIT_OK(cw_put(words, from, sizeof words, me));
  KIT_OK(cw_transfer_run(&transfer));
  check_word(remote[0], target, words[0], "the first slice");
  check_word(remote[1], target, words[1], "the second slice");
}

static void try_two_memories(void)
{
  for (int target = 0; target < processes; target++) {
    try_in_rounds(target);
    try_two_slices(target);
  }
  KIT_OK(cw_barrier(cw_team_world()));
}

/* --- Counted calls ---------------------------------------------------------------------------- */

static void (*count_anew)(void);
static int (*count)(const char *name);

/* Returns the process that moves what process 0 puts, gets or adds: process 0 itself if it reaches
 * the slice. */
static int mover_of(cw_operation operation, int target)
{
  const char *peer = getenv("CW_DEVICE_PEER");
  const bool agent = peer != NULL && strcmp(peer, "agent") == 0;
  return agent || cw_nodes() > 1 || operation == CW_ACCUMULATE ? target : 0;
}

/* Counts the driver's calls in that process for a thousand segments. */
static void try_counted(cw_operation operation, int target, bool ragged)
{
  enum { SEGMENTS = 1000, COMMANDS = 8 };
  kit_about("operation %d on a thousand segments of process %d", (int)operation, target);
  list.operation = operation;
  list.type = CW_DOUBLE;
  for (size_t i = 0; i < SEGMENTS; i++) {
    list.local[i] = buffer + 16 * i;
    list.remote[i] = (char *)devices[target] + (size_t)me * AREA + 48 * (i * 7 % SEGMENTS);
  }
  for (size_t v = 0; v < 2; v++)
    list.vectors[v] = (cw_vector){list.local + v * SEGMENTS / 2, list.remote + v * SEGMENTS / 2,
                                  SEGMENTS / 2, ragged && v == 1 ? 16 : 8};
  const cw_transfer transfer = cw_vectors(operation, list.vectors, 2, target);
  if (me == 0)
    KIT_OK(cw_transfer_run(&transfer)); /* so that one-time initialisation is not counted */
  KIT_OK(cw_barrier(cw_team_world()));
  count_anew();
  KIT_OK(cw_barrier(cw_team_world()));
  if (me == 0)
    KIT_OK(cw_transfer_run(&transfer));
  KIT_OK(cw_barrier(cw_team_world()));
  const int launches = count("cuLaunchKernel"), copies = count("cuMemcpyHtoDAsync_v2") +
                                                         count("cuMemcpyDtoHAsync_v2") +
                                                         count("cuMemcpy2DAsync_v2");
  if (me == mover_of(operation, target))
    kit_check(launches >= 1 && launches <= COMMANDS && copies >= 1 && copies <= COMMANDS,
              "%d kernels and %d copies", launches, copies);
  KIT_OK(cw_barrier(cw_team_world()));
}

static void try_all_counted(void)
{
  *(void **)(void *)&count_anew = fake_cuda_find("fake_cuda_count_anew");
  *(void **)(void *)&count = fake_cuda_find("fake_cuda_count");
  for (int way = 0; count != NULL && way < 6; way++)
    for (int target = 0; target < processes; target++)
      try_counted((cw_operation)(way % 3), target, way >= 3);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_lists");
  kit_hang_guard();
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 10);
  me = kit_me();
  processes = kit_processes();
  const size_t bytes = (size_t)processes * AREA;
  model = kit_alloc(AREA, 1);
  local_model = kit_alloc(AREA, 1);
  got = kit_alloc(AREA, 1);
  buffer = kit_alloc(AREA, 1);
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, bytes, &on_device, devices));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, AREA, &of_mine, mine));
  KIT_MUST(cw_region_create(cw_team_world(), bytes, &on_host, hosts));
  for (long round = 0; round < rounds; round++) {
    try_list(round);
    try_levels(round);
    if (round % 2 == 0)
      try_bad(round);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  try_two_memories();
  try_all_counted();
  KIT_OK(cw_region_free(cw_team_world(), &on_host));
  KIT_OK(cw_region_free(cw_team_world(), &of_mine));
  KIT_OK(cw_region_free(cw_team_world(), &on_device));
  KIT_OK(cw_device_close(&device));
  free(model);
  free(local_model);
  free(got);
  free(buffer);
  return kit_finish_native();
}
