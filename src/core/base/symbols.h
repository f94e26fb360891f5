/* Functions of libraries that are opened at run time. */
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* A function or variable, and the address of the pointer through which it is used. */
struct cwi_symbol {
  const char *name; /* NULL after the last one */
  void *pointer;
};

/* Sets the pointers of a list. Returns the first name that the library does not have, or NULL if it
 * has all. */
static inline const char *cwi_symbols_find(void *library, const struct cwi_symbol *list)
{
  for (; list->name != NULL; list++) {
    void *found = dlsym(library, list->name);
    if (found == NULL)
      return list->name;
    memcpy(list->pointer, &found, sizeof found);
  }
  return NULL;
}
