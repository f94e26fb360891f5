/* Failures in a benchmark print a message and end the job. */
#pragma once

#include <mpi.h>

/* Prints the message and ends the job. */
void bench_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Ends the job if `result` says that the MPI call `call` has failed. */
static inline void bench_check(int result, const char *call)
{
  if (__builtin_expect(result != MPI_SUCCESS, 0))
    bench_fail("%s failed with MPI error %d", call, result);
}
