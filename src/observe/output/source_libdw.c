/* Reads functions, files and lines from the debugging information of programs and libraries with
 * elfutils' libdw. The library is opened at run time, only when a profile or a timeline needs
 * names. */
#include "output/source.h"

#include "base/log.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

/* The functions of libdw that are used, found by dlsym. */
static struct {
  void *library;
  Dwfl *(*begin)(const Dwfl_Callbacks *callbacks);
  Dwfl_Module *(*report_offline)(Dwfl *dwfl, const char *name, const char *file, int descriptor);
  int (*report_end)(Dwfl *dwfl,
                    int (*removed)(Dwfl_Module *, void *, const char *, Dwarf_Addr, void *),
                    void *argument);
  Elf *(*getelf)(Dwfl_Module *module, GElf_Addr *bias);
  const char *(*addrname)(Dwfl_Module *module, GElf_Addr address);
  const char *(*addrinfo)(Dwfl_Module *module, GElf_Addr address, GElf_Off *offset,
                          GElf_Sym *symbol, GElf_Word *section, Elf **elf, Dwarf_Addr *bias);
  int (*getsymtab)(Dwfl_Module *module);
  const char *(*getsym_info)(Dwfl_Module *module, int number, GElf_Sym *symbol, GElf_Addr *address,
                             GElf_Word *section, Elf **elf, Dwarf_Addr *bias);
  Dwfl_Line *(*getsrc)(Dwfl_Module *module, Dwarf_Addr address);
  const char *(*lineinfo)(Dwfl_Line *line, Dwarf_Addr *address, int *number, int *column,
                          Dwarf_Word *time, Dwarf_Word *length);
  void (*end)(Dwfl *dwfl);
  int (*section_address)(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                         const char *section, GElf_Word index, const GElf_Shdr *header,
                         Dwarf_Addr *address);
  int (*find_debuginfo)(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **found);
} dw;

/* Modules that have been opened. Further ones are not looked up. */
enum { MOST_MODULES = 64 };
static struct opened_module {
  char path[4096];
  Dwfl *dwfl;
  Dwfl_Module *module; /* NULL if it could not be read */
  GElf_Addr bias;
} modules[MOST_MODULES];
static int module_count;

static bool find_all(void)
{
  const struct {
    const char *name;
    void *function;
  } functions[] = {{"dwfl_begin", &dw.begin},
                   {"dwfl_report_offline", &dw.report_offline},
                   {"dwfl_report_end", &dw.report_end},
                   {"dwfl_module_getelf", &dw.getelf},
                   {"dwfl_module_addrname", &dw.addrname},
                   {"dwfl_module_addrinfo", &dw.addrinfo},
                   {"dwfl_module_getsymtab", &dw.getsymtab},
                   {"dwfl_module_getsym_info", &dw.getsym_info},
                   {"dwfl_module_getsrc", &dw.getsrc},
                   {"dwfl_lineinfo", &dw.lineinfo},
                   {"dwfl_end", &dw.end},
                   {"dwfl_offline_section_address", &dw.section_address},
                   {"dwfl_build_id_find_debuginfo", &dw.find_debuginfo}};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    void *found = dlsym(dw.library, functions[i].name);
    if (found == NULL)
      return false;
    memcpy(functions[i].function, &found, sizeof found);
  }
  return true;
}

bool cwi_source_begin(void)
{
  dw.library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (dw.library != NULL && find_all())
    return true;
  cwi_log(CWI_LOG_INFO, "CW_PROFILE: libdw.so.1 is not there: call sites are shown as addresses");
  cwi_source_end();
  return false;
}

static Dwfl_Callbacks callbacks;

static void module_open(struct opened_module *module)
{
  callbacks =
      (Dwfl_Callbacks){.find_debuginfo = dw.find_debuginfo, .section_address = dw.section_address};
  module->module = NULL;
  module->dwfl = dw.begin(&callbacks);
  if (module->dwfl == NULL)
    return;
  Dwfl_Module *found = dw.report_offline(module->dwfl, module->path, module->path, -1);
  if (found != NULL && dw.report_end(module->dwfl, NULL, NULL) == 0 &&
      dw.getelf(found, &module->bias) != NULL)
    module->module = found;
}

/* Returns the module of this path, which is opened at its first use, or NULL if there are too many.
 */
static struct opened_module *module_of(const char *path)
{
  for (int i = 0; i < module_count; i++)
    if (strcmp(modules[i].path, path) == 0)
      return &modules[i];
  if (module_count == MOST_MODULES)
    return NULL;
  struct opened_module *module = &modules[module_count++];
  snprintf(module->path, sizeof module->path, "%s", path);
  module_open(module);
  return module;
}

bool cwi_source_find(const char *path, uint64_t offset, bool is_call,
                     struct cwi_source_place *source)
{
  *source = (struct cwi_source_place){.line = 0};
  const struct opened_module *module = dw.library != NULL ? module_of(path) : NULL;
  if (module == NULL || module->module == NULL)
    return false;
  const GElf_Addr address = offset + module->bias - is_call;
  const char *name = dw.addrname(module->module, address);
  Dwfl_Line *line = dw.getsrc(module->module, address);
  const char *file = line != NULL ? dw.lineinfo(line, NULL, &source->line, NULL, NULL, NULL) : NULL;
  snprintf(source->function, sizeof source->function, "%s", name != NULL ? name : "");
  snprintf(source->file, sizeof source->file, "%s", file != NULL ? file : "");
  return name != NULL || file != NULL;
}

/* Returns the shortest of all names of a function. The others have an additional letter for
 * wrapping libraries (PMPI_) or belong to an older interface. */
static const char *shortest_name(Dwfl_Module *module, const GElf_Sym *function, const char *name)
{
  const int count = dw.getsymtab(module);
  for (int i = 1; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char *other = dw.getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
    if (other != NULL && symbol.st_value == function->st_value &&
        GELF_ST_TYPE(symbol.st_info) == STT_FUNC && GELF_ST_BIND(symbol.st_info) != STB_LOCAL &&
        strlen(other) < strlen(name))
      name = other;
  }
  return name;
}

bool cwi_source_symbol(const char *path, uint64_t offset, char *symbol, size_t size)
{
  const struct opened_module *module = dw.library != NULL ? module_of(path) : NULL;
  GElf_Off from = 0;
  GElf_Sym found;
  if (module == NULL || module->module == NULL)
    return false;
  const char *name =
      dw.addrinfo(module->module, offset + module->bias, &from, &found, NULL, NULL, NULL);
  if (name == NULL || GELF_ST_BIND(found.st_info) == STB_LOCAL || from >= found.st_size)
    return false;
  snprintf(symbol, size, "%s", shortest_name(module->module, &found, name));
  return true;
}

void cwi_source_end(void)
{
  for (int i = 0; i < module_count; i++)
    if (modules[i].dwfl != NULL)
      dw.end(modules[i].dwfl);
  module_count = 0;
  if (dw.library != NULL)
    dlclose(dw.library);
  memset(&dw, 0, sizeof dw);
}
