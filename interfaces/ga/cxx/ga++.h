/* GA++: Global Arrays for C++, as classes that use the C interface. There are only headers.
 *
 *   ga++.h         start and stop; it includes all other headers
 *   GlobalArray.h  arrays: GA::GlobalArray, with its base classes in ArrayAccess.h and ArrayMath.h
 *   PGroup.h       groups of processes: GA::PGroup
 *   GAServices.h   functions of the namespace GA, and GA::SERVICES
 *
 * Names, types and meaning are those of GA 5.8's C++ classes. A program links only libcwga. Errors
 * end the job, as in C. See docs/reference/ga.md. */
#ifndef CWGA_GAPP_H
#define CWGA_GAPP_H

#include "GAServices.h"
#include "GlobalArray.h"
#include "PGroup.h"

#include <ga.h>
#include <macdecls.h>

#include <stddef.h>

namespace GA
{

/* Returns a flag that is true if Initialize started MPI. Terminate then finalizes MPI. */
inline bool &ownsMPI()
{
  static bool owns = false;
  return owns;
}

/* Ends the job if a call of MPI has failed. */
inline void checkMPI(const char *call, int code)
{
  if (code != MPI_SUCCESS)
    GA_Error(const_cast<char *>(call), code);
}

/* Starts GA, and MPI if the program has not started it. limit is the number of bytes that arrays
 * may use on this process; 0 means no limit. stackSize and heapSize are the sizes of MA's stack and
 * heap, in elements of `type`. */
inline void Initialize(int argc, char *argv[], size_t limit = 0)
{
  int running = 0;
  checkMPI("GA::Initialize: MPI_Initialized failed", MPI_Initialized(&running));
  if (!running) {
    checkMPI("GA::Initialize: MPI_Init failed", MPI_Init(&argc, &argv));
    ownsMPI() = true;
  }
  if (limit > 0)
    GA_Initialize_ltd(limit);
  else
    GA_Initialize();
}

inline void Initialize(int argc, char *argv[], unsigned long heapSize, unsigned long stackSize,
                       int type, size_t limit = 0)
{
  Initialize(argc, argv, limit);
  if (!MA_init(type, (Integer)stackSize, (Integer)heapSize))
    GA_Error(const_cast<char *>("GA::Initialize: MA_init failed"), 1);
}

inline void Terminate()
{
  GA_Terminate();
  if (ownsMPI())
    checkMPI("GA::Terminate: MPI_Finalize failed", MPI_Finalize());
  ownsMPI() = false;
}

} // namespace GA

#endif
