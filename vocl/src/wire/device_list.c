/* The device list in one block: each proxy writes its own devices. Programs read the devices of all
 * proxies, and the sub-devices in replies. A reader checks every length, because the block comes
 * from another process. */
#include "wire/device_list.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICE_LIST_MAGIC = 0x73757363, MOST_FACTS = 1024, DEVICE_LIST_ALIGNMENT = 8 };

/* Headers of a block, of a device in it, and of a fact. The value of a fact follows its header.
 * Each header begins at a multiple of 8. */
struct device_list_block {
  uint32_t magic, count;
  uint64_t bytes; /* including this header */
  uint32_t proxy, unused;
  char host[64];
};

struct device_list_device {
  uint32_t bytes; /* including this header */
  uint32_t number, vendor, facts;
};

struct device_list_fact {
  uint32_t what, size;
};

static size_t device_bytes(const struct vocl_facts *facts)
{
  size_t bytes = sizeof(struct device_list_device);
  for (size_t i = 0; i < facts->count; i++)
    bytes +=
        sizeof(struct device_list_fact) + cwi_round_up(facts->facts[i].size, DEVICE_LIST_ALIGNMENT);
  return bytes;
}

static void write_device(char *place, const struct vocl_facts *facts, uint32_t number,
                         uint32_t vendor)
{
  *(struct device_list_device *)(void *)place = (struct device_list_device){
      (uint32_t)device_bytes(facts), number, vendor, (uint32_t)facts->count};
  place += sizeof(struct device_list_device);
  for (size_t i = 0; i < facts->count; i++) {
    const struct vocl_fact *fact = &facts->facts[i];
    *(struct device_list_fact *)(void *)place = (struct device_list_fact){fact->what, fact->size};
    place += sizeof(struct device_list_fact);
    memcpy(place, fact->value, fact->size);
    place += cwi_round_up(fact->size, DEVICE_LIST_ALIGNMENT);
  }
}

static void *device_list_write(uint32_t proxy, const struct vocl_found_device *devices,
                               struct vocl_facts *const *all, size_t count, size_t *bytes)
{
  *bytes = sizeof(struct device_list_block);
  for (size_t i = 0; i < count; i++)
    *bytes += device_bytes(all[i]);
  char *device_list = calloc(1, *bytes);
  if (device_list == NULL)
    return NULL;
  struct device_list_block *block = (struct device_list_block *)(void *)device_list;
  *block = (struct device_list_block){
      .magic = DEVICE_LIST_MAGIC, .count = (uint32_t)count, .bytes = *bytes, .proxy = proxy};
  gethostname(block->host, sizeof block->host - 1);
  char *place = device_list + sizeof *block;
  for (size_t i = 0; i < count; i++) {
    write_device(place, all[i], (uint32_t)i, devices[i].vendor);
    place += device_bytes(all[i]);
  }
  return device_list;
}

void *vocl_device_list_make_of(uint32_t proxy, const struct vocl_found_device *devices,
                               size_t count, size_t *bytes)
{
  struct vocl_facts **all = calloc(count + 1, sizeof *all);
  size_t described = 0;
  if (all == NULL)
    return NULL;
  while (described < count &&
         (all[described] = vocl_native_describe(devices[described].object)) != NULL)
    described++;
  void *device_list =
      described == count ? device_list_write(proxy, devices, all, count, bytes) : NULL;
  while (described > 0)
    vocl_facts_free(all[--described]);
  free(all);
  return device_list;
}

void *vocl_device_list_make(uint32_t proxy, size_t *bytes)
{
  const struct vocl_found_device *devices = NULL;
  const size_t count = vocl_vendor_devices(&devices);
  return vocl_device_list_make_of(proxy, devices, count, bytes);
}

/* Returns the block at this place of a device list, or NULL if there is none or it is malformed. */
static const struct device_list_block *device_list_block_at(const char *device_list, size_t bytes,
                                                            size_t place)
{
  const struct device_list_block *block =
      (const struct device_list_block *)(const void *)(device_list + place);
  if (bytes - place < sizeof *block || block->magic != DEVICE_LIST_MAGIC ||
      block->bytes > bytes - place || block->bytes < sizeof *block ||
      block->bytes % DEVICE_LIST_ALIGNMENT != 0)
    return NULL;
  return block;
}

/* Returns device i of a block, or NULL if it is not completely inside the block. */
static const struct device_list_device *device_list_device_at(const struct device_list_block *block,
                                                              size_t i)
{
  const char *place = (const char *)(block + 1);
  size_t left = block->bytes - sizeof *block;
  for (size_t each = 0; each < block->count; each++) {
    const struct device_list_device *device =
        (const struct device_list_device *)(const void *)place;
    if (left < sizeof *device || device->bytes > left || device->bytes < sizeof *device ||
        device->bytes % DEVICE_LIST_ALIGNMENT != 0 || device->facts > MOST_FACTS)
      return NULL;
    if (each == i)
      return device;
    place += device->bytes;
    left -= device->bytes;
  }
  return NULL;
}

static bool read_fact(const struct device_list_fact *from, struct vocl_fact *fact)
{
  *fact = (struct vocl_fact){.what = from->what, .size = from->size, .value = NULL};
  char *value = malloc((size_t)from->size + 1);
  if (value == NULL)
    return false;
  memcpy(value, from + 1, from->size);
  value[from->size] = '\0'; /* terminates a value that is a string */
  fact->value = value;
  return true;
}

/* Reads the facts. They must be sorted by `what`, because vocl_fact_find searches them. */
static bool read_facts(const struct device_list_device *device, struct vocl_facts *facts)
{
  const char *place = (const char *)(device + 1);
  size_t left = device->bytes - sizeof *device;
  for (uint32_t i = 0; i < device->facts; i++) {
    const struct device_list_fact *from = (const struct device_list_fact *)(const void *)place;
    if (left < sizeof *from ||
        cwi_round_up(from->size, DEVICE_LIST_ALIGNMENT) > left - sizeof *from ||
        (i > 0 && from->what <= facts->facts[i - 1].what) || !read_fact(from, &facts->facts[i]))
      return false;
    facts->count++;
    const size_t all = sizeof *from + cwi_round_up(from->size, DEVICE_LIST_ALIGNMENT);
    place += all;
    left -= all;
  }
  return true;
}

static struct vocl_facts *facts_of(const struct device_list_device *device)
{
  struct vocl_facts *facts = malloc(sizeof *facts + (size_t)device->facts * sizeof *facts->facts);
  if (facts == NULL)
    return NULL;
  *facts = (struct vocl_facts){0, (struct vocl_fact *)(facts + 1)};
  if (read_facts(device, facts))
    return facts;
  vocl_facts_free(facts);
  return NULL;
}

size_t vocl_device_list_count(const void *device_list, size_t bytes)
{
  size_t count = 0;
  for (size_t place = 0; place < bytes;) {
    const struct device_list_block *block = device_list_block_at(device_list, bytes, place);
    if (block == NULL ||
        (block->count > 0 && device_list_device_at(block, block->count - 1) == NULL))
      return 0;
    count += block->count;
    place += block->bytes;
  }
  return count;
}

bool vocl_device_list_read(const void *device_list, size_t bytes, size_t i,
                           struct vocl_device_list_entry *device)
{
  for (size_t place = 0; place < bytes;) {
    const struct device_list_block *block = device_list_block_at(device_list, bytes, place);
    if (block == NULL)
      return false;
    if (i < block->count) {
      const struct device_list_device *found = device_list_device_at(block, i);
      if (found == NULL)
        return false;
      *device = (struct vocl_device_list_entry){
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
