/* Block-cyclic arrays and ghost cells. See ga.h. */
#ifndef CWGA_LAYOUT_H
#define CWGA_LAYOUT_H

#include "gacommon.h"
#include "typesf2c.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Block-cyclic arrays ---- */

/* Before Allocate: deal blocks of dims elements to the processes in turn; or on a grid of
 * processes, as ScaLAPACK does; or the same with each block contiguous (tiled), when blocks may
 * have different widths. */
void GA_Set_block_cyclic(int g_a, int dims[]);
void NGA_Set_block_cyclic(int g_a, int dims[]);
void GA_Set_block_cyclic64(int g_a, int64_t dims[]);
void NGA_Set_block_cyclic64(int g_a, int64_t dims[]);
void GA_Set_block_cyclic_proc_grid(int g_a, int block[], int grid[]);
void NGA_Set_block_cyclic_proc_grid(int g_a, int block[], int grid[]);
void GA_Set_block_cyclic_proc_grid64(int g_a, int64_t block[], int64_t grid[]);
void NGA_Set_block_cyclic_proc_grid64(int g_a, int64_t block[], int64_t grid[]);
void GA_Set_tiled_proc_grid(int g_a, int block[], int grid[]);
void NGA_Set_tiled_proc_grid(int g_a, int block[], int grid[]);
void GA_Set_tiled_proc_grid64(int g_a, int64_t block[], int64_t grid[]);
void NGA_Set_tiled_proc_grid64(int g_a, int64_t block[], int64_t grid[]);
void GA_Set_tiled_irreg_proc_grid(int g_a, int mapc[], int nblocks[], int grid[]);
void NGA_Set_tiled_irreg_proc_grid(int g_a, int mapc[], int nblocks[], int grid[]);
void GA_Set_tiled_irreg_proc_grid64(int g_a, int64_t mapc[], int64_t nblocks[], int64_t grid[]);
void NGA_Set_tiled_irreg_proc_grid64(int g_a, int64_t mapc[], int64_t nblocks[], int64_t grid[]);

/* Blocks and grid of such an array: Total_blocks is -1 for other arrays. Local. */
void GA_Get_block_info(int g_a, int num_blocks[], int block_dims[]);
void NGA_Get_block_info(int g_a, int num_blocks[], int block_dims[]);
int GA_Total_blocks(int g_a);
int NGA_Total_blocks(int g_a);
int GA_Uses_proc_grid(int g_a);
int NGA_Uses_proc_grid(int g_a);
void GA_Get_proc_grid(int g_a, int dims[]);
void NGA_Get_proc_grid(int g_a, int dims[]);
void GA_Get_proc_index(int g_a, int process, int index[]);
void NGA_Get_proc_index(int g_a, int process, int index[]);

/* The address of a block of this process, by number or by position in the grid of blocks; of all
 * its elements. */
void NGA_Access_block(int g_a, int idx, void *ptr, int ld[]);
void NGA_Access_block64(int g_a, int64_t idx, void *ptr, int64_t ld[]);
void NGA_Access_block_grid(int g_a, int index[], void *ptr, int ld[]);
void NGA_Access_block_grid64(int g_a, int64_t index[], void *ptr, int64_t ld[]);
void NGA_Access_block_segment(int g_a, int process, void *ptr, int *len);
void NGA_Access_block_segment64(int g_a, int process, void *ptr, int64_t *len);

void NGA_Release_block(int g_a, int idx);
void NGA_Release_block_grid(int g_a, int index[]);
void NGA_Release_block_segment(int g_a, int idx);

void NGA_Release_update_block(int g_a, int idx);
void NGA_Release_update_block_grid(int g_a, int index[]);
void NGA_Release_update_block_segment(int g_a, int idx);

/* ---- Ghost cells ---- */

/* Arrays whose blocks have a rim of copies of their neighbours' elements, width[d] on each side. */
int NGA_Create_ghosts(int type, int ndim, int dims[], int width[], char *name, int chunk[]);
int NGA_Create_ghosts64(int type, int ndim, int64_t dims[], int64_t width[], char *name,
                        int64_t chunk[]);
int NGA_Create_ghosts_config(int type, int ndim, int dims[], int width[], char *name, int chunk[],
                             int group);
int NGA_Create_ghosts_config64(int type, int ndim, int64_t dims[], int64_t width[], char *name,
                               int64_t chunk[], int group);
int NGA_Create_ghosts_irreg(int type, int ndim, int dims[], int width[], char *name, int nblock[],
                            int map[]);
int NGA_Create_ghosts_irreg64(int type, int ndim, int64_t dims[], int64_t width[], char *name,
                              int64_t nblock[], int64_t map[]);
int NGA_Create_ghosts_irreg_config(int type, int ndim, int dims[], int width[], char *name,
                                   int nblock[], int map[], int group);
int NGA_Create_ghosts_irreg_config64(int type, int ndim, int64_t dims[], int64_t width[],
                                     char *name, int64_t nblock[], int64_t map[], int group);

void GA_Set_ghosts(int g_a, int width[]);
void NGA_Set_ghosts(int g_a, int width[]);
void GA_Set_ghosts64(int g_a, int64_t width[]);
void NGA_Set_ghosts64(int g_a, int64_t width[]);
void GA_Set_ghost_corner_flag(int g_a, int flag);
int GA_Has_ghosts(int g_a);
int NGA_Has_ghosts(int g_a);

/* Fill the rims; periodic. In all dimensions, on one side, or without waiting. An array without
 * ghost cells has nothing to fill, and the updates only synchronise. Update_ghost_dir: all
 * processes name the same side, which CW_CHECK=1 compares (without it each gets the cells of the
 * side that it names); it counts dimensions from the last one, 0, to the first; returns 1. Update_:
 * collective; NbGet_: local. */
void GA_Update_ghosts(int g_a);
void NGA_Update_ghosts(int g_a);
int NGA_Update_ghost_dir(int g_a, int dimension, int idir, int flag);
void NGA_Update_ghosts_nb(int g_a, ga_nbhdl_t *handle);
void NGA_NbGet_ghost_dir(int g_a, int mask[], ga_nbhdl_t *handle);
void NGA_NbGet_ghost_dir64(int g_a, int64_t mask[], ga_nbhdl_t *handle);

/* The address of this process's block with its rim, or of one element of it. Local. */
void NGA_Access_ghosts(int g_a, int dims[], void *ptr, int ld[]);
void NGA_Access_ghosts64(int g_a, int64_t dims[], void *ptr, int64_t ld[]);
void NGA_Access_ghost_element(int g_a, void *ptr, int index[], int ld[]);
void NGA_Access_ghost_element64(int g_a, void *ptr, int64_t index[], int64_t ld[]);
void NGA_Release_ghosts(int g_a);
void NGA_Release_ghost_element(int g_a, int index[]);
void NGA_Release_ghost_element64(int g_a, int64_t index[]);
void NGA_Release_update_ghosts(int g_a);
void NGA_Release_update_ghost_element(int g_a, int index[]);
void NGA_Release_update_ghost_element64(int g_a, int64_t index[]);

/* Get a patch that may reach into the rims of this process, and read those cells from there. */
void NGA_Get_ghost_block(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Get_ghost_block64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);

#ifdef __cplusplus
}
#endif
#endif
