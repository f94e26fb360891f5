/* Opens BLAS, LAPACK, ScaLAPACK and HDF5, and finds their routines. */
#include "external/routines.h"

#include "external/external_names.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct library {
  /* names: the name that the dynamic linker searches for, and the file that CMake found. package:
   * the package of that file, or "" if it is unknown. */
  const char *const title, *const names[2], *const package;
  const bool uses_mpi; /* must use the program's MPI */
  void *handle;
  bool before;   /* loaded before this module opened any: its calls may reach the program */
  char why[512]; /* the reason why it cannot be used; empty if it can or has not been opened */
} libraries[CWI_EXTERNALS] = {
    [CWI_BLAS] = {.title = "BLAS", .names = {CW_BLAS_NAMES}, .package = CW_BLAS_PACKAGE},
    [CWI_LAPACK] = {.title = "LAPACK", .names = {CW_LAPACK_NAMES}, .package = CW_LAPACK_PACKAGE},
    [CWI_SCALAPACK] = {.title = "ScaLAPACK",
                       .names = {CW_SCALAPACK_NAMES},
                       .package = CW_SCALAPACK_PACKAGE,
                       .uses_mpi = true},
    [CWI_HDF5] = {.title = "HDF5",
                  .names = {CW_HDF5_NAMES},
                  .package = CW_HDF5_PACKAGE,
                  .uses_mpi = true},
};

/* Libraries that are opened before those that need them. `fortran`: Fortran's run-time library,
 * opened without RTLD_DEEPBIND, because other libraries may free memory that it allocates.
 * `needed`: BLAS and LAPACK under the names that ScaLAPACK uses for them, opened with
 * RTLD_DEEPBIND. */
static const char *const fortran[] = {CW_MATH_RUNTIME NULL};
static const char *const needed[] = {CW_SCALAPACK_NEEDS NULL};

/* Notes why a library cannot be used. */
static CWI_PRINTF(2, 3) void library_reject(struct library *library, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(library->why, sizeof library->why, format, arguments);
  va_end(arguments);
}

static void *library_open(const struct library *library, int flags)
{
  void *handle = dlopen(library->names[0], flags | RTLD_LOCAL);
  return handle != NULL ? handle : dlopen(library->names[1], flags | RTLD_LOCAL);
}

/* Returns RTLD_DEEPBIND, or 0 under a sanitizer, because sanitizers end a program that uses
 * RTLD_DEEPBIND. */
static int own_first(void)
{
  static const char *const sanitizers[] = {"__asan_init", "__tsan_init", "__msan_init"};
  for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
    if (dlsym(RTLD_DEFAULT, sanitizers[i]) != NULL)
      return 0;
  return RTLD_DEEPBIND;
}

static void library_note_before(struct library *library)
{
  void *loaded = library_open(library, RTLD_LAZY | RTLD_NOLOAD);
  library->before = loaded != NULL;
  if (loaded != NULL)
    dlclose(loaded);
}

/* Prepares for BLAS, LAPACK and ScaLAPACK, which load each other. */
static void library_prepare(void)
{
  for (enum cwi_external i = CWI_BLAS; i <= CWI_SCALAPACK; i++)
    library_note_before(&libraries[i]);
  for (size_t i = 0; fortran[i] != NULL; i++)
    dlopen(fortran[i], RTLD_LAZY | RTLD_LOCAL);
}

/* Returns true if calls inside the library may reach the program's routines. OpenBLAS makes no such
 * calls in its C interface, and the calls of ScaLAPACK have been bound again. */
static bool library_is_open(enum cwi_external which)
{
  const struct library *library = &libraries[which];
  if (which == CWI_BLAS && dlsym(library->handle, "openblas_set_num_threads") != NULL)
    return false;
  return library->before || (which != CWI_SCALAPACK && own_first() == 0);
}

/* Rejects a library whose integers have 8 bytes, or that calls routines of the program whose
 * integers have 8 bytes. */
