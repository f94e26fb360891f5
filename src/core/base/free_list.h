/* Lists of records for reuse, so that transfers seldom allocate memory. A list begins as NULL. Its
 * owner ensures that only one thread at a time uses it. */
#pragma once

#include <stdlib.h>

/* First bytes of a spare record. The rest of the record is unchanged. */
struct cwi_free_list {
  struct cwi_free_list *next;
};

/* Adds a record to the spare ones. The list owns it from now on. */
static inline void cwi_free_list_give(struct cwi_free_list **list, void *record)
{
  struct cwi_free_list *spare = (struct cwi_free_list *)record;
  spare->next = *list;
  *list = spare;
}

/* Returns a spare record, or NULL if there is none. */
static inline void *cwi_free_list_pop(struct cwi_free_list **list)
{
  struct cwi_free_list *spare = *list;
  if (spare != NULL)
    *list = spare->next;
  return spare;
}

/* Returns a spare record, or a new one that is all zeros, or NULL if there is no memory. */
static inline void *cwi_free_list_take(struct cwi_free_list **list, size_t bytes)
{
  void *record = cwi_free_list_pop(list);
  return record != NULL ? record : calloc(1, bytes);
}

/* Frees all spare records. */
static inline void cwi_free_list_free(struct cwi_free_list **list)
{
  for (void *record = cwi_free_list_pop(list); record != NULL; record = cwi_free_list_pop(list))
    free(record);
}
