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

/* Select a block-cyclic distribution before GA_Allocate. Set_block_cyclic assigns blocks of `dims`
 * elements to the processes round robin. Set_block_cyclic_proc_grid assigns blocks on a grid of
 * processes, as ScaLAPACK does. The tiled calls do the same, but each block is contiguous in
 * memory; with Set_tiled_irreg_proc_grid, blocks may have different widths. */
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

/* Return the blocks and the grid of such an array. Total_blocks returns -1 for other arrays.
 * Local. */
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

/* Store the address of a block of this process. It is selected by its number, or by its position in
 * the grid of blocks. Access_block_segment stores the address of all elements of a process. */
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

/* Create arrays with ghost cells. Each block is surrounded by copies of its neighbours' elements,
 * width[d] of them on each side of dimension d. */
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

/* Update the ghost cells. The arrays are periodic: a block at an edge gets elements from the
 * opposite edge. If the array has no ghost cells, the Update calls only synchronise. Update_ghosts
 * updates all sides. Update_ghost_dir updates one side and returns 1. It counts dimensions from the
 * last one, which is 0, to the first. All processes must pass the same side; CW_CHECK=1 checks
 * this. Update_ghosts_nb and NbGet_ghost_dir store a handle for NGA_NbWait. The Update calls are
 * collective; NbGet_ghost_dir is local. */
void GA_Update_ghosts(int g_a);
void NGA_Update_ghosts(int g_a);
int NGA_Update_ghost_dir(int g_a, int dimension, int idir, int flag);
void NGA_Update_ghosts_nb(int g_a, ga_nbhdl_t *handle);
void NGA_NbGet_ghost_dir(int g_a, int mask[], ga_nbhdl_t *handle);
void NGA_NbGet_ghost_dir64(int g_a, int64_t mask[], ga_nbhdl_t *handle);

/* Store the address of this process's block with its ghost cells, or of one element of it.
 * Local. */
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

/* Get a patch that may include ghost cells of this process. If the patch is inside this process's
 * block and its ghost cells, it is read from there. */
void NGA_Get_ghost_block(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Get_ghost_block64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);

#ifdef __cplusplus
}
#endif
#endif
