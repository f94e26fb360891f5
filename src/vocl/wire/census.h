/* The census: the devices of all proxies and what they say of themselves, in one block of memory
 * without pointers, as it travels between proxies and to programs. */
#ifndef CWI_WIRE_CENSUS_H
#define CWI_WIRE_CENSUS_H

#include "executor/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device in a census. */
struct cwi_census_entry {
  uint32_t proxy;  /* whose it is */
  uint32_t number; /* among that proxy's devices, in the order of cwi_vendor_devices */
  uint32_t vendor; /* of that proxy: devices of one can be in one native context */
  char host[64];   /* name of the proxy's machine */
  struct cwi_facts *facts;
};

/* The devices of one proxy, its own, as a block to be freed; NULL: no memory. */
void *cwi_census_take(uint32_t proxy, size_t *bytes);

/* The same of these devices alone: of sub-devices. */
void *cwi_census_of(uint32_t proxy, const struct cwi_found_device *devices, size_t count,
                    size_t *bytes);

/* Several blocks, one behind the other, are a census, too. How many devices it has; 0, too, if it
 * is no census: it comes from another process and is checked. */
size_t cwi_census_count(const void *census, size_t bytes);
/* Device i. False: no memory, or no census. facts: to be freed. */
bool cwi_census_read(const void *census, size_t bytes, size_t i, struct cwi_census_entry *device);

#ifdef __cplusplus
}
#endif
#endif
