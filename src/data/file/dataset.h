/* Arrays in HDF5 files.
 *
 * array_save.c      saving
 * array_load.c      loading
 * dataset_make.c    the structure of a file
 * attributes.c      what a file says of each array
 * dataset.c         reading datasets of any file
 * hyperslabs.c      an array in hyperslabs, for reading and writing
 * hdf5_type.c       types of elements as HDF5's
 * hdf5.c            the lock around HDF5, and its errors
 * temporary_file.c  files that get their name only when they are complete
 *
 * This header has the datasets of a file: making them, finding one, reading of it. No data is
 * written here. */
#ifndef CWI_FILE_DATASET_H
#define CWI_FILE_DATASET_H

#include "array/array.h"
#include "file/hdf5.h"
#include "file/hyperslabs.h"

#include <stddef.h>
#include <stdint.h>

/* Make a file with a dataset for each array. It is in memory, and has the size that it will have on
 * the disk; what is not a hole in it is to be copied there. path: where that will be. offsets:
 * [count] receives where in the file each array begins: its elements follow each other there,
 * row-major, as they are in memory. structure: receives the file, to be closed. Errors: CW_OUTSIDE.
 */
CWI_CHECKED cw_error cwi_datasets_make(const char *path, size_t count, const cw_array *arrays,
                                       const char *const *names, uint64_t *offsets, int *structure);

/* What a dataset holds. */
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

/* Open a dataset for reading, and learn what it holds. Errors: CW_OUTSIDE: no such file or dataset,
 * or no array can hold it. */
CWI_CHECKED cw_error cwi_dataset_open(struct cwi_dataset *dataset, const char *path,
                                      const char *name, struct cwi_content *content);
void cwi_dataset_close(struct cwi_dataset *dataset);

/* Read a hyperslab of an array that the dataset fits. */
CWI_CHECKED cw_error cwi_dataset_read(const struct cwi_dataset *dataset, cw_array array,
                                      const struct cwi_hyperslab *hyperslab, void *data);
#endif
