/* The way to memory on devices.
 *
 * device_route.c   the route: slices on devices of my node, by this process or the owner's agent
 * device_calls.c   the public calls for those
 * device_staging.c   transfers whose side here lies on a device: through host memory, in pieces */
#ifndef CWI_ROUTE_DEVICE_DEVICE_ROUTE_H
#define CWI_ROUTE_DEVICE_DEVICE_ROUTE_H

#include "route/route.h"

/* Device slices of processes of my node. Everything is complete on return. */
extern const struct cwi_route cwi_route_device;

/* Of atomic updates of addresses there: it refuses them where they are looked up. */
extern const struct cwi_route cwi_route_device_updates;

/* Do these bytes lie in a device slice of the process, of my node? The owner is asked, if need be.
 * Errors: CW_MISUSE; CW_OUTSIDE (another node's). */
CWI_CHECKED cw_error cwi_device_check_later(int process, const void *address, size_t bytes);

/* Do all segments of a list that lie on devices do so in slices of the process? What this process
 * can know, `locate` has told already. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_check_list_later(int process, const struct cwi_shape *shape);

/* A transfer whose local side lies in a device slice of mine. start: what moves pieces of it
 * between host memory and the remote side. All is complete locally on return. Errors: CW_MISUSE,
 * CW_OUTSIDE.
 */
CWI_CHECKED cw_error cwi_device_stage(const cw_transfer *given,
                                      cw_error (*start)(const cw_transfer *transfer, bool blocking,
                                                        cw_handle *handle));
#endif
