/* Element types of arrays, and what they are in HDF5. */
#ifndef CWI_FILE_HDF5_TYPE_H
#define CWI_FILE_HDF5_TYPE_H

#include "array/array.h"
#include "file/hdf5.h"

#include <stddef.h>

/* The type's word in files: "double complex". */
enum { CWI_ELEMENT_NAME = 16 };
void cwi_element_name(cw_type type, char name[CWI_ELEMENT_NAME]);

/* The type in memory, to be closed; less than 0: HDF5 refused. */
hid_t cwi_element_type(cw_type type, size_t bytes);

/* Which element is it, and how many bytes has one in memory? False: none; text receives what it is
 * in words. */
enum { CWI_ELEMENT_TEXT = 80 };
bool cwi_element_find(hid_t in_file, cw_type *type, size_t *bytes, char text[CWI_ELEMENT_TEXT]);
#endif
