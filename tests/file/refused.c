/* Arrays that cannot be saved or loaded: all processes get an error with the path and the dataset,
 * and the array and the existing file are unchanged. */
#include "file/arrays.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[PATH_BYTES], other[PATH_BYTES];
static const int64_t extents[2] = {30, 40};
static cw_array array, small, single;

/* Removes "in process 1: ", which the other processes add to the message of the one that failed. */
static void remove_process(char *message)
{
  char *whose = strstr(message, ": in process ");
  if (whose != NULL)
    memmove(whose, strchr(whose + 2, ':'), strlen(strchr(whose + 2, ':')) + 1);
}

/* Checks that all processes have the same message. */
static void check_same_message(void)
{
  char mine[1024], first[1024];
  snprintf(mine, sizeof mine, "%s", cw_error_message());
  remove_process(mine);
  snprintf(first, sizeof first, "%s", mine);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, kit_comm());
  kit_check(strcmp(mine, first) == 0, "I am told '%s', process 0 '%s'", mine, first);
}

/* A failed call must not change the array. */
static void load_fails(cw_error kind, const char *words, const char *from, const char *name,
                       cw_array to, int seed)
{
  kit_call_fails("cw_array_load", cw_array_load(from, name, to), kind, words);
  check_same_message();
  check_array(to, seed);
  kit_barrier();
}

static cw_array make(const char *name, cw_type type, int64_t rows, int seed)
{
  const int64_t shape[2] = {rows, extents[1]};
  cw_array made = make_array(cw_team_world(), name, type, 0, 2, shape);
  fill_array(made, seed);
  return made;
}

static void write_file(const char *at, const void *data, size_t bytes)
{
  FILE *file = fopen(at, "wb");
  kit_check(file != NULL && fwrite(data, 1, bytes, file) == bytes, "cannot write '%s'", at);
  if (file != NULL)
    fclose(file);
}

/* Runs a statement on process 0 between two barriers. */
#define ALONE(statement)                                                                           \
  do {                                                                                             \
    kit_barrier();                                                                                 \
    if (kit_me() == 0) {                                                                           \
      statement;                                                                                   \
    }                                                                                              \
    kit_barrier();                                                                                 \
  } while (0)

static void try_wrong_arguments(void)
{
  static const char *const twice[2] = {"a", "a"}, *const empty[2] = {"a", ""},
                           *const missing[2] = {"a", NULL}, *const below[2] = {"a", "a/b"};
  const cw_array two[2] = {array, small};
  char others[32];
  cw_array made = NULL;
  kit_about("wrong arguments");
  KIT_MISUSE("arrays|NULL", cw_arrays_save(path, 1, NULL, NULL));
  KIT_MISUSE("count|0", cw_arrays_save(path, 0, two, NULL));
  KIT_MISUSE("path|NULL", cw_arrays_save(NULL, 2, two, NULL));
  KIT_MISUSE("path|''", cw_arrays_save("", 2, two, NULL));
  KIT_MISUSE("path", cw_arrays_save("folder/", 2, two, NULL));
  KIT_MISUSE("names|'a'", cw_arrays_save(path, 2, two, twice));
  KIT_MISUSE("names[1]|empty", cw_arrays_save(path, 2, two, empty));
  KIT_MISUSE("names[1]|NULL", cw_arrays_save(path, 2, two, missing));
  KIT_OUTSIDE("'a/b'|HDF5", cw_arrays_save(path, 2, two, below));
  KIT_MISUSE("path|NULL", cw_array_load(NULL, NULL, array));
  KIT_MISUSE("name|empty", cw_array_load(path, "", array));
  KIT_MISUSE("name|NULL", cw_array_create_from_file(cw_team_world(), path, NULL, NULL, &made));
  KIT_MISUSE("array|NULL", cw_array_create_from_file(cw_team_world(), path, "a", NULL, NULL));
  if (kit_processes() == 1)
    return;
  snprintf(others, sizeof others, "x%d.h5", kit_me());
  KIT_MISUSE("path has to be the same", cw_arrays_save(others, 2, two, NULL));
  KIT_MISUSE("path has to be the same", cw_array_load(others, NULL, array));
  /* If one process passes NULL, the others get the error. */
  KIT_MISUSE("path|NULL", cw_arrays_save(kit_me() == 1 ? NULL : path, 2, two, NULL));
  check_same_message();
  KIT_MISUSE("count|1048577",
             cw_arrays_save(path, kit_me() == 1 ? ((size_t)1 << 20) + 1 : 2, two, NULL));
  check_same_message();
}

