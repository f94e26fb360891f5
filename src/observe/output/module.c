/* Finds the file and the offset in it for an address: used for call sites and for functions of
 * tasks. */
#include "output/source.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

struct sought_address {
  uintptr_t address;
  struct cwi_module_place *place;
};

/* Callback of dl_iterate_phdr. Returns 1, which ends the iteration, when a segment of `object`
 * contains the address. */
static int match_module(struct dl_phdr_info *object, size_t size, void *given)
{
  (void)size;
  const struct sought_address *sought = given;
  struct cwi_module_place *place = sought->place;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD ||
        sought->address - (object->dlpi_addr + part->p_vaddr) >= part->p_memsz)
      continue;
    place->offset = sought->address - object->dlpi_addr;
    strncpy(place->path, object->dlpi_name != NULL ? object->dlpi_name : "",
            sizeof place->path - 1);
    if (place->path[0] == '\0') { /* the program itself */
      const ssize_t length = readlink("/proc/self/exe", place->path, sizeof place->path - 1);
      place->path[length > 0 ? length : 0] = '\0';
      place->is_program = true;
    }
    return 1;
  }
  return 0;
}

void cwi_module_find(uintptr_t address, struct cwi_module_place *place)
{
  struct sought_address sought = {address, place};
  Dl_info info = {.dli_sname = NULL};
  memset(place, 0, sizeof *place);
  place->symbol = "";
  if (address == 0)
    return;
  dl_iterate_phdr(match_module, &sought);
  if (dladdr((void *)address, &info) != 0 && /* NOLINT(performance-no-int-to-ptr) */
      info.dli_sname != NULL)
    place->symbol = info.dli_sname;
}
