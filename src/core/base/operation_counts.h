/* Counters of what was done: operation x route. */
#ifndef CWI_BASE_OPERATION_COUNTS_H
#define CWI_BASE_OPERATION_COUNTS_H

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

/* What CW_GA_DISTRIBUTION has done to the arrays of a GA program. */
enum cwi_kind_of_array { CWI_CYCLIC_ARRAYS, CWI_KEPT_ARRAYS, CWI_KINDS_OF_ARRAYS };

/* Who moves data to and from devices of node peers. */
enum cwi_mover { CWI_MYSELF, CWI_BY_AGENT, CWI_MOVERS };

struct cwi_statistics {
  uint64_t count[CWI_COUNTED][CWI_WHERES];
  uint64_t bytes[CWI_COUNTED][CWI_WHERES];
  uint64_t regions;
  uint64_t arrays[CWI_KINDS_OF_ARRAYS];
  uint64_t handed_out, handed_out_bytes; /* copies of CWI_CYCLIC_ARRAYS: by NGA_Access */
  uint64_t put_back, put_back_bytes;     /* by NGA_Release_update */
  uint64_t messages;                     /* to servers */
  uint64_t loaded;                       /* of them, with updates */
  uint64_t updates;                      /* in those */
  uint64_t by_device[CWI_MOVERS];        /* transfers to and from node peers' devices */
  uint64_t by_device_bytes[CWI_MOVERS];
  uint64_t imported, not_imported; /* slices there, by CWI_MYSELF */
  /* From here on the most of all processes counts, above it their sum. The least size is kept as
   * INT64_MAX minus it: zero is "none yet". (INT64_MAX: MPICH 4.0.2 takes the most of unsigned
   * numbers as if they were signed.) */
  uint64_t most[CWI_COUNTED][CWI_WHERES];
  uint64_t least[CWI_COUNTED][CWI_WHERES];
};
extern struct cwi_statistics cwi_statistics;

/* Is nobody to look at what the program does? Else every call takes the long way. */
static inline bool cwi_is_unobserved(void)
{
  return CWI_LIKELY(cwi_settings.observed == 0);
}

/* Returns true if calls without a buffer are neither counted nor checked. */
static inline bool cwi_uncounted(void)
{
  return CWI_LIKELY((cwi_settings.observed & ~(long)CWI_BUFFERS_OBSERVED) == 0);
}

/* Are calls followed, for a profile, a timeline or tools; and does nobody else look? */
static inline bool cwi_is_profiled(void)
{
  return (cwi_settings.observed & CWI_OBSERVED_BY_PROFILE) != 0;
}

static inline bool cwi_only_profiled(void)
{
  return (cwi_settings.observed & ~(long)CWI_BUFFERS_OBSERVED) == CWI_OBSERVED_BY_PROFILE;
}

/* Threads may lose a count now and then; the counters are for people. */
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

/* A message to a server, with so many pieces of updates. */
static inline void cwi_count_message(uint64_t updates)
{
  cwi_statistics.messages++;
  cwi_statistics.loaded += updates > 0;
  cwi_statistics.updates += updates;
}
#endif
