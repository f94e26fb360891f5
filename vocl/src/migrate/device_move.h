/* Moves: what a program has on a device goes on on another one, while the program runs.
 *
 * The location stays, with its number and all that is told of it; what is there is made again with
 * the other device, at first at VOCL_LOCATION_SPARE, and then takes the places of the old replicas.
 * Until then nothing has changed, and all can be dropped again. */
#ifndef VOCL_MIGRATE_DEVICE_MOVE_H
#define VOCL_MIGRATE_DEVICE_MOVE_H

#include "remote/remote.h"

/* Moves all that the program has on device `from` to device `to`, both of proxies. Calls of other
 * threads wait meanwhile. Returns 0, or a value of errno and a sentence that says why, and then
 * nothing has changed. Threads: any; one move at a time, others are refused. */
int vocl_device_move_run(struct vocl_device_name from, struct vocl_device_name to,
                         struct vocl_move_report *report);
#endif
