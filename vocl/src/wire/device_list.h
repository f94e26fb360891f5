/* The census: the devices of all proxies and what they say of themselves, in one block of memory
 * without pointers, as it travels between proxies and to programs. */
#ifndef VOCL_WIRE_DEVICE_LIST_H
#define VOCL_WIRE_DEVICE_LIST_H

#include "executor/executor.h"

/* A device in a census. */
struct vocl_device_list_entry {
  uint32_t proxy;  /* whose it is */
  uint32_t number; /* among that proxy's devices, in the order of vocl_vendor_devices */
  uint32_t vendor; /* of that proxy: devices of one can be in one native context */
  char host[64];   /* name of the proxy's machine */
  struct vocl_facts *facts;
};

/* The devices of one proxy, its own, as a block to be freed; NULL: no memory. */
void *vocl_device_list_make(uint32_t proxy, size_t *bytes);

/* The same of these devices alone: of sub-devices. */
void *vocl_device_list_make_of(uint32_t proxy, const struct vocl_found_device *devices,
                               size_t count, size_t *bytes);

/* Several blocks, one behind the other, are a census, too. How many devices it has; 0, too, if it
 * is no census: it comes from another process and is checked. */
size_t vocl_device_list_count(const void *device_list, size_t bytes);
/* Device i. False: no memory, or no census. facts: to be freed. */
bool vocl_device_list_read(const void *device_list, size_t bytes, size_t i,
                           struct vocl_device_list_entry *device);
#endif
