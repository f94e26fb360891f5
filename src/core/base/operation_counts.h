/* Counters of operations (CW_STATS): operation x route. */
#pragma once

#include "base/error.h"
#include "base/settings.h"

#include <stddef.h>
#include <stdint.h>

enum cwi_counted {
  CWI_COUNT_PUT,
  CWI_COUNT_GET,
  CWI_COUNT_ACCUMULATE,
  CWI_COUNT_RMW,
  CWI_COUNT_LOCK,
  CWI_COUNT_FENCE,
  CWI_COUNTED
};
enum cwi_where { CWI_OWN, CWI_PEER, CWI_BY_RMA, CWI_BY_SERVER, CWI_WHERES };

/* Arrays of a GA program: those that CW_GA_DISTRIBUTION has made cyclic, and those whose
 * distribution it has left unchanged. */
enum cwi_kind_of_array { CWI_CYCLIC_ARRAYS, CWI_KEPT_ARRAYS, CWI_KINDS_OF_ARRAYS };

/* The process that transfers data to and from devices of node peers. */
enum cwi_mover { CWI_MYSELF, CWI_BY_AGENT, CWI_MOVERS };

struct cwi_statistics {
  uint64_t count[CWI_COUNTED][CWI_WHERES];
  uint64_t bytes[CWI_COUNTED][CWI_WHERES];
  uint64_t regions;
  uint64_t arrays[CWI_KINDS_OF_ARRAYS];
  /* copies of patches of CWI_CYCLIC_ARRAYS that NGA_Access has made */
  uint64_t handed_out, handed_out_bytes;
  uint64_t put_back, put_back_bytes; /* copies that NGA_Release_update has written back */
  uint64_t messages;                 /* messages to servers */
  uint64_t loaded;                   /* messages to servers with updates */
  uint64_t updates;                  /* updates in those messages */
  uint64_t by_device[CWI_MOVERS];    /* transfers to and from node peers' devices */
  uint64_t by_device_bytes[CWI_MOVERS];
  /* slices on node peers' devices that this process could map, and those that it could not */
  uint64_t imported, not_imported;
  /* The values above this line are summed over the processes. For the values below, the maximum
   * over the processes is taken. The least size is stored as INT64_MAX minus the size, so that zero
   * means "none yet". It is not UINT64_MAX, because MPICH 4.0.2 compares unsigned numbers in
   * MPI_MAX as if they were signed. */
  uint64_t most[CWI_COUNTED][CWI_WHERES];
  uint64_t least[CWI_COUNTED][CWI_WHERES];
};
extern struct cwi_statistics cwi_statistics;

/* Returns true if nothing observes the calls: no profile, timeline, tools, statistics or checks,
 * and no check of buffers (cwi_settings_watch_buffers). Otherwise every call takes the slow path.
 */
static inline bool cwi_is_unobserved(void)
{
  return CWI_LIKELY(cwi_settings.observed == 0);
}

/* Returns true if calls without a buffer are neither counted nor checked. */
static inline bool cwi_uncounted(void)
{
  return CWI_LIKELY((cwi_settings.observed & ~(long)CWI_BUFFERS_OBSERVED) == 0);
}

/* cwi_is_profiled returns true if a profile, a timeline or tools observe the calls.
 * cwi_only_profiled returns true if nothing else observes them. */
static inline bool cwi_is_profiled(void)
{
  return (cwi_settings.observed & CWI_OBSERVED_BY_PROFILE) != 0;
}

static inline bool cwi_only_profiled(void)
{
  return (cwi_settings.observed & ~(long)CWI_BUFFERS_OBSERVED) == CWI_OBSERVED_BY_PROFILE;
}

/* Counts one operation. Without atomics, threads may lose a count now and then, which is acceptable
 * for statistics. */
static inline void cwi_count(enum cwi_counted what, enum cwi_where where, size_t bytes)
{
  if (CWI_LIKELY(cwi_settings.stats == 0))
    return;
  struct cwi_statistics *all = &cwi_statistics;
  all->count[what][where]++;
  all->bytes[what][where] += bytes;
  if (bytes > all->most[what][where])
    all->most[what][where] = bytes;
  if (INT64_MAX - bytes > all->least[what][where])
    all->least[what][where] = INT64_MAX - bytes;
}

static inline void cwi_count_by_device(enum cwi_mover mover, size_t bytes)
{
  __atomic_add_fetch(&cwi_statistics.by_device[mover], 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&cwi_statistics.by_device_bytes[mover], bytes, __ATOMIC_RELAXED);
}

/* Counts a message to a server that contains `updates` updates. */
static inline void cwi_count_message(uint64_t updates)
{
  cwi_statistics.messages++;
  cwi_statistics.loaded += updates > 0;
  cwi_statistics.updates += updates;
}
