/* Causeway: distributed arrays of up to eight dimensions: creation, transfers of patches and
 * elements, access to local data.
 *
 * Indices begin at 0; the last dimension is contiguous (row-major). A patch is lo[] to hi[], both
 * included, one entry for each dimension; hi = lo - 1 is an empty patch. Ranks are those of the
 * array's team. ld[k] is the extent of dimension k+1 of a local buffer, in elements (dimensions - 1
 * entries); if ld is NULL, the buffer is as large as the patch. After Global Arrays.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_ARRAY_H
#define CAUSEWAY_ARRAY_H

#include <causeway/device.h>
#include <causeway/error.h>
#include <causeway/team.h>
#include <causeway/transfer.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_MAX_DIMENSIONS = 8, CW_MAX_NAME = 63 };

/* A distributed array; NULL stands for "no array". */
typedef struct cwi_array *cw_array;

/* Partition of an array into blocks, and their layout in the owners' memory. */
typedef enum cw_layout {
  CW_BLOCKS = 0, /* one block for each process of a grid: regular, or with given boundaries */
  CW_CYCLIC = 1, /* equal blocks, assigned cyclically along each dimension of a grid; a process's
                    elements form one dense matrix (as in ScaLAPACK; with blocks of 1, as in
                    Elemental) */
  CW_TILED = 2,  /* owners as with CW_CYCLIC, optionally with given boundaries; each block is
                    contiguous */
  CW_ROUND_ROBIN = 3, /* equal blocks, numbered row-major; rank b mod size owns block b;
                         contiguous */
  /* Deprecated: the name of CW_ROUND_ROBIN until version 0.3. */
  CW_DEALT CW_DEPRECATED("use CW_ROUND_ROBIN") = CW_ROUND_ROBIN
} cw_layout;

/* A distribution. All zeros select CW_BLOCKS, with the boundaries that Global Arrays chooses by
 * default. The arrays have one entry for each dimension; Causeway copies them. */
typedef struct cw_distribution {
  cw_layout layout;
  const int *grid;      /* processes along each dimension, chosen if NULL; not for CW_ROUND_ROBIN */
  const int64_t *block; /* elements of a block along each dimension. For CW_BLOCKS it is a minimum
                           (0 and 1 set none; the extent keeps the dimension whole). Other layouts
                           need it; their last block may be shorter */
  const int64_t *boundaries; /* instead of block: the first index of each block of dimension 0, then
                                those of dimension 1, ...; equal ones make empty blocks */
  const int *blocks;         /* number of blocks of each dimension, with boundaries */
  const int *alignment;      /* grid coordinate of the first block, for CW_CYCLIC; NULL for 0 */
  const int64_t *ghosts; /* width of the ghost cells of each block, for CW_BLOCKS; NULL for none */
  bool column_major;     /* ranks fill the grid's first dimension first (else the last) */
  int members;           /* number of processes that may hold data, or 0 for the whole team */
  const int *ranks;      /* [members] their ranks in the team; NULL for the first ones */
} cw_distribution;

/* Options of an array. */
typedef struct cw_array_options {
  const char *name;     /* for messages and files; at most CW_MAX_NAME characters are kept */
  cw_type type;         /* of the elements; CW_INT32 makes a CW_INT array, CW_INT64 a CW_LONG one */
  size_t element_bytes; /* CW_OPAQUE only */
  int dimensions;       /* 1 to CW_MAX_DIMENSIONS */
  const int64_t *extents;
  cw_distribution distribution;
  cw_device device; /* device of mine that holds my part; NULL for the host. Members may differ */
} cw_array_options;

/* Creates an array.
 *
 * team: its members take part; the team may be freed before the array. options: the same on all
 * members, except for the device. array: receives the array. Contents are undefined. Transfers
 * reach parts on devices like any others. cw_array_fill, _copy, _apply with CW_SCALE, _combine with
 * CW_ELEMENT_SUM and _dot run there as kernels. Calls that must load and store elements return
 * CW_MISUSE for such arrays. Collective over team. Complete on return: every member may use it.
 * Errors, on every member: CW_MISUSE (an invalid extent, type, boundary, grid ...; options that
 * differ; a member's device is invalid), CW_OUTSIDE (memory; for a device, the message has its
 * limit). After NGA_Create. */
CW_CHECKED cw_error cw_array_create(cw_team team, const cw_array_options *options, cw_array *array);

/* Creates an array of the same type, extents, distribution, team and devices. name: NULL stands for
 * the same name. Collective over the array's team. Complete on return as cw_array_create. Errors as
 * there. */
