/* Texts and numbers as JSON has them. */
#ifndef CWI_OUTPUT_JSON_TEXT_H
#define CWI_OUTPUT_JSON_TEXT_H

#include <stdio.h>

/* In ASCII, with quotes. Bytes that are no UTF-8 are told as characters of Latin-1. */
void cwi_json_text(FILE *out, const char *text);
#endif
