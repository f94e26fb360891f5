/* The table, the verdicts and the CSV file. */
#pragma once

#include "cases.h"
#include "measure.h"

#include <stdio.h>

struct bench_row {
  const struct bench_case *one;
  struct bench_times times[BENCH_SIDES];
  bool present[BENCH_SIDES];
  bool right[BENCH_SIDES]; /* whether each side moved the right data */
};

/* Prints the head of the table. `limit` is the name of the limit; `csv` may be NULL. */
void bench_report_start(const char *limit, FILE *csv);

struct bench_verdicts {
  size_t demanded, met;
};

/* Prints one row to standard output and to the CSV file. `label` names the mode in the CSV file. */
struct bench_verdicts bench_report(const struct bench_row *row, const char *label, FILE *csv);
