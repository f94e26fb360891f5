#include <causeway.h>

void cyclic(int64_t n, int64_t m, int r, int c, cw_array *array);

void cyclic(int64_t n, int64_t m, int r, int c, cw_array *array)
{
#include "block"
  CW_MUST(cw_array_create(cw_team_world(), &options, array));
}
