/* Names of places in a program: the function, file and line of an address, with libdw
 * (source_libdw.c) or not at all (source_none.c), and the call that the program made there.
 *
 * atomic_archive.c  writes an OTF2 archive into a folder beside its name and renames its parts
 * atomic_file.c     writes a file beside its name and renames it
 * call_site_name.c  names of the program's calls
 * json.c            writes JSON: objects, lists, values
 * module.c          the file and the offset in it for an address
 * source_libdw.c    functions, files and lines, read from debugging information by libdw
 * source_none.c     stands in for source_libdw.c if Causeway was built without libdw */
#pragma once

#include "profile/profile_counters.h"

struct cwi_module_place {
  char path[4096];    /* file of the program or library; "" if it is unknown */
  uint64_t offset;    /* address relative to the load address of the file; 0 if it is unknown */
  const char *symbol; /* symbol that the dynamic linker knows at the address, or "" */
  bool is_program;    /* the file is the program's own */
};

/* Names an address of this process as a file and an offset, which other processes can use, too. If
 * no file contains `address`, all fields are empty. */
void cwi_module_find(uintptr_t address, struct cwi_module_place *place);

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

/* Writes the name of the call at `site`, in the interface that the program uses, or "" if it has
 * none, such as a task. If *has_source is false, this function may call cwi_source_begin and store
 * its result in *has_source. If *has_source is true in the end, the caller calls cwi_source_end. */
void cwi_call_site_name(const struct cwi_call_site *site, char name[CWI_CALL_NAME],
                        bool *has_source);
