/* Where a task with a kernel runs. For workers of hosts and of devices. */
#include "task/where.h"

enum { TRIES = 2 };

static void mean_add(struct cwi_mean *mean, double value)
{
  enum { MEMORY = 16 };
  mean->count += mean->count < MEMORY;
  mean->value += (value - mean->value) / mean->count;
}

void cwi_where_learn(struct cwi_paces *where, struct cwi_pace *pace, enum cwi_side side,
                     const struct cwi_took *took)
{
  mean_add(&pace->run[side], took->run / took->work);
  mean_add(&pace->moved[side], (double)took->moved / took->work);
  if (took->moved > 0)
    mean_add(&where->byte[side], took->moving / (double)took->moved);
  mean_add(&where->usual[side], cwi_where_expect(where, pace, side, took->work));
}

double cwi_where_expect(const struct cwi_paces *where, const struct cwi_pace *pace,
                        enum cwi_side side, double work)
{
  const double run = work * pace->run[side].value;
  const double moving = work * pace->moved[side].value * where->byte[side].value;
  if (side == CWI_ON_HOST)
    return run + moving;
  return run > moving ? run : moving;
}

static bool has_tried(const struct cwi_pace *pace, enum cwi_side side)
{
  return pace->run[side].count >= TRIES;
}

bool cwi_where_host_takes(const struct cwi_paces *where, const struct cwi_pace *pace, double work,
                          uint64_t waiting)
{
  if (where->wish != CW_WHERE_MEASURED)
    return where->wish == CW_WHERE_HOST;
  if (!has_tried(pace, CWI_ON_HOST))
    return true;
  if (!has_tried(pace, CWI_ON_DEVICE))
    return where->tasks >= TRIES;
  const double device = where->held + (double)waiting * where->usual[CWI_ON_DEVICE].value +
                        cwi_where_expect(where, pace, CWI_ON_DEVICE, work);
  return device >= cwi_where_expect(where, pace, CWI_ON_HOST, work);
}

bool cwi_where_device_takes(const struct cwi_paces *where, const struct cwi_pace *pace, double work,
                            uint64_t waiting)
{
  if (where->wish != CW_WHERE_MEASURED)
    return where->wish == CW_WHERE_DEVICE;
  if (!has_tried(pace, CWI_ON_HOST) || !has_tried(pace, CWI_ON_DEVICE))
    return true;
  const double host = (double)waiting * where->usual[CWI_ON_HOST].value / where->hosts +
                      cwi_where_expect(where, pace, CWI_ON_HOST, work);
  return where->held + cwi_where_expect(where, pace, CWI_ON_DEVICE, work) <= host;
}

void cwi_where_hold(struct cwi_paces *where, double seconds)
{
  where->held += seconds;
  where->tasks++;
}

/* The last one takes with it what sums of seconds lose. */
void cwi_where_release(struct cwi_paces *where, double seconds)
{
  where->held = --where->tasks == 0 ? 0 : where->held - seconds;
}
