#include <causeway.h>

void files(cw_team team, cw_array array, cw_array *arrays);

void files(cw_team team, cw_array array, cw_array *arrays)
{
#include "block"
}
