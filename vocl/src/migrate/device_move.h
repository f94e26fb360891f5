/* Moves. A move transfers everything that a program has on a device to another one, while the
 * program runs.
 *
 * The location of the device keeps its number and its state. Its replicas are made again with the
 * other device, at first at a spare location (from VOCL_LOCATION_SPARE downwards), and then replace
 * the old ones. Until then nothing has changed, so the new replicas can be dropped if the move
 * fails. */
#pragma once

#include "remote/remote.h"

/* Moves everything that the program has on device `from` to device `to`, both of proxies. Calls
 * of other threads wait meanwhile. Returns 0, or a value of errno with a message in the report;
 * then nothing has changed. Callable from any thread. A call during another move fails with
 * EBUSY. */
int vocl_device_move_run(struct vocl_device_name from, struct vocl_device_name to,
                         struct vocl_move_report *report);
