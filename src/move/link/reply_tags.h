/* The tags of messages between origins and servers, all on the servers' communicator. */
#ifndef CWI_LINK_REPLY_TAGS_H
#define CWI_LINK_REPLY_TAGS_H

#include "base/error.h"

#include <stdint.h>

/* A reply has an even tag of the origin's choice, the data of a bulk put the next odd one: a
 * process may be origin and server towards the same peer. */
enum { CWI_TAG_REQUEST = 1, CWI_TAG_CREDIT = 2, CWI_TAG_FIRST = 16, CWI_TAGS = 16000 };

/* Tags for a reply and for the bulk data that belongs to it (tag + 1). With the lock of the present
 * origin: each has some in stock. */
CWI_CHECKED cw_error cwi_tag_take(uint32_t *tag);
void cwi_tag_give(uint32_t tag);
#endif
