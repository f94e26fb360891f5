/* Takes personal data out of a text: names of users and hosts, home folders, network addresses. */
#ifndef SCRUB_H
#define SCRUB_H

#include <stdio.h>

/* Writes `text` to `out`, with `<user>`, `<host>`, `<home>` or `<address>` in the place of each
 * such word. Paths in home folders are replaced whole. */
void scrub(const char *text, FILE *out);
#endif
