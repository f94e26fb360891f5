/* How far two names are from each other, for "did you mean". */
#ifndef CWI_BASE_SPELLING_H
#define CWI_BASE_SPELLING_H

/* The least number of letters to insert, leave out, replace or swap with the next one, so that one
 * name becomes the other. Names of more than 63 letters are cut there. */
unsigned cwi_edits_between(const char *one, const char *other);
#endif
