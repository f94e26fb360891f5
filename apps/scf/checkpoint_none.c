/* Replaces checkpoint.c when scf is built on another Global Arrays library: both functions fail. */
#include "checkpoint.h"

#include "error.h"

static bool unsupported(const char *path)
{
  return error_set(
      "checkpoint %s: this scf is built on a Global Arrays library without files; build "
      "it on libcwga",
      path);
}

bool checkpoint_save(const char *path, int density_array, const double *energies, int count)
{
  (void)density_array, (void)energies, (void)count;
  return unsupported(path);
}

bool checkpoint_load(const char *path, int density_array, double **energies, int *count)
{
  (void)density_array, (void)energies, (void)count;
  return unsupported(path);
}
