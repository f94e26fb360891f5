/* The table, the verdicts and the CSV file. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "cases.h"
#include "measure.h"

#include <stdio.h>

struct bench_row {
  const struct bench_case *one;
  struct bench_times times[BENCH_SIDES];
  bool present[BENCH_SIDES];
  bool right[BENCH_SIDES]; /* the data were */
};

/* Table heads; csv may be NULL. */
void bench_report_start(FILE *csv);

/* One row on standard output and in the CSV file. label: names the mode in the CSV file. Returns
 * whether there is a target and the row meets it. */
bool bench_report(const struct bench_row *row, const char *label, FILE *csv);

#endif
