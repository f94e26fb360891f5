/* Lists of records that are used again, so that a transfer seldom allocates. A list begins as NULL;
 * its owner sees to it that one thread at a time uses it. */
#ifndef CWI_BASE_FREE_LIST_H
#define CWI_BASE_FREE_LIST_H

#include <stdlib.h>

/* What a record begins with while it is spare. The rest stays as it was. */
struct cwi_free_list {
  struct cwi_free_list *next;
};

static inline void cwi_free_list_give(struct cwi_free_list **list, void *record)
{
  struct cwi_free_list *spare = (struct cwi_free_list *)record;
  spare->next = *list;
  *list = spare;
}

/* One that was given; NULL: there is none. */
static inline void *cwi_free_list_pop(struct cwi_free_list **list)
{
  struct cwi_free_list *spare = *list;
  if (spare != NULL)
    *list = spare->next;
  return spare;
}

/* The same, or else a new one, which is all zero. NULL: no memory. */
static inline void *cwi_free_list_take(struct cwi_free_list **list, size_t bytes)
{
  void *record = cwi_free_list_pop(list);
  return record != NULL ? record : calloc(1, bytes);
}

static inline void cwi_free_list_free(struct cwi_free_list **list)
{
  for (void *record = cwi_free_list_pop(list); record != NULL; record = cwi_free_list_pop(list))
    free(record);
}
#endif
