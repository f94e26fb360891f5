/* cw-info --report: what a report of a problem needs, in one file without personal data. */
#pragma once

#include <stdio.h>

/* Writes the report of a process that no launcher has started. The sections that need MPI come from
 * jobs of their own, so that the others are written even if MPI crashes. `arguments` begins with
 * the name of the file, if there is one; arguments of --selftest may follow, and NULL ends it.
 * Returns the exit status: 0, 1 if the file cannot be written, 2 for wrong arguments. */
int report_alone(char **arguments);

/* Writes the report of a job that a launcher has started. MPI is initialised, and all processes
 * call this. `print` prints what Causeway finds in this job; all processes call it, too. Returns
 * the exit status. */
int report_in_job(char **arguments, void (*print)(FILE *out));
