/* Reads an array in hyperslabs and reduces it to cells, so that memory does not depend on its size:
 * only the cells and some MiB of elements are in memory. Parts that the file does not store are not
 * read: chunks that were never written, and holes. */
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MOST_ELEMENTS = 1 << 20, /* most elements of a hyperslab */
  MOST_CHUNKS = 1 << 14,   /* most chunks that are looked up one by one */
  MUCH = 4                 /* a note is printed before more GiB than this are read */
};

/* A rectangle of the plane that is shown. */
struct part {
  uint64_t row, column, rows, columns;
};

struct reader {
  const struct view_array *array;
  struct view_cells *cells;
  hid_t whole, space, creation; /* hyperslabs are selected in `space`; `whole` stays unchanged */
  hsize_t chunk[H5S_MAX_RANK];  /* chunk[0] is 0 if the array has no chunks */
  struct part step;             /* largest hyperslab; only rows and columns are used */
  double rest;                  /* value of elements that the file does not store */
  double *buffer;
  int file; /* descriptor to find holes; -1 if holes are not searched */
  uint64_t offset;
  size_t element;
};

/* --- Cells ------------------------------------------------------------------------------------ */

static void count_value(struct view_cells *cells, double value, uint64_t times)
{
  cells->finite += times;
  if (value == 0)
    cells->zeros += times;
  if (value < cells->lowest)
    cells->lowest = value;
  if (value > cells->highest)
    cells->highest = value;
}

/* Reduces `count` elements into one cell. Each of them counts `times` times. */
static void reduce_run(struct view_cells *cells, uint64_t cell, const double *values,
                       uint64_t count, uint64_t times)
{
  double greatest = cells->value[cell], least = cells->least[cell];
  for (uint64_t i = 0; i < count; i++) {
    const double value = cells->log ? fabs(values[i]) : values[i];
    if (!isfinite(value)) {
      cells->non_finite[cell] = true;
      cells->not_finite += times;
      continue;
    }
    count_value(cells, values[i], times);
    if (!cells->curve) {
      if (fabs(value) > fabs(greatest) || (value > 0 && value == -greatest))
        greatest = value;
    } else if (!cells->log || value > 0) {
      greatest = value > greatest ? value : greatest;
      least = value < least ? value : least;
    }
  }
  cells->value[cell] = greatest;
  cells->least[cell] = least;
  cells->seen[cell] += count * times;
}

static void reduce_part(struct view_cells *cells, const struct part *part, const double *values)
{
  for (uint64_t row = 0; row < part->rows; row++) {
    const uint64_t first = (part->row + row) / cells->height * cells->columns;
    for (uint64_t column = 0; column < part->columns;) {
      const uint64_t at = part->column + column;
      const uint64_t in_cell = cells->width - at % cells->width;
      const uint64_t left = part->columns - column;
      const uint64_t run = in_cell < left ? in_cell : left;
      reduce_run(cells, first + at / cells->width, values, run, 1);
      values += run;
      column += run;
    }
  }
}

/* Returns the number of elements of cell `number` along a dimension; the last cell may be
 * shorter. */
static uint64_t cell_length(uint64_t number, uint64_t length, uint64_t extent)
{
  const uint64_t left = extent - number * length;
  return left < length ? left : length;
}

/* Adds the elements that were not read, which all have the same value, to the cells. */
static void reduce_rest(const struct reader *reader)
{
  struct view_cells *cells = reader->cells;
  for (uint64_t row = 0; row < cells->rows; row++)
    for (uint64_t column = 0; column < cells->columns; column++) {
      const uint64_t cell = row * cells->columns + column;
      const uint64_t all = cell_length(row, cells->height, reader->array->rows) *
                           cell_length(column, cells->width, reader->array->columns);
      if (cells->seen[cell] < all)
        reduce_run(cells, cell, &reader->rest, 1, all - cells->seen[cell]);
    }
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
  return (a - 1) / b + 1;
}

