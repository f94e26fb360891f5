/* Sentences of native calls in the words of a binding (ARMCI, GA), whose call the program made: the
 * names of its arguments, types and operations, and no native call. Only a failure costs anything:
 * what is recorded is written anew. What stands in quotes is the program's and stays. */
#ifndef CWI_BASE_REWORD_H
#define CWI_BASE_REWORD_H

#include "base/error.h"

#include <stddef.h>

/* What holds in all calls of a binding. */
struct cwi_binding_terms {
  const char *const (*phrases)[2]; /* native, the binding's: replaced wherever they stand as whole
                                      words; both NULL: the end */
  const char *arguments;           /* as `names` below, for what the call itself did not name */
};

/* Arguments in the recorded sentence get other names: "extents is dims, ranks is list". A word is
 * replaced only where the sentence speaks of an argument: "ranks[1] is 7", not "all ranks".
 * Returns error. */
cw_error cwi_reword(cw_error error, const char *names);

/* "vector 3" becomes "iov[5]", where first is 2. Returns error. */
cw_error cwi_reword_number(cw_error error, const char *word, const char *name, size_t first);

/* cwi_in_call for a call of a binding: the names of native calls go, its own comes. */
cw_error cwi_failed_in_binding(const char *call, const struct cwi_binding_terms *terms,
                               cw_error error);
#endif
