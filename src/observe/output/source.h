/* Finds the function, file and line of an address in a program, with libdw (source_libdw.c) or not
 * at all (source_none.c).
 *
 * atomic_archive.c  writes an OTF2 archive into a folder beside its name and renames its parts
 * atomic_file.c     writes a file beside its name and renames it
 * call_site_name.c  names of the program's calls
 * json.c            writes JSON: objects, lists, values
 * module.c          the file and the offset in it for an address
 * source_libdw.c    functions, files and lines, read from debugging information by libdw
 * source_none.c     stands in for source_libdw.c if Causeway was built without libdw */
#ifndef CWI_OUTPUT_SOURCE_H
#define CWI_OUTPUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_source_place {
  char function[128]; /* "" if it is unknown */
  char file[256];     /* "" if it is unknown */
  int line;
};

/* Loads libdw. Returns false if it is missing: then nothing can be found. */
bool cwi_source_begin(void);

/* Finds the function, file and line at `offset` of the file `module`; see struct cwi_module_place.
 * is_call: the offset is a return address, and the place of the call before it is wanted. Returns
 * false if nothing is known. */
bool cwi_source_find(const char *module, uint64_t offset, bool is_call,
                     struct cwi_source_place *source);

/* Writes the symbol of the public function that contains `offset` of `module` and returns true.
 * Returns false if no such function is known. */
bool cwi_source_symbol(const char *module, uint64_t offset, char *symbol, size_t size);
void cwi_source_end(void);
#endif
