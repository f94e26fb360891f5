/* An array as a C++ object: the class GA::GlobalArray of GA++. Creating and destroying objects is
 * collective, as in C. Each method makes a call of ga.h, and most have the name of the call. */
#ifndef CWGA_GLOBAL_ARRAY_H
#define CWGA_GLOBAL_ARRAY_H

#include "ArrayMath.h"
#include "PGroup.h"

#include <cwga.h>

namespace GA
{

class GlobalArray : public ArrayMath
{
public:
  /* Creates an array without properties and memory. The methods below set its properties, and
   * allocate its memory. */
  GlobalArray() : ArrayMath(GA_Create_handle()) {}

  /* Create a regular array. chunk has the least widths of blocks, or is NULL. */
  GlobalArray(int type, int ndim, int dims[], char *name, int chunk[])
      : ArrayMath(NGA_Create(type, ndim, dims, name, chunk))
  {
  }
  GlobalArray(int type, int ndim, int dims[], char *name, int chunk[], PGroup *group)
      : ArrayMath(NGA_Create_config(type, ndim, dims, name, chunk, group->handle()))
  {
  }

  /* Create an irregular array from the numbers of blocks and their first indices. */
  GlobalArray(int type, int ndim, int dims[], char *name, int block[], int maps[])
      : ArrayMath(NGA_Create_irreg(type, ndim, dims, name, block, maps))
  {
  }
  GlobalArray(int type, int ndim, int dims[], char *name, int block[], int maps[], PGroup *group)
      : ArrayMath(NGA_Create_irreg_config(type, ndim, dims, name, block, maps, group->handle()))
  {
  }

  /* Create an array with ghost cells. The last argument only selects this constructor. */
  GlobalArray(int type, int ndim, int dims[], int width[], char *name, int chunk[], char ghosts)
      : ArrayMath(NGA_Create_ghosts(type, ndim, dims, width, name, chunk))
  {
    (void)ghosts;
  }
  GlobalArray(int type, int ndim, int dims[], int width[], char *name, int chunk[], PGroup *group,
              char ghosts)
      : ArrayMath(NGA_Create_ghosts_config(type, ndim, dims, width, name, chunk, group->handle()))
  {
    (void)ghosts;
  }
  GlobalArray(int type, int ndim, int dims[], int width[], char *name, int block[], int maps[],
              char ghosts)
      : ArrayMath(NGA_Create_ghosts_irreg(type, ndim, dims, width, name, block, maps))
  {
    (void)ghosts;
  }
  GlobalArray(int type, int ndim, int dims[], int width[], char *name, int block[], int maps[],
              PGroup *group, char ghosts)
      : ArrayMath(NGA_Create_ghosts_irreg_config(type, ndim, dims, width, name, block, maps,
                                                 group->handle()))
  {
    (void)ghosts;
  }

  /* Create a regular array. chunk has the least widths of blocks, or is NULL. */
  GlobalArray(int type, int ndim, int64_t dims[], char *name, int64_t chunk[])
      : ArrayMath(NGA_Create64(type, ndim, dims, name, chunk))
  {
  }
  GlobalArray(int type, int ndim, int64_t dims[], char *name, int64_t chunk[], PGroup *group)
      : ArrayMath(NGA_Create_config64(type, ndim, dims, name, chunk, group->handle()))
  {
  }

  /* Create an irregular array from the numbers of blocks and their first indices. */
  GlobalArray(int type, int ndim, int64_t dims[], char *name, int64_t block[], int64_t maps[])
      : ArrayMath(NGA_Create_irreg64(type, ndim, dims, name, block, maps))
  {
  }
  GlobalArray(int type, int ndim, int64_t dims[], char *name, int64_t block[], int64_t maps[],
              PGroup *group)
      : ArrayMath(NGA_Create_irreg_config64(type, ndim, dims, name, block, maps, group->handle()))
  {
  }

  /* Create an array with ghost cells. The last argument only selects this constructor. */
  GlobalArray(int type, int ndim, int64_t dims[], int64_t width[], char *name, int64_t chunk[],
              char ghosts)
      : ArrayMath(NGA_Create_ghosts64(type, ndim, dims, width, name, chunk))
  {
    (void)ghosts;
  }
  GlobalArray(int type, int ndim, int64_t dims[], int64_t width[], char *name, int64_t chunk[],
              PGroup *group, char ghosts)
      : ArrayMath(NGA_Create_ghosts_config64(type, ndim, dims, width, name, chunk, group->handle()))
  {
    (void)ghosts;
  }
  GlobalArray(int type, int ndim, int64_t dims[], int64_t width[], char *name, int64_t block[],
              int64_t maps[], char ghosts)
      : ArrayMath(NGA_Create_ghosts_irreg64(type, ndim, dims, width, name, block, maps))
  {
    (void)ghosts;
  }
  GlobalArray(int type, int ndim, int64_t dims[], int64_t width[], char *name, int64_t block[],
              int64_t maps[], PGroup *group, char ghosts)
      : ArrayMath(NGA_Create_ghosts_irreg_config64(type, ndim, dims, width, name, block, maps,
                                                   group->handle()))
  {
    (void)ghosts;
  }

