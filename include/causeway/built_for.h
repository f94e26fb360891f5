/* Records for which MPI the program is compiled: its objects need a symbol that only libraries for
 * that MPI have. If a program is compiled with one MPI and linked with the library for another, the
 * link fails, and the linker's message says which library the program needs:
 *   undefined reference to `cw_built_for_openmpi'
 * Handles of MPICH and its derivatives (Intel, Cray, MVAPICH) are ints; Open MPI's are pointers. If
 * a program does not include this header, cw_init finds the mistake. */
#ifndef CAUSEWAY_BUILT_FOR_H
#define CAUSEWAY_BUILT_FOR_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const char cw_built_for_mpich[1], cw_built_for_openmpi[1];
static const char *const cw_built_for __attribute__((used)) =
    sizeof(MPI_Comm) == sizeof(int) ? cw_built_for_mpich : cw_built_for_openmpi;

#ifdef __cplusplus
}
#endif
#endif
