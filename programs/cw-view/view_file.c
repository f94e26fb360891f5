/* Finds the array that cw-view shows: opens the file, lists its arrays, and finds out the array's
 * type, extents and distribution. */
#include "view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Types ------------------------------------------------------------------------------------ */

static bool is_number(hid_t type)
{
  const H5T_class_t class = H5Tget_class(type);
  return class == H5T_INTEGER || class == H5T_FLOAT;
}

/* Returns the names of the two parts of a complex number, or NULL if the type is not one. */
static const char *const *find_parts(hid_t type)
{
  static const char *const names[][2] = {{"r", "i"}, {"re", "im"}, {"real", "imag"}};
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2)
    return NULL;
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
    bool fits = true;
    for (int part = 0; part < 2 && fits; part++) {
      const int member = H5Tget_member_index(type, names[n][part]);
      const hid_t number =
          member >= 0 ? H5Tget_member_type(type, (unsigned)member) : H5I_INVALID_HID;
      fits = number >= 0 && is_number(number);
      if (number >= 0)
        H5Tclose(number);
    }
    if (fits)
      return names[n];
  }
  return NULL;
}

static const char *class_word(hid_t type)
{
  switch (H5Tget_class(type)) {
  case H5T_STRING:
    return "string";
  case H5T_COMPOUND:
    return "compound";
  case H5T_OPAQUE:
    return "opaque";
  case H5T_ENUM:
    return "enumeration";
  case H5T_REFERENCE:
    return "reference";
  case H5T_VLEN:
    return "variable length";
  case H5T_ARRAY:
    return "array";
  case H5T_BITFIELD:
    return "bit field";
  default:
    return "unknown type";
  }
}

static void write_kind(hid_t type, char *kind, size_t size)
{
  const unsigned bits = 8 * (unsigned)H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT)
    snprintf(kind, size, "float%u", bits);
  else if (H5Tget_class(type) == H5T_INTEGER)
    snprintf(kind, size, "%sint%u", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
  else if (find_parts(type) != NULL)
    snprintf(kind, size, "complex%u", bits);
  else
    snprintf(kind, size, "%s", class_word(type));
}

/* Returns the type to which HDF5 converts each element: one double, or two for a complex number. */
static hid_t memory_type(hid_t type, size_t *parts)
{
  const char *const *names = find_parts(type);
  *parts = 1;
  if (is_number(type))
    return H5Tcopy(H5T_NATIVE_DOUBLE);
  if (names == NULL)
    return H5I_INVALID_HID;
  *parts = 2;
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  if (pair < 0 || H5Tinsert(pair, names[0], 0, H5T_NATIVE_DOUBLE) < 0 ||
      H5Tinsert(pair, names[1], sizeof(double), H5T_NATIVE_DOUBLE) < 0)
    return H5I_INVALID_HID;
  return pair;
}

/* --- Distribution ----------------------------------------------------------------------------- */

enum { MOST_NUMBERS = 8192 };

/* Reads an attribute that is a list of numbers. Returns how many there are, or -1 if there is no
 * such list. */
static int64_t read_numbers(hid_t set, const char *name, int64_t *numbers)
{
  if (H5Aexists(set, name) <= 0)
    return -1;
  const hid_t attribute = H5Aopen(set, name, H5P_DEFAULT);
  const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
  int64_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  if (count > MOST_NUMBERS || (count > 0 && H5Aread(attribute, H5T_NATIVE_INT64, numbers) < 0))
    count = -1;
  if (space >= 0)
    H5Sclose(space);
  if (attribute >= 0)
    H5Aclose(attribute);
  return count;
}

