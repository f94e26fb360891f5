/* Translates messages of native calls into the terms of the binding (ARMCI, GA) whose call the
 * program made. A translated message has the binding's names of arguments, types and operations,
 * and no names of native calls. Only failures cost time, because only then a message is translated.
 * Text in quotes comes from the program and is not changed. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* Terms of a binding that hold in all its calls. */
struct cwi_binding_terms {
  /* pairs of a native phrase and the binding's phrase, which replaces it wherever it occurs as
   * whole words; the last pair is NULL, NULL */
  const char *const (*phrases)[2];
  const char *arguments; /* a list like `names` of cwi_reword, for arguments that the call itself
                            did not rename */
};

/* Renames arguments in the recorded message, by a list of pairs "old is new", such as "extents is
 * dims, ranks is list". A word is replaced only where it names an argument: in "ranks[1] is 7", not
 * in "all ranks". Returns error. */
cw_error cwi_reword(cw_error error, const char *names);

/* Replaces a word and a number by an element of an array: "vector 3" by "iov[5]" if `word` is
 * "vector", `name` is "iov" and `first` is 2. Returns error. */
cw_error cwi_reword_number(cw_error error, const char *word, const char *name, size_t first);

/* Like cwi_in_call, for a call of a binding: removes the names of native calls and adds that of the
 * binding's call. */
cw_error cwi_failed_in_binding(const char *call, const struct cwi_binding_terms *terms,
                               cw_error error);
