/* A program that brings another HDF5, such as one without MPI, or of another version: its functions
 * and variables have the same names. Those here end the program, and no file is lost to them. */
#include "file/arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* NOLINTBEGIN(readability-identifier-naming) */
#define OTHER(name)                                                                                \
  void name(void);                                                                                 \
  void name(void)                                                                                  \
  {                                                                                                \
    fputs(#name " of the program is called\n", stderr);                                            \
    abort();                                                                                       \
  }
#define OTHER_ID(name)                                                                             \
  extern long long name;                                                                           \
  long long name = -1;

/* Called by Causeway, and by HDF5 itself. */
OTHER(H5open)
OTHER(H5Fcreate)
OTHER(H5Fopen)
OTHER(H5Tcopy)
OTHER(H5_init_library)
OTHER(H5F_open)
OTHER(H5I_register)
OTHER(H5I_object)
OTHER(H5S_create)
OTHER(H5T_copy)
OTHER_ID(H5T_NATIVE_INT_g)
OTHER_ID(H5T_NATIVE_DOUBLE_g)
OTHER_ID(H5T_C_S1_g)
OTHER_ID(H5P_CLS_FILE_ACCESS_ID_g)
/* NOLINTEND(readability-identifier-naming) */

int main(int argc, char **argv)
{
  static const int64_t extents[2] = {64, 64};
  char path[PATH_BYTES];
  kit_start_native(&argc, &argv, "own_hdf5");
  make_path(path, NULL, "own");
  cw_array array = make_array(cw_team_world(), "array", CW_DOUBLE, 8, 2, extents);
  fill_array(array, 1);
  KIT_OK(cw_arrays_save(path, 1, &array, NULL));
  fill_array(array, 2);
  KIT_OK(cw_array_load(path, NULL, array));
  check_array(array, 1);
  kit_barrier();
  if (kit_me() == 0)
    unlink(path);
  KIT_OK(cw_array_destroy(&array));
  return kit_finish_native();
}