static bool read_text(hid_t set, const char *name, char *text, size_t size)
{
  if (H5Aexists(set, name) <= 0)
    return false;
  const hid_t attribute = H5Aopen(set, name, H5P_DEFAULT);
  const hid_t found = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
  const hid_t type = H5Tcopy(H5T_C_S1);
  const bool read = found >= 0 && H5Tget_class(found) == H5T_STRING && !H5Tis_variable_str(found) &&
                    H5Tset_size(type, size) >= 0 && H5Aread(attribute, type, text) >= 0;
  H5Tclose(type);
  if (found >= 0)
    H5Tclose(found);
  if (attribute >= 0)
    H5Aclose(attribute);
  return read;
}

static void add_line(struct view_lines *lines, uint64_t at)
{
  if (lines->count < VIEW_MOST_LINES)
    lines->at[lines->count] = at;
  lines->count++;
}

/* Sets the lines of a dimension whose blocks are equally long. */
static void set_equal_lines(struct view_lines *lines, uint64_t extent, uint64_t block)
{
  const uint64_t count = (extent - 1) / block;
  for (uint64_t i = 1; i <= count && i <= VIEW_MOST_LINES; i++)
    add_line(lines, i * block);
  lines->count = count;
}

/* Sets the lines of a dimension from its part of `boundaries`, which ends with the extent. Empty
 * blocks make no lines. Returns the number of boundaries used, or 0 if they are invalid. */
static int64_t set_lines(struct view_lines *lines, uint64_t extent, const int64_t *boundaries,
                         int64_t count)
{
  int64_t at = 0;
  while (at < count && (at == 0 ? boundaries[0] == 0 : boundaries[at] >= boundaries[at - 1])) {
    const uint64_t first = (uint64_t)boundaries[at];
    if (first > 0 && first < extent && first != (uint64_t)boundaries[at - 1])
      add_line(lines, first);
    at++;
  }
  return at > 0 && (uint64_t)boundaries[at - 1] == extent ? at : 0;
}

static void set_distribution(struct view_array *array, const char *layout, const int64_t *grid,
                             const int64_t *block)
{
  hsize_t numbers[H5S_MAX_RANK];
  char blocks[130] = "", places[130] = "";
  bool equal = strcmp(layout, "blocks") != 0;
  for (int d = 0; d < array->dimensions; d++)
    equal = equal && block[d] > 0;
  for (int d = 0; d < array->dimensions; d++)
    numbers[d] = (hsize_t)block[d];
  if (equal)
    view_write_extents(array->dimensions, numbers, blocks, sizeof blocks);
  for (int d = 0; d < array->dimensions; d++)
    numbers[d] = (hsize_t)grid[d];
  if (strcmp(layout, "dealt") != 0)
    view_write_extents(array->dimensions, numbers, places, sizeof places);
  snprintf(array->distribution, sizeof array->distribution, "%s%s%s%s%s%s", layout,
           equal ? " in blocks of " : "", blocks, places[0] != '\0' ? " on " : "", places,
           places[0] != '\0' ? " processes" : "");
}

static bool is_layout(const char *text)
{
  static const char *const layouts[] = {"blocks", "cyclic", "tiled", "dealt"};
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
    if (strcmp(text, layouts[i]) == 0)
      return true;
  return false;
}

/* Finds out how the array was distributed. Attributes that Causeway would not have written are
 * ignored, as if the file had none. */
static void learn_distribution(struct view_array *array)
{
  static int64_t boundaries[MOST_NUMBERS], grid[MOST_NUMBERS], block[MOST_NUMBERS];
  struct view_lines lines[2] = {{.count = 0}, {.count = 0}};
  const int dimensions = array->dimensions;
  char layout[16] = "";
  int64_t at = 0;
  if (!read_text(array->set, "causeway_layout", layout, sizeof layout) || !is_layout(layout) ||
      read_numbers(array->set, "causeway_grid", grid) != dimensions ||
      read_numbers(array->set, "causeway_block", block) != dimensions)
    return;
  const int64_t count = read_numbers(array->set, "causeway_boundaries", boundaries);
  for (int d = 0; d < dimensions; d++) {
    struct view_lines *these = &lines[d == dimensions - 1];
    *these = (struct view_lines){.count = 0};
    if (block[d] < 0 || grid[d] < 0)
      return;
    if (block[d] > 0) {
      set_equal_lines(these, array->extents[d], (uint64_t)block[d]);
    } else if (count >= 0) {
      const int64_t taken = set_lines(these, array->extents[d], boundaries + at, count - at);
      if (taken == 0)
        return;
      at += taken;
    } else {
      these->count = VIEW_MOST_LINES + 1; /* Causeway writes no boundaries if there are too many */
    }
  }
  array->column_lines = lines[1];
  if (dimensions > 1)
    array->row_lines = lines[0];
  set_distribution(array, layout, grid, block);
}

