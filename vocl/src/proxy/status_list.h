/* The text that `cw-vocl list` prints: proxies with their devices, and sessions with what they
 * use. */
#pragma once

#include "relay/control_channel.h"

#include <stdbool.h>
#include <stddef.h>

struct vocl_text_buffer {
  char *text; /* NULL if there is no memory */
  size_t length;
};

/* Facts of a service: the device list of all proxies, and the names of their hosts. */
struct vocl_service_facts {
  void *device_list;
  size_t device_list_bytes;
  struct vocl_host_name {
    char name[64];
  } * hosts;
};

/* A list under construction. The loads of devices are complete when all sessions have been
 * added. */
struct vocl_status_list {
  struct vocl_text_buffer sessions;
  struct vocl_status_load {
    uint32_t sessions, unfinished;
  } * loads; /* VOCL_SERVICE_DEVICES for each proxy; NULL if there is no memory */
};

void vocl_status_list_begin(struct vocl_status_list *list);
/* Adds a line for a session, and the heading before the first one. */
void vocl_status_list_add_session(struct vocl_status_list *list, uint32_t number,
                                  const struct vocl_control_entry *entry);
/* Returns the whole text, proxies and then sessions, which the caller frees. Frees the list. */
struct vocl_text_buffer vocl_status_list_end(struct vocl_status_list *list,
                                             const struct vocl_service_facts *facts);
/* Frees a list, finished or not. */
void vocl_status_list_free(struct vocl_status_list *list);

struct vocl_proxy_session;
/* Describes a session in `entry`. Returns false if another proxy serves it. */
bool vocl_status_entry(const struct vocl_proxy_session *session, struct vocl_control_entry *entry);
