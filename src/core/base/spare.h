/* Lists of records that are used again, so that a transfer seldom allocates. A list begins as NULL;
 * its owner sees to it that one thread at a time uses it. */
#ifndef CWI_BASE_SPARE_H
#define CWI_BASE_SPARE_H

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a record begins with while it is spare. The rest stays as it was. */
struct cwi_spare {
  struct cwi_spare *next;
};

static inline void cwi_spare_give(struct cwi_spare **list, void *record)
{
  struct cwi_spare *spare = (struct cwi_spare *)record;
  spare->next = *list;
  *list = spare;
}

/* One that was given; NULL: there is none. */
static inline void *cwi_spare_find(struct cwi_spare **list)
{
  struct cwi_spare *spare = *list;
  if (spare != NULL)
    *list = spare->next;
  return spare;
}

/* The same, or else a new one, which is all zero. NULL: no memory. */
static inline void *cwi_spare_take(struct cwi_spare **list, size_t bytes)
{
  void *record = cwi_spare_find(list);
  return record != NULL ? record : calloc(1, bytes);
}

static inline void cwi_spare_free(struct cwi_spare **list)
{
  for (void *record = cwi_spare_find(list); record != NULL; record = cwi_spare_find(list))
    free(record);
}

#ifdef __cplusplus
}
#endif
#endif
