/* The threads of this process: which of them may call MPI, and the bookkeeping lock. */
#pragma once

#include "base/error.h"
#include "base/settings.h"

#include <stdbool.h>

/* Reads MPI's thread level. Errors: CW_MISUSE if this is not the main thread. */
CWI_CHECKED cw_error cwi_mpi_threads_start(void);

/* Checks that this is the thread that initialized MPI. MPI must be running. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_mpi_check_main(void);

/* Returns true if this thread may call MPI. */
bool cwi_mpi_thread_may_call(void);

/* Returns CW_MISUSE if this thread may not call MPI. Used with CW_CHECK only, and never by the
 * server's thread. */
CWI_CHECKED cw_error cwi_mpi_check_thread(void);

/* Mark the beginning and the end of a call. At MPI_THREAD_SERIALIZED, cwi_mpi_check_enter returns
 * CW_MISUSE while another thread is in a call. Used with CW_CHECK only. */
CWI_CHECKED cw_error cwi_mpi_check_enter(void);
void cwi_mpi_check_leave(void);

static inline CWI_CHECKED cw_error cwi_mpi_enter(void)
{
  return CWI_LIKELY(cwi_settings.check == 0) ? CW_OK : cwi_mpi_check_enter();
}

static inline void cwi_mpi_leave(void)
{
  if (CWI_UNLIKELY(cwi_settings.check != 0))
    cwi_mpi_check_leave();
}

/* Returns true if several threads may call Causeway at once (MPI_THREAD_MULTIPLE). */
bool cwi_mpi_threads(void);

/* The process-wide lock around bookkeeping. Below MPI_THREAD_MULTIPLE it does nothing. It is
 * recursive. */
void cwi_threads_lock(void);
void cwi_threads_unlock(void);
bool cwi_threads_trylock(void);

/* Returns the name of MPI's thread level, such as "MPI_THREAD_MULTIPLE". */
const char *cwi_mpi_thread_level_name(void);
