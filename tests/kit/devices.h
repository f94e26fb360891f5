/* Arrays with parts on devices, for programs that test arrays: a mode of theirs. */
#ifndef KIT_DEVICES_H
#define KIT_DEVICES_H

#include "kit/native.h"

/* If the program's first argument is "device", take it away, and open one: parts of arrays that are
 * made from now on lie there. kit_close_devices: after the last of them. Collective. */
void kit_take_devices(int *argc, char **argv);
void kit_close_devices(void);
bool kit_uses_devices(void);

/* Memory on my device. */
enum { KIT_DEVICE_ROOM = 1 << 20 };
char *kit_device_room(void);

/* cw_array_create; with devices the parts of some members, of all, or of none lie there. Which, is
 * drawn by all processes alike. */
cw_error kit_array_create(cw_team team, const cw_array_options *options, cw_array *array);

/* Does a member's part of an array lie on a device? Does any? */
bool kit_on_device(cw_array array, int rank);
bool kit_on_devices(cw_array array);

/* What a call does whose target must be on the host: true: it did it, and it was right. False: the
 * array has parts on devices, and it was refused; or it failed, which is told. */
#define KIT_ON_HOST(array, call) kit_on_host(array, #call, (call))
bool kit_on_host(cw_array array, const char *call, cw_error error);

/* cw_array_access and cw_array_access_local of what this process has: where that lies on its
 * device, these are refused, and cw_array_access_device says where. */
void kit_access_mine(cw_array array, const int64_t *lo, const int64_t *hi, cw_array_view *view);
void kit_access_all_mine(cw_array array, cw_array_view *view);

/* Bytes at an address of such a view, to look at: where they are, or brought into room. */
const char *kit_look(const char *address, size_t bytes, char *room);
#endif