static void library_check(enum cwi_external which)
{
  struct library *library = &libraries[which];
  const struct cwi_wide inside = cwi_wide_inside(library->handle);
  if (inside.name != NULL) {
    library_reject(library, "%s of %s (%s) has integers of 8 bytes; they should have 4",
                   inside.name, library->title, library->names[0]);
    return;
  }
  if (!library_is_open(which))
    return;
  const struct cwi_wide outside = cwi_wide_outside(library->handle);
  Dl_info program = {0};
  if (outside.name == NULL)
    return;
  dladdr(outside.routine, &program);
  const char *file = program.dli_fname != NULL ? program.dli_fname : "the program";
  if (library->before)
    library_reject(library,
                   "%s calls %s of %s, whose integers have 8 bytes; they should have 4: link the "
                   "program without %s, which is loaded when it is needed",
                   library->title, outside.name, file, library->names[0]);
  else
    library_reject(library,
                   "%s calls %s of %s, whose integers have 8 bytes; they should have 4: a "
                   "sanitizer does not let the two be kept apart",
                   library->title, outside.name, file);
}

static void library_load(enum cwi_external which)
{
  struct library *library = &libraries[which];
  const char *failed = NULL;
  if (which == CWI_BLAS)
    library_prepare();
  if (which == CWI_HDF5)
    library_note_before(library);
  for (size_t i = 0; which == CWI_SCALAPACK && needed[i] != NULL; i++)
    dlopen(needed[i], RTLD_NOW | RTLD_LOCAL | own_first());
  library->handle = library_open(library, library->uses_mpi ? RTLD_NOW : RTLD_NOW | own_first());
  if (library->handle == NULL)
    failed = dlerror();
  else if (library->uses_mpi && !library->before)
    failed = cwi_rebind(library->handle);
  if (failed != NULL)
    library_reject(library, "%s cannot be loaded: %s%s%s", library->title, failed,
                   library->package[0] != '\0' ? "; it is in the Debian package " : "",
                   library->package);
  else if (which != CWI_HDF5)
    library_check(which);
}

/* Opens a library and those that it needs, each once: LAPACK needs BLAS, and ScaLAPACK both. */
static cw_error library_begin(enum cwi_external last)
{
  for (enum cwi_external which = last == CWI_HDF5 ? CWI_HDF5 : CWI_BLAS; which <= last; which++) {
    const struct library *library = &libraries[which];
    if (library->handle == NULL && library->why[0] == '\0')
      library_load(which);
    if (library->why[0] != '\0')
      return cwi_outside("%s", library->why);
  }
  return CW_OK;
}

/* Sets the pointers of the list. The first one stays NULL if the library lacks a routine. */
static cw_error library_fill(const struct library *library, const struct cwi_symbol *list)
{
  void *first = NULL;
  for (const struct cwi_symbol *symbol = list; symbol->name != NULL; symbol++) {
    void *found = cwi_bound_symbol(library->handle, symbol->name);
    if (found == NULL)
      return cwi_outside("%s (%s) has no %s", library->title, library->names[0], symbol->name);
    if (symbol == list)
      first = found;
    else
      memcpy(symbol->pointer, &found, sizeof found);
  }
  memcpy(list->pointer, &first, sizeof first);
  return CW_OK;
}

cw_error cwi_routines_find(enum cwi_external library, const struct cwi_symbol *list)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  void *first = NULL;
  CWI_ASSERT(pthread_mutex_lock(&lock) == 0);
  memcpy(&first, list[0].pointer, sizeof first);
  cw_error error = library_begin(library);
  if (error == CW_OK && first == NULL)
    error = library_fill(&libraries[library], list);
  CWI_ASSERT(pthread_mutex_unlock(&lock) == 0);
  return error;
}

void *cwi_routines_optional(enum cwi_external library, const char *name)
{
  return dlsym(libraries[library].handle, name);
}
