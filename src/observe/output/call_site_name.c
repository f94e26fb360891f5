/* Names of the program's calls. The dynamic linker knows the names of a shared library. If Causeway
 * is linked into the program, libdw reads them from the program's symbol table. */
#include "output/source.h"

#include <string.h>

static bool find_in_program(uintptr_t entry, char name[CWI_CALL_NAME], bool *has_source)
{
  struct cwi_module_place place = {0};
  char symbol[256];
  cwi_module_find(entry - 1, &place);
  if (!place.is_program)
    return false;
  if (!*has_source)
    *has_source = cwi_source_begin();
  return *has_source && cwi_source_symbol(place.path, place.offset, symbol, sizeof symbol) &&
         cwi_call_name_of_symbol(symbol, name);
}

void cwi_call_site_name(const struct cwi_call_site *site, char name[CWI_CALL_NAME],
                        bool *has_source)
{
  name[0] = '\0';
  if (cwi_call_name_of_entry(site->entry, name) ||
      (site->entry != 0 && find_in_program(site->entry, name, has_source)))
    return;
  strncat(name, cwi_call_native(site), CWI_CALL_NAME - 1);
}
