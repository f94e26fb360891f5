/* A process without LAPACK: a solver fails on all members with a message that names the library,
 * also at the second call; products work. */
#include "kit/native.h"

#include <causeway/arithmetic.h>
#include <causeway/linear.h>

#include <dlfcn.h>
#include <string.h>

enum { EDGE = 6 };

static bool lacks;

/* Replaces the system's dlopen for the library's calls. */
void *dlopen(const char *name, int flags)
{
  static void *(*real)(const char *name, int flags) = NULL;
  if (real == NULL)
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
  return real(lacks && name != NULL && strstr(name, "liblapack") != NULL ? "no-lapack.so" : name,
              flags);
}

static cw_array make(const char *name)
{
  static const int64_t edges[2] = {EDGE, EDGE};
  const cw_array_options options = {
      .name = name, .type = CW_DOUBLE, .dimensions = 2, .extents = edges};
  const double two = 2;
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &two));
  return array;
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "linear_missing");
  lacks = kit_me() == kit_processes() - 1;
  cw_array a = make("a"), b = make("b");
  const cw_operand of_a = {.array = a}, of_b = {.array = b};
  double seen = 0;
  for (int i = 0; i < 2; i++)
    KIT_OUTSIDE("LAPACK cannot be loaded: no-lapack.so: ",
                cw_array_solve(CW_NOT_TRANSPOSED, a, b, NULL));
  KIT_OK(cw_array_multiply(CW_NOT_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &of_a, &of_a, NULL, &of_b));
  KIT_OK(cw_array_get(b, (const int64_t[]){1, 2}, (const int64_t[]){1, 2}, &seen, NULL));
  kit_check(seen == 4 * EDGE, "the product is %g; it should be %d", seen, 4 * EDGE);
  KIT_OK(cw_array_destroy(&b));
  KIT_OK(cw_array_destroy(&a));
  return kit_finish_native();
}