static void try_wrong_arrays(void)
{
  cw_array rows = make("array", CW_DOUBLE, 31, 3), flat = NULL;
  const int64_t length = 1200;
  kit_about("arrays that do not fit");
  load_fails(CW_MISUSE, "extent 30|31|'array'", path, NULL, rows, 3);
  load_fails(CW_MISUSE, "CW_DOUBLE|CW_FLOAT|'array'|'single'", path, "array", single, 2);
  flat = make_array(cw_team_world(), "array", CW_DOUBLE, 0, 1, &length);
  fill_array(flat, 4);
  load_fails(CW_MISUSE, "2 dimensions|1", path, "array", flat, 4);
  kit_barrier();
  KIT_OK(cw_array_destroy(&rows));
  KIT_OK(cw_array_destroy(&flat));
}

/* The last process is in a folder of its own, where the same path names another file. This looks as
 * if the file were replaced while it is loaded. */
static void try_replaced(void)
{
  char folder[PATH_BYTES + 10], inside[2 * PATH_BYTES + 10], before[PATH_BYTES];
  const bool last = kit_me() == kit_processes() - 1;
  cw_array rows = make("array", CW_DOUBLE, 29, 3);
  kit_about("a file that is replaced");
  snprintf(folder, sizeof folder, "%s.folder", path);
  snprintf(inside, sizeof inside, "%s/%s", folder, path);
  kit_check(getcwd(before, sizeof before) != NULL, "no folder");
  ALONE(kit_check(mkdir(folder, 0700) == 0, "cannot make '%s'", folder));
  KIT_MUST(cw_arrays_save(inside, 1, &rows, NULL));
  kit_check(!last || chdir(folder) == 0, "cannot go to '%s'", folder);
  load_fails(CW_MISUSE, "extent 29|30|'array'", path, "array", array, 1);
  kit_check(!last || chdir(before) == 0, "cannot go back to '%s'", before);
  ALONE(unlink(inside); rmdir(folder));
  KIT_OK(cw_array_destroy(&rows));
}

static void try_wrong_files(void)
{
  static const char text[] = "These are no numbers.\n";
  kit_about("files that are none");
  load_fails(CW_OUTSIDE, "nowhere|No such file", "nowhere.h5", NULL, array, 1);
  load_fails(CW_OUTSIDE, "'absent'|object|datasets of the file: 'array', 'small')", path, "absent",
             array, 1);
  load_fails(CW_OUTSIDE, "'.'", ".", NULL, array, 1);
  ALONE(write_file(other, text, sizeof text));
  load_fails(CW_OUTSIDE, "signature", other, NULL, array, 1);
  ALONE(write_file(other, text, 0));
  load_fails(CW_OUTSIDE, other, other, NULL, array, 1);
}

/* Truncates the file to each length at the beginning, where the headers are, and to some others. */
static void try_truncated(void)
{
  struct stat status = {.st_size = 0};
  kit_about("truncated");
  kit_check(stat(path, &status) == 0, "no '%s'", path);
  const size_t bytes = (size_t)status.st_size;
  char *data = kit_alloc(bytes, 1);
  FILE *file = fopen(path, "rb");
  kit_check(file != NULL && fread(data, 1, bytes, file) == bytes, "cannot read '%s'", path);
  if (file != NULL)
    fclose(file);
  for (size_t length = 1; length < bytes; length += length < 64 ? 7 : bytes / 31) {
    ALONE(write_file(other, data, length));
    load_fails(CW_OUTSIDE, other, other, "array", array, 1);
  }
  ALONE(write_file(other, data, bytes - 1));
  load_fails(CW_OUTSIDE, "truncated", other, "array", array, 1);
  free(data);
}

