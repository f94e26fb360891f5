#include <causeway.h>

#include <mpi.h>

enum { REQUESTS = 2 };

void both(MPI_Request *requests, int requests_left, cw_handle *handles, int handles_left);

void both(MPI_Request *requests, int requests_left, cw_handle *handles, int handles_left)
{
  int index, flag;
  size_t which = 0;
  bool complete = false;
#include "block"
}
