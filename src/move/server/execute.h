/* Executing requests on the memory of my node. */
#ifndef CWI_SERVER_EXECUTE_H
#define CWI_SERVER_EXECUTE_H

#include "server/request_buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A parcel for my node, which lies in the buffer. What agents do of it, or of what its origin sent
 * before, goes on afterwards (server/standing.h). */
void cwi_execute_parcel(struct cwi_request_buffer *buffer, const struct cwi_parcel *parcel);

#ifdef __cplusplus
}
#endif
#endif
