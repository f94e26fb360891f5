/* The text that `cw-vocl list` shows: proxies with their devices, sessions with what they use. */
#ifndef VOCL_PROXY_STATUS_LIST_H
#define VOCL_PROXY_STATUS_LIST_H

#include "relay/control_channel.h"

#include <stdbool.h>
#include <stddef.h>

struct vocl_text_buffer {
  char *text; /* NULL: no memory */
  size_t length;
};

/* What a service has: the census of all proxies, and the names of their hosts. */
struct vocl_service_facts {
  void *device_list;
  size_t device_list_bytes;
  struct vocl_host_name {
    char name[64];
  } * hosts;
};

/* A list that is being made: what all sessions have on each device is known at its end. */
struct vocl_status_list {
  struct vocl_text_buffer sessions;
  struct vocl_status_load {
    uint32_t sessions, unfinished;
  } * loads; /* of each proxy's devices, VOCL_SERVICE_DEVICES each; NULL: no memory */
};

void vocl_status_list_begin(struct vocl_status_list *list);
/* Adds a line for a session; the first one has a heading. */
void vocl_status_list_add_session(struct vocl_status_list *list, uint32_t number,
                                  const struct vocl_control_entry *entry);
/* The whole text, to be freed: proxies, then sessions. */
struct vocl_text_buffer vocl_status_list_end(struct vocl_status_list *list,
                                             const struct vocl_service_facts *facts);
/* Nobody wants it any more, or the text was made. */
void vocl_status_list_free(struct vocl_status_list *list);

/* Of a session that this proxy serves; false: another one does. */
struct vocl_proxy_session;
bool vocl_status_entry(const struct vocl_proxy_session *session, struct vocl_control_entry *entry);
#endif
