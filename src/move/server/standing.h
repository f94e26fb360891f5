/* What the server has left to agents of its node, and what waits behind that: other origins'
 * requests go on meanwhile. */
#ifndef CWI_SERVER_STANDING_H
#define CWI_SERVER_STANDING_H

#include "base/check.h"
#include "link/wire.h"
#include "memory/agent.h"
#include "server/request_buffer.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called when a mission has ended, with what came of it. */
typedef void (*cwi_mission_done)(void *context, cw_error error);
void cwi_missions_add(struct cwi_mission *mission, cwi_mission_done done, void *context);
int cwi_missions_count(void);

/* Let all of them go on, and tell nobody yet: for a server that waits for an agent itself. */
void cwi_missions_advance(void);

/* Let all of them go on, and tell of those that have ended; false: none has. */
bool cwi_missions_turn(void);

/* Parcels of one origin that wait, in order, until its first one has been executed. What a line
 * holds is copied, so that its messages' credits go back; beyond CWI_LINE_MOST bytes it stays in
 * its buffer, and the origin's node cannot send for ever. */
enum { CWI_LINE_MOST = 4 << 20 };

struct cwi_line_parcel {
  char *data;
  size_t bytes;
  struct cwi_request_buffer *buffer; /* that holds the data; NULL: they are a copy, to be freed */
};

/* Open one: from now on its parcels wait. */
void cwi_line_open(int origin);

/* Has the origin a line? Then the parcel stands in it now. */
bool cwi_line_join(int origin, struct cwi_request_buffer *buffer, const struct cwi_parcel *parcel);

/* The next parcel of an open line. False: there is none, and the line is closed. */
bool cwi_line_next(int origin, struct cwi_line_parcel *next);

/* What is to be executed later: a copy, in memory of its own. */
char *cwi_line_copy(const char *data, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
