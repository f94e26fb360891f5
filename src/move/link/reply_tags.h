/* The tags of messages between origins and servers, all on the servers' communicator. */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* A reply has an even tag, which the origin chooses. The data of a bulk update has the next odd
 * tag. The two must differ, because a process may be both origin and server towards the same
 * peer. */
enum { CWI_TAG_REQUEST = 1, CWI_TAG_CREDIT = 2, CWI_TAG_FIRST = 16, CWI_TAGS = 16000 };

/* Takes a tag for a reply. The tag after it is then reserved for bulk data. The caller holds the
 * lock of the current origin: each origin has a stock of tags. */
CWI_CHECKED cw_error cwi_tag_take(uint32_t *tag);
void cwi_tag_give(uint32_t tag);
