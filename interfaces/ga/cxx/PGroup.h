/* A group of processes as a C++ object: the class GA::PGroup of GA++. */
#ifndef CWGA_PGROUP_H
#define CWGA_PGROUP_H

#include <ga.h>

#include <map>
#include <mutex>

namespace GA
{

class PGroup
{
public:
  /* Creates a group of processes of the default group. Collective over the default group. */
  PGroup(int list[], int count) : mHandle(GA_Pgroup_create(list, count)), mOwned(true) {}

  PGroup(PGroup &&from) : mHandle(from.mHandle), mOwned(from.mOwned)
  {
    from.mOwned = false;
  }
  PGroup(const PGroup &) = delete;
  PGroup &operator=(const PGroup &) = delete;

  /* Destroys the group if the program created it. Arrays of the group continue to exist. */
  ~PGroup()
  {
    if (mOwned && GA_Initialized())
      GA_Pgroup_destroy(mHandle);
  }

  /* Return the default group, the world, or the mirror group, which has the processes of this node.
   * These objects belong to GA. */
  static PGroup *getDefault()
  {
    /* There is one object for each group, because a program may keep the pointer and set the
     * default group again. */
    static std::mutex lock;
    static std::map<int, PGroup> groups;
    const std::lock_guard<std::mutex> guard(lock);
    const int handle = GA_Pgroup_get_default();
    return &groups.emplace(handle, PGroup(handle)).first->second;
  }
  static PGroup *getWorld()
  {
    static PGroup group(0);
    group.mHandle = GA_Pgroup_get_world();
    return &group;
  }
  static PGroup *getMirror()
  {
    static PGroup group(0);
    group.mHandle = GA_Pgroup_get_mirror();
    return &group;
  }
  static void setDefault(PGroup *group)
  {
    GA_Pgroup_set_default(group->mHandle);
  }

  /* self returns a group of this process alone, and duplicate another group of the same
   * processes. */
  static PGroup self()
  {
    return PGroup(GA_Pgroup_self(), true);
  }
  PGroup duplicate()
  {
    return PGroup(GA_Pgroup_duplicate(mHandle), true);
  }

  int handle() const
  {
    return mHandle;
  }
  int nodeid()
  {
    return GA_Pgroup_nodeid(mHandle);
  }
  int nodes()
  {
    return GA_Pgroup_nnodes(mHandle);
  }

  /* Collective over the group. */
  void sync()
  {
    GA_Pgroup_sync(mHandle);
  }
  void brdcst(void *buf, int bytes, int root)
  {
    GA_Pgroup_brdcst(mHandle, buf, bytes, root);
  }
  void gop(int x[], int n, char *op)
  {
    GA_Pgroup_igop(mHandle, x, n, op);
  }
  void gop(long x[], int n, char *op)
  {
    GA_Pgroup_lgop(mHandle, x, n, op);
  }
  void gop(float x[], int n, char *op)
  {
    GA_Pgroup_fgop(mHandle, x, n, op);
  }
  void gop(double x[], int n, char *op)
  {
    GA_Pgroup_dgop(mHandle, x, n, op);
  }

private:
  explicit PGroup(int handle, bool owned = false) : mHandle(handle), mOwned(owned) {}

  int mHandle;
  bool mOwned;
};

} // namespace GA

#endif
