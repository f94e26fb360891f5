/* Writes the structure of a file: a dataset for each array, with attributes that describe it. Space
 * for the elements is allocated here and filled by others. */
#include "base/file_write.h"
#include "file/attributes.h"
#include "file/dataset.h"
#include "file/hdf5_type.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file and the property lists with which all its datasets are made. */
struct plan {
  hid_t file, link, creation;
};

static hid_t create_set(const struct plan *plan, const char *name, hid_t type, cw_array array)
{
  hsize_t extents[CW_MAX_DIMENSIONS];
  for (int d = 0; d < array->dimensions; d++)
    extents[d] = (hsize_t)array->axes[d].extent;
  const hid_t space = cwi_h5.H5Screate_simple(array->dimensions, extents, NULL);
  const hid_t set =
      cwi_h5.H5Dcreate2(plan->file, name, type, space, plan->link, plan->creation, H5P_DEFAULT);
  cwi_hdf5_close(space, cwi_h5.H5Sclose);
  return set;
}

static cw_error make_one(const struct plan *plan, const char *path, const char *name,
                         cw_array array, uint64_t *offset)
{
  cw_error error = CW_OK;
  const hid_t type = cwi_element_type(array->type, array->element);
  const hid_t set = create_set(plan, name, type, array);
  const haddr_t at = set >= 0 ? cwi_h5.H5Dget_offset(set) : HADDR_UNDEF;
  if (at == HADDR_UNDEF || cwi_attributes_write(set, array) < 0)
    error = cwi_hdf5_failed("create dataset '%s' in '%s'", name, path);
  *offset = at;
  cwi_hdf5_close(set, cwi_h5.H5Dclose);
  cwi_hdf5_close(type, cwi_h5.H5Tclose);
  return error;
}

/* Creates the file. Headers have checksums from format 1.8 on. The elements of an array are
 * contiguous at the offset that HDF5 chooses; large arrays begin at a page. */
static cw_error dataset_begin(struct plan *plan, const char *path, int structure)
{
  enum { LARGE = 1 << 16, PAGE = 4096 };
  char place[32];
  snprintf(place, sizeof place, "/proc/self/fd/%d", structure);
  const hid_t access = cwi_h5.H5Pcreate(*cwi_h5.H5P_CLS_FILE_ACCESS_ID_g);
  plan->link = cwi_h5.H5Pcreate(*cwi_h5.H5P_CLS_LINK_CREATE_ID_g);
  plan->creation = cwi_h5.H5Pcreate(*cwi_h5.H5P_CLS_DATASET_CREATE_ID_g);
  if (cwi_h5.H5Pset_fapl_stdio(access) >= 0 && cwi_h5.H5Pset_alignment(access, LARGE, PAGE) >= 0 &&
      cwi_h5.H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
      cwi_h5.H5Pset_create_intermediate_group(plan->link, 1) >= 0 &&
      cwi_h5.H5Pset_layout(plan->creation, H5D_CONTIGUOUS) >= 0 &&
      cwi_h5.H5Pset_alloc_time(plan->creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
      cwi_h5.H5Pset_fill_time(plan->creation, H5D_FILL_TIME_NEVER) >= 0)
    plan->file = cwi_h5.H5Fcreate(place, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const cw_error error =
      plan->file >= 0 ? CW_OK : cwi_hdf5_failed("make the structure of '%s'", path);
  cwi_hdf5_close(access, cwi_h5.H5Pclose);
  return error;
}

static cw_error make_all(struct plan *plan, const char *path, size_t count, const cw_array *arrays,
                         const char *const *names, uint64_t *offsets, int structure)
{
  CWI_TRY(dataset_begin(plan, path, structure));
  for (size_t i = 0; i < count; i++)
    CWI_TRY(
        make_one(plan, path, names != NULL ? names[i] : arrays[i]->name, arrays[i], &offsets[i]));
  if (cwi_h5.H5Fflush(plan->file, H5F_SCOPE_LOCAL) < 0)
    return cwi_hdf5_failed("make the structure of '%s'", path);
  const hid_t file = plan->file;
  plan->file = H5I_INVALID_HID;
  return cwi_h5.H5Fclose(file) >= 0 ? CW_OK
                                    : cwi_hdf5_failed("complete the structure of '%s'", path);
}

/* Checks the limit of the size of files (ulimit -f), because it applies to files in memory, too. */
static cw_error check_limit(const char *path, size_t count, const cw_array *arrays)
{
  enum { HEADERS = 1 << 16 };
  const double limit = (double)cwi_file_limit();
  double bytes = HEADERS * (1.0 + (double)count);
  for (size_t i = 0; i < count; i++) {
    double array = (double)arrays[i]->element;
    for (int d = 0; d < arrays[i]->dimensions; d++)
      array *= (double)arrays[i]->axes[d].extent;
    bytes += array;
  }
  if (bytes <= limit)
    return CW_OK;
  return cwi_outside("'%s' needs up to %.0f bytes; this process may write files of %.0f (File too "
                     "large: see ulimit -f)",
                     path, bytes, limit);
}

cw_error cwi_datasets_make(const char *path, size_t count, const cw_array *arrays,
                           const char *const *names, uint64_t *offsets, int *structure)
{
  struct cwi_hdf5 program;
  struct plan plan = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
  CWI_TRY(check_limit(path, count, arrays));
  CWI_TRY(cwi_hdf5_begin());
  *structure = memfd_create("causeway-file", MFD_CLOEXEC);
  if (*structure < 0)
    return cwi_outside("no memory for the structure of '%s'", path);
  cwi_hdf5_enter(&program);
  const cw_error error = make_all(&plan, path, count, arrays, names, offsets, *structure);
  cwi_hdf5_close(plan.link, cwi_h5.H5Pclose);
  cwi_hdf5_close(plan.creation, cwi_h5.H5Pclose);
  cwi_hdf5_close(plan.file, cwi_h5.H5Fclose);
  cwi_hdf5_leave(&program);
  return error;
}
