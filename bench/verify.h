/* Does a side do what it is timed for? */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include "side.h"

/* Run the operation once and look at every byte that it must and must not change; the slice of
 * process 1 is looked at by process 1. slice: mine. Collective; both processes learn the answer. */
bool bench_verify(const struct bench_side *side, const struct bench_work *work, char *slice,
                  bool collective);

#endif
