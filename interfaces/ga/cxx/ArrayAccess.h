/* The first base class of GA::GlobalArray (GlobalArray.h): properties and distribution of an array,
 * one-sided access, access in place, ghost cells. Each method makes a call of ga.h, whose comments
 * describe it. A program passes other arrays as GlobalArray *, which converts to ArrayAccess *. */
#ifndef CWGA_ARRAY_ACCESS_H
#define CWGA_ARRAY_ACCESS_H

#include <ga.h>

#include <stdint.h>

namespace GA
{

/* The handle of a non-blocking operation. */
typedef ga_nbhdl_t GANbhdl;

class ArrayAccess
{
public:
  int handle() const
  {
    return mHandle;
  }

  /* ---- Properties and locations ---- */

  void inquire(int *type, int *ndim, int dims[]) const
  {
    NGA_Inquire(mHandle, type, ndim, dims);
  }
  void inquire(int *type, int *ndim, int64_t dims[]) const
  {
    NGA_Inquire64(mHandle, type, ndim, dims);
  }
  char *inquireName() const
  {
    return GA_Inquire_name(mHandle);
  }
  int ndim() const
  {
    return GA_Ndim(mHandle);
  }
  void checkHandle(char *message) const
  {
    GA_Check_handle(mHandle, message);
  }
  void distribution(int process, int lo[], int hi[]) const
  {
    NGA_Distribution(mHandle, process, lo, hi);
  }
  void distribution(int process, int64_t lo[], int64_t hi[]) const
  {
    NGA_Distribution64(mHandle, process, lo, hi);
  }
  int locate(int subscript[]) const
  {
    return NGA_Locate(mHandle, subscript);
  }
  int locate(int64_t subscript[]) const
  {
    return NGA_Locate64(mHandle, subscript);
  }
  int locateRegion(int lo[], int hi[], int map[], int procs[]) const
  {
    return NGA_Locate_region(mHandle, lo, hi, map, procs);
  }
  int locateRegion(int64_t lo[], int64_t hi[], int64_t map[], int procs[]) const
  {
    return NGA_Locate_region64(mHandle, lo, hi, map, procs);
  }
  int compareDistr(const ArrayAccess *g_a) const
  {
    return GA_Compare_distr(mHandle, g_a->handle());
  }
  void nblock(int numblock[]) const
  {
    GA_Nblock(mHandle, numblock);
  }
  void procTopology(int process, int coord[]) const
  {
    NGA_Proc_topology(mHandle, process, coord);
  }
  int totalBlocks() const
  {
    return GA_Total_blocks(mHandle);
  }
  void getBlockInfo(int num_blocks[], int block_dims[])
  {
    GA_Get_block_info(mHandle, num_blocks, block_dims);
  }
  int hasGhosts() const
  {
    return GA_Has_ghosts(mHandle);
  }
  int isMirrored()
  {
    return GA_Is_mirrored(mHandle);
  }
  void summarize(int verbose) const
  {
    GA_Summarize(verbose);
  }

  /* ---- One-sided ---- */