static bool make_cells(const struct view_array *array, const struct view_limits *limits,
                       struct view_cells *cells)
{
  enum { LONGER = 4 };
  uint64_t height = divide_up(array->rows, limits->rows);
  uint64_t width = divide_up(array->columns, limits->columns);
  if (limits->square && array->rows / LONGER <= array->columns &&
      array->columns / LONGER <= array->rows)
    height = width = height > width ? height : width;
  *cells = (struct view_cells){.rows = divide_up(array->rows, height),
                               .columns = divide_up(array->columns, width),
                               .height = height,
                               .width = width,
                               .curve = array->dimensions == 1,
                               .log = limits->log,
                               .lowest = INFINITY,
                               .highest = -INFINITY};
  const size_t count = cells->rows * cells->columns;
  cells->value = calloc(count, sizeof *cells->value);
  cells->least = calloc(count, sizeof *cells->least);
  cells->non_finite = calloc(count, sizeof *cells->non_finite);
  cells->seen = calloc(count, sizeof *cells->seen);
  if (cells->value == NULL || cells->least == NULL || cells->non_finite == NULL ||
      cells->seen == NULL)
    return false;
  for (size_t i = 0; i < count && cells->curve; i++) {
    cells->value[i] = -INFINITY;
    cells->least[i] = INFINITY;
  }
  return true;
}

