/* Writes files for cw-view with HDF5 alone: view_files FOLDER writes one.h5, many.h5, none.h5 and
 * large.h5 there. */
#include <hdf5.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends the program if a call has failed. */
static hid_t must(int64_t id, int line)
{
  if (id >= 0)
    return id;
  fprintf(stderr, "view_files.c:%d: HDF5 failed\n", line);
  exit(1);
}
#define MUST(call) must(call, __LINE__)

static void put(hid_t file, const char *name, hid_t in_file, hid_t in_memory, int dimensions,
                const hsize_t *extents, const void *data)
{
  const hid_t space = dimensions >= 0 ? MUST(H5Screate_simple(dimensions, extents, NULL))
                                      : MUST(H5Screate(H5S_NULL));
  const hid_t link = MUST(H5Pcreate(H5P_LINK_CREATE));
  MUST(H5Pset_create_intermediate_group(link, 1));
  const hid_t set = MUST(H5Dcreate2(file, name, in_file, space, link, H5P_DEFAULT, H5P_DEFAULT));
  if (data != NULL)
    MUST(H5Dwrite(set, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  H5Dclose(set);
  H5Pclose(link);
  H5Sclose(space);
}

static void put_doubles(hid_t file, const char *name, int dimensions, hsize_t rows, hsize_t columns,
                        const double *data)
{
  const hsize_t extents[2] = {dimensions == 1 ? columns : rows, columns};
  put(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, dimensions, extents, data);
}

static hid_t open_file(const char *name)
{
  return MUST(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static const double signs[12] = {-7, -6, 0, 6, 1, 2, 3, 4, 0.05, -0.05, 7, -1};

/* --- Arrays of all kinds ---------------------------------------------------------------------- */

static void put_numbers(hid_t file)
{
  const int ones[4] = {5, 5, 5, 5}, zeros[4] = {0}, single[1] = {-3};
  const int line[10] = {0, 1, 2, 3, 4, -4, -3, -2, -1, 0};
  const int16_t cube[12] = {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  const double decades[6] = {0, 1e-3, -1e-2, 0.1, 1, -10};
  const hsize_t two[2] = {2, 2}, one[2] = {1, 1}, ten[1] = {10}, three[3] = {2, 2, 3};
  const hsize_t four[4] = {2, 1, 2, 3};
  put_doubles(file, "signs", 2, 3, 4, signs);
  put_doubles(file, "decades", 2, 2, 3, decades);
  put_doubles(file, "growth", 1, 1, 6, decades);
  put(file, "ones", H5T_STD_I32LE, H5T_NATIVE_INT, 2, two, ones);
  put(file, "zeros", H5T_STD_U8LE, H5T_NATIVE_INT, 2, two, zeros);
  put(file, "single", H5T_IEEE_F32BE, H5T_NATIVE_INT, 2, one, single);
  put(file, "a/line", H5T_STD_I64BE, H5T_NATIVE_INT, 1, ten, line);
  put(file, "a/cube", H5T_STD_I16BE, H5T_NATIVE_SHORT, 3, three, cube);
  put(file, "a/four", H5T_STD_I16BE, H5T_NATIVE_SHORT, 4, four, cube);
  put(file, "it's \"a\" b\\slash\\n `touch hacked` $(touch hacked) <&> @x", H5T_STD_I32LE,
      H5T_NATIVE_INT, 2, two, ones);
}

static void put_complex(hid_t file)
{
  const float numbers[8] = {3, 4, 0, 0, -6, 8, 0, -1};
  const hsize_t two[2] = {2, 2};
  const hid_t pair = MUST(H5Tcreate(H5T_COMPOUND, 8));
  MUST(H5Tinsert(pair, "r", 0, H5T_NATIVE_FLOAT));
  MUST(H5Tinsert(pair, "i", 4, H5T_NATIVE_FLOAT));
  put(file, "complex", pair, pair, 2, two, numbers);
  H5Tclose(pair);
}

static void put_strange(hid_t file)
{
  const double strange[8] = {1, NAN, 2, INFINITY, -INFINITY, -2, 0, 1};
  const double wild[3] = {NAN, INFINITY, NAN};
  put_doubles(file, "strange", 2, 2, 4, strange);
  put_doubles(file, "curve", 1, 1, 8, strange);
  put_doubles(file, "wild", 2, 1, 3, wild);
  put_doubles(file, "wild line", 1, 1, 3, wild);
}

/* A single spike on a rough surface: compressed, in chunks that do not divide the extents. */
static void put_spike(hid_t file)
{
  enum { ROWS = 1500, COLUMNS = 2100, LONG = 100000 };
  const hsize_t extents[2] = {ROWS, COLUMNS}, chunk[2] = {400, 130};
  double *values = calloc((size_t)ROWS * COLUMNS, sizeof *values);
  if (values == NULL)
    exit(1);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    values[i] = i % 2 ? 0.5 : -0.5;
  values[917 * COLUMNS + 333] = -9;
  const hid_t space = MUST(H5Screate_simple(2, extents, NULL));
  const hid_t creation = MUST(H5Pcreate(H5P_DATASET_CREATE));
  MUST(H5Pset_chunk(creation, 2, chunk));
  MUST(H5Pset_deflate(creation, 1));
  const hid_t set =
      MUST(H5Dcreate2(file, "spike", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  MUST(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  H5Dclose(set);
  H5Pclose(creation);
  H5Sclose(space);
  values[54321] = 20;
  put_doubles(file, "long", 1, 1, LONG, values);
  free(values);
}

static size_t same(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *size,
                   void **buffer)
{
  (void)flags, (void)count, (void)values, (void)size, (void)buffer;
  return bytes;
}

/* Packed by a filter that other programs do not have. */
static void put_filtered(hid_t file)
{
  enum { NUMBER = 300 };
  const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, NUMBER, 1, 1, "ours", NULL, NULL, same};
  const hsize_t extents[2] = {3, 4};
  const hid_t space = MUST(H5Screate_simple(2, extents, NULL));
  const hid_t creation = MUST(H5Pcreate(H5P_DATASET_CREATE));
  MUST(H5Zregister(&filter));
  MUST(H5Pset_chunk(creation, 2, extents));
  MUST(H5Pset_filter(creation, NUMBER, H5Z_FLAG_MANDATORY, 0, NULL));
  const hid_t set = MUST(
      H5Dcreate2(file, "filtered", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  MUST(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, signs));
  H5Dclose(set);
  H5Pclose(creation);
  H5Sclose(space);
}

static void add_attribute(hid_t set, const char *name, hid_t type, hsize_t count, const void *value)
{
  const hid_t space = MUST(H5Screate_simple(1, &count, NULL));
  const hid_t attribute = MUST(H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  MUST(H5Awrite(attribute, type, value));
  H5Aclose(attribute);
  H5Sclose(space);
}

/* Describes its distribution with impossible values. */
static void put_contradiction(hid_t file, const char *name, const char *layout,
                              const int *boundaries)
{
  const int grid[2] = {1, 2}, block[2] = {3, 0};
  put_doubles(file, name, 2, 3, 4, signs);
  const hid_t set = MUST(H5Dopen2(file, name, H5P_DEFAULT)), text = MUST(H5Tcopy(H5T_C_S1));
  MUST(H5Tset_size(text, strlen(layout) + 1));
  add_attribute(set, "causeway_layout", text, 1, layout);
  add_attribute(set, "causeway_grid", H5T_NATIVE_INT, 2, grid);
  add_attribute(set, "causeway_block", H5T_NATIVE_INT, 2, block);
  add_attribute(set, "causeway_boundaries", H5T_NATIVE_INT, 3, boundaries);
  H5Tclose(text);
  H5Dclose(set);
}

static void put_contradictions(hid_t file)
{
  put_contradiction(file, "liar 1", "'\nsystem \"x\"", (const int[]){0, 2, 4});
  put_contradiction(file, "liar 2", "blocks", (const int[]){0, 2, 3});
  put_contradiction(file, "liar 3", "blocks", (const int[]){0, 5, 4});
  put_contradiction(file, "liar 4", "blocks", (const int[]){-1, 2, 4});
  put_contradiction(file, "honest", "blocks", (const int[]){0, 2, 4});
}

static void put_others(hid_t file)
{
  const hsize_t extents[2] = {0, 3}, two[1] = {2};
  const hid_t scalar = MUST(H5Screate(H5S_SCALAR));
  put(file, "empty", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, extents, NULL);
  put(file, "null", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, -1, NULL, NULL);
  put(file, "text", H5T_C_S1, H5T_C_S1, 1, two, "ab");
  H5Dclose(MUST(
      H5Dcreate2(file, "scalar", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  MUST(H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(scalar);
}

/* --- Much larger than memory ------------------------------------------------------------------ */

/* chunk: NULL for none. early: storage is allocated but never written. */
static hid_t create_large(hid_t file, const char *name, int dimensions, const hsize_t *extents,
                          const hsize_t *chunk, double fill, bool early)
{
  const hid_t space = MUST(H5Screate_simple(dimensions, extents, NULL));
  const hid_t creation = MUST(H5Pcreate(H5P_DATASET_CREATE));
  if (chunk != NULL)
    MUST(H5Pset_chunk(creation, dimensions, chunk));
  MUST(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill));
  if (early) {
    MUST(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
    MUST(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  }
  const hid_t set =
      MUST(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Pclose(creation);
  H5Sclose(space);
  return set;
}

static void put_one(hid_t set, hsize_t plane, hsize_t row, hsize_t column, double value)
{
  const hsize_t at[3] = {plane, row, column}, one[3] = {1, 1, 1};
  const hid_t space = MUST(H5Dget_space(set)), memory = MUST(H5Screate_simple(1, one, NULL));
  const int skipped = H5Sget_simple_extent_ndims(space) == 3 ? 0 : 1;
  MUST(H5Sselect_hyperslab(space, H5S_SELECT_SET, at + skipped, NULL, one, NULL));
  MUST(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value));
  H5Sclose(space);
  H5Sclose(memory);
}

static void write_large(void)
{
  enum { GREAT = 200000, LESS = 40000 };
  const hsize_t great[2] = {GREAT, GREAT}, less[2] = {LESS, LESS}, squares[2] = {1000, 1000};
  const hsize_t planes[3] = {4, 6, 6}, bricks[3] = {2, 4, 4}, stack[3] = {3, 3000, 3000};
  const hid_t file = open_file("large.h5");
  hid_t set = create_large(file, "chunks", 2, great, squares, -2, false);
  put_one(set, 0, 150123, 20456, 8);
  put_one(set, 0, 3, GREAT - 1, -5);
  H5Dclose(set);
  H5Dclose(create_large(file, "absent", 2, great, NULL, 1.5, false));
  set = create_large(file, "holes", 2, less, NULL, 0, true); /* as Causeway saves */
  put_one(set, 0, 12345, LESS - 2, -6);
  H5Dclose(set);
  set = create_large(file, "bricks", 3, planes, bricks, 1, false);
  put_one(set, 0, 0, 0, -3);
  put_one(set, 2, 5, 5, 7);
  H5Dclose(set);
  set = create_large(file, "stack", 3, stack, NULL, 0, true);
  put_one(set, 2, 1234, 2999, 5);
  H5Dclose(set);
  H5Fclose(file);
}

int main(int argc, char **argv)
{
  if (argc != 2 || chdir(argv[1]) != 0) {
    fprintf(stderr, "usage: view_files FOLDER\n");
    return 2;
  }
  hid_t file = open_file("one.h5");
  put_doubles(file, "signs", 2, 3, 4, signs);
  H5Fclose(file);
  file = open_file("many.h5");
  put_numbers(file);
  put_complex(file);
  put_strange(file);
  put_spike(file);
  put_others(file);
  put_filtered(file);
  put_contradictions(file);
  H5Fclose(file);
  H5Fclose(open_file("none.h5"));
  write_large();
  return 0;
}
