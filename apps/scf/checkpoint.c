/* Checkpoints in HDF5 files, by Causeway's own arrays. This file is used when scf is built on
 * libcwga. */
#include "checkpoint.h"

#include "error.h"

#include <causeway.h>
#include <cwga.h>
#include <ga.h>
#include <stdlib.h>

static bool failed(const char *path)
{
  return error_set("checkpoint %s: %s", path, cw_error_message());
}

/* Creates a one-dimensional array with the energies, on the processes of the density. The caller
 * destroys *array, also after an error. */
static cw_error energies_array(cw_array density, const double *energies, int count, cw_array *array)
{
  cw_array_description what;
  const int64_t extent = count, first = 0, last = count - 1;
  const cw_array_options options = {
      .name = "energies", .type = CW_DOUBLE, .dimensions = 1, .extents = &extent};
  CW_TRY(cw_array_describe(density, &what));
  CW_TRY(cw_array_create(what.team, &options, array));
  return GA_Nodeid() == 0 ? cw_array_put(*array, &first, &last, energies, NULL) : CW_OK;
}

bool checkpoint_save(const char *path, int density_array, const double *energies, int count)
{
  cw_array arrays[2] = {cw_array_from_ga(density_array), NULL};
  const char *const names[2] = {"density", "energies"};
  cw_error error = energies_array(arrays[0], energies, count, &arrays[1]);
  if (error == CW_OK)
    error = cw_arrays_save(path, 2, arrays, names);
  const bool saved = error == CW_OK || failed(path);
  if (arrays[1] != NULL)
    error = cw_array_destroy(&arrays[1]);
  return saved && (error == CW_OK || failed(path));
}

bool checkpoint_load(const char *path, int density_array, double **energies, int *count)
{
  cw_array density = cw_array_from_ga(density_array), array = NULL;
  cw_array_description what;
  if (cw_array_load(path, "density", density) != CW_OK ||
      cw_array_describe(density, &what) != CW_OK ||
      cw_array_create_from_file(what.team, path, "energies", NULL, &array) != CW_OK ||
      cw_array_describe(array, &what) != CW_OK)
    return failed(path);
  bool loaded = what.type == CW_DOUBLE && what.dimensions == 1;
  if (loaded) {
    const int64_t first = 0, last = what.extents[0] - 1;
    *count = (int)what.extents[0];
    *energies = memory_allocate((size_t)*count, sizeof **energies);
    loaded = cw_array_get(array, &first, &last, *energies, NULL) == CW_OK || failed(path);
  } else {
    error_set("checkpoint %s: the energies are no list of doubles", path);
  }
  return cw_array_destroy(&array) == CW_OK ? loaded : failed(path);
}
