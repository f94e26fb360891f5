/* Edit distance of two names, for "did you mean". */
#pragma once

/* Returns the least number of letters to insert, remove, replace or swap with the next one that
 * turns one name into the other. Only the first 63 letters of a name count. */
unsigned cwi_edits_between(const char *one, const char *other);
