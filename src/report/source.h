/* Functions, files and lines of places in programs: of source_libdw.c, or of source_none.c. */
#ifndef CWI_REPORT_SOURCE_H
#define CWI_REPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_source_place {
  char function[128]; /* "": not known */
  char file[256];     /* "": not known */
  int line;
};

/* Begin; false: nothing will be known. */
bool cwi_source_begin(void);

/* What lies at an offset of a file, as it was linked. is_call: it is a return address, and the call
 * before it is meant. False: nothing is known. */
bool cwi_source_find(const char *module, uint64_t offset, bool is_call,
                     struct cwi_source_place *source);

/* Writes the symbol of the public function in which an offset of a file lies, and returns true; or
 * returns false if no such function is known there. */
bool cwi_source_symbol(const char *module, uint64_t offset, char *symbol, size_t size);
void cwi_source_end(void);

#ifdef __cplusplus
}
#endif
#endif
