/* Balancing: which program should go to which device, so that no device has several programs at
 * work while an equal one has none, or two fewer. A decision without memory or clock of its own. */
#ifndef VOCL_PROXY_BALANCE_H
#define VOCL_PROXY_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds. Work counts when it has been there for some time, and none when there was none for that
 * long; whatever was moved rests, so that nothing goes back and forth; a program that refused is
 * asked again much later. */
#define VOCL_BALANCE_SETTLED 0.5
#define VOCL_BALANCE_REST 10
#define VOCL_BALANCE_REJECTED 60

struct vocl_balance_device {
  uint32_t kind; /* those of one kind are equal */
  uint32_t proxy;
};

/* What a program has on a device. */
struct vocl_balance_use {
  size_t device;         /* which of the devices */
  uint32_t client_proxy; /* the proxy of its machine */
  bool is_busy;          /* it has unfinished commands, most of the time */
  double since;          /* so, or not so, since when */
  double rests_to;       /* it is not moved before */
  uint64_t bytes;        /* of memory, to be moved with it */
};

struct vocl_balance {
  const struct vocl_balance_device *devices;
  size_t device_count;
  const struct vocl_balance_use *uses;
  size_t use_count;
};

/* The use to be moved, and the device that it should go to. False: all is well as it is. */
bool vocl_balance_choose(const struct vocl_balance *balance, double now, size_t *use,
                         size_t *target);
#endif
