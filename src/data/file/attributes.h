/* Attributes of a dataset, which describe the array. */
#pragma once

#include "array/array.h"
#include "file/hdf5.h"

/* Writes the attributes of an array to its dataset. Returns a negative number if HDF5 fails. */
herr_t cwi_attributes_write(hid_t set, cw_array array);
