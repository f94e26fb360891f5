/* The devices of proxies, for the list that a program sees. The proxy of this machine is asked
 * once, and tells of all: questions about devices cost no message after that. */
#include "remote/session.h"

#include "base/settings.h"
#include "wire/census.h"
#include "wire/door.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Vendors of this process have the numbers below; a proxy has so many at most. */
enum { FIRST_VENDOR = 1 << 16, MOST_VENDORS = 256 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cwi_found_device *shown;
static size_t shown_count;
static struct cwi_found_device *counted; /* all of the census */
static size_t counted_count;

static void take_fact(const struct cwi_facts *facts, cl_device_info what, void *value, size_t size)
{
  const struct cwi_fact *fact = cwi_fact_find(facts, what);
  if (fact != NULL)
    memcpy(value, fact->value, fact->size < size ? fact->size : size);
}

#define TAKE(what, field) take_fact(facts, CL_DEVICE_##what, &device->field, sizeof device->field)

void cwi_far_device_learn(struct cwi_far_device *device, uint32_t proxy, struct cwi_facts *facts)
{
  device->proxy = proxy;
  device->facts = facts;
  TAKE(MAX_MEM_ALLOC_SIZE, most_allocated);
  TAKE(LOCAL_MEM_SIZE, local_bytes);
  TAKE(QUEUE_PROPERTIES, queue_flags);
  TAKE(MAX_WORK_ITEM_SIZES, most_items);
  TAKE(MAX_WORK_GROUP_SIZE, group);
  TAKE(MAX_WORK_ITEM_DIMENSIONS, dimensions);
  TAKE(ADDRESS_BITS, address_bits);
  TAKE(MEM_BASE_ADDR_ALIGN, base_bytes);
  device->base_bytes /= 8; /* it is said in bits */
}

/* They are never freed. */
static const struct cwi_far_kind whole_devices = {.sort = CWI_DEVICE};

static struct cwi_far_device *device_new(const struct cwi_census_entry *entry)
{
  struct cwi_far_device *device = calloc(1, sizeof *device);
  if (device == NULL) {
    cwi_facts_free(entry->facts);
    return NULL;
  }
  device->far = (struct cwi_far){&cwi_remote_mark, &whole_devices, entry->number, 1, NULL};
  cwi_far_device_learn(device, entry->proxy, entry->facts);
  return device;
}

/* Shows all but those of the proxy that answers, which are this machine's own. */
static void show_census(const void *census, size_t bytes, uint32_t own)
{
  const bool all = cwi_settings.vocl_local == CWI_VOCL_PROXY;
  const size_t count = cwi_census_count(census, bytes);
  shown = calloc(count + 1, sizeof *shown);
  counted = calloc(count + 1, sizeof *counted);
  for (size_t i = 0; shown != NULL && counted != NULL && i < count; i++) {
    struct cwi_census_entry entry;
    struct cwi_far_device *device =
        cwi_census_read(census, bytes, i, &entry) ? device_new(&entry) : NULL;
    if (device == NULL)
      break;
    const unsigned vendor = FIRST_VENDOR + entry.proxy * MOST_VENDORS + entry.vendor % MOST_VENDORS;
    counted[counted_count++] = (struct cwi_found_device){device, vendor};
    if (all || entry.proxy != own)
      shown[shown_count++] = (struct cwi_found_device){device, vendor};
  }
}

static void ask_for_census(void)
{
  const struct cwi_door_question question = {
      .version = CWI_DOOR_VERSION, .wish = CWI_DOOR_CENSUS, .process = (uint32_t)getpid()};
  struct cwi_door_answer answer;
  int descriptor = -1;
  if (cwi_settings_read() != CW_OK)
    return;
  const int socket = cwi_door_knock(cwi_remote_service());
  if (socket < 0)
    return;
  void *census = NULL;
  if (cwi_door_ask(socket, &question, &answer, &descriptor) && answer.code == 0)
    census = cwi_door_map(descriptor, answer.bytes, false);
  if (census != NULL) {
    show_census(census, answer.bytes, answer.number);
    munmap(census, answer.bytes);
  }
  if (descriptor >= 0)
    close(descriptor);
  close(socket);
}

size_t cwi_remote_devices(const struct cwi_found_device **devices)
{
  pthread_once(&once, ask_for_census);
  *devices = shown;
  return shown_count;
}

const struct cwi_found_device *cwi_remote_device(struct cwi_device_name name)
{
  pthread_once(&once, ask_for_census);
  for (size_t i = 0; i < counted_count; i++) {
    const struct cwi_far_device *device = counted[i].object;
    if (device->proxy == name.proxy && device->far.number == name.number)
      return &counted[i];
  }
  return NULL;
}

size_t cwi_executor_devices(const struct cwi_found_device **devices)
{
  if (cwi_settings_read() == CW_OK && cwi_settings.vocl_local == CWI_VOCL_PROXY)
    return 0;
  return cwi_vendor_devices(devices);
}

struct cwi_facts *cwi_remote_describe(void *object)
{
  const struct cwi_facts *known = ((const struct cwi_far_device *)object)->facts;
  struct cwi_facts *facts = malloc(sizeof *facts + known->count * sizeof *facts->facts);
  if (facts == NULL)
    return NULL;
  *facts = (struct cwi_facts){0, (struct cwi_fact *)(facts + 1)};
  for (; facts->count < known->count; facts->count++) {
    struct cwi_fact *fact = &facts->facts[facts->count];
    *fact = known->facts[facts->count];
    fact->value = malloc((size_t)fact->size + 1);
    if (fact->value == NULL) {
      cwi_facts_free(facts);
      return NULL;
    }
    memcpy(fact->value, known->facts[facts->count].value, fact->size);
    ((char *)fact->value)[fact->size] = '\0';
  }
  return facts;
}
