/* Names of the program's calls. The name of a call is that of the library function that the program
 * called, as the program's language and interface write it. It is found from an address in that
 * function, so calls need not pass their names. */
#include "profile/profile_counters.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* Fortran symbols end in an underscore that the program does not write. ARMCI symbols begin with P
 * if tools may wrap them. */
bool cwi_call_name_of_symbol(const char *symbol, char name[CWI_CALL_NAME])
{
  const char *from = begins(symbol, "PARMCI") || begins(symbol, "parmci") ? symbol + 1 : symbol;
  size_t length = strlen(from);
  if (length == 0 || length >= CWI_CALL_NAME || begins(symbol, "cwi_"))
    return false;
  if (from[length - 1] == '_' && strpbrk(from, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL)
    length--;
  memcpy(name, from, length);
  name[length] = '\0';
  return true;
}

/* GA has some functions under two names, GA_ and NGA_. Then the GA_ name is used. */
bool cwi_call_name_of_entry(uintptr_t entry, char name[CWI_CALL_NAME])
{
  Dl_info info = {.dli_sname = NULL};
  /* The entry is a return address, which may be the first byte after its function. */
  if (entry == 0 || dladdr((void *)(entry - 1), &info) == 0 || /* NOLINT */
      info.dli_sname == NULL)
    return false;
  const char *symbol = info.dli_sname;
  if (begins(symbol, "NGA_") && dlsym(RTLD_DEFAULT, symbol + 1) == info.dli_saddr)
    symbol++;
  return cwi_call_name_of_symbol(symbol, name);
}

const char *cwi_call_native(const struct cwi_call_site *site)
{
  return site->native != NULL && begins(site->native, "cw_") ? site->native : "";
}

const char *cwi_call_name(struct cwi_call_site *site)
{
  char name[CWI_CALL_NAME];
  if (site->name == NULL)
    site->name = cwi_call_name_of_entry(site->entry, name) ? cwi_profiled_text(name, "")
                                                           : cwi_call_native(site);
  return site->name != NULL && site->name[0] != '\0' ? site->name : NULL;
}
