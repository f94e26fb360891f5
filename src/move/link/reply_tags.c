/* Tags of replies. Each origin has a stock, which is refilled from a common pool. */
#include "link/reply_tags.h"

#include "mpi/origin.h"

#include <pthread.h>

enum { STOCK = 32 };

static struct stock {
  uint32_t count CWI_OF_ORIGIN;
  uint32_t tags[STOCK];
} stocks[CWI_ORIGINS];

/* Tags that are in no stock, and the number of tags that have ever been used. MPI guarantees tags
 * up to 32767. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t free_tags[CWI_TAGS];
static uint32_t free_count, used_count;

static void tags_fill(struct stock *stock)
{
  pthread_mutex_lock(&lock);
  while (stock->count < STOCK / 2 && free_count > 0)
    stock->tags[stock->count++] = free_tags[--free_count];
  while (stock->count < STOCK / 2 && used_count < CWI_TAGS)
    stock->tags[stock->count++] = CWI_TAG_FIRST + 2 * used_count++;
  pthread_mutex_unlock(&lock);
}

static void empty(struct stock *stock)
{
  pthread_mutex_lock(&lock);
  while (stock->count > STOCK / 2)
    free_tags[free_count++] = stock->tags[--stock->count];
  pthread_mutex_unlock(&lock);
}

cw_error cwi_tag_take(uint32_t *tag)
{
  struct stock *stock = &stocks[cwi_origin];
  if (stock->count == 0)
    tags_fill(stock);
  if (stock->count == 0)
    return cwi_outside("more than %d replies of servers are outstanding", CWI_TAGS);
  *tag = stock->tags[--stock->count];
  return CW_OK;
}

void cwi_tag_give(uint32_t tag)
{
  struct stock *stock = &stocks[cwi_origin];
  if (stock->count == STOCK)
    empty(stock);
  stock->tags[stock->count++] = tag;
}
