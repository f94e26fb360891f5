#include <causeway.h>

void class_of(cw_task_function on_host, cw_task_plan plan, cw_kernel_source source, int matrices);

void class_of(cw_task_function on_host, cw_task_plan plan, cw_kernel_source source, int matrices)
{
  cw_device device = NULL;
  cw_tasks pool = NULL;
  int number = 0;
#include "block"
}
