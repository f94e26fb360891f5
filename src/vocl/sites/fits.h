/* Does a device have all that another one has? What a program was told of a device stays true. */
#ifndef CWI_SITES_FITS_H
#define CWI_SITES_FITS_H

#include "executor/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL: it has; else what it lacks, for a sentence: "it has less memory". */
const char *cwi_fits_not(const struct cwi_facts *given, const struct cwi_facts *other);

/* Is it the same product with the same driver, so that a binary of one is one of the other? */
bool cwi_fits_binary(const struct cwi_facts *given, const struct cwi_facts *other);

#ifdef __cplusplus
}
#endif
#endif