void view_free(struct view_cells *cells)
{
  free(cells->value);
  free(cells->least);
  free(cells->non_finite);
  free(cells->seen);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static int failed_read(const struct view_array *array)
{
  return view_failed("cannot read '%s' in '%s': the file is damaged, or HDF5 lacks a filter for it",
                     array->name, array->path);
}

/* Returns true if the part lies in a hole of the file, so that it need not be read. */
static bool is_hole(const struct reader *reader, const struct part *part)
{
  if (reader->file < 0)
    return false;
  const uint64_t columns = reader->array->columns;
  const uint64_t first = part->row * columns + part->column;
  const uint64_t last = (part->row + part->rows - 1) * columns + part->column + part->columns;
  const off_t end = (off_t)(reader->offset + last * reader->element);
  const off_t data =
      lseek(reader->file, (off_t)(reader->offset + first * reader->element), SEEK_DATA);
  return data < 0 ? errno == ENXIO : data >= end;
}

static void take_moduli(double *values, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    values[i] = hypot(values[2 * i], values[2 * i + 1]);
}

static int read_part(const struct reader *reader, const struct part *part)
{
  const struct view_array *array = reader->array;
  const int last = array->dimensions - 1;
  hsize_t first[H5S_MAX_RANK], counts[H5S_MAX_RANK];
  const hsize_t elements = part->rows * part->columns;
  if (is_hole(reader, part))
    return VIEW_DONE;
  for (int d = 0; d < last - 1; d++) {
    first[d] = array->slice[d];
    counts[d] = 1;
  }
  if (last > 0) {
    first[last - 1] = part->row;
    counts[last - 1] = part->rows;
  }
  first[last] = part->column;
  counts[last] = part->columns;
  const hid_t memory = H5Screate_simple(1, &elements, NULL);
  const bool read =
      memory >= 0 &&
      H5Sselect_hyperslab(reader->space, H5S_SELECT_SET, first, NULL, counts, NULL) >= 0 &&
      H5Dread(array->set, array->type, memory, reader->space, H5P_DEFAULT, reader->buffer) >= 0;
  if (memory >= 0)
    H5Sclose(memory);
  if (!read)
    return failed_read(array);
  if (array->parts == 2)
    take_moduli(reader->buffer, elements);
  reduce_part(reader->cells, part, reader->buffer);
  return VIEW_DONE;
}

static int read_steps(const struct reader *reader, const struct part *all)
{
  for (uint64_t row = 0; row < all->rows; row += reader->step.rows)
    for (uint64_t column = 0; column < all->columns; column += reader->step.columns) {
      const struct part part = {
          all->row + row, all->column + column,
          cell_length(row / reader->step.rows, reader->step.rows, all->rows),
          cell_length(column / reader->step.columns, reader->step.columns, all->columns)};
      const int status = read_part(reader, &part);
      if (status != VIEW_DONE)
        return status;
    }
  return VIEW_DONE;
}

/* Returns the size of the plane, or that of the stored parts of the file if it is smaller. */
static double bytes_to_read(const struct reader *reader)
{
  enum { SECTOR = 512 }; /* unit of st_blocks on any file system */
  const struct view_array *array = reader->array;
  const double plane = (double)array->rows * (double)array->columns * (double)reader->element;
  struct stat status;
  if (stat(array->path, &status) != 0)
    return plane;
  return fmin(plane, (double)status.st_blocks * SECTOR);
}

static int read_all(const struct reader *reader)
{
  const struct view_array *array = reader->array;
  const struct part all = {0, 0, array->rows, array->columns};
  const double gigabytes = bytes_to_read(reader) / (1 << 30);
  if (gigabytes > MUCH)
    view_note("reading %.0f GiB of '%s'", gigabytes, array->path);
  return read_steps(reader, &all);
}

/* Finds the part of the plane that lies in the chunk at `offset`. Returns false if there is
 * none. */
static bool find_part(const struct reader *reader, const hsize_t *offset, struct part *part)
{
  const struct view_array *array = reader->array;
  const int last = array->dimensions - 1;
  for (int d = 0; d < last - 1; d++)
    if (array->slice[d] < offset[d] || array->slice[d] - offset[d] >= reader->chunk[d])
      return false;
  *part = (struct part){0, offset[last], 1, reader->chunk[last]};
  if (last > 0) {
    part->row = offset[last - 1];
    part->rows = reader->chunk[last - 1];
  }
  if (part->row >= array->rows || part->column >= array->columns)
    return false;
  if (part->rows > array->rows - part->row)
    part->rows = array->rows - part->row;
  if (part->columns > array->columns - part->column)
    part->columns = array->columns - part->column;
  return true;
}

static int read_chunks(const struct reader *reader, hsize_t count)
{
  const struct view_array *array = reader->array;
  int status = VIEW_DONE;
  for (hsize_t i = 0; i < count && status == VIEW_DONE; i++) {
    hsize_t offset[H5S_MAX_RANK], bytes = 0;
    struct part part;
    if (H5Dget_chunk_info(array->set, reader->whole, i, offset, NULL, NULL, &bytes) < 0)
      return failed_read(array);
    if (find_part(reader, offset, &part))
      status = read_steps(reader, &part);
  }
  return status;
}

/* Returns true if less than half of the chunks are stored and they are few enough to look up one by
 * one. Stores their number in *count. */
static bool few_chunks(const struct reader *reader, hsize_t *count)
{
  const struct view_array *array = reader->array;
  double all = 1;
  for (int d = 0; d < array->dimensions && reader->chunk[0] > 0; d++)
    all *= (double)divide_up(array->extents[d], reader->chunk[d]);
  return reader->chunk[0] > 0 && H5Dget_num_chunks(array->set, reader->whole, count) >= 0 &&
         *count <= MOST_CHUNKS && (double)*count < all / 2;
}

/* --- The layout of the file ------------------------------------------------------------------- */

static double fill_value(const struct reader *reader)
{
  double value[2] = {0, 0};
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  if (H5Pfill_value_defined(reader->creation, &defined) < 0 ||
      defined == H5D_FILL_VALUE_UNDEFINED ||
      H5Pget_fill_value(reader->creation, reader->array->type, value) < 0)
    return 0;
  return reader->array->parts == 2 ? hypot(value[0], value[1]) : value[0];
}

/* Opens the array with a cache that holds a whole chunk, so that a compressed chunk is unpacked
 * only once while its parts are read. */
static hid_t open_with_cache(const struct view_array *array, size_t bytes)
{
  enum { SLOTS = 521, USUAL = 1 << 20 };
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  hid_t set = H5I_INVALID_HID;
  if (access >= 0 && H5Pset_chunk_cache(access, SLOTS, bytes > USUAL ? bytes : USUAL, 1) >= 0)
    set = H5Dopen2(array->file, array->name, access);
  if (access >= 0)
    H5Pclose(access);
  return set;
}

static uint64_t at_most(uint64_t number, uint64_t most)
{
  return number < most ? number : most;
}

static uint64_t at_least_one(uint64_t number)
{
  return number > 1 ? number : 1;
}

/* Chooses the size of hyperslabs: whole chunks if these are not too large, else rows. */
static void choose_step(struct reader *reader)
{
  const struct view_array *array = reader->array;
  const int last = array->dimensions - 1;
  const bool chunked = reader->chunk[0] > 0;
  uint64_t rows = array->rows, columns = array->columns;
  if (chunked) {
    rows = last > 0 ? at_most(rows, reader->chunk[last - 1]) : 1;
    columns = at_least_one(MOST_ELEMENTS / at_least_one(rows) / reader->chunk[last]) *
              reader->chunk[last];
  }
  columns = at_least_one(at_most(at_most(columns, array->columns), MOST_ELEMENTS));
  rows = at_least_one(at_most(rows, MOST_ELEMENTS / columns));
  reader->step = (struct part){0, 0, rows, columns};
}

/* Opens the data spaces and the creation property list of the array, and finds out which parts are
 * stored. *stored receives false if the file has no elements at all. Contiguous data is also opened
 * as a plain file, to find holes in it. */
static bool learn_layout(struct reader *reader, struct view_array *array, bool *stored)
{
  H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
  *stored = true;
  reader->whole = H5Dget_space(array->set);
  reader->space = H5Dget_space(array->set);
  reader->creation = H5Dget_create_plist(array->set);
  if (reader->whole < 0 || reader->space < 0 || reader->creation < 0)
    return false;
  const H5D_layout_t layout = H5Pget_layout(reader->creation);
  const bool inside = layout == H5D_CONTIGUOUS && H5Pget_external_count(reader->creation) == 0;
  if (layout == H5D_CHUNKED && H5Pget_chunk(reader->creation, array->dimensions, reader->chunk) < 0)
    return false;
  if (layout == H5D_CHUNKED || inside)
    *stored =
        H5Dget_space_status(array->set, &status) < 0 || status != H5D_SPACE_STATUS_NOT_ALLOCATED;
  reader->rest = fill_value(reader);
  const haddr_t offset = inside && *stored ? H5Dget_offset(array->set) : HADDR_UNDEF;
  if (offset != HADDR_UNDEF) {
    reader->file = open(array->path, O_RDONLY | O_CLOEXEC);
    reader->offset = offset;
    reader->rest = 0; /* holes of a file read as zeros */
  }
  return true;
}

/* Finds the offset of the plane that the slice selects. If chunks are compressed, also reopens the
 * array with a larger cache. */
static bool learn_places(struct reader *reader, struct view_array *array)
{
  size_t bytes = 0;
  uint64_t planes = 0;
  const hid_t type = H5Dget_type(array->set);
  if (type < 0)
    return false;
  bytes = reader->element = H5Tget_size(type);
  H5Tclose(type);
  for (int d = 0; d < array->dimensions - 2; d++)
    planes = planes * array->extents[d] + array->slice[d];
  reader->offset += planes * array->rows * array->columns * reader->element;
  for (int d = 0; d < array->dimensions && reader->chunk[0] > 0; d++)
    bytes *= reader->chunk[d];
  if (reader->chunk[0] == 0 || H5Pget_nfilters(reader->creation) <= 0)
    return true;
  const hid_t set = open_with_cache(array, bytes);
  if (set < 0)
    return false;
  H5Oclose(array->set);
  array->set = set;
  return true;
}

static int read_stored(struct reader *reader)
{
  hsize_t count = 0;
  choose_step(reader);
  reader->buffer =
      malloc(reader->step.rows * reader->step.columns * reader->array->parts * sizeof(double));
  if (reader->buffer == NULL)
    return view_failed("no memory for %llu elements",
                       (unsigned long long)(reader->step.rows * reader->step.columns));
  return few_chunks(reader, &count) ? read_chunks(reader, count) : read_all(reader);
}

int view_read(struct view_array *array, const struct view_limits *limits, struct view_cells *cells)
{
  struct reader reader = {.array = array,
                          .cells = cells,
                          .whole = H5I_INVALID_HID,
                          .space = H5I_INVALID_HID,
                          .creation = H5I_INVALID_HID,
                          .file = -1};
  bool stored = true;
  int status = VIEW_DONE;
  if (!make_cells(array, limits, cells))
    status = view_failed("no memory for a picture of %llu x %llu cells",
                         (unsigned long long)cells->rows, (unsigned long long)cells->columns);
  else if (!learn_layout(&reader, array, &stored) || !learn_places(&reader, array))
    status = failed_read(array);
  else if (stored)
    status = read_stored(&reader);
  if (status == VIEW_DONE)
    reduce_rest(&reader);
  free(reader.buffer);
  if (reader.file >= 0)
    close(reader.file);
  if (reader.whole >= 0)
    H5Sclose(reader.whole);
  if (reader.space >= 0)
    H5Sclose(reader.space);
  if (reader.creation >= 0)
    H5Pclose(reader.creation);
  return status;
}
