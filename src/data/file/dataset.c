/* Reads datasets of any HDF5 file, for loading. HDF5 converts the byte order, decompresses, and
 * assembles chunks. */
#include "file/dataset.h"
#include "file/hdf5_type.h"

#include <stdio.h>
#include <string.h>

enum { LISTED_BYTES = 160, LISTED_PATH = 256, LISTED_LINKS = 1000 };

/* Names of the datasets of a file, for a message. */
struct listing {
  char text[LISTED_BYTES]; /* "'a', 'b'", with "..." at the end if there are more */
  size_t used;
  char path[LISTED_PATH]; /* of the present link */
  int links_left;         /* bounds the search: groups may contain each other */
};

static void listing_add(struct listing *listing)
{
  const size_t space = sizeof listing->text - listing->used;
  const int length = snprintf(listing->text + listing->used, space, "%s'%s'",
                              listing->used > 0 ? ", " : "", listing->path);
  if ((size_t)length + sizeof ", ..." <= space) {
    listing->used += (size_t)length;
  } else {
    snprintf(listing->text + listing->used, space, "%s...", listing->used > 0 ? ", " : "");
    listing->links_left = 0;
  }
}

/* Lists the datasets of a group, whose path has `length` bytes, and of the groups in it. */
static void listing_add_group(struct listing *listing, hid_t group, size_t length)
{
  char *name = listing->path + length;
  const size_t space = sizeof listing->path - length;
  for (hsize_t i = 0; listing->links_left > 0; i++) {
    const ssize_t bytes = cwi_h5.H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                                    space, H5P_DEFAULT);
    if (bytes < 0)
      return; /* there is no further link */
    listing->links_left--;
    if ((size_t)bytes + sizeof "/" > space)
      continue;
    const hid_t object = cwi_h5.H5Oopen(group, name, H5P_DEFAULT);
    const H5I_type_t type = object >= 0 ? cwi_h5.H5Iget_type(object) : H5I_BADID;
    if (type == H5I_DATASET)
      listing_add(listing);
    if (type == H5I_GROUP) {
      strcpy(name + bytes, "/");
      listing_add_group(listing, object, length + (size_t)bytes + 1);
    }
    cwi_hdf5_close(object, cwi_h5.H5Oclose);
  }
}

/* Returns an error that lists the datasets of the file. */
static cw_error dataset_not_found(const struct cwi_dataset *dataset)
{
  const cw_error error = cwi_hdf5_failed("find dataset '%s' in '%s'", dataset->name, dataset->path);
  struct listing listing = {.text = "none", .links_left = LISTED_LINKS};
  listing_add_group(&listing, dataset->file, 0);
  return cwi_error_append(error, "datasets of the file: %s", listing.text);
}

static cw_error open_set(struct cwi_dataset *dataset)
{
  const hid_t access = cwi_h5.H5Pcreate(*cwi_h5.H5P_CLS_FILE_ACCESS_ID_g);
  if (access >= 0 && cwi_h5.H5Pset_fapl_sec2(access) >= 0)
    dataset->file = cwi_h5.H5Fopen(dataset->path, H5F_ACC_RDONLY, access);
  const cw_error error = dataset->file >= 0 ? CW_OK : cwi_hdf5_failed("open '%s'", dataset->path);
  cwi_hdf5_close(access, cwi_h5.H5Pclose);
  CWI_TRY(error);
  dataset->set = cwi_h5.H5Dopen2(dataset->file, dataset->name, H5P_DEFAULT);
  return dataset->set >= 0 ? CW_OK : dataset_not_found(dataset);
}

/* Returns true if the attribute has one value. Files of other programs may have more. */
static bool is_single(hid_t attribute)
{
  const hid_t space = cwi_h5.H5Aget_space(attribute);
  const bool single = space >= 0 && cwi_h5.H5Sget_simple_extent_npoints(space) == 1;
  cwi_hdf5_close(space, cwi_h5.H5Sclose);
  return single;
}

/* Returns the type that was saved. CW_LONG and CW_LONG_LONG have the same elements in a file; an
 * attribute has the name of the type. */
static cw_type saved_type(hid_t set, cw_type found)
{
  char text[CWI_ELEMENT_NAME] = "", other[CWI_ELEMENT_NAME];
  cwi_element_name(CW_LONG_LONG, other);
  if (found != CW_LONG || cwi_h5.H5Aexists(set, "causeway_type") <= 0)
    return found;
  const hid_t attribute = cwi_h5.H5Aopen(set, "causeway_type", H5P_DEFAULT);
  const hid_t type = cwi_h5.H5Tcopy(*cwi_h5.H5T_C_S1_g);
  if (attribute >= 0 && is_single(attribute) && type >= 0 &&
      cwi_h5.H5Tset_size(type, sizeof text) >= 0 && cwi_h5.H5Aread(attribute, type, text) >= 0 &&
      strcmp(text, other) == 0)
    found = CW_LONG_LONG;
  cwi_hdf5_close(type, cwi_h5.H5Tclose);
  cwi_hdf5_close(attribute, cwi_h5.H5Aclose);
  return found;
}

