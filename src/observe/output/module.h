/* Names an address of this process as a file and an offset, which other processes can use, too. */
#ifndef CWI_OUTPUT_MODULE_H
#define CWI_OUTPUT_MODULE_H

#include <stdbool.h>
#include <stdint.h>

struct cwi_module_place {
  char path[4096];    /* file of the program or library; "" if it is unknown */
  uint64_t offset;    /* address relative to the load address of the file; 0 if it is unknown */
  const char *symbol; /* symbol that the dynamic linker knows at the address, or "" */
  bool is_program;    /* the file is the program's own */
};

/* Finds the file that contains `address`. If there is none, all fields are empty. */
void cwi_module_find(uintptr_t address, struct cwi_module_place *place);
#endif
