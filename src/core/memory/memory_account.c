/* Accounts the memory that the node has allocated against what is available. It takes longer to
 * read the available memory from the kernel than to create a small region. So it is read again only
 * after a slack has been used up. */
#include "memory/memory_account.h"

#include "base/settings.h"
#include "machine/machine.h"
#include "memory/zone.h"

#include <stdint.h>

/* The slack is 1/SLACK_PART of the memory that was left when it was last read, and at most
 * MOST_SLACK. */
enum { SLACK_PART = 64 };
static const size_t MOST_SLACK = (size_t)64 << 20;

size_t cwi_memory_available(void)
{
  return cwi_machine_available();
}

/* Returns the most bytes that the node may allocate: the memory that the zone already uses plus the
 * free memory. */
static size_t limit_now(void)
{
  if (cwi_settings.memory_limit > 0)
    return (size_t)cwi_settings.memory_limit;
  const size_t available = cwi_memory_available();
  const size_t resident = cwi_zone_resident();
  return available > SIZE_MAX - resident ? SIZE_MAX : available + resident;
}

/* Raises the largest number of accounted bytes to `committed`, if that is larger. */
static void note_committed(struct cwi_zone_header *header, uint64_t committed)
{
  uint64_t most = __atomic_load_n(&header->most_committed, __ATOMIC_RELAXED);
  while (committed > most && !__atomic_compare_exchange_n(&header->most_committed, &most, committed,
                                                          true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

void cwi_account_note(size_t bytes)
{
  struct cwi_zone_header *header = cwi_zone.header;
  note_committed(header, __atomic_add_fetch(&header->committed, bytes, __ATOMIC_RELAXED));
}

size_t cwi_account_now(void)
{
  return (size_t)__atomic_load_n(&cwi_zone.header->committed, __ATOMIC_RELAXED);
}

size_t cwi_account_most(void)
{
  return (size_t)__atomic_load_n(&cwi_zone.header->most_committed, __ATOMIC_RELAXED);
}

/* Accounts bytes if the slack allows it. */
static bool take_slack(struct cwi_zone_header *header, size_t bytes)
{
  uint64_t slack = __atomic_load_n(&header->slack, __ATOMIC_RELAXED);
  do {
    if (bytes > slack)
      return false;
  } while (!__atomic_compare_exchange_n(&header->slack, &slack, slack - bytes, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  cwi_account_note(bytes);
  return true;
}

/* A request that fails is never counted, not even for a moment: it could make another process's
 * request fail. */
cw_error cwi_account_take(size_t bytes)
{
  struct cwi_zone_header *header = cwi_zone.header;
  if (take_slack(header, bytes))
    return CW_OK;
  const size_t limit = limit_now();
  uint64_t committed = __atomic_load_n(&header->committed, __ATOMIC_RELAXED);
  do {
    if (committed > limit || bytes > limit - committed)
      return cwi_outside(
          "there is no memory for %zu bytes: the node has handed out %zu, and its limit is %zu",
          bytes, (size_t)committed, limit);
  } while (!__atomic_compare_exchange_n(&header->committed, &committed, committed + bytes, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  note_committed(header, committed + bytes);
  const size_t part = (limit - committed - bytes) / SLACK_PART;
  const uint64_t slack = part < MOST_SLACK ? part : MOST_SLACK;
  __atomic_store_n(&header->most_slack, slack, __ATOMIC_RELAXED);
  __atomic_store_n(&header->slack, slack, __ATOMIC_RELAXED);
  return CW_OK;
}

/* Returns the bytes to the slack up to its limit, so that creating and freeing small regions in
 * turn does not use it up. The rest of the bytes, from large regions, is not added, because other
 * programs may soon use that memory. So the next large region reads the available memory again. */
void cwi_account_give(size_t bytes)
{
  struct cwi_zone_header *header = cwi_zone.header;
  __atomic_sub_fetch(&header->committed, bytes, __ATOMIC_RELAXED);
  const uint64_t most = __atomic_load_n(&header->most_slack, __ATOMIC_RELAXED);
  uint64_t slack = __atomic_load_n(&header->slack, __ATOMIC_RELAXED), more = 0;
  do {
    const uint64_t space = most > slack ? most - slack : 0;
    more = slack + (bytes < space ? bytes : space);
  } while (!__atomic_compare_exchange_n(&header->slack, &slack, more, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}
