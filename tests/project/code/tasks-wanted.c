#include <causeway.h>

cw_error divide(const cw_task *task, int older);

cw_error divide(const cw_task *task, int older)
{
#include "block"
  return CW_OK;
}
