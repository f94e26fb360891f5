/* Takes personal data out of a text: names of users and hosts, home folders, network addresses. */
#pragma once

#include <stdio.h>

/* Writes `text` to `out`, with `<user>`, `<host>`, `<home>` or `<address>` in the place of each
 * such word. Paths in home folders are replaced whole. */
void scrub(const char *text, FILE *out);
