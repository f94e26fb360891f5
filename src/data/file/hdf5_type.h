/* Element types of arrays, and the corresponding types of HDF5. */
#pragma once

#include "array/array.h"
#include "file/hdf5.h"

#include <stddef.h>

/* Writes the name of the type in files, like "double complex". */
enum { CWI_ELEMENT_NAME = 16 };
void cwi_element_name(cw_type type, char name[CWI_ELEMENT_NAME]);

/* Returns the type in memory, which the caller closes, or a negative id if HDF5 fails. */
hid_t cwi_element_type(cw_type type, size_t bytes);

/* Finds the type of a file's elements and their size in memory. Returns false if no array has such
 * elements; `text` then describes them. */
enum { CWI_ELEMENT_TEXT = 80 };
bool cwi_element_find(hid_t in_file, cw_type *type, size_t *bytes, char text[CWI_ELEMENT_TEXT]);
