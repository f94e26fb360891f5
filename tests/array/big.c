/* Arrays of more than 2^31 elements, slices and strides of more than 4 GiB. Tries every operation
 * at indices that would collide with others if any number had 32 bits. Touches few pages of the
 * memory. */
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, DIMENSIONS = 2 };

static int made;                               /* number of arrays for which there was memory */
static const int64_t alias = (int64_t)1 << 30; /* number of elements of 4 bytes in 4 GiB */

struct big {
  cw_array array;
  const char *name;
  int64_t extents[DIMENSIONS];
  int64_t elements;
};

static void index_of(const struct big *big, int64_t number, int64_t *index)
{
  index[0] = number / big->extents[1];
  index[1] = number % big->extents[1];
}

static int64_t random_below(int64_t count)
{
  return (int64_t)(((uint64_t)kit_common(1 << 30) << 30 | (uint64_t)kit_common(1 << 30)) %
                   (uint64_t)count);
}

/* --- Elements --------------------------------------------------------------------------------- */

/* Checks single elements by get, by gather and by read_increment. */
static void check_elements(const struct big *big, int count, int64_t indices[][DIMENSIONS],
                           const int *values)
{
  int got[MOST];
  memset(got, -1, sizeof got);
  KIT_OK(cw_array_gather(big->array, (size_t)count, &indices[0][0], got));
  kit_check_bytes(got, values, (size_t)count * sizeof(int), "gathered");
  for (int i = 0; i < count; i++) {
    int one = -1;
    KIT_OK(cw_array_get(big->array, indices[i], indices[i], &one, NULL));
    kit_check_long(one, values[i], "an element");
  }
}

/* Tries elements that are 4 and 8 GiB apart, with different values. */
static void try_elements(const struct big *big)
{
  int64_t indices[MOST][DIMENSIONS], before = 0;
  int values[MOST], count = 0;
  for (int i = 0; i < MOST / 4; i++)
    for (int64_t number = random_below(alias); number < big->elements; number += alias) {
      index_of(big, number, indices[count]);
      values[count] = 1 + count;
      count++;
    }
  index_of(big, big->elements - 1, indices[count]);
  values[count++] = 99;
  const int one = kit_common(kit_processes()), other = kit_common(kit_processes());
  if (kit_me() == one)
    KIT_OK(cw_array_scatter(big->array, (size_t)count, &indices[0][0], values));
  KIT_OK(cw_array_sync(big->array));
  check_elements(big, count, indices, values);
  KIT_OK(cw_array_sync(big->array));
  if (kit_me() == other) {
    KIT_OK(cw_array_scatter_accumulate(big->array, (size_t)count, &indices[0][0], values, NULL));
    KIT_OK(cw_array_fence(big->array));
    for (int i = 0; i < count; i++) {
      KIT_OK(cw_array_read_increment(big->array, indices[i], 1000, &before));
      kit_check_long((long)before, 2 * values[i], "the value before an increment");
    }
  }
  KIT_OK(cw_array_sync(big->array));
  for (int i = 0; i < count; i++)
    values[i] = 2 * values[i] + 1000;
  check_elements(big, count, indices, values);
  KIT_OK(cw_array_sync(big->array));
}

/* --- Patches ---------------------------------------------------------------------------------- */

struct patch {
  int64_t lo[DIMENSIONS], hi[DIMENSIONS], skip[DIMENSIONS];
  int count;
};

/* Chooses two or three indices of each dimension, close to each other or far apart. */
static struct patch choose_patch(const struct big *big)
{
  struct patch patch = {.count = 1};
  for (int d = 0; d < DIMENSIONS; d++) {
    const int64_t extent = big->extents[d];
    const int number = extent < 3 ? (int)extent : 2 + kit_common(2);
    const int64_t most = number > 1 ? (extent - 1) / (number - 1) : 1;
    patch.skip[d] = kit_common(3) == 0 ? 1 : most - random_below(most < 9 ? 1 : most / 8);
    const int64_t width = (number - 1) * patch.skip[d];
    patch.lo[d] = random_below(extent - width);
    patch.hi[d] = patch.lo[d] + width;
    patch.count *= number;
  }
  return patch;
}

static void transfer(const struct big *big, const struct patch *patch, cw_operation operation,
                     int *buffer, const int *scale)
{
  const cw_patch what = {.operation = operation,
                         .lo = patch->lo,
                         .hi = patch->hi,
                         .skip = patch->skip,
                         .buffer = buffer,
                         .scale = scale};
  cw_handle handle = {0};
  if (kit_own(2)) {
    KIT_OK(cw_array_transfer(big->array, &what));
    return;
  }
  KIT_OK(cw_array_start(big->array, &what, &handle));
  KIT_OK(cw_wait(&handle));
}

/* Lists the elements of a patch one by one. */
static void list_patch(const struct patch *patch, int64_t indices[MOST][DIMENSIONS])
{
  int at = 0;
  for (int64_t row = patch->lo[0]; row <= patch->hi[0]; row += patch->skip[0])
    for (int64_t column = patch->lo[1]; column <= patch->hi[1]; column += patch->skip[1], at++) {
      indices[at][0] = row;
      indices[at][1] = column;
    }
}

