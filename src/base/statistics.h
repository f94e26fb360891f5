/* Counters of what was done: operation x route x size. */
#ifndef CWI_BASE_STATISTICS_H
#define CWI_BASE_STATISTICS_H

#include "base/settings.h"
#include "base/size.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cwi_counted {
  CWI_COUNT_PUT,
  CWI_COUNT_GET,
  CWI_COUNT_ACCUMULATE,
  CWI_COUNT_RMW,
  CWI_COUNT_LOCK,
  CWI_COUNT_FENCE,
  CWI_COUNTED
};
enum cwi_where { CWI_OWN, CWI_PEER, CWI_BY_WINDOW, CWI_BY_SERVER, CWI_WHERES };
enum { CWI_SIZE_CLASSES = 48 };

struct cwi_statistics {
  uint64_t count[CWI_COUNTED][CWI_WHERES][CWI_SIZE_CLASSES];
  uint64_t bytes[CWI_COUNTED][CWI_WHERES];
  uint64_t regions;
};
extern struct cwi_statistics cwi_statistics;

/* Is nobody to look at what the program does? Else every call takes the long way. */
static inline bool cwi_unwatched(void)
{
  return CWI_LIKELY((cwi_settings.stats | cwi_settings.check) == 0);
}

/* Threads may lose a count now and then; the counters are for people. */
static inline void cwi_count(enum cwi_counted what, enum cwi_where where, size_t bytes)
{
  if (CWI_LIKELY(cwi_settings.stats == 0))
    return;
  cwi_statistics.count[what][where][cwi_log2(bytes)]++;
  cwi_statistics.bytes[what][where] += bytes;
}

#ifdef __cplusplus
}
#endif
#endif