static void try_wrong_places(void)
{
  const cw_array one[1] = {array};
  char below[PATH_BYTES + 10];
  snprintf(below, sizeof below, "%s/x.h5", path);
  kit_about("places that take no file");
  KIT_OUTSIDE("nofolder/x.h5|No such file", cw_arrays_save("nofolder/x.h5", 1, one, NULL));
  check_same_message();
  KIT_OUTSIDE("Not a directory", cw_arrays_save(below, 1, one, NULL));
  KIT_OUTSIDE("regular", cw_arrays_save("/dev/null", 1, one, NULL));
  KIT_OUTSIDE("/proc/x.h5", cw_arrays_save("/proc/x.h5", 1, one, NULL));
  check_same_message();
}

/* A file size limit simulates a full disk, on all processes or on the last one. Process 0 writes
 * the headers. No write may go so far that the kernel sends a signal. */
static void try_full(bool all, rlim_t most)
{
  const cw_array two[2] = {array, small};
  struct rlimit before, limit;
  kit_about("no room after %ld bytes%s", (long)most, all ? "" : " on the last process");
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = most;
  if (all || kit_me() == kit_processes() - 1)
    setrlimit(RLIMIT_FSIZE, &limit);
  kit_barrier();
  KIT_OUTSIDE("large", cw_arrays_save(path, 2, two, NULL));
  setrlimit(RLIMIT_FSIZE, &before);
  check_same_message();
  kit_check(count_beside(path) == 0, "a file is left beside '%s'", path);
  fill_array(small, 9);
  KIT_OK(cw_array_load(path, NULL, small));
  check_array(small, 7);
}

/* --- Files of other programs ------------------------------------------------------------------ */

static void put_set(hid_t file, const char *name, hid_t type, hid_t space, hid_t creation,
                    hid_t memory, const void *data)
{
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  kit_check(set >= 0, "cannot make dataset '%s'", name);
  if (data != NULL)
    kit_check(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "no data");
  H5Dclose(set);
}

/* Puts an attribute like Causeway's, but with a list. */
static void put_list(hid_t file)
{
  enum { STRINGS = 4000, LENGTH = 16 };
  static char strings[STRINGS][LENGTH];
  const hsize_t extent = STRINGS;
  const hid_t set = H5Dopen2(file, "marked", H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &extent, NULL), type = H5Tcopy(H5T_C_S1);
  memset(strings, 'x', sizeof strings);
  H5Tset_size(type, LENGTH);
  const hid_t attribute = H5Acreate2(set, "causeway_type", type, space, H5P_DEFAULT, H5P_DEFAULT);
  kit_check(attribute >= 0 && H5Awrite(attribute, type, strings) >= 0, "no attribute");
  H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
}

