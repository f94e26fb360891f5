/* Conversions between GA's handles and Causeway's arrays. They are an addition to the interface of
 * Global Arrays. With them a GA program can also use the native calls of causeway.h, for example
 * for files. An array that has a handle belongs to GA: destroy it with GA_Destroy, never with
 * cw_array_destroy. */
#ifndef CWGA_H
#define CWGA_H

#include <causeway/array.h>
#include <causeway/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the native array of a handle. For a mirrored array, this is the array of this process's
 * node. Returns NULL if g_a is not a handle, or its array is not allocated.
 *
 * Local. Complete on return. Thread level: any. Errors: none. */
cw_array cw_array_from_ga(int g_a);

/* Creates a handle for a native array, for example for one that cw_array_create_from_file returned.
 * The array then belongs to GA. The array and its duplicates (GA_Duplicate) keep its distribution
 * until GA_Deallocate. A GA_Allocate after that creates an array in blocks on all processes of the
 * group, as NGA_Create does. Its ghost cells are kept, but its layout, blocks, grid and ranks are
 * not. CW_GA_DISTRIBUTION has no effect on these arrays.
 *
 * The array must have 1 to GA_MAX_DIM dimensions, and none of them may be empty. It must be on the
 * processes of the world or of a group of GA, in the same order. Elements of CW_OPAQUE must have
 * the size of C_CHAR, C_LDBL or C_LDCPL, or of a registered type (NGA_Register_type). *g_a receives
 * the handle. An array that already has a handle keeps it.
 *
 * Local. If all members make this call in the same order among their calls that create arrays, all
 * get the same handle. Complete on return. Thread level: any. Errors: CW_MISUSE (not an array; GA
 * does not support such an array; GA is not running), CW_OUTSIDE (no handle is left). */
CW_CHECKED cw_error cw_array_to_ga(cw_array array, int *g_a);

/* Returns 1 if the two arrays have the same type, extents and elements, bit by bit, and 0
 * otherwise. So 0.0 differs from -0.0, and a NaN equals itself. The padding of long doubles is
 * ignored in arrays of C_LDBL and C_LDCPL that GA's calls created. The padding of registered types
 * is compared.
 *
 * Collective over the processes of g_a, even if its group has been destroyed. If one of the arrays
 * is mirrored, the call is collective over the default group, whose processes compare the copies of
 * all their nodes. The call synchronises. Complete on return. Thread level: one thread. Errors:
 * like GA's calls, it ends the job with a message if an argument is not an array. */
int cw_ga_equal(int g_a, int g_b);

#ifdef __cplusplus
}
#endif
#endif
