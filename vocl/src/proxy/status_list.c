/* Writes the list of proxies and sessions. */
#include "proxy/status_list.h"

#include "base/error.h"
#include "relay/proxy_session.h"
#include "wire/device_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_add(struct vocl_text_buffer *list, const char *format, ...) CWI_PRINTF(2, 3);
static void text_add(struct vocl_text_buffer *list, const char *format, ...)
{
  char *line = NULL;
  va_list values;
  va_start(values, format);
  const int length = vasprintf(&line, format, values);
  va_end(values);
  char *longer = length >= 0 ? realloc(list->text, list->length + (size_t)length + 1) : NULL;
  if (longer == NULL) {
    free(length >= 0 ? line : NULL);
    return; /* out of memory: omit the line */
  }
  memcpy(longer + list->length, line, (size_t)length + 1);
  list->text = longer;
  list->length += (size_t)length;
  free(line);
}

static const struct vocl_status_load *load_at(const struct vocl_status_list *list, uint32_t proxy,
                                              uint32_t number)
{
  static const struct vocl_status_load none;
  return list->loads != NULL && number < VOCL_SERVICE_DEVICES
             ? &list->loads[proxy * VOCL_SERVICE_DEVICES + number]
             : &none;
}

static void add_device(struct vocl_text_buffer *text, const struct vocl_status_list *list,
                       const char *host, const struct vocl_device_list_entry *device)
{
  const struct vocl_fact *name = vocl_fact_find(device->facts, CL_DEVICE_NAME);
  const struct vocl_status_load *load = load_at(list, device->proxy, device->number);
  text_add(text, "%5u  %-20s  %3u.%-2u  %8u  %10u  %s\n", device->proxy, host, device->proxy,
           device->number, load->sessions, load->unfinished,
           name != NULL ? (const char *)name->value : "?");
}

/* Adds the devices of a proxy, which begin at index *next of the device list. Advances *next to the
 * devices of the next proxy. */
static void add_proxy(struct vocl_text_buffer *text, const struct vocl_status_list *list,
                      const struct vocl_service_facts *facts, int proxy, size_t *next)
{
  const char *host = facts->hosts[proxy].name;
  const size_t first = *next;
  struct vocl_device_list_entry device;
  while (vocl_device_list_read(facts->device_list, facts->device_list_bytes, *next, &device)) {
    const bool is_its = device.proxy == (uint32_t)proxy;
    if (is_its)
      add_device(text, list, host, &device);
    vocl_facts_free(device.facts);
    if (!is_its)
      break;
    ++*next;
  }
  if (*next == first)
    text_add(text, "%5d  %-20s  %6s  %8s  %10s  none\n", proxy, host, "", "", "");
}

void vocl_status_list_begin(struct vocl_status_list *list)
{
  *list = (struct vocl_status_list){
      .loads = calloc((size_t)cw_processes() * VOCL_SERVICE_DEVICES, sizeof *list->loads)};
}

/* Returns the devices on which a session has queues, such as "1.0 1.2". */
static struct vocl_text_buffer devices_text(const struct vocl_control_entry *entry)
{
  struct vocl_text_buffer text = {NULL, 0};
  for (uint32_t i = 0; i < VOCL_SERVICE_DEVICES; i++)
    if ((entry->devices >> i & 1) != 0)
      text_add(&text, "%s%d.%u", text.length > 0 ? " " : "", entry->to, i);
  if (text.length == 0)
    text_add(&text, "-");
  return text;
}

static uint32_t list_count(struct vocl_status_list *list, const struct vocl_control_entry *entry)
{
  uint32_t unfinished = 0;
  for (uint32_t i = 0; i < VOCL_SERVICE_DEVICES; i++) {
    unfinished += entry->unfinished[i];
    if (list->loads == NULL)
      continue;
    struct vocl_status_load *load = &list->loads[(uint32_t)entry->to * VOCL_SERVICE_DEVICES + i];
    load->sessions += entry->devices >> i & 1;
    load->unfinished += entry->unfinished[i];
  }
  return unfinished;
}

void vocl_status_list_add_session(struct vocl_status_list *list, uint32_t number,
                                  const struct vocl_control_entry *entry)
{
  struct vocl_text_buffer devices = devices_text(entry);
  if (list->sessions.length == 0)
    text_add(&list->sessions, "\n%7s  %-20s  %8s  %4s  %5s  %-8s  %14s  %10s  %10s  %14s  %14s\n",
             "session", "program", "pid", "from", "proxy", "devices", "device memory", "unfinished",
             "commands", "bytes in", "bytes out");
  text_add(&list->sessions,
           "%7u  %-20s  %8u  %4d  %5d  %-8s  %14llu  %10u  %10llu  %14llu  %14llu\n", number,
           entry->program, entry->process, entry->from, entry->to,
           devices.text != NULL ? devices.text : "?", (unsigned long long)entry->device_bytes,
           list_count(list, entry), (unsigned long long)entry->commands,
           (unsigned long long)entry->bytes_in, (unsigned long long)entry->bytes_out);
  free(devices.text);
}

struct vocl_text_buffer vocl_status_list_end(struct vocl_status_list *list,
                                             const struct vocl_service_facts *facts)
{
  struct vocl_text_buffer text = {NULL, 0};
  size_t next = 0;
  text_add(&text, "%5s  %-20s  %6s  %8s  %10s  %s\n", "proxy", "host", "number", "sessions",
           "unfinished", "device");
  for (int proxy = 0; proxy < cw_processes(); proxy++)
    add_proxy(&text, list, facts, proxy, &next);
  if (list->sessions.length > 0)
    text_add(&text, "%s", list->sessions.text);
  vocl_status_list_free(list);
  return text;
}

void vocl_status_list_free(struct vocl_status_list *list)
{
  free(list->sessions.text);
  free(list->loads);
  *list = (struct vocl_status_list){.loads = NULL};
}

bool vocl_status_entry(const struct vocl_proxy_session *session, struct vocl_control_entry *entry)
{
  const struct vocl_service_counts *counts = &session->counts;
  if (session->to != cw_process())
    return false;
  *entry = (struct vocl_control_entry){
      .process = session->process,
      .from = session->from,
      .to = session->to,
      .device_bytes = __atomic_load_n(&counts->device_bytes, __ATOMIC_RELAXED),
      .commands = __atomic_load_n(&counts->commands, __ATOMIC_RELAXED),
      .bytes_in = __atomic_load_n(&counts->bytes_in, __ATOMIC_RELAXED),
      .bytes_out = __atomic_load_n(&counts->bytes_out, __ATOMIC_RELAXED)};
  memcpy(entry->program, session->program, sizeof entry->program);
  for (size_t i = 0; i < VOCL_SERVICE_DEVICES; i++) {
    const struct vocl_service_load *load = &counts->loads[i];
    const bool is_used = __atomic_load_n(&load->queues, __ATOMIC_RELAXED) > 0;
    entry->devices |= (uint64_t)is_used << i;
    entry->unfinished[i] = (uint32_t)__atomic_load_n(&load->unfinished, __ATOMIC_RELAXED);
  }
  return true;
}
