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

static void add_device(struct cwi_text *list, const char *host,
                       const struct cwi_census_entry *device)
{
  const struct cwi_fact *name = cwi_fact_find(device->facts, CL_DEVICE_NAME);
  text_add(list, "%5u  %-20s  %6u  %s\n", device->proxy, host, device->number,
           name != NULL ? (const char *)name->value : "?");
}

/* The devices of one proxy begin at *next. */
static void add_proxy(struct cwi_text *list, const struct cwi_service_facts *facts, int proxy,
                      size_t *next)
{
  const char *host = facts->hosts[proxy].name;
  const size_t first = *next;
  struct cwi_census_entry device;
  while (cwi_census_read(facts->census, facts->census_bytes, *next, &device)) {
    const bool is_its = device.proxy == (uint32_t)proxy;
    if (is_its)
      add_device(list, host, &device);
    cwi_facts_free(device.facts);
    if (!is_its)
      break;
    ++*next;
  }
  if (*next == first)
    text_add(list, "%5d  %-20s  %6s  none\n", proxy, host, "");
}

void cwi_list_proxies(struct cwi_text *list, const struct cwi_service_facts *facts)
{
  size_t next = 0;
  *list = (struct cwi_text){NULL, 0};
  text_add(list, "%5s  %-20s  %6s  %s\n", "proxy", "host", "number", "device");
  for (int proxy = 0; proxy < cw_processes(); proxy++)
    add_proxy(list, facts, proxy, &next);
}

void cwi_list_session(struct cwi_text *list, uint32_t number, const struct cwi_mail_entry *entry,
                      bool first)
{
  if (first)
    text_add(list, "\n%7s  %-20s  %8s  %4s  %5s  %14s  %10s  %14s  %14s\n", "session", "program",
             "pid", "door", "proxy", "device memory", "commands", "bytes in", "bytes out");
  text_add(list, "%7u  %-20s  %8u  %4d  %5d  %14llu  %10llu  %14llu  %14llu\n", number,
           entry->program, entry->process, entry->from, entry->to,
           (unsigned long long)entry->device_bytes, (unsigned long long)entry->commands,
           (unsigned long long)entry->bytes_in, (unsigned long long)entry->bytes_out);
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
  return true;
}
