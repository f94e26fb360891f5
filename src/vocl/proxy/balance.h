/* Balancing: which program should go to which device, so that no device has several programs at
 * work while an equal one has none, or two fewer. A decision without memory or clock of its own. */
#ifndef CWI_PROXY_BALANCE_H
#define CWI_PROXY_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds. Work counts when it has been there for some time, and none when there was none for that
 * long; whatever was moved rests, so that nothing goes back and forth; a program that refused is
 * asked again much later. */
#define CWI_BALANCE_SETTLED 0.5
#define CWI_BALANCE_REST 10
#define CWI_BALANCE_REFUSED 60

struct cwi_balance_device {
  uint32_t kind; /* those of one kind are equal */
  uint32_t proxy;
};

/* What a program has on a device. */
struct cwi_balance_use {
  size_t device;   /* which of the devices */
  uint32_t door;   /* the proxy of its machine */
  bool is_busy;    /* it has unfinished commands, most of the time */
  double since;    /* so, or not so, since when */
  double rests_to; /* it is not moved before */
  uint64_t bytes;  /* of memory, to be moved with it */
};

struct cwi_balance {
  const struct cwi_balance_device *devices;
  size_t device_count;
  const struct cwi_balance_use *uses;
  size_t use_count;
};

/* The use to be moved, and the device that it should go to. False: all is well as it is. */
bool cwi_balance_choose(const struct cwi_balance *balance, double now, size_t *use, size_t *target);

#ifdef __cplusplus
}
#endif
#endif
