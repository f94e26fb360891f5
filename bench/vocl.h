/* What bench/vocl.c measures: calls of OpenCL, in a process of each side. */
#ifndef BENCH_VOCL_H
#define BENCH_VOCL_H

#include <stdbool.h>
#include <stddef.h>

struct call_case {
  const char *name;
  unsigned calls; /* of OpenCL in one turn of its loop */
  size_t bytes;   /* that move; 0: none */
  void (*loop)(size_t times, size_t bytes);
};

extern const struct call_case call_cases[];
extern const size_t call_case_count;

/* Open the OpenCL that OCL_ICD_VENDORS names, as a loader does, and make what the loops need. What
 * is missing ends the process. */
void calls_begin(void);

#endif
