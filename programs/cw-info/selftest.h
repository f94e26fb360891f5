/* cw-info --selftest: finds which of the bugs that Causeway knows this MPI library has. */
#pragma once

/* Runs the reproducers of all bugs, or of the one that `arguments` names; `arguments` ends with
 * NULL. Starts MPI's launcher itself, so this process must not be an MPI process. Prints a line
 * for each bug, and what to do. Returns the exit status: 0 if all bugs found are avoided, 1 if
 * some are not, 2 for wrong arguments or settings, 3 if there was no result for some that are
 * not avoided. */
int selftest(char **arguments);

/* Reads the arguments without running anything. Returns 0, or 2 for wrong arguments, which it has
 * reported. */
int selftest_read(char **arguments);

/* Returns the command that starts jobs: the option --launcher, or that of MPI. */
const char *selftest_launcher(void);
