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

/* A list that is being made: what all sessions have on each device is known at its end. */
struct cwi_list_making {
  struct cwi_text sessions;
  struct cwi_list_load {
    uint32_t sessions, unfinished;
  } * loads; /* of each proxy's devices, CWI_SERVICE_DEVICES each; NULL: no memory */
};

void cwi_listing_begin(struct cwi_list_making *list);
/* Adds a line for a session; the first one has a heading. */
void cwi_list_session(struct cwi_list_making *list, uint32_t number,
                      const struct cwi_mail_entry *entry);
/* The whole text, to be freed: proxies, then sessions. */
struct cwi_text cwi_listing_end(struct cwi_list_making *list,
                                const struct cwi_service_facts *facts);
/* Nobody wants it any more, or the text was made. */
void cwi_list_drop(struct cwi_list_making *list);

/* Of a session that this proxy serves; false: another one does. */
struct cwi_proxy_session;
bool cwi_list_entry(const struct cwi_proxy_session *session, struct cwi_mail_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
