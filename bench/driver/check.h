/* What can go wrong in a benchmark ends the job with a sentence. */
#ifndef BENCH_CHECK_H
#define BENCH_CHECK_H

#include <mpi.h>

/* Print the sentence and end the job. */
void bench_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* End the job if an MPI call has failed. */
static inline void bench_check(int result, const char *call)
{
  if (__builtin_expect(result != MPI_SUCCESS, 0))
    bench_fail("%s failed with MPI error %d", call, result);
}

#endif
