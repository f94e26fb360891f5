#include <causeway.h>

struct made {
  int children;
};
cw_error memory(const cw_task *task, cw_plan *plan, size_t count);

cw_error memory(const cw_task *task, cw_plan *plan, size_t count)
{
#include "block"
  return CW_OK;
}
