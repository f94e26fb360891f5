/* Writes the list of proxies and sessions. */
#include "proxy/list.h"

#include "base/check.h"
#include "proxy/session.h"
#include "wire/census.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_add(struct cwi_text *list, const char *format, ...) CWI_PRINTF(2, 3);
static void text_add(struct cwi_text *list, const char *format, ...)
{
  char *line = NULL;
  va_list values;
  va_start(values, format);
  const int length = vasprintf(&line, format, values);
  va_end(values);
  char *longer = length >= 0 ? realloc(list->text, list->length + (size_t)length + 1) : NULL;
  if (longer == NULL) {
    free(length >= 0 ? line : NULL);
    return; /* a line is missing: there is no memory */
  }
  memcpy(longer + list->length, line, (size_t)length + 1);
  list->text = longer;
  list->length += (size_t)length;
  free(line);
}

static const struct cwi_list_load *load_at(const struct cwi_list_making *list, uint32_t proxy,
                                           uint32_t number)
{
  static const struct cwi_list_load none;
  return list->loads != NULL && number < CWI_SERVICE_DEVICES
             ? &list->loads[proxy * CWI_SERVICE_DEVICES + number]
             : &none;
}

static void add_device(struct cwi_text *text, const struct cwi_list_making *list, const char *host,
                       const struct cwi_census_entry *device)
{
  const struct cwi_fact *name = cwi_fact_find(device->facts, CL_DEVICE_NAME);
  const struct cwi_list_load *load = load_at(list, device->proxy, device->number);
  text_add(text, "%5u  %-20s  %3u.%-2u  %8u  %10u  %s\n", device->proxy, host, device->proxy,
           device->number, load->sessions, load->unfinished,
           name != NULL ? (const char *)name->value : "?");
}

/* The devices of one proxy begin at *next. */
static void add_proxy(struct cwi_text *text, const struct cwi_list_making *list,
                      const struct cwi_service_facts *facts, int proxy, size_t *next)
{
  const char *host = facts->hosts[proxy].name;
  const size_t first = *next;
  struct cwi_census_entry device;
  while (cwi_census_read(facts->census, facts->census_bytes, *next, &device)) {
    const bool is_its = device.proxy == (uint32_t)proxy;
    if (is_its)
      add_device(text, list, host, &device);
    cwi_facts_free(device.facts);
    if (!is_its)
      break;
    ++*next;
  }
  if (*next == first)
    text_add(text, "%5d  %-20s  %6s  %8s  %10s  none\n", proxy, host, "", "", "");
}

void cwi_listing_begin(struct cwi_list_making *list)
{
  *list = (struct cwi_list_making){
      .loads = calloc((size_t)cw_processes() * CWI_SERVICE_DEVICES, sizeof *list->loads)};
}

/* The devices on which a session has queues: "1.0 1.2". */
static struct cwi_text devices_text(const struct cwi_mail_entry *entry)
{
  struct cwi_text text = {NULL, 0};
  for (uint32_t i = 0; i < CWI_SERVICE_DEVICES; i++)
    if ((entry->devices >> i & 1) != 0)
      text_add(&text, "%s%d.%u", text.length > 0 ? " " : "", entry->to, i);
  if (text.length == 0)
    text_add(&text, "-");
  return text;
}

static uint32_t list_count(struct cwi_list_making *list, const struct cwi_mail_entry *entry)
{
  uint32_t unfinished = 0;
  for (uint32_t i = 0; i < CWI_SERVICE_DEVICES; i++) {
    unfinished += entry->unfinished[i];
    if (list->loads == NULL)
      continue;
    struct cwi_list_load *load = &list->loads[(uint32_t)entry->to * CWI_SERVICE_DEVICES + i];
    load->sessions += entry->devices >> i & 1;
    load->unfinished += entry->unfinished[i];
  }
  return unfinished;
}

void cwi_list_session(struct cwi_list_making *list, uint32_t number,
                      const struct cwi_mail_entry *entry)
{
  struct cwi_text devices = devices_text(entry);
  if (list->sessions.length == 0)
    text_add(&list->sessions, "\n%7s  %-20s  %8s  %4s  %5s  %-8s  %14s  %10s  %10s  %14s  %14s\n",
             "session", "program", "pid", "door", "proxy", "devices", "device memory", "unfinished",
             "commands", "bytes in", "bytes out");
  text_add(&list->sessions,
           "%7u  %-20s  %8u  %4d  %5d  %-8s  %14llu  %10u  %10llu  %14llu  %14llu\n", number,
           entry->program, entry->process, entry->from, entry->to,
           devices.text != NULL ? devices.text : "?", (unsigned long long)entry->device_bytes,
           list_count(list, entry), (unsigned long long)entry->commands,
           (unsigned long long)entry->bytes_in, (unsigned long long)entry->bytes_out);
  free(devices.text);
}

struct cwi_text cwi_listing_end(struct cwi_list_making *list, const struct cwi_service_facts *facts)
{
  struct cwi_text text = {NULL, 0};
  size_t next = 0;
  text_add(&text, "%5s  %-20s  %6s  %8s  %10s  %s\n", "proxy", "host", "number", "sessions",
           "unfinished", "device");
  for (int proxy = 0; proxy < cw_processes(); proxy++)
    add_proxy(&text, list, facts, proxy, &next);
  if (list->sessions.length > 0)
    text_add(&text, "%s", list->sessions.text);
  cwi_list_drop(list);
  return text;
}

void cwi_list_drop(struct cwi_list_making *list)
{
  free(list->sessions.text);
  free(list->loads);
  *list = (struct cwi_list_making){.loads = NULL};
}

bool cwi_list_entry(const struct cwi_proxy_session *session, struct cwi_mail_entry *entry)
{
  const struct cwi_service_counts *counts = &session->counts;
  if (session->to != cw_process())
    return false;
  *entry = (struct cwi_mail_entry){
      .process = session->process,
      .from = session->from,
      .to = session->to,
      .device_bytes = __atomic_load_n(&counts->device_bytes, __ATOMIC_RELAXED),
      .commands = __atomic_load_n(&counts->commands, __ATOMIC_RELAXED),
      .bytes_in = __atomic_load_n(&counts->bytes_in, __ATOMIC_RELAXED),
      .bytes_out = __atomic_load_n(&counts->bytes_out, __ATOMIC_RELAXED)};
  memcpy(entry->program, session->program, sizeof entry->program);
  for (size_t i = 0; i < CWI_SERVICE_DEVICES; i++) {
    const struct cwi_service_load *load = &counts->loads[i];
    const bool is_used = __atomic_load_n(&load->queues, __ATOMIC_RELAXED) > 0;
    entry->devices |= (uint64_t)is_used << i;
    entry->unfinished[i] = (uint32_t)__atomic_load_n(&load->unfinished, __ATOMIC_RELAXED);
  }
  return true;
}
