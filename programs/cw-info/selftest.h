/* cw-info --selftest: which of the bugs that Causeway knows does this MPI have? */
#ifndef SELFTEST_H
#define SELFTEST_H

/* Run the reproducers of all bugs, or of one that the arguments (up to NULL) name, by a launcher of
 * MPI that this process starts: it must not be in MPI itself. Prints a line for each bug and what
 * to do. Returns the exit status: 0 all bugs found are avoided, 1 some are not, 2 wrong arguments
 * or settings, 3 some could not be looked for and are not avoided. */
int selftest(char **arguments);

#endif
