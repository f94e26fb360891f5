/* Modes of files and return values of the calls on files, for C and, through the preprocessor, for
 * Fortran. The include guard is the one of GA's header, because a program may also include that. */
#ifndef CHEMIO_H
#define CHEMIO_H

/* Modes: read and write, write, read. */
#define ELIO_RW -1
#define ELIO_W -2
#define ELIO_R -3

/* Results of a probe, and the code for success. */
#define ELIO_DONE -1
#define ELIO_PENDING 1
#define ELIO_OK 0

#define CHEMIO_RW ELIO_RW
#define CHEMIO_W ELIO_W
#define CHEMIO_R ELIO_R
#define CHEMIO_DONE ELIO_DONE
#define CHEMIO_PENDING ELIO_PENDING
#define CHEMIO_OK ELIO_OK

#endif
