/* Calls of HDF5: one thread at a time, nothing is printed, and its errors become messages. HDF5 is
 * used without MPI, so no call waits for another process. Therefore the lock cannot make two
 * threads that save arrays of two teams wait for each other, and the bugs of MPI-IO (Open MPI
 * issues 12718, 7045 and 2399, HDF5 issue 1227) do not matter here.
 *
 * Nothing is linked with HDF5, because a program that uses no files should not load it and the
 * libraries that it needs. cwi_hdf5_begin opens it at the first use, and every call goes through a
 * pointer of cwi_h5. */
#ifndef CWI_FILE_HDF5_H
#define CWI_FILE_HDF5_H

#include "base/error.h"
#include "base/file_write.h"

#include <hdf5.h>

/* Functions and variables of HDF5 that this module uses. */
#define CWI_HDF5_SYMBOLS(X)                                                                        \
  X(H5open)                                                                                        \
  X(H5Aclose) X(H5Acreate2) X(H5Aexists) X(H5Aget_space) X(H5Aopen) X(H5Aread) X(H5Awrite)         \
      X(H5Dclose) X(H5Dcreate2) X(H5Dget_offset) X(H5Dget_space) X(H5Dget_type) X(H5Dopen2)        \
          X(H5Dread) X(H5Eauto_is_v2) X(H5Eget_auto1) X(H5Eget_auto2) X(H5Eget_current_stack)      \
              X(H5Eget_msg) X(H5Eset_auto1) X(H5Eset_auto2) X(H5Eset_current_stack) X(H5Ewalk2) X( \
                  H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fopen) X(H5Pclose) X(H5Pcreate)           \
                  X(H5Pset_alignment) X(H5Pset_alloc_time) X(H5Pset_create_intermediate_group) X(  \
                      H5Pset_fapl_sec2) X(H5Pset_fapl_stdio) X(H5Pset_fill_time) X(H5Pset_layout)  \
                      X(H5Pset_libver_bounds) X(H5Sclose) X(H5Screate) X(H5Screate_simple)         \
                          X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_npoints)             \
                              X(H5Sselect_hyperslab) X(H5Tclose) X(H5Tcopy) X(H5Tcreate)           \
                                  X(H5Tget_class) X(H5Tget_member_index) X(H5Tget_member_type) X(  \
                                      H5Tget_nmembers) X(H5Tget_sign) X(H5Tget_size) X(H5Tinsert)  \
                                      X(H5Tset_size) X(H5Tset_tag) X(H5P_CLS_DATASET_CREATE_ID_g)  \
                                          X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_LINK_CREATE_ID_g)  \
                                              X(H5T_C_S1_g) X(H5T_NATIVE_DOUBLE_g)                 \
                                                  X(H5T_NATIVE_FLOAT_g) X(H5T_NATIVE_INT64_g)      \
                                                      X(H5T_NATIVE_INT_g) X(H5T_NATIVE_LLONG_g)

struct cwi_hdf5_symbols {
#define CWI_HDF5_POINTER(name) __typeof__(&name) name;
  CWI_HDF5_SYMBOLS(CWI_HDF5_POINTER)
#undef CWI_HDF5_POINTER
};
extern struct cwi_hdf5_symbols cwi_h5;

/* HDF5's macros begin with calls of these, by name, to open and check the library. */
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

/* Saved error handlers of the program and signal mask of this thread. */
struct cwi_hdf5 {
  unsigned version;
  H5E_auto1_t print1;
  H5E_auto2_t print2;
  void *data;
  struct cwi_write_signals signals;
};

/* Opens HDF5. Must succeed before any other function of this header is called. Local. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_hdf5_begin(void);

/* cwi_hdf5_enter takes the lock, turns off HDF5's messages and blocks the signals of failed writes.
 * cwi_hdf5_leave undoes this. */
void cwi_hdf5_enter(struct cwi_hdf5 *program);
void cwi_hdf5_leave(const struct cwi_hdf5 *program);

/* Returns CW_OUTSIDE with the message "cannot <doing>; HDF5 reports: <its innermost error>". Must
 * be called right after the call that failed. */
CWI_CHECKED cw_error cwi_hdf5_failed(const char *doing, ...) CWI_PRINTF(1, 2);

/* Closes an object of HDF5 and keeps the error stack. A negative id is ignored. */
void cwi_hdf5_close(hid_t id, herr_t (*close)(hid_t id));
#endif