CW_CHECKED cw_error cw_array_duplicate(cw_array array, const char *name, cw_array *copy);

/* Frees an array and sets the handle to NULL. Collective over its team, synchronising. Errors:
 * CW_MISUSE (no array; it is attached on this process, see matrix.h; with CW_CHECK=1 an access of
 * this process that was not released: the array stays, and the others wait). */
CW_CHECKED cw_error cw_array_destroy(cw_array *array);

/* Returns true if the array exists. Local. Errors: none. */
bool cw_array_valid(cw_array array);

/* The properties of an array. */
typedef struct cw_array_description {
  const char *name; /* valid while the array lives */
  cw_team team;
  cw_type type;
  size_t element_bytes;
  int dimensions;
  cw_layout layout;
  int64_t extents[CW_MAX_DIMENSIONS];
  int64_t ghosts[CW_MAX_DIMENSIONS];
  int64_t block[CW_MAX_DIMENSIONS]; /* elements of a block, or 0 if blocks differ in length */
  int64_t blocks[CW_MAX_DIMENSIONS];
  int grid[CW_MAX_DIMENSIONS]; /* 0 for CW_ROUND_ROBIN */
  int64_t total_blocks;
  bool column_major;
  cw_device device; /* device that has my part; NULL if the host has it or there is none */
  bool on_devices;  /* some member's part lies on a device that does not share it with hosts */
} cw_array_description;

/* Describes an array. description: receives its properties. Local. Errors: CW_MISUSE (no array,
 * NULL). */
CW_CHECKED cw_error cw_array_describe(cw_array array, cw_array_description *description);

/* Returns the place of a member (rank in the array's team) in the grid of processes: `coordinates`
 * receives one number for each dimension, or -1 in each if the member holds no data. Local. Errors:
 * CW_MISUSE (no array, rank, CW_ROUND_ROBIN). */
CW_CHECKED cw_error cw_array_coordinates(cw_array array, int rank, int *coordinates);

/* Compares distributions. same: receives true if both arrays have the same extents and
 * distribution, so that equal indices lie on the same processes of the same team, in the same
 * order. Local. Errors: CW_MISUSE (no array, NULL). */
CW_CHECKED cw_error cw_array_same_distribution(cw_array a, cw_array b, bool *same);

/* Returns the indices of a block, and its owner (rank in the array's team). Blocks are numbered
 * row-major from 0 to total_blocks - 1. An empty block gives hi = lo - 1. Local. Errors: CW_MISUSE
 * (no array, number, NULL). */
CW_CHECKED cw_error cw_array_block(cw_array array, int64_t block, int64_t *lo, int64_t *hi,
                                   int *rank);

/* Returns the indices of a member's block of a CW_BLOCKS array. For other layouts, returns those of
 * the patch that the member would have with CW_BLOCKS (its nominal patch). rank: in the array's
 * team. If the member has none, lo is 0 and hi is -1. Local. Errors: CW_MISUSE (no array, rank,
 * NULL). */
CW_CHECKED cw_error cw_array_part(cw_array array, int rank, int64_t *lo, int64_t *hi);

/* Returns the owner of an element, as a rank in the array's team. Local. Errors: CW_MISUSE (no
 * array, index outside). */
CW_CHECKED cw_error cw_array_locate(cw_array array, const int64_t *index, int *rank);

/* A patch of an array as an operand of collective calls. If lo and hi are NULL, it is the whole
 * array. */
typedef struct cw_operand {
  cw_array array;
  const int64_t *lo, *hi;
  bool transposed; /* its dimensions in reverse order; only where a call allows it */
} cw_operand;

/* A part of a patch that lies in one block. */
typedef struct cw_piece {
  int rank; /* in the array's team */
  int64_t block;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
} cw_piece;

/* Lists the blocks that a patch overlaps, by ascending number.
 *
 * capacity: number of entries of pieces; blocks that do not fit are only counted. count: receives
 * the number of blocks. Local. Errors: CW_MISUSE (no array, patch outside). After
 * NGA_Locate_region. */
CW_CHECKED cw_error cw_array_locate_patch(cw_array array, const int64_t *lo, const int64_t *hi,
                                          size_t capacity, cw_piece *pieces, size_t *count);

/* Puts, gets or accumulates a patch.
 *
 * buffer: my elements of the patch, row by row. scale: one element of the array's type; NULL stands
 * for 1. Local. Complete on return: put and accumulate: the buffer may be reused, the array is
 * updated at the latest after cw_array_fence; get: the data has arrived. accumulate: array += scale
 * * buffer, atomic for each real element. My own operations on one process act in program order.
 * Errors: CW_MISUSE (no array; patch outside; NULL; ld less than the patch; a type that has no
 * arithmetic) and nothing was moved; CW_OUTSIDE. After NGA_Put, NGA_Get, NGA_Acc. */
