/* Causeway: arrays in HDF5 files, which any HDF5 tool can read.
 *
 * Each array is one dataset. The dataset has the array's extents, in row-major order. Its elements
 * have this machine's byte order; complex numbers are compounds of r and i, CW_OPAQUE elements are
 * opaque. Attributes of the dataset say what Causeway saved: causeway_format (1), causeway_type
 * ("double complex"), causeway_extents, causeway_name; and how the array was distributed:
 * causeway_layout ("blocks", "cyclic", "tiled", "dealt" for CW_ROUND_ROBIN), causeway_grid,
 * causeway_block (as in cw_array_description) and, for the dimensions whose causeway_block is 0,
 * causeway_boundaries: the first index of each block, then the extent (left out if there were more
 * than 4000 numbers). Loading ignores the distribution, and files of other programs need none of
 * these attributes. The tool cw-view draws arrays of files.
 *
 * causeway.h includes this header, but not every Causeway is built with HDF5.
 *
 * Thread level of all calls: any, unless one says otherwise; HDF5 itself runs one thread at a time.
 * If other threads of the program call HDF5 meanwhile, the program needs a thread-safe HDF5, as
 * always. */
#ifndef CAUSEWAY_FILE_H
#define CAUSEWAY_FILE_H

#include <causeway/array.h>
#include <causeway/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Saves arrays to a file.
 *
 * path: the same on all members, in a folder that all of them see. count: number of arrays; all are
 * on one team. arrays: [count]. names: [count] of the datasets ("energies"; "run/density" is in a
 * group), or NULL for the names of the arrays. Causeway writes a file beside `path` and renames it
 * when it is complete and on the disk: a job that dies leaves the old file or the new one under the
 * name, never half of one. It may leave its unfinished file, <name>.<host>-<process
 * id>-<number>.partial. Runs of zeros become holes in the file. Collective over the arrays' team,
 * synchronising. Complete on return: the file is there. Errors, the same on every member: CW_MISUSE
 * (no array; a name twice or empty; arguments that differ), CW_OUTSIDE (HDF5 or the file system
 * failed; a full disk). The old file is then unchanged, and no other file is left beside it. After
 * H5Dwrite. */
CW_CHECKED cw_error cw_arrays_save(const char *path, size_t count, const cw_array *arrays,
                                   const char *const *names);

/* Loads the contents of an array from a dataset of a file.
 *
 * The dataset has the array's extents and type, in either byte order, contiguous or chunked,
 * compressed or not; the distribution and the number of processes may differ from those that saved
 * it. path: the same on all members. name: of the dataset; NULL stands for the name of the array.
 * While it loads, the call needs as much memory again as the array has, on the same devices.
 * Collective over the array's team, synchronising. Complete on return: everywhere; ghost cells are
 * unchanged. Errors, the same on every member: CW_MISUSE (no array; extents or type differ),
 * CW_OUTSIDE (no such file or dataset; a truncated or foreign file; memory): the array is then
 * unchanged. After H5Dread. */
CW_CHECKED cw_error cw_array_load(const char *path, const char *name, cw_array array);

/* Creates an array with the extents and type of a dataset in a file, and loads it. The call needs
 * memory only for the array.
 *
 * team: its members take part. name: of the dataset. distribution: NULL for blocks. array: receives
 * the array, or NULL on failure; its name is the dataset's. Collective over team. Complete on
 * return: everywhere. Errors, on every member: as cw_array_load and cw_array_create. */
CW_CHECKED cw_error cw_array_create_from_file(cw_team team, const char *path, const char *name,
                                              const cw_distribution *distribution, cw_array *array);

#ifdef __cplusplus
}
#endif
#endif
