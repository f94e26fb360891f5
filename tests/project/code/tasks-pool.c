#include <causeway.h>

struct node {
  int depth;
};

void pool_of(cw_task_function search, struct node root);

void pool_of(cw_task_function search, struct node root)
{
  cw_tasks pool = NULL;
  int number = 0;
#include "block"
}
