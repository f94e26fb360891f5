/* Functions that are not methods of an array or a group. They exist as functions of the namespace
 * GA, and as methods of the object GA::SERVICES. Each makes a call of ga.h. */
#ifndef CWGA_SERVICES_H
#define CWGA_SERVICES_H

#include "GlobalArray.h"

#include <limits.h>

namespace GA
{

/* Returns the available memory as an int, as GA++ does. */
inline int availableAsInt()
{
  const size_t bytes = GA_Memory_avail();
  return bytes < INT_MAX ? (int)bytes : INT_MAX;
}

/* ---- Processes, time, errors ---- */

inline int nodeid()
{
  return GA_Nodeid();
}
inline int nodes()
{
  return GA_Nnodes();
}
inline int clusterNnodes()
{
  return GA_Cluster_nnodes();
}
inline int clusterNodeid()
{
  return GA_Cluster_nodeid();
}
inline int clusterNprocs(int node)
{
  return GA_Cluster_nprocs(node);
}
inline int clusterProcid(int node, int process)
{
  return GA_Cluster_procid(node, process);
}
inline int clusterProcNodeid(int process)
{
  return GA_Cluster_proc_nodeid(process);
}
inline double wtime()
{
  return GA_Wtime();
}
inline void error(const char *message, int code)
{
  GA_Error(const_cast<char *>(message), code);
}
inline int usesFAPI()
{
  return GA_Uses_fapi();
}
inline int usesMA()
{
  return GA_Uses_ma();
}
inline int getDebug()
{
  return GA_Get_debug();
}
inline void setDebug(int flag)
{
  GA_Set_debug(flag);
}
inline void printStats()
{
  GA_Print_stats();
}
inline void summarize(int verbose)
{
  GA_Summarize(verbose);
}

/* ---- Memory and types ---- */

inline void setMemoryLimit(size_t limit)
{
  GA_Set_memory_limit(limit);
}
inline int memoryLimited()
{
  return GA_Memory_limited();
}
inline int memoryAvailable()
{
  return availableAsInt();
}
inline size_t inquireMemory()
{
  return GA_Inquire_memory();
}
inline int registerType(size_t bytes)
{
  return NGA_Register_type(bytes);
}
inline int deregisterType(int type)
{
  return NGA_Deregister_type(type);
}

/* ---- Arrays ---- */

inline GlobalArray *createGA()
{
  return new GlobalArray();
}
inline GlobalArray *createGA(int type, int ndim, int dims[], char *name, int chunk[])
{
  return new GlobalArray(type, ndim, dims, name, chunk);
}
inline GlobalArray *createGA(int type, int ndim, int dims[], char *name, int block[], int maps[])
{
  return new GlobalArray(type, ndim, dims, name, block, maps);
}
inline GlobalArray *createGA(const GlobalArray *from, char *name)
{
  return new GlobalArray(*from, name);
}
inline GlobalArray *createGA(const GlobalArray &from)
{
  return new GlobalArray(from);
}
inline GlobalArray *createGA_Ghosts(int type, int ndim, int dims[], int width[], char *name,
                                    int chunk[])
{
  return new GlobalArray(type, ndim, dims, width, name, chunk, 'g');
}
inline GlobalArray *createGA_Ghosts(int type, int ndim, int dims[], int width[], char *name,
                                    int block[], int maps[])
{
  return new GlobalArray(type, ndim, dims, width, name, block, maps, 'g');
}
inline int duplicate(int g_a, char *name)
{
  return GA_Duplicate(g_a, name);
}

/* ---- Order, mutexes, non-blocking operations ---- */

inline void sync()
{
  GA_Sync();
}
inline void maskSync(int first, int last)
{
  GA_Mask_sync(first, last);
}
inline void fence()
{
  GA_Fence();
}
inline void initFence()
{
  GA_Init_fence();
}
inline int createMutexes(int count)
{
  return GA_Create_mutexes(count);
}
inline int destroyMutexes()
{
  return GA_Destroy_mutexes();
}
inline void lock(int mutex)
{
  GA_Lock(mutex);
}
inline void unlock(int mutex)
{
  GA_Unlock(mutex);
}
inline void nbWait(GANbhdl *nbhandle)
{
  NGA_NbWait(nbhandle);
}
inline int nbTest(GANbhdl *nbhandle)
{
  return NGA_NbTest(nbhandle);
}

/* ---- Collectives on the program's own memory ---- */

inline void brdcst(void *buf, int bytes, int root)
{
  GA_Brdcst(buf, bytes, root);
}
inline void gop(int x[], int n, char *op)
{
  GA_Igop(x, n, op);
}
inline void gop(long x[], int n, char *op)
{
  GA_Lgop(x, n, op);
}
inline void gop(float x[], int n, char *op)
{
  GA_Fgop(x, n, op);
}
inline void gop(double x[], int n, char *op)
{
  GA_Dgop(x, n, op);
}
inline void igop(int x[], int n, char *op)
{
  GA_Igop(x, n, op);
}
inline void lgop(long x[], int n, char *op)
{
  GA_Lgop(x, n, op);
}
inline void dgop(double x[], int n, char *op)
{
  GA_Dgop(x, n, op);
}

class GAServices
{
public:
  GAServices() {}

