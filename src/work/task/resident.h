/* Constant patches that stay in a memory until the phase ends, for the tasks that need them next:
 * found by (array, lo, hi). Those that no task uses go, the least recently used first, when others
 * need their room. One thread at a time. */
#ifndef CWI_TASK_RESIDENT_H
#define CWI_TASK_RESIDENT_H

#include "base/check.h"

#include <causeway/task.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_resident {
  cw_planned_patch patch;
  size_t bytes;
  unsigned users;
  bool ready;                /* what it holds has arrived, or is in front of whoever comes later */
  bool failed;               /* and will not */
  char *memory;              /* on the host */
  size_t offset;             /* on a device */
  struct cwi_resident *next; /* of its bucket */
  struct cwi_resident *older, *newer; /* among those that nobody uses */
};

enum { CWI_RESIDENT_BUCKETS = 1024 };

struct cwi_residents {
  struct cwi_resident *buckets[CWI_RESIDENT_BUCKETS];
  struct cwi_resident *oldest, *newest; /* of those that nobody uses */
  size_t bytes;                         /* of all */
};

/* NULL: it is not there. */
struct cwi_resident *cwi_resident_find(const struct cwi_residents *residents,
                                       const cw_planned_patch *patch);

/* Make a place for one that is not there, with one user. NULL: no memory. */
struct cwi_resident *cwi_resident_add(struct cwi_residents *residents,
                                      const cw_planned_patch *patch, size_t bytes);

/* One more user, one less. */
void cwi_resident_use(struct cwi_residents *residents, struct cwi_resident *resident);
void cwi_resident_leave(struct cwi_residents *residents, struct cwi_resident *resident);

/* Take out one that nobody uses, and forget it; its memory is the caller's. */
void cwi_resident_remove(struct cwi_residents *residents, struct cwi_resident *resident);

#ifdef __cplusplus
}
#endif
#endif