/* Writes big-endian data, packed chunks, and types that no array has. */
static void write_foreign(void)
{
  const hsize_t shape[2] = {30, 40}, chunk[2] = {7, 9}, nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const cw_array_description is = {.type = CW_DOUBLE, .element_bytes = sizeof(double)};
  static double values[30 * 40];
  static long more[300 * 40];
  const hsize_t long_shape[2] = {300, 40};
  for (int i = 0; i < 30 * 40; i++)
    set_element(&is, &values[i], i, 8);
  for (int i = 0; i < 300 * 40; i++)
    more[i] = i;
  const hid_t large = H5Screate_simple(2, long_shape, NULL);
  const hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, shape, NULL), scalar = H5Screate(H5S_SCALAR);
  const hid_t deep = H5Screate_simple(9, nine, NULL), chunks = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 16), string = H5Tcopy(H5T_C_S1);
  H5Pset_chunk(chunks, 2, chunk);
  H5Pset_deflate(chunks, 1);
  H5Tinsert(pair, "x", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(pair, "y", 8, H5T_NATIVE_DOUBLE);
  H5Tset_size(string, 8);
  put_set(file, "array", H5T_IEEE_F64BE, space, chunks, H5T_NATIVE_DOUBLE, values);
  put_set(file, "small", H5T_STD_I64BE, large, chunks, H5T_NATIVE_LONG, more);
  put_set(file, "marked", H5T_STD_I64LE, space, H5P_DEFAULT, 0, NULL);
  put_list(file);
  put_set(file, "unsigned", H5T_STD_U64LE, space, H5P_DEFAULT, 0, NULL);
  put_set(file, "short", H5T_STD_I16LE, space, H5P_DEFAULT, 0, NULL);
  put_set(file, "scalar", H5T_IEEE_F64LE, scalar, H5P_DEFAULT, 0, NULL);
  put_set(file, "deep", H5T_IEEE_F64LE, deep, H5P_DEFAULT, 0, NULL);
  put_set(file, "pair", pair, space, H5P_DEFAULT, 0, NULL);
  put_set(file, "string", string, space, H5P_DEFAULT, 0, NULL);
  put_set(file, "opaque", H5T_NATIVE_B8, space, H5P_DEFAULT, 0, NULL);
  H5Tclose(pair);
  H5Tclose(string);
  H5Pclose(chunks);
  H5Sclose(space);
  H5Sclose(large);
  H5Sclose(scalar);
  H5Sclose(deep);
  H5Fclose(file);
}

/* Corrupts the last chunk; the others can be read. */
static void spoil_chunk(void)
{
  hsize_t at[2], bytes = 0, chunks = 0;
  haddr_t address = 0;
  unsigned mask = 0;
  const hid_t own = H5Fopen(other, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(own, "small", H5P_DEFAULT), space = H5Dget_space(set);
  H5Dget_num_chunks(set, space, &chunks);
  kit_check(chunks > 1 &&
                H5Dget_chunk_info(set, space, chunks - 1, at, &mask, &address, &bytes) >= 0,
            "%llu chunks", (unsigned long long)chunks);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(own);
  FILE *file = fopen(other, "r+b");
  kit_check(file != NULL && fseek(file, (long)address, SEEK_SET) == 0, "no '%s'", other);
  for (hsize_t i = 0; file != NULL && i < bytes; i++)
    putc(0xff, file);
  if (file != NULL)
    fclose(file);
}

/* A read of several pieces fails in the middle. */
static void try_spoilt(void)
{
  cw_array made = NULL;
  kit_about("a chunk that cannot be unpacked");
  ALONE(spoil_chunk());
  load_fails(CW_OUTSIDE, "cannot read|'small'|HDF5", other, "small", small, 7);
  KIT_OUTSIDE("cannot read",
              cw_array_create_from_file(cw_team_world(), other, "small", NULL, &made));
  kit_check(made == NULL, "an array was made");
}

static void try_foreign(void)
{
  static const struct {
    const char *name, *words;
  } wrong[] = {{"unsigned", "unsigned integers of 8 bytes"},
               {"short", "integers of 2 bytes"},
               {"scalar", "0 dimensions"},
               {"deep", "9 dimensions"},
               {"pair", "compounds of 16"},
               {"string", "strings of 8"},
               {"opaque", "another kind"}};
  cw_array made = NULL;
  kit_about("files of other programs");
  ALONE(write_foreign());
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    kit_about("files of other programs: %s", wrong[i].name);
    load_fails(CW_OUTSIDE, wrong[i].words, other, wrong[i].name, array, 1);
    KIT_OUTSIDE(wrong[i].words,
                cw_array_create_from_file(cw_team_world(), other, wrong[i].name, NULL, &made));
    kit_check(made == NULL, "an array was made");
  }
  kit_about("files of other programs: a list of types");
  KIT_OK(cw_array_create_from_file(cw_team_world(), other, "marked", NULL, &made));
  KIT_OK(cw_array_destroy(&made));
  kit_about("files of other programs: one process gives no place for the array");
  KIT_MISUSE("array is NULL",
             cw_array_create_from_file(cw_team_world(), other, "array", NULL,
                                       kit_me() == kit_processes() - 1 ? NULL : &made));
  kit_about("files of other programs: big-endian in chunks");
  KIT_OK(cw_array_load(other, NULL, array));
  check_array(array, 8);
  KIT_OK(cw_array_create_from_file(cw_team_world(), other, "array", NULL, &made));
  check_array(made, 8);
  kit_barrier();
  KIT_OK(cw_array_destroy(&made));
  fill_array(array, 1);
}

