/* Functions, files and lines of places in programs: of source_libdw.c, or of source_none.c.
 *
 * atomic_archive.c  OTF2's library writes an archive into a folder beside its name; then its
 *                   parts are renamed
 * atomic_file.c     the file of a profile is written beside its name, and renamed
 * call_site_name.c  names of the program's calls
 * json_text.c       texts of profiles and timelines, which programs may have made of anything, as
 *                   JSON
 * module.c          addresses as a file and an offset in it: for call sites, and for tasks'
 *                   functions
 * source_libdw.c    functions, files and lines from the debugging tables of programs and
 *                   libraries, which elfutils'
 * source_none.c     where elfutils' libdw was not there when Causeway was built: places are
 *                   addresses */
#ifndef CWI_OUTPUT_SOURCE_H
#define CWI_OUTPUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
#endif
