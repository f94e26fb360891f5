/* Arrays with parts on devices: an additional mode of programs that test arrays. */
#pragma once

#include "kit/native.h"

/* If the program's first argument is "device", removes it and opens a device, on which parts of
 * later arrays lie. kit_close_devices closes it after the last of these arrays. Collective. */
void kit_take_devices(int *argc, char **argv);
void kit_close_devices(void);
bool kit_uses_devices(void);

/* Returns memory on this process's device. */
enum { KIT_DEVICE_BYTES = 1 << 20 };
char *kit_device_memory(void);

/* Calls cw_array_create. In device mode the parts of some members, of all or of none lie on
 * devices; all processes draw the same choice. */
cw_error kit_array_create(cw_team team, const cw_array_options *options, cw_array *array);

/* Return true if a member's part of an array lies on a device, and if any part does. */
bool kit_on_device(cw_array array, int rank);
bool kit_on_devices(cw_array array);

/* Checks a call whose target must be on the host. True if it succeeded. False if the array has
 * parts on devices and the call was rejected, or if it failed, which is reported. */
#define KIT_ON_HOST(array, call) kit_on_host(array, #call, (call))
bool kit_on_host(cw_array array, const char *call, cw_error error);

/* Call cw_array_access and cw_array_access_local for this process's own part. Where the part lies
 * on a device, check that they are rejected and use cw_array_access_device. */
void kit_access_mine(cw_array array, const int64_t *lo, const int64_t *hi, cw_array_view *view);
void kit_access_all_mine(cw_array array, cw_array_view *view);

/* Returns the bytes at an address of such a view: the address itself, or a copy in `copy`. */
const char *kit_host_bytes(const char *address, size_t bytes, char *copy);
