/* Where an address of this process lies, as other processes may name it. */
#ifndef CWI_OUTPUT_MODULE_H
#define CWI_OUTPUT_MODULE_H

#include <stdbool.h>
#include <stdint.h>

struct cwi_module_place {
  char path[4096];    /* of the program, or of a library; "": not known */
  uint64_t offset;    /* in the file as it was linked; 0: not known */
  const char *symbol; /* what the linker knows there, or "" */
  bool is_program;    /* the file is the program's */
};

void cwi_module_find(uintptr_t address, struct cwi_module_place *place);
#endif
