/* Finds a way to distribute tasks by its name. */
#include "work.h"

#include "error.h"

#include <stddef.h>
#include <string.h>

static const struct work_source *const sources[] = {&work_counter, &work_pool};

const struct work_source *work_source_find(const char *name)
{
  for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
    if (strcmp(sources[i]->name, name) != 0)
      continue;
    if (sources[i]->create)
      return sources[i];
    error_set("--tasks %s: this scf is built on a Global Arrays library without task pools; build "
              "it on libcwga",
              name);
    return NULL;
  }
  error_set("--tasks needs counter or pool, not \"%s\"", name);
  return NULL;
}
