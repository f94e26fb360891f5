/* Does a side do what it is timed for? */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include "measure.h"

/* Run the operation once and look at every byte that it must and must not change; the slice of
 * process 1 is looked at by process 1. Collective; both processes learn the answer. */
bool bench_verify(const struct bench_contestant *contestant, const struct bench_work *timed,
                  bool collective);

#endif
