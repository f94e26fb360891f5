/* Causeway: arrays in HDF5 files, which any HDF5 tool reads.
 *
 * Each array is one dataset: its extents are the array's, row-major, its elements those of this
 * machine; complex numbers are compounds of r and i, CW_OPAQUE elements are opaque. Attributes of
 * the dataset say what Causeway saved: causeway_format (1), causeway_type ("double complex"),
 * causeway_extents, causeway_name. Files of other programs need none of them.
 *
 * causeway.h includes this header, but not every Causeway is built with HDF5.
 *
 * Thread level of all calls: any, unless one says otherwise; HDF5 itself runs one thread at a time.
 * A program whose other threads call HDF5 meanwhile needs one that is safe from threads, as ever.
 */
#ifndef CAUSEWAY_FILE_H
#define CAUSEWAY_FILE_H

#include <causeway/array.h>
#include <causeway/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Save arrays to a file.
 *
 * path: the same on all members; a folder that all of them see. count: of arrays; all on one team.
 * arrays: [count]. names: [count] of the datasets ("energies", "run/density": in a group); NULL:
 * the names of the arrays.
 * The file is written beside `path` and renamed when it is complete and on the disk: a job that
 * dies leaves the old file or the new one under the name, never half of one. It may leave its
 * unfinished file, <name>.<host>-<process id>-<number>.partial. Runs of zeros become holes of the
 * file. Collective over the arrays' team, synchronising. Complete on return: the file is there.
 * Errors, the same on every member: CW_MISUSE (no array; a name twice or empty; arguments that
 * differ), CW_OUTSIDE (HDF5 or the file system refused; a full disk): the old file is then as it
 * was, and nothing is left beside it. After H5Dwrite. */
CW_CHECKED cw_error cw_arrays_save(const char *path, size_t count, const cw_array *arrays,
                                   const char *const *names);

/* Load the contents of an array from a dataset of a file.
 *
 * The dataset has the array's extents and type, in either byte order, in one piece or in chunks,
 * packed or not; the distribution and the number of processes may be others than those that saved
 * it. path: the same on all members. name: of the dataset; NULL: the name of the array.
 * While it loads it takes as much memory as the array has, once more.
 * Collective over the array's team, synchronising. Complete on return: everywhere; ghost cells are
 * as they were. Errors, the same on every member: CW_MISUSE (no array; extents or type differ),
 * CW_OUTSIDE (no such file or dataset; a truncated or foreign file; memory): the array is then as
 * it was. After H5Dread. */
CW_CHECKED cw_error cw_array_load(const char *path, const char *name, cw_array array);

/* Create an array as a dataset of a file says, and load it. Takes memory for the array alone.
 *
 * team: its members take part. name: of the dataset. distribution: NULL: blocks. array: receives
 * it, NULL on failure; its name is the dataset's.
 * Collective over team. Complete on return: everywhere. Errors, on every member: as cw_array_load
 * and cw_array_create. */
CW_CHECKED cw_error cw_array_create_from_file(cw_team team, const char *path, const char *name,
                                              const cw_distribution *distribution, cw_array *array);

#ifdef __cplusplus
}
#endif
#endif
