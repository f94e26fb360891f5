/* An array of more than 2^31 elements, few of them nonzero, which is saved and then loaded by
 * processes that have other parts of it. */
#include "file/arrays.h"

#include "file/hyperslabs.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 12, NEEDED_GIB = 7 };

static const int64_t extents[2] = {47000, 47000}; /* 2^31 is 46341 squared */

static void choose(int64_t indices[PLACES][2], char values[PLACES])
{
  for (int i = 0; i < PLACES; i++) {
    indices[i][0] = i < 2 ? i * (extents[0] - 1) : kit_common((int)extents[0]);
    indices[i][1] = i < 2 ? i * (extents[1] - 1) : (47 * i) % extents[1]; /* no element twice */
    values[i] = (char)(i + 1);
  }
}

static void check(cw_array array, const int64_t indices[PLACES][2], const char values[PLACES])
{
  char got[PLACES];
  KIT_OK(cw_array_gather(array, PLACES, &indices[0][0], got));
  kit_check_bytes(got, values, PLACES, "the elements");
}

/* Returns the gibibytes of memory that Linux reports as available. */
static long available(void)
{
  long kibibytes = 0;
  char line[128];
  FILE *file = fopen("/proc/meminfo", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "MemAvailable: %ld", &kibibytes) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return kibibytes >> 20;
}

/* Checks that the hyperslabs of all processes cover an array of 12 GB once. Accesses no elements.
 * */
static void try_hyperslabs(cw_layout layout, int64_t rows, int64_t columns)
{
  const int64_t shape[2] = {rows, columns}, block[2] = {300, 700};
  cw_array_options options = {.name = "huge", .type = CW_DOUBLE, .dimensions = 2, .extents = shape};
  options.distribution.layout = layout;
  options.distribution.block = layout == CW_BLOCKS ? NULL : block;
  cw_array array = NULL;
  struct cwi_hyperslabs hyperslabs;
  struct cwi_hyperslab hyperslab;
  long bytes = 0, weight = 0; /* the sum of all offsets detects a hyperslab that replaces another */
  kit_about("hyperslabs of %lld by %lld", (long long)rows, (long long)columns);
  if (cw_array_create(cw_team_world(), &options, &array) != CW_OK)
    return; /* no memory */
  cwi_hyperslabs_begin(&hyperslabs, array);
  for (size_t end = 0; cwi_hyperslabs_next(&hyperslabs, &hyperslab);
       end = hyperslab.offset + hyperslab.bytes) {
    kit_check(hyperslab.bytes <= hyperslabs.most && hyperslab.bytes <= 8 << 20,
              "a hyperslab of %zu bytes", hyperslab.bytes);
    kit_check(hyperslab.offset >= end, "a hyperslab at %zu, after one that ends at %zu",
              hyperslab.offset, end);
    const int64_t first = (int64_t)(hyperslab.offset / sizeof(double));
    kit_check(first / columns == hyperslab.lo[0] && first % columns == hyperslab.lo[1],
              "a hyperslab at %zu", hyperslab.offset);
    bytes += (long)hyperslab.bytes;
    weight += (long)(hyperslab.bytes / sizeof(double)) *
              (2 * first + (long)(hyperslab.bytes / sizeof(double)) - 1);
  }
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_LONG, MPI_SUM, kit_comm());
  MPI_Allreduce(MPI_IN_PLACE, &weight, 1, MPI_LONG, MPI_SUM, kit_comm());
  kit_check_long(bytes, rows * columns * (long)sizeof(double), "bytes of all hyperslabs");
  kit_check_long(weight, rows * columns * (rows * columns - 1), "twice the sum of all numbers");
  KIT_OK(cw_array_destroy(&array));
}

int main(int argc, char **argv)
{
  const int64_t block[2] = {1000, 47000};
  int64_t indices[PLACES][2];
  char path[PATH_BYTES], values[PLACES];
  struct stat status = {.st_size = 0};
  cw_array array = NULL, other = NULL;
  cw_array_options options = {
      .name = "large", .type = CW_OPAQUE, .element_bytes = 1, .dimensions = 2, .extents = extents};
  const cw_distribution distribution = {.layout = CW_ROUND_ROBIN, .block = block};
  kit_start_native(&argc, &argv, "large");
  long space = available();
  MPI_Bcast(&space, 1, MPI_LONG, 0, kit_comm());
  if (space < NEEDED_GIB) {
    KIT_MUST(cw_finalize());
    kit_skip("less than 7 GiB of memory are available");
  }
  make_path(path, argc > 1 ? argv[1] : NULL, "large");
  try_hyperslabs(CW_BLOCKS, 40000, 40001);
  try_hyperslabs(CW_BLOCKS, 40, 40000001);
  try_hyperslabs(CW_TILED, 40000, 40001);
  choose(indices, values);
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_sync(array));
  if (kit_me() == 0)
    KIT_OK(cw_array_scatter(array, PLACES, &indices[0][0], values));
  KIT_OK(cw_arrays_save(path, 1, &array, NULL));
  KIT_OK(cw_array_destroy(&array));
  kit_check(stat(path, &status) == 0 && status.st_size > extents[0] * extents[1],
            "the file has %lld bytes", (long long)status.st_size);
  kit_check(status.st_blocks < (1 << 21), "zeros take %lld blocks", (long long)status.st_blocks);
  KIT_OK(cw_array_create_from_file(cw_team_world(), path, "large", &distribution, &other));
  check(other, indices, values);
  kit_barrier();
  KIT_OK(cw_array_destroy(&other));
  if (kit_me() == 0)
    unlink(path);
  return kit_finish_native();
}
