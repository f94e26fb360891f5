/* The tags of replies, taken in turn. */
#include "link/tags.h"

/* Tags that are free, and the next one never used. MPI guarantees tags up to 32767. */
static uint32_t free_tags[CWI_TAGS];
static uint32_t free_count, used_count;

cw_error cwi_tag_take(uint32_t *tag)
{
  if (free_count > 0)
    *tag = free_tags[--free_count];
  else if (used_count < CWI_TAGS)
    *tag = CWI_TAG_FIRST + 2 * used_count++;
  else
    return cwi_outside("more than %d replies of servers are outstanding", CWI_TAGS);
  return CW_OK;
}

void cwi_tag_give(uint32_t tag)
{
  free_tags[free_count++] = tag;
}
