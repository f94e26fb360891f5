/* Files without the elements of arrays, to prove that the tests notice: linked with --wrap. */
#include <causeway/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

cw_error __real_cwi_file_write(int file, const char *path, const char *data, size_t bytes,
                               size_t offset);
cw_error __wrap_cwi_file_write(int file, const char *path, const char *data, size_t bytes,
                               size_t offset);
cw_error __wrap_cwi_file_write(int file, const char *path, const char *data, size_t bytes,
                               size_t offset)
{
  const char *mutant = getenv("CW_TEST_MUTANT");
  const bool dead = mutant != NULL && strcmp(mutant, "write") == 0;
  return dead ? CW_OK : __real_cwi_file_write(file, path, data, bytes, offset);
}
