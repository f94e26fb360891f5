#include <causeway.h>

struct work {
  cw_team team;
  cw_array rod;
};

void repair_work(struct work *work);

#include "block"

void repair_work(struct work *work)
{
  repair(work);
}
