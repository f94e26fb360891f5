/* Writes the attributes of a dataset: name, type and distribution of the array. Loading reads only
 * the type; the rest is for people and their tools. */
#include "file/attributes.h"

#include "file/hdf5_type.h"

#include <string.h>

enum {
  FORMAT = 1,
  MOST_BOUNDARIES = 4000 /* 32 KiB: HDF5 keeps up to 64 KiB with the dataset */
};

static herr_t write_attribute(hid_t set, const char *name, hid_t type, hid_t space,
                              const void *value)
{
  const hid_t attribute = cwi_h5.H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const herr_t status = attribute >= 0 ? cwi_h5.H5Awrite(attribute, type, value) : -1;
  cwi_hdf5_close(attribute, cwi_h5.H5Aclose);
  return status;
}

static herr_t keep_format(hid_t set)
{
  const int format = FORMAT;
  const hid_t scalar = cwi_h5.H5Screate(H5S_SCALAR);
  const herr_t status =
      write_attribute(set, "causeway_format", *cwi_h5.H5T_NATIVE_INT_g, scalar, &format);
  cwi_hdf5_close(scalar, cwi_h5.H5Sclose);
  return status;
}

static herr_t keep_text(hid_t set, const char *name, const char *text)
{
  const hid_t type = cwi_h5.H5Tcopy(*cwi_h5.H5T_C_S1_g), scalar = cwi_h5.H5Screate(H5S_SCALAR);
  const herr_t status = type >= 0 && cwi_h5.H5Tset_size(type, strlen(text) + 1) >= 0
                            ? write_attribute(set, name, type, scalar, text)
                            : -1;
  cwi_hdf5_close(scalar, cwi_h5.H5Sclose);
  cwi_hdf5_close(type, cwi_h5.H5Tclose);
  return status;
}

static herr_t keep_numbers(hid_t set, const char *name, size_t count, const int64_t *numbers)
{
  const hsize_t extent = count;
  const hid_t list = cwi_h5.H5Screate_simple(1, &extent, NULL);
  const herr_t status = write_attribute(set, name, *cwi_h5.H5T_NATIVE_INT64_g, list, numbers);
  cwi_hdf5_close(list, cwi_h5.H5Sclose);
  return status;
}

/* Writes the boundaries of blocks that differ in length, including the end of the last one. */
static herr_t keep_boundaries(hid_t set, cw_array array)
{
  int64_t boundaries[MOST_BOUNDARIES];
  size_t count = 0;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    if (axis->starts == NULL)
      continue;
    if (axis->blocks >= MOST_BOUNDARIES - (int64_t)count)
      return 0;
    memcpy(&boundaries[count], axis->starts, ((size_t)axis->blocks + 1) * sizeof *boundaries);
    count += (size_t)axis->blocks + 1;
  }
  return count > 0 ? keep_numbers(set, "causeway_boundaries", count, boundaries) : 0;
}

static herr_t keep_distribution(hid_t set, cw_array array)
{
  static const char *const layouts[] = {
      [CW_BLOCKS] = "blocks",
      [CW_CYCLIC] = "cyclic",
      [CW_TILED] = "tiled",
      [CW_ROUND_ROBIN] = "dealt"}; /* part of the file format since version 0.1 */
  const size_t dimensions = (size_t)array->dimensions;
  int64_t grid[CW_MAX_DIMENSIONS], block[CW_MAX_DIMENSIONS];
  for (size_t d = 0; d < dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    grid[d] = array->layout == CW_ROUND_ROBIN ? 0 : axis->grid;
    block[d] = axis->starts == NULL ? axis->width : 0;
  }
  const bool kept = keep_text(set, "causeway_layout", layouts[array->layout]) >= 0 &&
                    keep_numbers(set, "causeway_grid", dimensions, grid) >= 0 &&
                    keep_numbers(set, "causeway_block", dimensions, block) >= 0 &&
                    keep_boundaries(set, array) >= 0;
  return kept ? 0 : -1;
}

herr_t cwi_attributes_write(hid_t set, cw_array array)
{
  int64_t extents[CW_MAX_DIMENSIONS];
  char type[CWI_ELEMENT_NAME];
  cwi_element_name(array->type, type);
  for (int d = 0; d < array->dimensions; d++)
    extents[d] = array->axes[d].extent;
  const bool kept =
      keep_format(set) >= 0 && keep_text(set, "causeway_type", type) >= 0 &&
      keep_numbers(set, "causeway_extents", (size_t)array->dimensions, extents) >= 0 &&
      keep_text(set, "causeway_name", array->name) >= 0 && keep_distribution(set, array) >= 0;
  return kept ? 0 : -1;
}
