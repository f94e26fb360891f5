/* Chooses which program to move, based on the load of all devices. */
#include "proxy/balance.h"

/* Returns the number of programs that are busy on a device. If `certainly`, counts only programs
 * that have been busy for VOCL_BALANCE_SETTLED. Otherwise also counts programs that became busy or
 * idle more recently. */
static size_t balance_crowd(const struct vocl_balance *balance, double now, size_t device,
                            bool certainly)
{
  size_t crowd = 0;
  for (size_t i = 0; i < balance->use_count; i++) {
    const struct vocl_balance_use *use = &balance->uses[i];
    const bool is_settled = now - use->since >= VOCL_BALANCE_SETTLED;
    if (use->device == device &&
        (use->is_busy ? is_settled || !certainly : !is_settled && !certainly))
      crowd++;
  }
  return crowd;
}

/* Finds the device of the same kind with the fewest busy programs. Returns false unless this device
 * has at least two fewer than `crowd`. Among equals, a device of the program's own machine is
 * preferred. */
static bool balance_target(const struct vocl_balance *balance, double now,
                           const struct vocl_balance_use *use, size_t crowd, size_t *target)
{
  const struct vocl_balance_device *devices = balance->devices;
  size_t least = crowd - 1;
  bool any = false;
  for (size_t i = 0; i < balance->device_count; i++) {
    if (i == use->device || devices[i].kind != devices[use->device].kind)
      continue;
    const size_t there = balance_crowd(balance, now, i, false);
    const bool is_nearer = any && there == least && devices[i].proxy == use->client_proxy &&
                           devices[*target].proxy != use->client_proxy;
    if (there >= least && !is_nearer)
      continue;
    least = there;
    *target = i;
    any = true;
  }
  return any;
}

bool vocl_balance_choose(const struct vocl_balance *balance, double now, size_t *use,
                         size_t *target)
{
  size_t most = 1;
  bool any = false;
  for (size_t i = 0; i < balance->use_count; i++) {
    const struct vocl_balance_use *each = &balance->uses[i];
    size_t place = 0;
    if (!each->is_busy || now - each->since < VOCL_BALANCE_SETTLED || now < each->rests_to)
      continue;
    const size_t crowd = balance_crowd(balance, now, each->device, true);
    if (crowd < most || (any && crowd == most && each->bytes >= balance->uses[*use].bytes) ||
        crowd < 2 || !balance_target(balance, now, each, crowd, &place))
      continue;
    most = crowd;
    *use = i;
    *target = place;
    any = true;
  }
  return any;
}
