/* The devices of proxies in the device list of a program. The proxy of this machine sends the
 * list once, so later queries about devices need no message. */
#include "remote/remote_session.h"

#include "base/settings.h"
#include "wire/device_list.h"
#include "wire/service_socket.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Vendor numbers below FIRST_VENDOR belong to vendors in this process; each proxy has at most
 * MOST_VENDORS. */
enum { FIRST_VENDOR = 1 << 16, MOST_VENDORS = 256 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct vocl_found_device *shown;
static size_t shown_count;
static struct vocl_found_device *counted; /* all devices of the device list */
static size_t counted_count;

static void take_fact(const struct vocl_facts *facts, cl_device_info what, void *value, size_t size)
{
  const struct vocl_fact *fact = vocl_fact_find(facts, what);
  if (fact != NULL)
    memcpy(value, fact->value, fact->size < size ? fact->size : size);
}

#define TAKE(what, field) take_fact(facts, CL_DEVICE_##what, &device->field, sizeof device->field)

void vocl_stub_device_set_facts(struct vocl_stub_device *device, uint32_t proxy,
                                struct vocl_facts *facts)
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
  device->base_bytes /= 8; /* the vendor reports it in bits */
}

/* Devices of the device list are never freed. */
static const struct vocl_stub_kind whole_devices = {.sort = VOCL_DEVICE};

static struct vocl_stub_device *device_new(const struct vocl_device_list_entry *entry)
{
  struct vocl_stub_device *device = calloc(1, sizeof *device);
  if (device == NULL) {
    vocl_facts_free(entry->facts);
    return NULL;
  }
  device->stub = (struct vocl_stub){
      .tag = &vocl_remote_tag, .kind = &whole_devices, .number = entry->number, .refs = 1};
  vocl_stub_device_set_facts(device, entry->proxy, entry->facts);
  return device;
}

/* Reads the device list. Shows all devices except those of the proxy that replied, which this
 * process accesses itself. With CW_VOCL_LOCAL=proxy, shows these too. */
static void show_device_list(const void *device_list, size_t bytes, uint32_t own)
{
  const bool all = cwi_settings.vocl_local == CWI_VOCL_PROXY;
  const size_t count = vocl_device_list_count(device_list, bytes);
  shown = calloc(count + 1, sizeof *shown);
  counted = calloc(count + 1, sizeof *counted);
  for (size_t i = 0; shown != NULL && counted != NULL && i < count; i++) {
    struct vocl_device_list_entry entry;
    struct vocl_stub_device *device =
        vocl_device_list_read(device_list, bytes, i, &entry) ? device_new(&entry) : NULL;
    if (device == NULL)
      break;
    const unsigned vendor = FIRST_VENDOR + entry.proxy * MOST_VENDORS + entry.vendor % MOST_VENDORS;
    counted[counted_count++] = (struct vocl_found_device){device, vendor};
    if (all || entry.proxy != own)
      shown[shown_count++] = (struct vocl_found_device){device, vendor};
  }
}

static void query_device_list(void)
{
  const struct vocl_socket_request query = {
      .version = VOCL_SOCKET_VERSION, .type = VOCL_SOCKET_DEVICES, .process = (uint32_t)getpid()};
  struct vocl_socket_reply answer;
  int descriptor = -1;
  if (cwi_settings_read() != CW_OK)
    return;
  const int socket = vocl_socket_connect(vocl_remote_service_name());
  if (socket < 0)
    return;
  void *device_list = NULL;
  if (vocl_socket_query(socket, &query, &answer, &descriptor) && answer.code == 0)
    device_list = vocl_shared_memory_map(descriptor, answer.bytes, false);
  if (device_list != NULL) {
    show_device_list(device_list, answer.bytes, answer.number);
    munmap(device_list, answer.bytes);
  }
  if (descriptor >= 0)
    close(descriptor);
  close(socket);
}

size_t vocl_remote_devices(const struct vocl_found_device **devices)
{
  pthread_once(&once, query_device_list);
  *devices = shown;
  return shown_count;
}

const struct vocl_found_device *vocl_remote_device_find(struct vocl_device_name name)
{
  pthread_once(&once, query_device_list);
  for (size_t i = 0; i < counted_count; i++) {
    const struct vocl_stub_device *device = counted[i].object;
    if (device->proxy == name.proxy && device->stub.number == name.number)
      return &counted[i];
  }
  return NULL;
}

size_t vocl_local_devices(const struct vocl_found_device **devices)
{
  if (cwi_settings_read() == CW_OK && cwi_settings.vocl_local == CWI_VOCL_PROXY)
    return 0;
  return vocl_vendor_devices(devices);
}

struct vocl_facts *vocl_remote_describe(void *object)
{
  const struct vocl_facts *known = ((const struct vocl_stub_device *)object)->facts;
  struct vocl_facts *facts = malloc(sizeof *facts + known->count * sizeof *facts->facts);
  if (facts == NULL)
    return NULL;
  *facts = (struct vocl_facts){0, (struct vocl_fact *)(facts + 1)};
  for (; facts->count < known->count; facts->count++) {
    struct vocl_fact *fact = &facts->facts[facts->count];
    *fact = known->facts[facts->count];
    fact->value = malloc((size_t)fact->size + 1);
    if (fact->value == NULL) {
      vocl_facts_free(facts);
      return NULL;
    }
    memcpy(fact->value, known->facts[facts->count].value, fact->size);
    ((char *)fact->value)[fact->size] = '\0';
  }
  return facts;
}
