/* The census in one block: written by each proxy of its own devices, read by programs, and by
 * clients of sub-devices. A reader checks every length, as the block comes from another process. */
#include "wire/census.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CENSUS_MARK = 0x73757363, MOST_FACTS = 1024, CENSUS_ALIGNMENT = 8 };

/* The beginning of a block, of a device in it, and of a fact, which its value follows. Each begins
 * at a multiple of 8. */
struct census_block {
  uint32_t mark, count;
  uint64_t bytes; /* with this */
  uint32_t proxy, unused;
  char host[64];
};

struct census_device {
  uint32_t bytes; /* with this */
  uint32_t number, vendor, facts;
};

struct census_fact {
  uint32_t what, size;
};

static size_t device_bytes(const struct cwi_facts *facts)
{
  size_t bytes = sizeof(struct census_device);
  for (size_t i = 0; i < facts->count; i++)
    bytes += sizeof(struct census_fact) + cwi_round_up(facts->facts[i].size, CENSUS_ALIGNMENT);
  return bytes;
}

static void write_device(char *place, const struct cwi_facts *facts, uint32_t number,
                         uint32_t vendor)
{
  *(struct census_device *)(void *)place =
      (struct census_device){(uint32_t)device_bytes(facts), number, vendor, (uint32_t)facts->count};
  place += sizeof(struct census_device);
  for (size_t i = 0; i < facts->count; i++) {
    const struct cwi_fact *fact = &facts->facts[i];
    *(struct census_fact *)(void *)place = (struct census_fact){fact->what, fact->size};
    place += sizeof(struct census_fact);
    memcpy(place, fact->value, fact->size);
    place += cwi_round_up(fact->size, CENSUS_ALIGNMENT);
  }
}

static void *census_write(uint32_t proxy, const struct cwi_found_device *devices,
                          struct cwi_facts *const *all, size_t count, size_t *bytes)
{
  *bytes = sizeof(struct census_block);
  for (size_t i = 0; i < count; i++)
    *bytes += device_bytes(all[i]);
  char *census = calloc(1, *bytes);
  if (census == NULL)
    return NULL;
  struct census_block *block = (struct census_block *)(void *)census;
  *block = (struct census_block){
      .mark = CENSUS_MARK, .count = (uint32_t)count, .bytes = *bytes, .proxy = proxy};
  gethostname(block->host, sizeof block->host - 1);
  char *place = census + sizeof *block;
  for (size_t i = 0; i < count; i++) {
    write_device(place, all[i], (uint32_t)i, devices[i].vendor);
    place += device_bytes(all[i]);
  }
  return census;
}

void *cwi_census_of(uint32_t proxy, const struct cwi_found_device *devices, size_t count,
                    size_t *bytes)
{
  struct cwi_facts **all = calloc(count + 1, sizeof *all);
  size_t described = 0;
  if (all == NULL)
    return NULL;
  while (described < count &&
         (all[described] = cwi_native_describe(devices[described].object)) != NULL)
    described++;
  void *census = described == count ? census_write(proxy, devices, all, count, bytes) : NULL;
  while (described > 0)
    cwi_facts_free(all[--described]);
  free(all);
  return census;
}

void *cwi_census_take(uint32_t proxy, size_t *bytes)
{
  const struct cwi_found_device *devices = NULL;
  const size_t count = cwi_vendor_devices(&devices);
  return cwi_census_of(proxy, devices, count, bytes);
}

/* The block at this place of a census; NULL: there is none, or one that cannot be. */
static const struct census_block *census_block_at(const char *census, size_t bytes, size_t place)
{
  const struct census_block *block = (const struct census_block *)(const void *)(census + place);
  if (bytes - place < sizeof *block || block->mark != CENSUS_MARK || block->bytes > bytes - place ||
      block->bytes < sizeof *block || block->bytes % CENSUS_ALIGNMENT != 0)
    return NULL;
  return block;
}

/* Device i of a block, if it lies in it as a whole. */
static const struct census_device *census_device_at(const struct census_block *block, size_t i)
{
  const char *place = (const char *)(block + 1);
  size_t left = block->bytes - sizeof *block;
  for (size_t each = 0; each < block->count; each++) {
    const struct census_device *device = (const struct census_device *)(const void *)place;
    if (left < sizeof *device || device->bytes > left || device->bytes < sizeof *device ||
        device->bytes % CENSUS_ALIGNMENT != 0 || device->facts > MOST_FACTS)
      return NULL;
    if (each == i)
      return device;
    place += device->bytes;
    left -= device->bytes;
  }
  return NULL;
}

static bool read_fact(const struct census_fact *from, struct cwi_fact *fact)
{
  *fact = (struct cwi_fact){.what = from->what, .size = from->size, .value = NULL};
  char *value = malloc((size_t)from->size + 1);
  if (value == NULL)
    return false;
  memcpy(value, from + 1, from->size);
  value[from->size] = '\0'; /* whoever takes it for a string finds an end */
  fact->value = value;
  return true;
}

/* They are searched by `what`, so they must be in order. */
static bool read_facts(const struct census_device *device, struct cwi_facts *facts)
{
  const char *place = (const char *)(device + 1);
  size_t left = device->bytes - sizeof *device;
  for (uint32_t i = 0; i < device->facts; i++) {
    const struct census_fact *from = (const struct census_fact *)(const void *)place;
    if (left < sizeof *from || cwi_round_up(from->size, CENSUS_ALIGNMENT) > left - sizeof *from ||
        (i > 0 && from->what <= facts->facts[i - 1].what) || !read_fact(from, &facts->facts[i]))
      return false;
    facts->count++;
    const size_t all = sizeof *from + cwi_round_up(from->size, CENSUS_ALIGNMENT);
    place += all;
    left -= all;
  }
  return true;
}

static struct cwi_facts *facts_of(const struct census_device *device)
{
  struct cwi_facts *facts = malloc(sizeof *facts + (size_t)device->facts * sizeof *facts->facts);
  if (facts == NULL)
    return NULL;
  *facts = (struct cwi_facts){0, (struct cwi_fact *)(facts + 1)};
  if (read_facts(device, facts))
    return facts;
  cwi_facts_free(facts);
  return NULL;
}

size_t cwi_census_count(const void *census, size_t bytes)
{
  size_t count = 0;
  for (size_t place = 0; place < bytes;) {
    const struct census_block *block = census_block_at(census, bytes, place);
    if (block == NULL || (block->count > 0 && census_device_at(block, block->count - 1) == NULL))
      return 0;
    count += block->count;
    place += block->bytes;
  }
  return count;
}

bool cwi_census_read(const void *census, size_t bytes, size_t i, struct cwi_census_entry *device)
{
  for (size_t place = 0; place < bytes;) {
    const struct census_block *block = census_block_at(census, bytes, place);
    if (block == NULL)
      return false;
    if (i < block->count) {
      const struct census_device *found = census_device_at(block, i);
      if (found == NULL)
        return false;
      *device = (struct cwi_census_entry){
          .proxy = block->proxy, .number = found->number, .vendor = found->vendor};
      memcpy(device->host, block->host, sizeof device->host - 1);
      device->facts = facts_of(found);
      return device->facts != NULL;
    }
    i -= block->count;
    place += block->bytes;
  }
  return false;
}
