/* Messages of native calls in the words of a binding: names of arguments are replaced, other text
 * and the program's values are not. */
#include "base/reword.h"
#include "kit/kit.h"

#include <causeway/error.h>

#include <mpi.h>

#include <string.h>

static const char *const phrases[][2] = {
    {"CW_OPAQUE", "a registered type"}, {"CW_SUM", "\"+\""}, {NULL, NULL}};
static const struct cwi_binding_terms terms = {phrases,
                                               "array is g_a, a is g_a, b is g_b, to is g_b"};

static void check(const char *native, const char *names, const char *wanted)
{
  const cw_error error = cwi_reword(cwi_misuse("%s", native), names);
  kit_check_long(cwi_failed_in_binding("GA_Call", &terms, error), CW_MISUSE, native);
  kit_check(strcmp(cw_error_message(), wanted) == 0, "'%s' became '%s', not '%s'", native,
            cw_error_message(), wanted);
}

static void check_arguments(void)
{
  check("cw_x: array has to be the same", NULL, "GA_Call: g_a has to be the same");
  check("cw_x: hi of a has to be the same", NULL, "GA_Call: hi of g_a has to be the same");
  check("cw_x: the patch of b has 4 elements, that of a 2 x 2", NULL,
        "GA_Call: the patch of g_b has 4 elements, that of g_a 2 x 2");
  check("cw_x: ranks[1] is 7; parent has ranks 0 to 1", "ranks is list, parent is the group",
        "GA_Call: list[1] is 7; the group has ranks 0 to 1");
  check("cw_x: to and from are the same array", "from is g_src, to is g_dest",
        "GA_Call: g_dest and g_src are the same array");
  check("cw_x: address 0x10 is not mine", "address is ptr", "GA_Call: ptr 0x10 is not mine");
}

static void check_prose(void)
{
  check("cw_x: cw_y: array 'a is b' is of a kind that is known to all", NULL,
        "GA_Call: array 'a is b' is of a kind that is known to all");
  check("cw_x: the count is 7 bytes of a call", "count is n, bytes is n",
        "GA_Call: the count is 7 bytes of a call");
  check("cw_x: op is CW_SUM, not CW_SUMMER; 'CW_SUM'", NULL,
        "GA_Call: op is \"+\", not CW_SUMMER; 'CW_SUM'");
  check("cw_x: process is 9; remote is 0x8, which lies in no slice of process 1",
        "process is proc, remote is dst",
        "GA_Call: proc is 9; dst is 0x8, which lies in no slice of process 1");
  check("array is what the binding says itself", NULL,
        "GA_Call: array is what the binding says itself");
}

static void check_number(void)
{
  (void)cwi_reword_number(cwi_misuse("segment 2 of vector 3, vectors 3"), "vector", "iov", 512);
  kit_check_long(strcmp(cw_error_message(), "segment 2 of iov[515], vectors 3"), 0, "iov[515]");
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  kit_start(&argc, &argv, "base.reword");
  check_arguments();
  check_prose();
  check_number();
  return kit_finish();
}