  /* Create an array like `from`. Without a name argument, the elements are copied. With one, they
   * are undefined. */
  GlobalArray(const GlobalArray &from) : ArrayMath(GA_Duplicate(from.mHandle, from.inquireName()))
  {
    GA_Copy(from.mHandle, mHandle);
  }
  GlobalArray(const GlobalArray &from, char *name) : ArrayMath(GA_Duplicate(from.mHandle, name)) {}

  /* Copies the elements of another array of the same shape. */
  GlobalArray &operator=(const GlobalArray &from)
  {
    if (from.mHandle != mHandle)
      GA_Copy(from.mHandle, mHandle);
    return *this;
  }

  /* Destroys the array, unless GA::Terminate has already destroyed it. */
  ~GlobalArray()
  {
    if (GA_Initialized() && mHandle != 0)
      GA_Destroy(mHandle);
  }

  /* Destroys the array. The program must not use the object afterwards. */
  void destroy()
  {
    GA_Destroy(mHandle);
    mHandle = 0;
  }

  /* Returns 1 if both arrays have the same type, shape and elements, bit by bit (cw_ga_equal in
   * cwga.h). So 0.0 differs from -0.0, and a NaN equals itself. The padding of long doubles is
   * ignored; the padding of registered types is compared. Collective over this array's processes,
   * even if their PGroup has been destroyed. If one of the arrays is mirrored, the call is
   * collective over the default group, whose processes compare the copies of all their nodes. */
  int operator==(const GlobalArray &other) const
  {
    return cw_ga_equal(mHandle, other.mHandle);
  }
  int operator!=(const GlobalArray &other) const
  {
    return !(*this == other);
  }

  /* ---- Creating and destroying ---- */

  int allocate() const
  {
    return GA_Allocate(mHandle);
  }
  int deallocate() const
  {
    return GA_Deallocate(mHandle);
  }

  /* ---- Before allocate ---- */

  void setData(int ndim, int dims[], int type) const
  {
    GA_Set_data(mHandle, ndim, dims, type);
  }
  void setData(int ndim, int64_t dims[], int type) const
  {
    GA_Set_data64(mHandle, ndim, dims, type);
  }
  void setArrayName(char *name) const
  {
    GA_Set_array_name(mHandle, name);
  }
  void setChunk(int chunk[]) const
  {
    GA_Set_chunk(mHandle, chunk);
  }
  void setChunk(int64_t chunk[]) const
  {
    GA_Set_chunk64(mHandle, chunk);
  }
  void setIrregDistr(int mapc[], int nblock[]) const
  {
    GA_Set_irreg_distr(mHandle, mapc, nblock);
  }
  void setIrregDistr(int64_t mapc[], int64_t nblock[]) const
  {
    GA_Set_irreg_distr64(mHandle, mapc, nblock);
  }
  void setGhosts(int width[]) const
  {
    GA_Set_ghosts(mHandle, width);
  }
  void setGhosts(int64_t width[]) const
  {
    GA_Set_ghosts64(mHandle, width);
  }
  void setBlockCyclic(int dims[]) const
  {
    GA_Set_block_cyclic(mHandle, dims);
  }
  void setBlockCyclic(int64_t dims[]) const
  {
    GA_Set_block_cyclic64(mHandle, dims);
  }
  void setBlockCyclicProcGrid(int dims[], int proc_grid[]) const
  {
    GA_Set_block_cyclic_proc_grid(mHandle, dims, proc_grid);
  }
  void setBlockCyclicProcGrid(int64_t dims[], int64_t proc_grid[]) const
  {
    GA_Set_block_cyclic_proc_grid64(mHandle, dims, proc_grid);
  }
  void setTiledProcGrid(int dims[], int proc_grid[]) const
  {
    GA_Set_tiled_proc_grid(mHandle, dims, proc_grid);
  }
  void setTiledProcGrid(int64_t dims[], int64_t proc_grid[]) const
  {
    GA_Set_tiled_proc_grid64(mHandle, dims, proc_grid);
  }
  void setTiledIrregProcGrid(int mapc[], int nblocks[], int proc_grid[]) const
  {
    GA_Set_tiled_irreg_proc_grid(mHandle, mapc, nblocks, proc_grid);
  }
  void setTiledIrregProcGrid(int64_t mapc[], int64_t nblocks[], int64_t proc_grid[]) const
  {
    GA_Set_tiled_irreg_proc_grid64(mHandle, mapc, nblocks, proc_grid);
  }
  void setPGroup(PGroup *group) const
  {
    GA_Set_pgroup(mHandle, group->handle());
  }
  void setRestricted(int list[], int size) const
  {
    GA_Set_restricted(mHandle, list, size);
  }
  void setRestrictedRange(int lo_proc, int hi_proc) const
  {
    GA_Set_restricted_range(mHandle, lo_proc, hi_proc);
  }
  void setMemoryDev(char *device)
  {
    GA_Set_memory_dev(mHandle, device);
  }
  void setProperty(char *property)
  {
    GA_Set_property(mHandle, property);
  }
  void unsetProperty()
  {
    GA_Unset_property(mHandle);
  }
  int overlay(const GlobalArray *g_a)
  {
    return GA_Overlay(mHandle, g_a->handle());
  }
};

} // namespace GA

#endif
