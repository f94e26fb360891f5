/* Conversions of GA's handles to Causeway's arrays and back, in addition to Global Arrays'
 * interface, so that a GA program can use the native calls too (causeway.h), for
 * example for files. An array that has a handle belongs to GA: free it with GA_Destroy, and never
 * with cw_array_destroy. */
#ifndef CWGA_H
#define CWGA_H

#include <causeway/array.h>
#include <causeway/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The native array of a handle. For a mirrored array it is the one of this process's node. NULL if
 * g_a is not a handle, or its array is not allocated.
 *
 * Local. Complete on return: nothing is started. Thread level: any. Errors: none. */
cw_array cw_array_from_ga(int g_a);

/* A handle for a native array, for example one returned by cw_array_create_from_file. The array
 * then belongs to GA. It keeps its distribution, and so does a GA_Duplicate of it, until
 * GA_Deallocate. After that, GA_Allocate makes either again, in blocks on all processes of the
 * group, as NGA_Create does; its ghost cells are kept, but its layout, blocks, grid and ranks are
 * not. CW_GA_DISTRIBUTION has no effect on either.
 *
 * array: of 1 to GA_MAX_DIM dimensions, none of them empty, on the processes of the world or of a
 * group of GA, in their order. Elements of CW_OPAQUE have the size of C_CHAR, C_LDBL, C_LDCPL, or
 * of a type that NGA_Register_type knows. g_a: receives the handle; an array that has one keeps it.
 *
 * Local: each member calls it, where it would call NGA_Create, and all get the same number.
 * Complete on return: the handle can be used. Thread level: any. Errors: CW_MISUSE (no array; one
 * that GA cannot have; GA is not running), CW_OUTSIDE (no handle is left). */
CW_CHECKED cw_error cw_array_to_ga(cw_array array, int *g_a);

/* Returns 1 if the two arrays have the same type, extents and elements, bit by bit, and 0
 * otherwise. So 0.0 differs from -0.0, and a NaN equals itself. Padding of long double does not
 * count in arrays of C_LDBL and C_LDCPL that GA's calls made; padding of registered types counts.
 *
 * Collective over the processes of g_a, whose group may have been destroyed. If one of the arrays
 * is mirrored, collective over the default group: its processes compare the copies of all their
 * nodes. Synchronising. Complete on return. Thread level: one thread. Errors: like GA's calls, it
 * ends the job with a message (no array). */
int cw_ga_equal(int g_a, int g_b);

#ifdef __cplusplus
}
#endif
#endif
