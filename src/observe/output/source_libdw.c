/* Reads functions, files and lines from the debugging information of programs and libraries with
 * elfutils' libdw. The library is opened at run time, only when a profile or a timeline needs
 * names. */
#include "output/source.h"

#include "base/log.h"
#include "base/symbols.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

/* The functions of the library, named like them. */
static struct {
  void *library;
#define X(name) __typeof__(&(name)) name;
#include "output/libdw.def"
#undef X
} dw;

static const struct cwi_symbol functions[] = {
#define X(name) {#name, &dw.name},
#include "output/libdw.def"
#undef X
    {NULL, NULL}};

/* Modules that have been opened. Further ones are not looked up. */
enum { MOST_MODULES = 64 };
static struct opened_module {
  char path[4096];
  Dwfl *dwfl;
  Dwfl_Module *module; /* NULL if it could not be read */
  GElf_Addr bias;
} modules[MOST_MODULES];
static int module_count;

bool cwi_source_begin(void)
{
  dw.library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (dw.library != NULL && cwi_symbols_find(dw.library, functions) == NULL)
    return true;
  cwi_log(CWI_LOG_INFO, "CW_PROFILE: libdw.so.1 is not there: call sites are shown as addresses");
  cwi_source_end();
  return false;
}

static Dwfl_Callbacks callbacks;

static void module_open(struct opened_module *module)
{
  callbacks = (Dwfl_Callbacks){.find_debuginfo = dw.dwfl_build_id_find_debuginfo,
                               .section_address = dw.dwfl_offline_section_address};
  module->module = NULL;
  module->dwfl = dw.dwfl_begin(&callbacks);
  if (module->dwfl == NULL)
    return;
  Dwfl_Module *found = dw.dwfl_report_offline(module->dwfl, module->path, module->path, -1);
  if (found != NULL && dw.dwfl_report_end(module->dwfl, NULL, NULL) == 0 &&
      dw.dwfl_module_getelf(found, &module->bias) != NULL)
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
  const char *name = dw.dwfl_module_addrname(module->module, address);
  Dwfl_Line *line = dw.dwfl_module_getsrc(module->module, address);
  const char *file =
      line != NULL ? dw.dwfl_lineinfo(line, NULL, &source->line, NULL, NULL, NULL) : NULL;
  snprintf(source->function, sizeof source->function, "%s", name != NULL ? name : "");
  snprintf(source->file, sizeof source->file, "%s", file != NULL ? file : "");
  return name != NULL || file != NULL;
}

/* Returns the shortest of all names of a function. The others have an additional letter for
 * wrapping libraries (PMPI_) or belong to an older interface. */
static const char *shortest_name(Dwfl_Module *module, const GElf_Sym *function, const char *name)
{
  const int count = dw.dwfl_module_getsymtab(module);
  for (int i = 1; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char *other = dw.dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
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
  const char *name = dw.dwfl_module_addrinfo(module->module, offset + module->bias, &from, &found,
                                             NULL, NULL, NULL);
  if (name == NULL || GELF_ST_BIND(found.st_info) == STB_LOCAL || from >= found.st_size)
    return false;
  snprintf(symbol, size, "%s", shortest_name(module->module, &found, name));
  return true;
}

void cwi_source_end(void)
{
  for (int i = 0; i < module_count; i++)
    if (modules[i].dwfl != NULL)
      dw.dwfl_end(modules[i].dwfl);
  module_count = 0;
  if (dw.library != NULL)
    dlclose(dw.library);
  memset(&dw, 0, sizeof dw);
}
