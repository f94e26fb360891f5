/* Load balancing: chooses which program should move to which device, so that no device has several
 * busy programs while an equal device has at least two fewer. This module has no state and no
 * clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times in seconds. A program counts as busy when it has been busy for VOCL_BALANCE_SETTLED, and as
 * idle when it has been idle for that time. A program that has moved stays for VOCL_BALANCE_REST,
 * so that it does not move back and forth. A program that rejected a move receives the next request
 * after VOCL_BALANCE_REJECTED. */
#define VOCL_BALANCE_SETTLED 0.5
#define VOCL_BALANCE_REST 10
#define VOCL_BALANCE_REJECTED 60

struct vocl_balance_device {
  uint32_t kind; /* devices of one kind are equal */
  uint32_t proxy;
};

/* A program's use of a device. */
struct vocl_balance_use {
  size_t device;         /* index into the devices */
  uint32_t client_proxy; /* the proxy of the program's machine */
  bool is_busy;          /* most of the time it has unfinished commands */
  double since;          /* time since which is_busy has its value */
  double rests_to;       /* it is not moved before this time */
  uint64_t bytes;        /* memory that would move with it */
};

struct vocl_balance {
  const struct vocl_balance_device *devices;
  size_t device_count;
  const struct vocl_balance_use *uses;
  size_t use_count;
};

/* Chooses the use to move and its new device. Returns false if no move is needed. */
bool vocl_balance_choose(const struct vocl_balance *balance, double now, size_t *use,
                         size_t *target);
