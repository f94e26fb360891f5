/* What libcwga has beyond Global Arrays' interface: from GA's handles to Causeway's arrays, so that
 * a GA program can use the native calls too (causeway.h): saving in files, for example. */
#ifndef CWGA_H
#define CWGA_H

#include <causeway/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The native array of a handle, which stays GA's: destroy it with GA_Destroy only. NULL for what is
 * no handle, for one that is not allocated, and for mirrored arrays, which are several. Local.
 * Thread level: any. Errors: none. */
cw_array cw_array_from_ga(int g_a);

#ifdef __cplusplus
}
#endif
#endif
