/* A process without HDF5: calls for files fail on all members, also a second time, with a message
 * that names the file and the package. Everything else works. */
#include "file/arrays.h"

#include "external/external_names.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static bool lacks;

/* Replaces the system's dlopen for the library's calls. */
void *dlopen(const char *name, int flags)
{
  static void *(*real)(const char *name, int flags) = NULL;
  if (real == NULL)
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
  return real(lacks && name != NULL && strstr(name, "libhdf5") != NULL ? "no-hdf5.so" : name,
              flags);
}

static void check_message(void)
{
  kit_check(strstr(cw_error_message(), CW_HDF5_PACKAGE) != NULL,
            "the message does not name the package '%s': %s", CW_HDF5_PACKAGE, cw_error_message());
}

int main(int argc, char **argv)
{
  static const int64_t extents[2] = {64, 64};
  char path[PATH_BYTES];
  kit_start_native(&argc, &argv, "file_missing");
  make_path(path, NULL, "missing");
  lacks = kit_me() == kit_processes() - 1;
  cw_array array = make_array(cw_team_world(), "array", CW_DOUBLE, 8, 2, extents), fresh = NULL;
  fill_array(array, 1);
  for (int i = 0; i < 2; i++) {
    if (kit_processes() == 1)
      KIT_OUTSIDE("HDF5 cannot be loaded: no-hdf5.so: ", cw_arrays_save(path, 1, &array, NULL));
    else
      KIT_OK(cw_arrays_save(path, 1, &array, NULL)); /* process 0 alone needs HDF5 */
    kit_check_long(count_beside(path), 0, "files beside the saved one");
    KIT_OUTSIDE("HDF5 cannot be loaded: no-hdf5.so: ", cw_array_load(path, NULL, array));
    check_message();
    KIT_OUTSIDE("HDF5 cannot be loaded: no-hdf5.so: ",
                cw_array_create_from_file(cw_team_world(), path, "array", NULL, &fresh));
    check_array(array, 1);
  }
  kit_barrier();
  if (kit_me() == 0)
    unlink(path);
  KIT_OK(cw_array_destroy(&array));
  return kit_finish_native();
}