/* --- The array -------------------------------------------------------------------------------- */

static int learn_extents(struct view_array *array)
{
  const hid_t space = H5Dget_space(array->set);
  if (space < 0)
    return view_failed("cannot read the extents of '%s' in '%s'", array->name, array->path);
  const H5S_class_t class = H5Sget_simple_extent_type(space);
  array->dimensions = H5Sget_simple_extent_dims(space, array->extents, NULL);
  H5Sclose(space);
  if (class == H5S_SCALAR)
    return view_failed("'%s' in '%s' is a single value, not an array", array->name, array->path);
  bool empty = class == H5S_NULL || array->dimensions < 1;
  for (int d = 0; d < array->dimensions; d++)
    empty = empty || array->extents[d] == 0;
  if (empty)
    return view_failed("'%s' in '%s' is empty: it has no elements", array->name, array->path);
  array->columns = array->extents[array->dimensions - 1];
  array->rows = array->dimensions > 1 ? array->extents[array->dimensions - 2] : 1;
  return VIEW_DONE;
}

static int learn_array(struct view_array *array)
{
  const hid_t type = H5Dget_type(array->set);
  if (type < 0)
    return view_failed("cannot read the type of '%s' in '%s'", array->name, array->path);
  write_kind(type, array->kind, sizeof array->kind);
  array->type = memory_type(type, &array->parts);
  H5Tclose(type);
  if (array->type < 0)
    return view_failed("'%s' in '%s' is of type %s; only numbers can be shown", array->name,
                       array->path, array->kind);
  const int status = learn_extents(array);
  if (status == VIEW_DONE)
    learn_distribution(array);
  return status;
}

/* --- The file --------------------------------------------------------------------------------- */

/* Prints a line for an array. */
static void list_one(hid_t set, const char *name)
{
  hsize_t extents[H5S_MAX_RANK];
  char clean[300], shape[300] = "one value", kind[32];
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const int dimensions = space >= 0 ? H5Sget_simple_extent_dims(space, extents, NULL) : 0;
  view_clean(name, clean, sizeof clean);
  if (dimensions > 0)
    view_write_extents(dimensions, extents, shape, sizeof shape);
  else if (space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL)
    snprintf(shape, sizeof shape, "empty");
  write_kind(type, kind, sizeof kind);
  printf("  %-24s %-20s %s\n", clean, shape, kind);
  if (space >= 0)
    H5Sclose(space);
  if (type >= 0)
    H5Tclose(type);
}

struct found {
  uint64_t count;
  bool list;
  char *last;
};

/* Follows hard links only. A target of a soft or external link has a hard link of its own in its
 * file. */
static herr_t visit(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
  struct found *found = data;
  if (link->type != H5L_TYPE_HARD)
    return 0;
  const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  if (object < 0)
    return 0;
  if (H5Iget_type(object) == H5I_DATASET) {
    found->count++;
    if (found->list)
      list_one(object, name);
    free(found->last);
    found->last = strdup(name);
  }
  H5Oclose(object);
  return 0;
}

