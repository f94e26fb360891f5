/* Checks that a side does the operation for which it is timed. */
#pragma once

#include "measure.h"

/* Runs the operation once and checks every byte that it must or must not change. Process 1 checks
 * its own slice. Collective; returns the result on both processes. */
bool bench_verify(const struct bench_contestant *contestant, const struct bench_work *timed,
                  bool collective);