  void put(int lo[], int hi[], void *buf, int ld[]) const
  {
    NGA_Put(mHandle, lo, hi, buf, ld);
  }
  void put(int64_t lo[], int64_t hi[], void *buf, int64_t ld[]) const
  {
    NGA_Put64(mHandle, lo, hi, buf, ld);
  }
  void get(int lo[], int hi[], void *buf, int ld[]) const
  {
    NGA_Get(mHandle, lo, hi, buf, ld);
  }
  void get(int64_t lo[], int64_t hi[], void *buf, int64_t ld[]) const
  {
    NGA_Get64(mHandle, lo, hi, buf, ld);
  }
  void acc(int lo[], int hi[], void *buf, int ld[], void *alpha) const
  {
    NGA_Acc(mHandle, lo, hi, buf, ld, alpha);
  }
  void acc(int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha) const
  {
    NGA_Acc64(mHandle, lo, hi, buf, ld, alpha);
  }
  void stridedPut(int lo[], int hi[], int skip[], void *buf, int ld[]) const
  {
    NGA_Strided_put(mHandle, lo, hi, skip, buf, ld);
  }
  void stridedPut(int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[]) const
  {
    NGA_Strided_put64(mHandle, lo, hi, skip, buf, ld);
  }
  void stridedGet(int lo[], int hi[], int skip[], void *buf, int ld[]) const
  {
    NGA_Strided_get(mHandle, lo, hi, skip, buf, ld);
  }
  void stridedGet(int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[]) const
  {
    NGA_Strided_get64(mHandle, lo, hi, skip, buf, ld);
  }
  void stridedAcc(int lo[], int hi[], int skip[], void *buf, int ld[], void *alpha) const
  {
    NGA_Strided_acc(mHandle, lo, hi, skip, buf, ld, alpha);
  }
  void stridedAcc(int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[],
                  void *alpha) const
  {
    NGA_Strided_acc64(mHandle, lo, hi, skip, buf, ld, alpha);
  }
  void periodicPut(int lo[], int hi[], void *buf, int ld[]) const
  {
    NGA_Periodic_put(mHandle, lo, hi, buf, ld);
  }
  void periodicPut(int64_t lo[], int64_t hi[], void *buf, int64_t ld[]) const
  {
    NGA_Periodic_put64(mHandle, lo, hi, buf, ld);
  }
  void periodicGet(int lo[], int hi[], void *buf, int ld[]) const
  {
    NGA_Periodic_get(mHandle, lo, hi, buf, ld);
  }
  void periodicGet(int64_t lo[], int64_t hi[], void *buf, int64_t ld[]) const
  {
    NGA_Periodic_get64(mHandle, lo, hi, buf, ld);
  }
  void periodicAcc(int lo[], int hi[], void *buf, int ld[], void *alpha) const
  {
    NGA_Periodic_acc(mHandle, lo, hi, buf, ld, alpha);
  }
  void periodicAcc(int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha) const
  {
    NGA_Periodic_acc64(mHandle, lo, hi, buf, ld, alpha);
  }
  void nbPut(int lo[], int hi[], void *buf, int ld[], GANbhdl *nbhandle)
  {
    NGA_NbPut(mHandle, lo, hi, buf, ld, nbhandle);
  }
  void nbPut(int64_t lo[], int64_t hi[], void *buf, int64_t ld[], GANbhdl *nbhandle)
  {
    NGA_NbPut64(mHandle, lo, hi, buf, ld, nbhandle);
  }
  void nbGet(int lo[], int hi[], void *buf, int ld[], GANbhdl *nbhandle)
  {
    NGA_NbGet(mHandle, lo, hi, buf, ld, nbhandle);
  }
  void nbGet(int64_t lo[], int64_t hi[], void *buf, int64_t ld[], GANbhdl *nbhandle)
  {
    NGA_NbGet64(mHandle, lo, hi, buf, ld, nbhandle);
  }
  void nbAcc(int lo[], int hi[], void *buf, int ld[], void *alpha, GANbhdl *nbhandle)
  {
    NGA_NbAcc(mHandle, lo, hi, buf, ld, alpha, nbhandle);
  }
  void nbAcc(int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha, GANbhdl *nbhandle)
  {
    NGA_NbAcc64(mHandle, lo, hi, buf, ld, alpha, nbhandle);
  }
  void gather(void *v, int *subs[], int n) const
  {
    NGA_Gather(mHandle, v, subs, n);
  }
  void gather(void *v, int64_t *subs[], int64_t n) const
  {
    NGA_Gather64(mHandle, v, subs, n);
  }
  void scatter(void *v, int *subs[], int n) const
  {
    NGA_Scatter(mHandle, v, subs, n);
  }
  void scatter(void *v, int64_t *subs[], int64_t n) const
  {
    NGA_Scatter64(mHandle, v, subs, n);
  }
  void scatterAcc(void *v, int *subs[], int n, void *alpha) const
  {
    NGA_Scatter_acc(mHandle, v, subs, n, alpha);
  }
  void scatterAcc(void *v, int64_t *subs[], int64_t n, void *alpha) const
  {
    NGA_Scatter_acc64(mHandle, v, subs, n, alpha);
  }
  void allocGatscatBuf(int elements) const
  {
    NGA_Alloc_gatscat_buf(elements);
  }
  void freeGatscatBuf()
  {
    NGA_Free_gatscat_buf();
  }
  long readInc(int subscript[], long inc) const
  {
    return NGA_Read_inc(mHandle, subscript, inc);
  }
  long readInc(int64_t subscript[], long inc) const
  {
    return NGA_Read_inc64(mHandle, subscript, inc);
  }

  /* ---- In place ---- */

