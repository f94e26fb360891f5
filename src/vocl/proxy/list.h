/* The text that `cw-vocl list` shows: proxies with their devices, sessions with what they use. */
#ifndef CWI_PROXY_LIST_H
#define CWI_PROXY_LIST_H

#include "proxy/post.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_text {
  char *text; /* NULL: no memory */
  size_t length;
};

/* What a service has: the census of all proxies, and the names of their hosts. */
struct cwi_service_facts {
  void *census;
  size_t census_bytes;
  struct cwi_host_name {
    char name[64];
  } * hosts;
};

/* Begins a text with the proxies. */
void cwi_list_proxies(struct cwi_text *list, const struct cwi_service_facts *facts);
/* Adds a line for a session; the first one has a heading. */
void cwi_list_session(struct cwi_text *list, uint32_t number, const struct cwi_mail_entry *entry,
                      bool first);

/* Of a session that this proxy serves; false: another one does. */
struct cwi_proxy_session;
bool cwi_list_entry(const struct cwi_proxy_session *session, struct cwi_mail_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
