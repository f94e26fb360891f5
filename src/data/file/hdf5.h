/* Calls of HDF5: one thread at a time, nothing is printed, and its errors become messages. HDF5 is
 * used without MPI, so no call waits for another process. Therefore the lock cannot make two
 * threads that save arrays of two teams wait for each other, and the bugs of MPI-IO (Open MPI
 * issues 12718, 7045 and 2399, HDF5 issue 1227) do not matter here.
 *
 * Nothing is linked with HDF5, because a program that uses no files should not load it and the
 * libraries that it needs. cwi_hdf5_begin opens it at the first use, and every call goes through a
 * pointer of cwi_h5. */
#pragma once

#include "base/error.h"
#include "base/file_write.h"

#include <hdf5.h>

struct cwi_hdf5_symbols {
#define X(name) __typeof__(&name) name;
#include "file/hdf5.def"
#undef X
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
