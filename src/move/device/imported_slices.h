/* Device slices of node peers that this process reaches without the owner's agent. This needs a
 * back end that can open memory of other processes (CUDA's IPC).
 *
 * The first transfer to or from a peer's slice requests the slice's exported name from the owner's
 * agent and opens the slice, once for each device of this process. The owner remembers which
 * processes have the name. Before it frees the slice, it makes the agents of these processes close
 * it. */
#pragma once

#include "device/device.h"

/* Lets other processes import this process's slices from now on. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_import_offer(void);

/* Makes all processes that have imported the slice close it. The owner calls this before it frees
 * the slice, after it has hidden the slice. */
void cwi_import_recall(const struct cwi_device_slice *slice);

/* Start and stop importing slices through this device. cwi_import_end closes the imported slices.
 */
void cwi_import_begin(cw_device device);
void cwi_import_end(cw_device device);

/* Returns true if this process can do the transfer itself. The transfer must be a put or a get
 * whose whole remote side is in one slice of a node peer. *slice is then that slice, and stays open
 * until cwi_import_release. `through` is the device of this process that does the transfer, or NULL
 * for any. If the result is false, the owner's agent has to do the transfer. */
bool cwi_import_use(const struct cwi_transfer *transfer, cw_device through,
                    const struct cwi_device_slice **slice);
void cwi_import_release(const struct cwi_device_slice *slice);

/* Returns true if these bytes of a node peer are inside an open imported slice. */
bool cwi_import_holds(int process, const void *address, size_t bytes);
