/* Attributes of a dataset: what was saved. */
#ifndef CWI_FILE_ATTRIBUTES_H
#define CWI_FILE_ATTRIBUTES_H

#include "array/array.h"
#include "file/hdf5.h"

/* Give a dataset the attributes of its array. Less than 0: HDF5 refused. */
herr_t cwi_attributes_write(hid_t set, cw_array array);
#endif
