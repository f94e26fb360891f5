/* Moves: what a program has on a device goes on on another one, while the program runs.
 *
 * The site stays, with its number and all that is told of it; what is there is made again with the
 * other device, at first at CWI_SITE_AWAY, and then takes the places of the old copies. Until then
 * nothing has changed, and all can be dropped again. */
#ifndef CWI_SITES_MOVE_H
#define CWI_SITES_MOVE_H

#include "remote/remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves all that the program has on device `from` to device `to`, both of proxies. Calls of other
 * threads wait meanwhile. Returns 0, or a value of errno and a sentence that says why, and then
 * nothing has changed. Threads: any; one move at a time, others are refused. */
int cwi_sites_move(struct cwi_device_name from, struct cwi_device_name to,
                   struct cwi_move_report *report);

#ifdef __cplusplus
}
#endif
#endif
