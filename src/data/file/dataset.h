/* Arrays in HDF5 files.
 *
 * array_save.c      saving
 * array_load.c      loading
 * dataset_make.c    the structure of a file
 * attributes.c      attributes that describe each array
 * dataset.c         reading datasets of any file
 * hyperslabs.c      an array in hyperslabs, for reading and writing
 * hdf5_type.c       element types as types of HDF5
 * hdf5.c            opens HDF5; the lock around it, and its errors
 * temporary_file.c  files that are renamed when they are complete
 *
 * This header has the datasets of a file: making them, finding one, and reading it. Elements are
 * not written here. */
#pragma once

#include "array/array.h"
#include "file/hdf5.h"
#include "file/hyperslabs.h"

#include <stddef.h>
#include <stdint.h>

/* Makes a file with a dataset for each array. The file is in memory and has its final size; the
 * caller copies everything that is not a hole to the disk. `path` is its final name. offsets:
 * [count] receives the offset of each array's elements, which are contiguous and row-major.
 * `structure` receives the file, which the caller closes. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_datasets_make(const char *path, size_t count, const cw_array *arrays,
                                       const char *const *names, uint64_t *offsets, int *structure);

/* Type and shape of a dataset. */
struct cwi_content {
  cw_type type;
  size_t element;
  int dimensions;
  int64_t extents[CW_MAX_DIMENSIONS];
};

struct cwi_dataset {
  const char *path, *name;
  hid_t file, set, type; /* type: of the elements in memory */
};

/* Opens a dataset for reading, and returns its type and shape. Errors: CW_OUTSIDE: no such file or
 * dataset, or no array can hold it. */
CWI_CHECKED cw_error cwi_dataset_open(struct cwi_dataset *dataset, const char *path,
                                      const char *name, struct cwi_content *content);
void cwi_dataset_close(struct cwi_dataset *dataset);

/* Reads a hyperslab of an array that fits the dataset. */
CWI_CHECKED cw_error cwi_dataset_read(const struct cwi_dataset *dataset, cw_array array,
                                      const struct cwi_hyperslab *hyperslab, void *data);