static cw_error learn_type(struct cwi_dataset *dataset, struct cwi_content *content)
{
  char text[CWI_ELEMENT_TEXT];
  const hid_t in_file = cwi_h5.H5Dget_type(dataset->set);
  if (in_file < 0)
    return cwi_hdf5_failed("read the type of dataset '%s' in '%s'", dataset->name, dataset->path);
  const bool found = cwi_element_find(in_file, &content->type, &content->element, text);
  if (found)
    content->type = saved_type(dataset->set, content->type);
  if (found && content->type == CW_OPAQUE)
    dataset->type = cwi_h5.H5Tcopy(in_file); /* with its tag, without which HDF5 does not convert */
  else if (found)
    dataset->type = cwi_element_type(content->type, content->element);
  cwi_hdf5_close(in_file, cwi_h5.H5Tclose);
  if (!found)
    return cwi_outside("dataset '%s' in '%s' has %s, which arrays cannot have", dataset->name,
                       dataset->path, text);
  return dataset->type >= 0 ? CW_OK : cwi_hdf5_failed("make a type for '%s'", dataset->path);
}

static cw_error learn_extents(const struct cwi_dataset *dataset, struct cwi_content *content)
{
  hsize_t extents[H5S_MAX_RANK];
  const hid_t space = cwi_h5.H5Dget_space(dataset->set);
  content->dimensions = space >= 0 ? cwi_h5.H5Sget_simple_extent_dims(space, extents, NULL) : -1;
  cw_error error = CW_OK;
  if (content->dimensions < 0)
    error =
        cwi_hdf5_failed("read the extents of dataset '%s' in '%s'", dataset->name, dataset->path);
  cwi_hdf5_close(space, cwi_h5.H5Sclose);
  CWI_TRY(error);
  if (content->dimensions < 1 || content->dimensions > CW_MAX_DIMENSIONS)
    return cwi_outside("dataset '%s' in '%s' has %d dimensions; arrays have 1 to %d", dataset->name,
                       dataset->path, content->dimensions, CW_MAX_DIMENSIONS);
  for (int d = 0; d < content->dimensions; d++) {
    if (extents[d] < 1 || extents[d] > INT64_MAX)
      return cwi_outside("dataset '%s' in '%s' has extent %llu in dimension %d; arrays have 1 or "
                         "more",
                         dataset->name, dataset->path, (unsigned long long)extents[d], d);
    content->extents[d] = (int64_t)extents[d];
  }
  return CW_OK;
}

static cw_error open_and_learn(struct cwi_dataset *dataset, struct cwi_content *content)
{
  CWI_TRY(open_set(dataset));
  CWI_TRY(learn_type(dataset, content));
  return learn_extents(dataset, content);
}

cw_error cwi_dataset_open(struct cwi_dataset *dataset, const char *path, const char *name,
                          struct cwi_content *content)
{
  struct cwi_hdf5 program;
  *dataset = (struct cwi_dataset){path, name, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
  CWI_TRY(cwi_hdf5_begin());
  cwi_hdf5_enter(&program);
  const cw_error error = open_and_learn(dataset, content);
  cwi_hdf5_leave(&program);
  if (error != CW_OK)
    cwi_dataset_close(dataset);
  return error;
}

void cwi_dataset_close(struct cwi_dataset *dataset)
{
  struct cwi_hdf5 program;
  cwi_hdf5_enter(&program);
  cwi_hdf5_close(dataset->type, cwi_h5.H5Tclose);
  cwi_hdf5_close(dataset->set, cwi_h5.H5Dclose);
  cwi_hdf5_close(dataset->file, cwi_h5.H5Fclose);
  cwi_hdf5_leave(&program);
  dataset->type = dataset->set = dataset->file = H5I_INVALID_HID;
}

static herr_t read_hyperslab(const struct cwi_dataset *dataset, int dimensions,
                             const struct cwi_hyperslab *hyperslab, void *data)
{
  hsize_t first[CW_MAX_DIMENSIONS], counts[CW_MAX_DIMENSIONS], elements = 1;
  for (int d = 0; d < dimensions; d++) {
    first[d] = (hsize_t)hyperslab->lo[d];
    counts[d] = (hsize_t)(hyperslab->hi[d] - hyperslab->lo[d] + 1);
    elements *= counts[d];
  }
  const hid_t in_file = cwi_h5.H5Dget_space(dataset->set);
  const hid_t in_memory = cwi_h5.H5Screate_simple(1, &elements, NULL);
  herr_t status = -1;
  if (in_file >= 0 && in_memory >= 0 &&
      cwi_h5.H5Sselect_hyperslab(in_file, H5S_SELECT_SET, first, NULL, counts, NULL) >= 0)
    status = cwi_h5.H5Dread(dataset->set, dataset->type, in_memory, in_file, H5P_DEFAULT, data);
  cwi_hdf5_close(in_memory, cwi_h5.H5Sclose);
  cwi_hdf5_close(in_file, cwi_h5.H5Sclose);
  return status;
}

cw_error cwi_dataset_read(const struct cwi_dataset *dataset, cw_array array,
                          const struct cwi_hyperslab *hyperslab, void *data)
{
  struct cwi_hdf5 program;
  cw_error error = CW_OK;
  cwi_hdf5_enter(&program);
  if (read_hyperslab(dataset, array->dimensions, hyperslab, data) < 0)
    error = cwi_hdf5_failed("read %zu bytes of dataset '%s' in '%s'", hyperslab->bytes,
                            dataset->name, dataset->path);
  cwi_hdf5_leave(&program);
  return error;
}