enum { PADDED = 3 };

/* Writes complex numbers with padding after their parts, as of a struct with more members. */
static void write_padded(void)
{
  static const struct {
    double real, imaginary;
    long spare;
  } numbers[PADDED] = {{1, 2, 0}, {3, 4, 0}, {5, 6, 0}};
  const hsize_t extent = PADDED;
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof numbers[0]);
  H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE);
  const hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  put_set(file, "padded", type, space, H5P_DEFAULT, type, numbers);
  H5Tclose(type);
  H5Sclose(space);
  H5Fclose(file);
}

static void check_padded(cw_array made)
{
  const int64_t lo = 0, hi = PADDED - 1;
  double got[2 * PADDED] = {0};
  KIT_OK(cw_array_get(made, &lo, &hi, got, NULL));
  for (int i = 0; i < 2 * PADDED; i++)
    kit_check(got[i] == i + 1, "part %d is %g", i, got[i]);
  kit_barrier();
}

static void try_padded(void)
{
  cw_array made = NULL, again = NULL;
  kit_about("files of other programs: padded complex numbers");
  ALONE(write_padded());
  KIT_OK(cw_array_create_from_file(cw_team_world(), other, "padded", NULL, &made));
  check_padded(made);
  KIT_OK(cw_array_duplicate(made, NULL, &again));
  KIT_OK(cw_array_load(other, "padded", again));
  check_padded(again);
  KIT_OK(cw_array_destroy(&again));
  KIT_OK(cw_array_destroy(&made));
}

/* --- Programs that call HDF5 themselves ------------------------------------------------------- */

static int handled;

static herr_t tell2(hid_t stack, void *data)
{
  (void)stack;
  handled += *(int *)data;
  return 0;
}

static herr_t tell1(void *data)
{
  return tell2(H5E_DEFAULT, data);
}

static void try_own_handlers(void)
{
  int one = 1;
  H5E_auto2_t before = NULL, found = NULL;
  void *data = NULL, *found_data = NULL;
  kit_about("error handlers of the program");
  const hid_t own = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  kit_check(own >= 0, "the program cannot open '%s'", path);
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  H5Eset_auto2(H5E_DEFAULT, tell2, &one);
  load_fails(CW_OUTSIDE, "absent", path, "absent", array, 1);
  KIT_OK(cw_array_load(path, NULL, small));
  kit_check(handled == 0, "HDF5 told the program %d times", handled);
  H5Eget_auto2(H5E_DEFAULT, &found, &found_data);
  kit_check(found == tell2 && found_data == &one, "its handler is gone");
  H5Eset_auto1(tell1, &one);
  load_fails(CW_OUTSIDE, "absent", path, "absent", array, 1);
  kit_check(handled == 0, "HDF5 told the program %d times", handled);
  kit_check(H5Oopen(own, "absent", H5P_DEFAULT) < 0 && handled == 1, "its old handler is gone");
  H5Eset_auto2(H5E_DEFAULT, before, data);
  kit_check(H5Fget_obj_count(own, H5F_OBJ_ALL) == 1, "objects of the file are left open");
  kit_check(H5Fclose(own) >= 0, "the program's file is gone");
  kit_check(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "files are left open");
}

