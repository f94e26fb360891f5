/* The route to memory on devices.
 *
 * device_route.c    the route: slices on devices of my node, by this process or the owner's agent
 * device_calls.c    the public calls for transfers from and to devices
 * device_staging.c  transfers whose local side is on a device: through host memory, in pieces */
#pragma once

#include "route/route.h"

/* Checks that those segments of a list that lie on devices are inside slices of the process.
 * `locate` has already checked what this process can check itself: its own slices, and other nodes.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_check_list_later(int process, const struct cwi_shape *shape);

/* Runs a transfer whose local side lies in device slices of mine. `start` moves pieces of it
 * between host memory and the remote side. All is locally complete on return. Errors: CW_MISUSE,
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_stage(const cw_transfer *given,
                                      cw_error (*start)(const cw_transfer *transfer, bool blocking,
                                                        cw_handle *handle));
