/* Calls of HDF5: one thread at a time, nothing printed, and what it said as a sentence.
 *
 * HDF5 is used without its MPI part: no call of it waits for another process. So the lock cannot
 * make two threads that save arrays of two teams wait for each other, and the faults of MPI-IO
 * (Open MPI issues 12718, 7045 and 2399, HDF5 issue 1227) are none of ours. */
#ifndef CWI_FILE_HDF5_H
#define CWI_FILE_HDF5_H

#include "base/error.h"
#include "base/file_write.h"

#include <hdf5.h>

/* The error handlers of the program and the signal mask of this thread, to be restored. */
struct cwi_hdf5 {
  unsigned version;
  H5E_auto1_t print1;
  H5E_auto2_t print2;
  void *data;
  struct cwi_write_signals signals;
};

/* Take HDF5 for this thread and be quiet; give it back as it was. */
void cwi_hdf5_enter(struct cwi_hdf5 *program);
void cwi_hdf5_leave(const struct cwi_hdf5 *program);

/* CW_OUTSIDE: "cannot <doing>: <what HDF5 said last>". Call it right after the call that failed. */
CWI_CHECKED cw_error cwi_hdf5_failed(const char *doing, ...) CWI_PRINTF(1, 2);

/* Close something of HDF5, and keep what was said before; less than 0: there is nothing. */
void cwi_hdf5_close(hid_t id, herr_t (*close)(hid_t id));
#endif
