/* What libcwga has beyond Global Arrays' interface: from GA's handles to Causeway's arrays and
 * back, so that a GA program can use the native calls too (causeway.h): files, for example. An
 * array that has a handle is GA's: GA_Destroy ends it, and never cw_array_destroy. */
#ifndef CWI_GA_INCLUDE_CWGA_H
#define CWI_GA_INCLUDE_CWGA_H

#include <causeway/array.h>
#include <causeway/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The native array of a handle; of a mirrored one that of my node. NULL for what is no handle, and
 * for one that is not allocated. Local. Complete on return: nothing is started. Thread level: any.
 * Errors: none. */
cw_array cw_array_from_ga(int g_a);

/* A handle for a native array, which becomes GA's: what cw_array_create_from_file returned, for
 * example. It keeps its distribution, and so does a GA_Duplicate of it, until GA_Deallocate:
 * GA_Allocate then makes either anew, in blocks on all processes of the group, as NGA_Create does;
 * its layout, blocks, grid and ranks are forgotten, its ghost cells are not. CW_GA_DISTRIBUTION
 * acts on neither.
 *
 * array: of 1 to GA_MAX_DIM dimensions, none of them empty, on the processes of the world or of a
 * group of GA, in their order. Elements of CW_OPAQUE have the size of C_CHAR, C_LDBL, C_LDCPL, or
 * of a type that NGA_Register_type knows. g_a: receives the handle; an array that has one keeps it.
 * Local: each member calls it, where it would call NGA_Create, and all get one number. Complete on
 * return: the handle is an array's. Thread level: any. Errors: CW_MISUSE (no array; one that GA
 * cannot have; GA is not running), CW_OUTSIDE (no handle is left). */
CW_CHECKED cw_error cw_array_to_ga(cw_array array, int *g_a);

/* Have two arrays the same type, extents and elements, bit by bit? 1: yes; 0: no. So 0.0 is not
 * -0.0, and a NaN is itself. Padding of long double does not count in arrays of C_LDBL and C_LDCPL
 * that GA's calls made; padding of registered types counts. Collective over the processes of g_a,
 * whose group may have been destroyed; where one of them is mirrored, over the default group: its
 * processes compare the copies of all their nodes. Synchronising. Complete on return. Thread level:
 * one thread. Errors: as GA's calls, it ends the job with a sentence (no array). */
int cw_ga_equal(int g_a, int g_b);

#ifdef __cplusplus
}
#endif
#endif
