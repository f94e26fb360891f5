/* The measurements of vocl/bench/vocl_bench.c: calls of OpenCL, in a process of each side. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct call_case {
  const char *name;
  unsigned calls; /* number of OpenCL calls in one turn of its loop */
  unsigned waits; /* number of these that wait for the device */
  size_t bytes;   /* number of bytes moved, or 0 */
  void (*loop)(size_t times, size_t bytes);
};

extern const struct call_case call_cases[];
extern const size_t call_case_count;

/* Opens the OpenCL that OCL_ICD_VENDORS names, as a loader does, and creates the objects that the
 * loops need. Ends the process if one cannot be created. */
void calls_begin(void);

/* Transfers `bytes` bytes repeatedly, to the device or from it. */
void calls_move(bool reads, size_t times, size_t bytes);

/* Programs that are moved. The first has memory, a program and a kernel, prints the seconds of its
 * build, and keeps all until its input ends. The second runs `launches` kernels that keep the
 * device busy, three at a time, and prints their seconds. */
void calls_hold(size_t bytes);
void calls_busy(size_t launches);