/* A second save replaces the first. The file keeps its permissions, and a link to it is followed.
 * */
static void try_again(void)
{
  struct stat status = {.st_mode = 0};
  char link[PATH_BYTES];
  const cw_array two[2] = {array, small};
  kit_about("over an old file");
  make_path(link, NULL, "link");
  ALONE(kit_check(chmod(path, 0640) == 0 && symlink(path, link) == 0, "no link '%s'", link));
  KIT_OK(cw_arrays_save(link, 2, two, NULL));
  kit_check(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640, "its permissions are %o",
            status.st_mode & 0777);
  kit_check(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "the link is gone");
  ALONE(unlink(link));
}

/* The first save creates the file to which a link points. `target`: target of the link, beside it.
 * */
static void try_link_to(const char *target, const char *made)
{
  struct stat status = {.st_mode = 0};
  char link[PATH_BYTES], second[PATH_BYTES];
  make_path(link, NULL, "link");
  make_path(second, NULL, "second");
  ALONE(kit_check(symlink(target, second) == 0 && symlink(second, link) == 0, "no links"));
  KIT_OK(cw_arrays_save(link, 1, &array, NULL));
  kit_check(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "the link is gone");
  kit_check(lstat(second, &status) == 0 && S_ISLNK(status.st_mode), "the second link is gone");
  kit_check(lstat(made, &status) == 0 && S_ISREG(status.st_mode), "there is no '%s'", made);
  ALONE(unlink(link); unlink(second); unlink(made));
}

static void try_links(void)
{
  char made[PATH_BYTES], nowhere[PATH_BYTES];
  kit_about("through links to no file");
  make_path(made, NULL, "made");
  try_link_to(made, made);
  try_link_to(strrchr(made, '/') != NULL ? strrchr(made, '/') + 1 : made, made);
  kit_about("through a link into no folder");
  make_path(nowhere, "./none", "made");
  ALONE(kit_check(symlink(nowhere, made) == 0, "no link '%s'", made));
  KIT_OUTSIDE("none", cw_arrays_save(made, 1, &array, NULL));
  ALONE(unlink(made));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "refused");
  make_path(path, NULL, "refused");
  make_path(other, NULL, "other");
  array = make("array", CW_DOUBLE, extents[0], 1);
  single = make("single", CW_FLOAT, extents[0], 2);
  /* All processes write a part of it. */
  const int64_t long_shape[2] = {300, extents[1]};
  const cw_array_options options = {
      .name = "small", .type = CW_LONG, .dimensions = 2, .extents = long_shape};
  KIT_MUST(cw_array_create(cw_team_world(), &options, &small));
  fill_array(small, 7);
  const cw_array two[2] = {array, small};
  KIT_OK(cw_arrays_save(path, 2, two, NULL));
  try_wrong_arguments();
  try_wrong_arrays();
  try_replaced();
  try_wrong_files();
  try_truncated();
  try_wrong_places();
  try_full(true, 50);
  try_full(true, 40000);
  try_full(false, 50);
  try_full(false, 40000);
  try_foreign();
  try_spoilt();
  try_padded();
  try_own_handlers();
  try_again();
  try_links();
  KIT_OK(cw_array_load(path, NULL, array));
  check_array(array, 1);
  kit_barrier();
  KIT_OK(cw_array_destroy(&array));
  KIT_OK(cw_array_destroy(&small));
  KIT_OK(cw_array_destroy(&single));
  ALONE(kit_check(count_beside(path) == 0, "a file is left beside '%s'", path); unlink(path);
        unlink(other));
  return kit_finish_native();
}
