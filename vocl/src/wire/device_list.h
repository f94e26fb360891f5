/* The device list: the devices of all proxies with their facts, in one block of memory without
 * pointers, which is sent between proxies and to programs. */
#pragma once

#include "executor/executor.h"

/* A device in a device list. */
struct vocl_device_list_entry {
  uint32_t proxy;  /* proxy that has the device */
  uint32_t number; /* index among that proxy's devices, in the order of vocl_vendor_devices */
  uint32_t vendor; /* vendor at that proxy; devices of one vendor can share a native context */
  char host[64];   /* name of the proxy's machine */
  struct vocl_facts *facts;
};

/* Returns the list of this process's devices as a block, which the caller frees, or NULL if
 * there is no memory. */
void *vocl_device_list_make(uint32_t proxy, size_t *bytes);

/* Like vocl_device_list_make, for the given devices only, such as sub-devices. */
void *vocl_device_list_make_of(uint32_t proxy, const struct vocl_found_device *devices,
                               size_t count, size_t *bytes);

/* Returns the number of devices, or 0 if the list, which comes from another process, is malformed.
 * Several concatenated blocks are also a device list. */
size_t vocl_device_list_count(const void *device_list, size_t bytes);
/* Reads device i. Returns false if there is no memory or the list is malformed. The caller frees
 * the facts. */
bool vocl_device_list_read(const void *device_list, size_t bytes, size_t i,
                           struct vocl_device_list_entry *device);
