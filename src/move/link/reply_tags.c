/* Tags of replies. Each origin has a stock, which is refilled from a common pool. */
#include "link/reply_tags.h"

#include "mpi/origin.h"

#include <pthread.h>

enum { CACHED_TAGS = 32 };

static struct tag_cache {
  uint32_t count CWI_OF_ORIGIN;
  uint32_t tags[CACHED_TAGS];
} tag_caches[CWI_ORIGINS];

/* Tags that are in no stock, and the number of tags that have ever been used. MPI guarantees tags
 * up to 32767. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t free_tags[CWI_TAGS];
static uint32_t free_count, used_count;

static void tags_fill(struct tag_cache *tag_cache)
{
  pthread_mutex_lock(&lock);
  while (tag_cache->count < CACHED_TAGS / 2 && free_count > 0)
    tag_cache->tags[tag_cache->count++] = free_tags[--free_count];
  while (tag_cache->count < CACHED_TAGS / 2 && used_count < CWI_TAGS)
    tag_cache->tags[tag_cache->count++] = CWI_TAG_FIRST + 2 * used_count++;
  pthread_mutex_unlock(&lock);
}

static void empty(struct tag_cache *tag_cache)
{
  pthread_mutex_lock(&lock);
  while (tag_cache->count > CACHED_TAGS / 2)
    free_tags[free_count++] = tag_cache->tags[--tag_cache->count];
  pthread_mutex_unlock(&lock);
}

cw_error cwi_tag_take(uint32_t *tag)
{
  struct tag_cache *tag_cache = &tag_caches[cwi_origin];
  if (tag_cache->count == 0)
    tags_fill(tag_cache);
  if (tag_cache->count == 0)
    return cwi_outside("more than %d replies of servers are outstanding", CWI_TAGS);
  *tag = tag_cache->tags[--tag_cache->count];
  return CW_OK;
}

void cwi_tag_give(uint32_t tag)
{
  struct tag_cache *tag_cache = &tag_caches[cwi_origin];
  if (tag_cache->count == CACHED_TAGS)
    empty(tag_cache);
  tag_cache->tags[tag_cache->count++] = tag;
}