CW_CHECKED cw_error cw_array_put(cw_array array, const int64_t *lo, const int64_t *hi,
                                 const void *buffer, const int64_t *ld);
CW_CHECKED cw_error cw_array_get(cw_array array, const int64_t *lo, const int64_t *hi, void *buffer,
                                 const int64_t *ld);
CW_CHECKED cw_error cw_array_accumulate(cw_array array, const int64_t *lo, const int64_t *hi,
                                        const void *buffer, const int64_t *ld, const void *scale);

/* One transfer of a patch, of any kind. Fields that are zero or NULL have no effect. */
typedef struct cw_patch {
  cw_operation operation;
  const int64_t *lo, *hi;
  const int64_t *skip; /* only indices lo, lo + skip, ... up to hi; the buffer has only these */
  bool periodic;       /* indices outside wrap around to the other end; not with skip */
  void *buffer;        /* puts and accumulates only read it */
  bool local_device;   /* the buffer lies in a device slice of mine (device.h); the whole transfer
                          is then locally complete on return, even from cw_array_start */
  const int64_t *ld;
  const int64_t *strides; /* instead of ld: distance between consecutive indices of each dimension
                             in the buffer, in elements; dimensions may be in any order: {1, m} is a
                             column-major matrix */
  const void *scale;      /* accumulate: one element; NULL stands for 1 */
  /* If field_bytes is not 0, puts and gets move only these bytes of each element, such as the real
   * part of a complex number, and the buffer has only these. */
  size_t field_offset;
  size_t field_bytes;
} cw_patch;

/* cw_array_transfer transfers a patch and waits for local completion. cw_array_start only starts
 * the transfer. handle: as for cw_transfer_start; wait with cw_wait. Local. Complete on return as
 * cw_array_put; start: after cw_wait. Errors as there. After NGA_Strided_put, NGA_Periodic_put,
 * NGA_NbPut, NGA_Put_field. */
CW_CHECKED cw_error cw_array_transfer(cw_array array, const cw_patch *patch);
CW_CHECKED cw_error cw_array_start(cw_array array, const cw_patch *patch, cw_handle *handle);

/* Reads, writes or adds to single elements.
 *
 * count: number of elements. indices: [count][dimensions]. values: [count], value i belongs to
 * element i. The list may name an element twice: a scatter then stores one of the values,
 * scatter_accumulate adds all of them.
 * Local. Complete on return as cw_array_put. Errors as there; CW_OUTSIDE (memory). After
 * NGA_Gather, NGA_Scatter, NGA_Scatter_acc. */
CW_CHECKED cw_error cw_array_gather(cw_array array, size_t count, const int64_t *indices,
                                    void *values);
CW_CHECKED cw_error cw_array_scatter(cw_array array, size_t count, const int64_t *indices,
                                     const void *values);
CW_CHECKED cw_error cw_array_scatter_accumulate(cw_array array, size_t count,
                                                const int64_t *indices, const void *values,
                                                const void *scale);

/* Adds `increment` to an element; *before (may be NULL) receives the old value. Atomic against all
 * other increments. The type is an integer: CW_INT (wraps at 32 bits), CW_LONG or CW_LONG_LONG, or
 * was given as CW_INT32 or CW_INT64. Local. Complete on return: the element is updated. Errors:
 * CW_MISUSE (no array, index outside, type, an element on a device), CW_OUTSIDE. After
 * NGA_Read_inc. */
CW_CHECKED cw_error cw_array_read_increment(cw_array array, const int64_t *index, int64_t increment,
                                            int64_t *before);

/* Elements that this process may load and store. Element (i0, i1, ...) of the view is at address +
 * i0 * strides[0] + i1 * strides[1] + ... */
typedef struct cw_array_view {
  void *address;                        /* NULL if there are no elements */
  int64_t lo[CW_MAX_DIMENSIONS];        /* index in the array of the view's first element */
  int64_t extents[CW_MAX_DIMENSIONS];   /* of the view */
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes */
} cw_array_view;

/* Returns a pointer to a patch that lies in one block, mine or a node peer's. view: receives its
 * place. Between this call and cw_array_release my loads see what others have put and fenced
 * before; others see my stores after the release and a barrier. Local. Errors: CW_MISUSE (no array;
 * patch outside, empty, in several blocks, or in memory that this process cannot load from: of
 * another node, of a device). After NGA_Access. */
