/* Device slices of node peers that this process reaches itself: a back end takes memory of other
 * processes (CUDA's IPC).
 *
 * Who first moves data to or from a peer's slice asks the owner's agent for its name, and takes it,
 * once for each device of its own. The owner notes whom it has told: before it frees the slice,
 * their agents give it back. */
#ifndef CWI_DEVICE_IMPORTED_SLICES_H
#define CWI_DEVICE_IMPORTED_SLICES_H

#include "device/device.h"

/* Others may take slices of mine from now on. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_import_offer(void);

/* This process frees the slice, which nobody finds any more: all who have taken it give it back. */
void cwi_import_recall(const struct cwi_device_slice *slice);

/* From now on slices are taken through this device, and not any more: what was is given back. */
void cwi_import_begin(cw_device device);
void cwi_import_end(cw_device device);

/* Can this process move a put or a get to or from the slice of a node peer that holds all of its
 * remote side? through: the device of mine that is to do it; NULL: any. True: *slice is that one,
 * and stays until it is left. False: its owner's agent has to, or refuses. */
bool cwi_import_use(const struct cwi_transfer *transfer, cw_device through,
                    const struct cwi_device_slice **slice);
void cwi_import_release(const struct cwi_device_slice *slice);

/* Do these bytes of a node peer lie in a slice that is taken now? */
bool cwi_import_holds(int process, const void *address, size_t bytes);
#endif