static void try_patch(const struct big *big)
{
  const struct patch patch = choose_patch(big);
  const int three = 3, one = kit_common(kit_processes()), other = kit_common(kit_processes());
  int64_t indices[MOST][DIMENSIONS];
  int values[MOST], got[MOST];
  kit_about("%s, patch %lld,%lld to %lld,%lld by %lld,%lld", big->name, (long long)patch.lo[0],
            (long long)patch.lo[1], (long long)patch.hi[0], (long long)patch.hi[1],
            (long long)patch.skip[0], (long long)patch.skip[1]);
  for (int i = 0; i < patch.count; i++)
    values[i] = kit_common(1 << 20);
  if (kit_me() == one)
    transfer(big, &patch, CW_PUT, values, NULL);
  KIT_OK(cw_array_sync(big->array));
  if (kit_me() == other)
    transfer(big, &patch, CW_ACCUMULATE, values, &three);
  KIT_OK(cw_array_sync(big->array));
  for (int i = 0; i < patch.count; i++)
    values[i] *= 4;
  memset(got, -1, sizeof got);
  transfer(big, &patch, CW_GET, got, NULL);
  kit_check_bytes(got, values, (size_t)patch.count * sizeof(int), "the patch");
  list_patch(&patch, indices);
  check_elements(big, patch.count, indices, values);
  KIT_OK(cw_array_sync(big->array));
}

/* --- Places ----------------------------------------------------------------------------------- */

/* Checks that the block that locate_patch returns contains the element and belongs to its owner. */
static void try_locate(const struct big *big)
{
  int64_t index[DIMENSIONS], lo[DIMENSIONS], hi[DIMENSIONS];
  cw_piece piece;
  size_t count = 0;
  int rank = -1, owner = -1;
  index_of(big, random_below(big->elements), index);
  kit_about("%s, element %lld,%lld", big->name, (long long)index[0], (long long)index[1]);
  KIT_OK(cw_array_locate(big->array, index, &rank));
  KIT_OK(cw_array_locate_patch(big->array, index, index, 1, &piece, &count));
  kit_check(count == 1 && piece.rank == rank, "%zu blocks; owners %d and %d", count, piece.rank,
            rank);
  KIT_OK(cw_array_block(big->array, piece.block, lo, hi, &owner));
  kit_check_long(owner, rank, "the owner of the block");
  for (int d = 0; d < DIMENSIONS; d++)
    kit_check(lo[d] <= index[d] && index[d] <= hi[d], "the block is %lld to %lld in dimension %d",
              (long long)lo[d], (long long)hi[d], d);
}

/* Checks this process's last element by load and by get. */
static void try_local(const struct big *big)
{
  int64_t lo[DIMENSIONS], hi[DIMENSIONS];
  cw_array_view view = {.address = NULL};
  int got = 0;
  KIT_OK(cw_array_part(big->array, kit_me(), lo, hi));
  if (hi[0] < lo[0] || hi[1] < lo[1])
    return;
  KIT_OK(cw_array_access(big->array, lo, hi, &view));
  char *last = (char *)view.address + (view.extents[0] - 1) * view.strides[0] +
               (view.extents[1] - 1) * view.strides[1];
  *(int *)(void *)last = 4711 + kit_me();
  KIT_OK(cw_array_release(big->array, &view));
  KIT_OK(cw_array_get(big->array, hi, hi, &got, NULL));
  kit_check_long(got, 4711 + kit_me(), "my last element");
}

static void try_all(struct big *big, const cw_distribution *distribution, int rounds)
{
  cw_array_options options = {
      .name = big->name, .type = CW_INT, .dimensions = DIMENSIONS, .extents = big->extents};
  options.distribution = *distribution;
  big->elements = big->extents[0] * big->extents[1];
  kit_about("%s", big->name);
  if (cw_array_create(cw_team_world(), &options, &big->array) != CW_OK) {
    if (kit_me() == 0)
      printf("big: %s is left out: %s\n", big->name, cw_error_message());
    return;
  }
  made++;
  KIT_OK(cw_array_sync(big->array));
  for (int round = 0; round < rounds; round++) {
    kit_about("%s, elements", big->name);
    try_elements(big);
    for (int i = 0; i < 10; i++) {
      try_patch(big);
      try_locate(big);
    }
  }
  if (distribution->layout == CW_BLOCKS)
    try_local(big);
  KIT_OK(cw_array_sync(big->array));
  KIT_OK(cw_array_destroy(&big->array));
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  kit_start_native(&argc, &argv, "big");
  const int last[1] = {kit_processes() - 1};
  const int64_t wide[DIMENSIONS] = {1000, 7001}, one[DIMENSIONS] = {1, 1};
  struct big square = {.name = "blocks", .extents = {46500, 46500}};
  struct big far = {.name = "rows of 4 GiB", .extents = {2, ((int64_t)1 << 30) + (1 << 20)}};
  try_all(&square, &(cw_distribution){.layout = CW_BLOCKS}, rounds);
  try_all(&far, &(cw_distribution){.members = 1, .ranks = last}, rounds);
  square.name = "cyclic";
  try_all(&square, &(cw_distribution){.layout = CW_CYCLIC, .block = one}, rounds);
  square.name = "tiled";
  try_all(&square, &(cw_distribution){.layout = CW_TILED, .block = wide}, rounds);
  square.name = "dealt";
  try_all(&square, &(cw_distribution){.layout = CW_ROUND_ROBIN, .block = wide}, rounds);
  if (made == 0) {
    KIT_MUST(cw_finalize());
    kit_skip("there is no memory for any of the arrays");
  }
  return kit_finish_native();
}
