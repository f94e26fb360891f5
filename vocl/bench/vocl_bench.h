/* The measurements of vocl/bench/vocl_bench.c: calls of OpenCL, in a process of each side. */
#ifndef BENCH_VOCL_H
#define BENCH_VOCL_H

#include <stdbool.h>
#include <stddef.h>

struct call_case {
  const char *name;
  unsigned calls; /* of OpenCL in one turn of its loop */
  unsigned waits; /* those of them that wait for the device */
  size_t bytes;   /* that move; 0: none */
  void (*loop)(size_t times, size_t bytes);
};

extern const struct call_case call_cases[];
extern const size_t call_case_count;

/* Open the OpenCL that OCL_ICD_VENDORS names, as a loader does, and make what the loops need. What
 * is missing ends the process. */
void calls_begin(void);

/* One transfer of so many bytes after the other, to the device or from it. */
void calls_move(bool reads, size_t times, size_t bytes);

/* Programs that are moved. The first has memory, a program and a kernel, says how many seconds its
 * build took, and keeps all until its input ends; the second has so many kernels run that keep the
 * device busy, three at a time, and says how many seconds they took. */
void calls_hold(size_t bytes);
void calls_busy(size_t launches);

#endif