/* Finds the name of the only array. */
static int find_only(struct view_array *array)
{
  struct found found = {.count = 0};
  const bool visited = H5Lvisit(array->file, H5_INDEX_NAME, H5_ITER_INC, visit, &found) >= 0;
  array->only_name = found.last;
  array->name = found.last;
  if (!visited || (found.count > 0 && found.last == NULL))
    return view_failed("cannot list the arrays of '%s'", array->path);
  if (found.count == 1)
    return VIEW_DONE;
  if (found.count == 0)
    return view_failed("'%s' has no arrays", array->path);
  const int status = view_misuse("'%s' has %llu arrays; choose one with --array NAME:", array->path,
                                 (unsigned long long)found.count);
  found = (struct found){.list = true};
  const bool listed = H5Lvisit(array->file, H5_INDEX_NAME, H5_ITER_INC, visit, &found) >= 0;
  free(found.last);
  return listed ? status : view_failed("cannot list the arrays of '%s'", array->path);
}

static int open_array(struct view_array *array)
{
  const hid_t object = H5Oopen(array->file, array->name, H5P_DEFAULT);
  if (object < 0)
    return view_failed("'%s' has no array '%s'; 'cw-view FILE' lists those that it has",
                       array->path, array->name);
  if (H5Iget_type(object) != H5I_DATASET) {
    H5Oclose(object);
    return view_failed("'%s' in '%s' is not an array: it is a group or a type", array->name,
                       array->path);
  }
  array->set = object;
  return VIEW_DONE;
}

struct hdf5_error {
  bool foreign;
  char text[300];
};

/* Keeps the description of the innermost HDF5 function, which is the most specific one. */
static herr_t keep_first(unsigned number, const H5E_error2_t *entry, void *data)
{
  struct hdf5_error *hdf5_error = data;
  if (number == 0 && entry->desc != NULL)
    snprintf(hdf5_error->text, sizeof hdf5_error->text, "%s", entry->desc);
  hdf5_error->foreign = hdf5_error->foreign || entry->min_num == H5E_NOTHDF5;
  return 0;
}

static int open_file(struct view_array *array)
{
  struct stat status;
  struct hdf5_error hdf5_error = {false, "nothing about it"};
  if (stat(array->path, &status) != 0)
    return view_failed("cannot open '%s': %s", array->path, strerror(errno));
  if (S_ISDIR(status.st_mode))
    return view_failed("cannot open '%s': it is a folder", array->path);
  if (access(array->path, R_OK) != 0)
    return view_failed("cannot open '%s': %s", array->path, strerror(errno));
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_fapl_sec2(access) >= 0)
    array->file = H5Fopen(array->path, H5F_ACC_RDONLY, access);
  if (array->file < 0)
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &hdf5_error);
  H5Pclose(access);
  if (array->file >= 0)
    return VIEW_DONE;
  if (hdf5_error.foreign)
    return view_failed("'%s' is not an HDF5 file", array->path);
  return view_failed("cannot open '%s'; HDF5 reports: %s", array->path, hdf5_error.text);
}

int view_open(const char *path, const char *name, struct view_array *array)
{
  *array = (struct view_array){.path = path,
                               .name = name,
                               .file = H5I_INVALID_HID,
                               .set = H5I_INVALID_HID,
                               .type = H5I_INVALID_HID};
  /* File systems of clusters may not support locks, and this program writes nothing. */
  setenv("HDF5_USE_FILE_LOCKING", "BEST_EFFORT", 0);
  if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0)
    return view_failed("HDF5 does not start");
  int status = open_file(array);
  if (status == VIEW_DONE && name == NULL)
    status = find_only(array);
  if (status == VIEW_DONE)
    status = open_array(array);
  return status == VIEW_DONE ? learn_array(array) : status;
}

void view_close(struct view_array *array)
{
  if (array->type >= 0)
    H5Tclose(array->type);
  if (array->set >= 0)
    H5Oclose(array->set);
  if (array->file >= 0)
    H5Fclose(array->file);
  free(array->only_name);
}
