/* Local memory for elements, which the program allocates and frees. No header of GA declares these
 * two functions, but C code of NWChem up to 7.0 (ga_antisymmetrize) does. */
#include "ga/fortran/convert.h"

#include <stdlib.h>

void *ga_malloc(Integer nelem, int type, char *name);
void ga_free(void *ptr);

static cw_error scratch_get(int64_t elements, int type, const char *name, void **memory)
{
  cw_type native;
  size_t bytes = 0;
  CWI_TRY(cwi_ga_type(&type, &native, &bytes));
  CWI_TRY(cwi_check_not_negative("nelem", elements));
  *memory = calloc(elements > 0 ? (size_t)elements : 1, bytes);
  if (*memory == NULL)
    return cwi_outside("no memory for %lld elements of %zu bytes, '%s'", (long long)elements, bytes,
                       name);
  return CW_OK;
}

void *ga_malloc(Integer nelem, int type, char *name)
{
  void *memory = NULL;
  (void)CWI_GA(scratch_get(nelem, type, name, &memory));
  return memory;
}

void ga_free(void *ptr)
{
  free(ptr);
}
