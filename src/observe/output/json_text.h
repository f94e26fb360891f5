/* Strings as JSON writes them. */
#ifndef CWI_OUTPUT_JSON_TEXT_H
#define CWI_OUTPUT_JSON_TEXT_H

#include <stdio.h>

/* Writes `text` in quotes and in ASCII. Bytes that are not valid UTF-8 become characters of
 * Latin-1. */
void cwi_json_text(FILE *out, const char *text);
#endif
