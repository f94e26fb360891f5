/* Finds another Causeway library that runs in this process, by a symbol lookup in each loaded file.
 */
#include "base/single_runtime.h"

#include "base/reserve.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static bool runs_here;

bool cwi_single_runtime_runs(void)
{
  return runs_here;
}

/* Each of Causeway's libraries exports this name, and the others look it up. This file uses only
 * the internal name, because the dynamic linker may bind the exported one to another library. */
extern __typeof__(cwi_single_runtime_runs) cw_runs_here
    __attribute__((alias("cwi_single_runtime_runs")));

void cwi_single_runtime_set(bool runs)
{
  runs_here = runs;
}

struct runtime_files {
  char **names; /* names in the dynamic linker's list; "" is the program */
  size_t count, capacity;
};

static int list_file(struct dl_phdr_info *file, size_t size, void *list)
{
  (void)size;
  struct runtime_files *files = list;
  char *name =
      CWI_RESERVE(files->names, files->count, files->capacity, 16) ? strdup(file->dlpi_name) : NULL;
  if (name == NULL)
    return 1;
  files->names[files->count++] = name;
  return 0;
}

static const char *file_of(const void *address)
{
  Dl_info info = {0};
  const bool known = dladdr(address, &info) != 0 && info.dli_fname != NULL;
  return known ? info.dli_fname : "the program";
}

/* Looks up cw_runs_here in a loaded file, or in the program if `name` is "". Returns the name of
 * the file that defines it, if the runtime there runs and is not this one. Otherwise returns NULL.
 */
static const char *runs_in(const char *name)
{
  bool (*runs)(void) = NULL;
  void *file = dlopen(name[0] != '\0' ? name : NULL, RTLD_LAZY | RTLD_NOLOAD);
  if (file == NULL)
    return NULL;
  *(void **)(void *)&runs = dlsym(file, "cw_runs_here");
  const bool found = runs != NULL && runs != cwi_single_runtime_runs && runs();
  dlclose(file);
  return found ? file_of(*(void **)(void *)&runs) : NULL;
}

cw_error cwi_single_runtime_check(void)
{
  cw_error error = CW_OK;
  struct runtime_files files = {0};
  dl_iterate_phdr(list_file, &files);
  for (size_t i = 0; i < files.count; i++) {
    const char *other = error == CW_OK ? runs_in(files.names[i]) : NULL;
    if (other != NULL)
      error = cwi_misuse(
          "the program uses two of Causeway's libraries: %s runs, and this call is in %s; link one "
          "of them, or name first the one that has all calls (libcwga has those of libarmci and "
          "libcauseway)",
          other, file_of(&runs_here));
    free(files.names[i]);
  }
  free((void *)files.names);
  return error;
}

cw_error cwi_single_runtime_required(const char *message)
{
  CWI_TRY(cwi_single_runtime_check());
  return cwi_misuse("%s", message);
}