  int nodeid()
  {
    return GA::nodeid();
  }
  int nodes()
  {
    return GA::nodes();
  }
  int clusterNnodes()
  {
    return GA::clusterNnodes();
  }
  int clusterNodeid()
  {
    return GA::clusterNodeid();
  }
  int clusterNprocs(int node)
  {
    return GA::clusterNprocs(node);
  }
  int clusterProcid(int node, int process)
  {
    return GA::clusterProcid(node, process);
  }
  int clusterProcNodeid(int process)
  {
    return GA::clusterProcNodeid(process);
  }
  double wtime()
  {
    return GA::wtime();
  }
  void error(const char *message, int code)
  {
    GA::error(message, code);
  }
  int usesFAPI()
  {
    return GA::usesFAPI();
  }
  int usesMA()
  {
    return GA::usesMA();
  }
  int getDebug()
  {
    return GA::getDebug();
  }
  void setDebug(int flag)
  {
    GA::setDebug(flag);
  }
  void printStats()
  {
    GA::printStats();
  }
  void summarize(int verbose)
  {
    GA::summarize(verbose);
  }

  void setMemoryLimit(size_t limit)
  {
    GA::setMemoryLimit(limit);
  }
  int memoryLimited()
  {
    return GA::memoryLimited();
  }
  int memoryAvailable()
  {
    return GA::memoryAvailable();
  }
  size_t inquireMemory()
  {
    return GA::inquireMemory();
  }
  int registerType(size_t bytes)
  {
    return GA::registerType(bytes);
  }
  int deregisterType(int type)
  {
    return GA::deregisterType(type);
  }

  GlobalArray *createGA()
  {
    return GA::createGA();
  }
  GlobalArray *createGA(int type, int ndim, int dims[], char *name, int chunk[])
  {
    return GA::createGA(type, ndim, dims, name, chunk);
  }
  GlobalArray *createGA(int type, int ndim, int dims[], char *name, int block[], int maps[])
  {
    return GA::createGA(type, ndim, dims, name, block, maps);
  }
  GlobalArray *createGA(const GlobalArray *from, char *name)
  {
    return GA::createGA(from, name);
  }
  GlobalArray *createGA(const GlobalArray &from)
  {
    return GA::createGA(from);
  }
  GlobalArray *createGA_Ghosts(int type, int ndim, int dims[], int width[], char *name, int chunk[])
  {
    return GA::createGA_Ghosts(type, ndim, dims, width, name, chunk);
  }
  GlobalArray *createGA_Ghosts(int type, int ndim, int dims[], int width[], char *name, int block[],
                               int maps[])
  {
    return GA::createGA_Ghosts(type, ndim, dims, width, name, block, maps);
  }
  int duplicate(int g_a, char *name)
  {
    return GA::duplicate(g_a, name);
  }

  void sync()
  {
    GA::sync();
  }
  void maskSync(int first, int last)
  {
    GA::maskSync(first, last);
  }
  void fence()
  {
    GA::fence();
  }
  void initFence()
  {
    GA::initFence();
  }
  int createMutexes(int count)
  {
    return GA::createMutexes(count);
  }
  int destroyMutexes()
  {
    return GA::destroyMutexes();
  }
  void lock(int mutex)
  {
    GA::lock(mutex);
  }
  void unlock(int mutex)
  {
    GA::unlock(mutex);
  }
  void nbWait(GANbhdl *nbhandle)
  {
    GA::nbWait(nbhandle);
  }
  int nbTest(GANbhdl *nbhandle)
  {
    return GA::nbTest(nbhandle);
  }

  void brdcst(void *buf, int bytes, int root)
  {
    GA::brdcst(buf, bytes, root);
  }
  void gop(int x[], int n, char *op)
  {
    GA::gop(x, n, op);
  }
  void gop(long x[], int n, char *op)
  {
    GA::gop(x, n, op);
  }
  void gop(float x[], int n, char *op)
  {
    GA::gop(x, n, op);
  }
  void gop(double x[], int n, char *op)
  {
    GA::gop(x, n, op);
  }
  void igop(int x[], int n, char *op)
  {
    GA::igop(x, n, op);
  }
  void lgop(long x[], int n, char *op)
  {
    GA::lgop(x, n, op);
  }
  void dgop(double x[], int n, char *op)
  {
    GA::dgop(x, n, op);
  }
};

/* An object without state, for calls such as SERVICES.sync(). */
static GAServices SERVICES;

} // namespace GA

#endif
