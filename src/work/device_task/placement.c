/* Decides whether a task with a kernel runs on a host or on the device. */
#include "device_task/placement.h"

enum { TRIES = 2 };

static void mean_add(struct cwi_mean *mean, double value)
{
  enum { MEMORY = 16 };
  mean->count += mean->count < MEMORY;
  mean->value += (value - mean->value) / mean->count;
}

void cwi_placement_learn(struct cwi_placement *where, struct cwi_class_cost *cost,
                         enum cwi_side side, const struct cwi_task_cost *took)
{
  mean_add(&cost->run[side], took->run / took->work);
  mean_add(&cost->moved[side], (double)took->moved / took->work);
  if (took->moved > 0)
    mean_add(&where->byte[side], took->moving / (double)took->moved);
  mean_add(&where->usual[side], cwi_placement_expect(where, cost, side, took->work));
}

double cwi_placement_expect(const struct cwi_placement *where, const struct cwi_class_cost *cost,
                            enum cwi_side side, double work)
{
  const double run = work * cost->run[side].value;
  const double moving = work * cost->moved[side].value * where->byte[side].value;
  if (side == CWI_ON_HOST)
    return run + moving;
  return run > moving ? run : moving;
}

static bool has_tried(const struct cwi_class_cost *cost, enum cwi_side side)
{
  return cost->run[side].count >= TRIES;
}

bool cwi_placement_host_takes(const struct cwi_placement *where, const struct cwi_class_cost *cost,
                              double work, uint64_t waiting)
{
  if (where->requested != CW_WHERE_MEASURED)
    return where->requested == CW_WHERE_HOST;
  if (!has_tried(cost, CWI_ON_HOST))
    return true;
  if (!has_tried(cost, CWI_ON_DEVICE))
    return where->tasks >= TRIES;
  const double device = where->held + (double)waiting * where->usual[CWI_ON_DEVICE].value +
                        cwi_placement_expect(where, cost, CWI_ON_DEVICE, work);
  return device >= cwi_placement_expect(where, cost, CWI_ON_HOST, work);
}

bool cwi_placement_device_takes(const struct cwi_placement *where,
                                const struct cwi_class_cost *cost, double work, uint64_t waiting)
{
  if (where->requested != CW_WHERE_MEASURED)
    return where->requested == CW_WHERE_DEVICE;
  if (!has_tried(cost, CWI_ON_HOST) || !has_tried(cost, CWI_ON_DEVICE))
    return true;
  const double host = (double)waiting * where->usual[CWI_ON_HOST].value / where->hosts +
                      cwi_placement_expect(where, cost, CWI_ON_HOST, work);
  return where->held + cwi_placement_expect(where, cost, CWI_ON_DEVICE, work) <= host;
}

void cwi_placement_hold(struct cwi_placement *where, double seconds)
{
  where->held += seconds;
  where->tasks++;
}

/* Sets the sum to exactly 0 with the last task, so that rounding errors do not accumulate. */
void cwi_placement_release(struct cwi_placement *where, double seconds)
{
  where->held = --where->tasks == 0 ? 0 : where->held - seconds;
}
