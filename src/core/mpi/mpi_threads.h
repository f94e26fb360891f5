/* The threads of this process: which may call MPI, and the lock around bookkeeping. */
#ifndef CWI_MPI_MPI_THREADS_H
#define CWI_MPI_MPI_THREADS_H

#include "base/error.h"
#include "base/settings.h"

#include <stdbool.h>

/* Learn MPI's thread level. Errors: CW_MISUSE (this thread may not call MPI). */
CWI_CHECKED cw_error cwi_mpi_threads_start(void);

/* Is this the thread that has started MPI? MPI is up. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_mpi_check_main(void);

/* May this thread call MPI? */
bool cwi_mpi_thread_may_call(void);

/* May this thread call MPI? Errors: CW_MISUSE. For CW_CHECK; the server's thread is not asked. */
CWI_CHECKED cw_error cwi_mpi_check_thread(void);

/* A call begins and ends: at MPI_THREAD_SERIALIZED no other may be under way. With CW_CHECK only.
 */
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

/* Several threads may call us at once. */
bool cwi_mpi_threads(void);

/* One process-wide lock around bookkeeping; free of cost when there is only one thread. Nests. */
void cwi_threads_lock(void);
void cwi_threads_unlock(void);
bool cwi_threads_trylock(void);

const char *cwi_mpi_thread_level_name(void);
#endif