  void access(int lo[], int hi[], void *ptr, int ld[]) const
  {
    NGA_Access(mHandle, lo, hi, ptr, ld);
  }
  void access(int64_t lo[], int64_t hi[], void *ptr, int64_t ld[]) const
  {
    NGA_Access64(mHandle, lo, hi, ptr, ld);
  }
  void release(int lo[], int hi[]) const
  {
    NGA_Release(mHandle, lo, hi);
  }
  void release(int64_t lo[], int64_t hi[]) const
  {
    NGA_Release64(mHandle, lo, hi);
  }
  void releaseUpdate(int lo[], int hi[]) const
  {
    NGA_Release_update(mHandle, lo, hi);
  }
  void releaseUpdate(int64_t lo[], int64_t hi[]) const
  {
    NGA_Release_update64(mHandle, lo, hi);
  }
  void accessBlock(int idx, void *ptr, int ld[]) const
  {
    NGA_Access_block(mHandle, idx, ptr, ld);
  }
  void accessBlock(int64_t idx, void *ptr, int64_t ld[]) const
  {
    NGA_Access_block64(mHandle, idx, ptr, ld);
  }
  void accessBlockGrid(int index[], void *ptr, int ld[]) const
  {
    NGA_Access_block_grid(mHandle, index, ptr, ld);
  }
  void accessBlockGrid(int64_t index[], void *ptr, int64_t ld[]) const
  {
    NGA_Access_block_grid64(mHandle, index, ptr, ld);
  }
  void accessBlockSegment(int proc, void *ptr, int *len) const
  {
    NGA_Access_block_segment(mHandle, proc, ptr, len);
  }
  void accessBlockSegment(int proc, void *ptr, int64_t *len) const
  {
    NGA_Access_block_segment64(mHandle, proc, ptr, len);
  }
  void releaseBlock(int idx) const
  {
    NGA_Release_block(mHandle, idx);
  }
  void releaseBlockGrid(int index[]) const
  {
    NGA_Release_block_grid(mHandle, index);
  }
  void releaseBlockSegment(int proc) const
  {
    NGA_Release_block_segment(mHandle, proc);
  }
  void releaseUpdateBlock(int idx) const
  {
    NGA_Release_update_block(mHandle, idx);
  }
  void releaseUpdateBlockGrid(int index[]) const
  {
    NGA_Release_update_block_grid(mHandle, index);
  }
  void releaseUpdateBlockSegment(int proc) const
  {
    NGA_Release_update_block_segment(mHandle, proc);
  }

  /* ---- Ghost cells, mirrored arrays ---- */

  void accessGhosts(int dims[], void *ptr, int ld[]) const
  {
    NGA_Access_ghosts(mHandle, dims, ptr, ld);
  }
  void accessGhosts(int64_t dims[], void *ptr, int64_t ld[]) const
  {
    NGA_Access_ghosts64(mHandle, dims, ptr, ld);
  }
  void accessGhostElement(void *ptr, int subscript[], int ld[]) const
  {
    NGA_Access_ghost_element(mHandle, ptr, subscript, ld);
  }
  void accessGhostElement(void *ptr, int64_t subscript[], int64_t ld[]) const
  {
    NGA_Access_ghost_element64(mHandle, ptr, subscript, ld);
  }
  void releaseGhosts() const
  {
    NGA_Release_ghosts(mHandle);
  }
  void releaseUpdateGhosts() const
  {
    NGA_Release_update_ghosts(mHandle);
  }
  void releaseGhostElement(int subscript[]) const
  {
    NGA_Release_ghost_element(mHandle, subscript);
  }
  void releaseGhostElement(int64_t subscript[]) const
  {
    NGA_Release_ghost_element64(mHandle, subscript);
  }
  void releaseUpdateGhostElement(int subscript[]) const
  {
    NGA_Release_update_ghost_element(mHandle, subscript);
  }
  void releaseUpdateGhostElement(int64_t subscript[]) const
  {
    NGA_Release_update_ghost_element64(mHandle, subscript);
  }
  void getGhostBlock(int lo[], int hi[], void *buf, int ld[]) const
  {
    NGA_Get_ghost_block(mHandle, lo, hi, buf, ld);
  }
  void getGhostBlock(int64_t lo[], int64_t hi[], void *buf, int64_t ld[]) const
  {
    NGA_Get_ghost_block64(mHandle, lo, hi, buf, ld);
  }
  void nbGetGhostDir(int mask[], GANbhdl *nbhandle)
  {
    NGA_NbGet_ghost_dir(mHandle, mask, nbhandle);
  }
  void nbGetGhostDir(int64_t mask[], GANbhdl *nbhandle)
  {
    NGA_NbGet_ghost_dir64(mHandle, mask, nbhandle);
  }
  void updateGhosts() const
  {
    GA_Update_ghosts(mHandle);
  }
  void updateGhostsNb(GANbhdl *nbhandle) const
  {
    NGA_Update_ghosts_nb(mHandle, nbhandle);
  }
  int updateGhostDir(int dimension, int dir, int cflag) const
  {
    return NGA_Update_ghost_dir(mHandle, dimension, dir, cflag);
  }
  void mergeMirrored()
  {
    GA_Merge_mirrored(mHandle);
  }
  void mergeDistrPatch(int alo[], int ahi[], ArrayAccess *g_b, int blo[], int bhi[])
  {
    NGA_Merge_distr_patch(mHandle, alo, ahi, g_b->handle(), blo, bhi);
  }
  void mergeDistrPatch(int64_t alo[], int64_t ahi[], ArrayAccess *g_b, int64_t blo[], int64_t bhi[])
  {
    NGA_Merge_distr_patch64(mHandle, alo, ahi, g_b->handle(), blo, bhi);
  }

protected:
  explicit ArrayAccess(int handle) : mHandle(handle) {}

  int mHandle;
};

} // namespace GA

#endif
