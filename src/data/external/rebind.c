/* Finds symbols of a library, and rebinds it, by its relocations. Addresses that are right are not
 * written, so that nothing happens unless the program has symbols of the same names. */
#include "external/routines.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Entries of a library's dynamic section. */
struct dynamic {
  void *handle;
  ElfW(Addr) base;
  const char *strings;
  const ElfW(Sym) * symbols;
  const ElfW(Rela) * tables[2];
  size_t bytes[2];
};

static struct dynamic dynamic_of(void *handle, const struct link_map *map)
{
  struct dynamic found = {.handle = handle, .base = map->l_addr};
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    /* The dynamic linker has added the base. */
    void *address = (void *)entry->d_un.d_ptr; /* NOLINT(performance-no-int-to-ptr) */
    if (entry->d_tag == DT_STRTAB)
      found.strings = address;
    else if (entry->d_tag == DT_SYMTAB)
      found.symbols = address;
    else if (entry->d_tag == DT_RELA)
      found.tables[0] = address;
    else if (entry->d_tag == DT_JMPREL)
      found.tables[1] = address;
    else if (entry->d_tag == DT_RELASZ)
      found.bytes[0] = entry->d_un.d_val;
    else if (entry->d_tag == DT_PLTRELSZ)
      found.bytes[1] = entry->d_un.d_val;
  }
  return found;
}

/* Returns true for a relocation that holds a symbol's address. The types of both processors are in
 * one list, because none of their numbers has another meaning on the other processor. */
static bool holds_address(uint32_t type)
{
  static const uint32_t types[] = {R_X86_64_64,     R_X86_64_GLOB_DAT,  R_X86_64_JUMP_SLOT,
                                   R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i] == type)
      return true;
  return false;
}

/* Returns the address that a symbol should have, or 0 if it is not of interest. Names of Fortran
 * routines end with an underscore; those of MPI and of the system do not. */
static ElfW(Addr) wanted_address(const struct dynamic *library, const ElfW(Sym) * symbol)
{
  const char *name = library->strings + symbol->st_name;
  const unsigned type = ELF64_ST_TYPE(symbol->st_info);
  if (symbol->st_shndx != SHN_UNDEF)
    return type == STT_FUNC || type == STT_OBJECT ? library->base + symbol->st_value : 0;
  if (name[0] == '\0' || name[strlen(name) - 1] != '_')
    return 0;
  return (ElfW(Addr))dlsym(library->handle, name);
}

/* Memory that the dynamic linker makes read-only after relocation (RELRO). */
struct read_only {
  ElfW(Addr) base, from, bytes;
};

static int find_read_only(struct dl_phdr_info *info, size_t size, void *call)
{
  struct read_only *found = call;
  (void)size;
  if (info->dlpi_addr != found->base)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      const ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
      const ElfW(Addr) from = found->base + info->dlpi_phdr[i].p_vaddr;
      found->from = from / page * page;
      found->bytes = (from + info->dlpi_phdr[i].p_memsz) / page * page - found->from;
    }
  return 1;
}

/* Returns how many addresses differ from what they should be; corrects them if `correct` is set. */
static int rebind_all(const struct dynamic *library, bool correct)
{
  int wrong = 0;
  for (int table = 0; table < 2; table++)
    for (size_t i = 0; i < library->bytes[table] / sizeof(ElfW(Rela)); i++) {
      const ElfW(Rela) *relocation = &library->tables[table][i];
      const ElfW(Sym) *symbol = &library->symbols[ELF64_R_SYM(relocation->r_info)];
      if (!holds_address(ELF64_R_TYPE(relocation->r_info)))
        continue;
      const ElfW(Addr) wanted = wanted_address(library, symbol);
      /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
      ElfW(Addr) *slot = (void *)(library->base + relocation->r_offset);
      if (wanted == 0 || *slot == wanted + (ElfW(Addr))relocation->r_addend)
        continue;
      wrong++;
      if (correct)
        *slot = wanted + (ElfW(Addr))relocation->r_addend;
    }
  return wrong;
}

/* Returns the relocated address of the variable that the library defines at `own`. */
static uintptr_t variable_address(const struct dynamic *library, uintptr_t own)
{
  for (size_t i = 0; i < library->bytes[0] / sizeof(ElfW(Rela)); i++) {
    const ElfW(Rela) *relocation = &library->tables[0][i];
    const ElfW(Sym) *symbol = &library->symbols[ELF64_R_SYM(relocation->r_info)];
    if (holds_address(ELF64_R_TYPE(relocation->r_info)) && symbol->st_shndx != SHN_UNDEF &&
        ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && library->base + symbol->st_value == own)
      /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
      return *(const ElfW(Addr) *)(library->base + relocation->r_offset) -
             (ElfW(Addr))relocation->r_addend;
  }
  return own;
}

void *cwi_bound_symbol(void *library, const char *name)
{
  struct link_map *map = NULL;
  void *own = dlsym(library, name);
  if (own == NULL || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return own;
  const struct dynamic dynamic = dynamic_of(library, map);
  return (void *)variable_address(&dynamic, (uintptr_t)own); /* NOLINT(performance-no-int-to-ptr) */
}

static bool protect(const struct read_only *area, int protection)
{
  void *from = (void *)area->from; /* NOLINT(performance-no-int-to-ptr) */
  return area->bytes == 0 || mprotect(from, area->bytes, protection) == 0;
}

const char *cwi_rebind(void *library)
{
  struct link_map *map = NULL;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return dlerror();
  const struct dynamic dynamic = dynamic_of(library, map);
  if (rebind_all(&dynamic, false) == 0)
    return NULL;
  struct read_only area = {.base = map->l_addr};
  dl_iterate_phdr(find_read_only, &area);
  if (!protect(&area, PROT_READ | PROT_WRITE))
    return "the system does not let its addresses be changed";
  rebind_all(&dynamic, true);
  return protect(&area, PROT_READ) ? NULL : "the system does not let its addresses be protected";
}