CW_CHECKED cw_error cw_array_access(cw_array array, const int64_t *lo, const int64_t *hi,
                                    cw_array_view *view);

/* Gives access to a block by its number, optionally with the ghost cells around it: the view then
 * begins at the first ghost cell, and its lo may be negative. Local. Errors as cw_array_access.
 * After NGA_Access_block, NGA_Access_ghosts. */
CW_CHECKED cw_error cw_array_access_block(cw_array array, int64_t block, bool ghosts,
                                          cw_array_view *view);

/* Gives access to all elements of a member (rank in the array's team). For a CW_CYCLIC array they
 * are the dense matrix, for CW_BLOCKS its block, for other layouts the blocks one after the other,
 * as a view of one dimension. lo is 0. Local. Errors as cw_array_access. After
 * NGA_Access_block_segment. */
CW_CHECKED cw_error cw_array_access_local(cw_array array, int rank, cw_array_view *view);

/* Returns where a patch that lies in one block of mine is on my device, for kernels.
 *
 * lo, hi: if both are NULL, the patch is all elements that I have, as cw_array_access_local gives
 * them. memory: may be NULL; receives the address at which my part of the array begins, including
 * its ghost cells. It can be a memory argument of cw_kernel_launch. view: receives the place of the
 * patch. Its `address` lies in a device slice of mine, (address - *memory) bytes after *memory;
 * the host cannot load or store there. Its strides are bytes. address and *memory are NULL if I
 * have no elements and lo is NULL. Between this call and cw_array_release kernels that I start see
 * what others have put and fenced before. Others see what the kernels wrote after cw_device_finish,
 * the release and a barrier. Local. Errors: CW_MISUSE (no array; patch outside, empty, in several
 * blocks, or not on a device of this process; view NULL; one of lo and hi NULL). */
CW_CHECKED cw_error cw_array_access_device(cw_array array, const int64_t *lo, const int64_t *hi,
                                           void **memory, cw_array_view *view);

/* Ends an access. view: the view that the access gave. Local. Errors: CW_MISUSE (no array; the view
 * is not of its memory; no access is open, with CW_CHECK=1). After NGA_Release_update. */
CW_CHECKED cw_error cw_array_release(cw_array array, const cw_array_view *view);

/* Converts an index of a member's elements to an index of the array, along one dimension. The array
 * is CW_CYCLIC or CW_BLOCKS, so the elements of a member (rank in the array's team) form one dense
 * matrix; `local` is an index of that matrix. Local. Errors: CW_MISUSE. */
CW_CHECKED cw_error cw_array_global_index(cw_array array, int rank, int dimension, int64_t local,
                                          int64_t *index);

/* Waits until all my puts and accumulates are visible at the owners. Local. Errors: CW_MISUSE (no
 * array), CW_OUTSIDE. */
CW_CHECKED cw_error cw_array_fence(cw_array array);

/* Fences on all members, which then wait for each other. Collective over the array's team. Errors
 * as fence. After GA_Sync. */
CW_CHECKED cw_error cw_array_sync(cw_array array);

/* Prints a patch as text, a row of the last dimension on each line, with its indices: "[2,0:3]
 * ...".
 *
 * lo, hi: NULL for the whole array. out: used only on rank 0 of the array's team, which prints.
 * Collective over the array's team, synchronising: it prints what members have put before. Complete
 * on return: everything is written. Errors, on every member: CW_MISUSE (no array; patch outside;
 * out is NULL), CW_OUTSIDE (memory, the file). After GA_Print. */
CW_CHECKED cw_error cw_array_print(cw_array array, const int64_t *lo, const int64_t *hi, FILE *out);

/* Fills the ghost cells with their owners' elements, around the ends of the array too (periodic).
 * corners: also fills the cells that lie outside the block in several dimensions. Collective over
 * the array's team, synchronising. Complete on return: all ghost cells of all members. Errors:
 * CW_MISUSE (no array; no ghosts), CW_OUTSIDE. After GA_Update_ghosts. */
CW_CHECKED cw_error cw_array_update_ghosts(cw_array array, bool corners);

/* Fills only the ghost cells before (way -1) or after (1) each block in one dimension; with
 * `corners`, also the cells there that lie outside the block in other dimensions. Collective over
 * the array's team, synchronising. Complete on return as cw_array_update_ghosts. Errors as there;
 * CW_MISUSE (dimension, way). After NGA_Update_ghost_dir. */
CW_CHECKED cw_error cw_array_update_ghost_side(cw_array array, int dimension, int way,
                                               bool corners);

#ifdef __cplusplus
}
#endif
#endif
