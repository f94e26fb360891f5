/* Texts and numbers as JSON has them. */
#ifndef CWI_REPORT_JSON_TEXT_H
#define CWI_REPORT_JSON_TEXT_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In ASCII, with quotes. Bytes that are no UTF-8 are told as characters of Latin-1. */
void cwi_json_text(FILE *out, const char *text);

#ifdef __cplusplus
}
#endif
#endif
