/* The messages of an AXPY epoch: from who adds to owners, and back.
 *
 * All messages of an epoch have one tag, which the next epochs of the team do not have: who is
 * still in the last one receives nothing of them. */
#ifndef CWI_MATRIX_AXPY_MESSAGES_H
#define CWI_MATRIX_AXPY_MESSAGES_H

#include "matrix/attached.h"
#include "matrix/owner_elements.h"

#include <mpi.h>

struct cwi_axpy_send;

/* What owners were pending for: what each has is added to the buffer when it comes. */
struct cwi_axpy_pending {
  const struct cwi_selection *selection;
  const void *alpha;
  char *buffer;
  int count; /* of owners that have not answered */
};

struct cwi_axpy {
  cw_array array;
  cw_matrix_order order;
  cw_axpy_direction direction;
  cw_axpy_end end;
  int slot;                    /* of the team's */
  struct cwi_axpy_send *sends; /* on their way */
  int sending;                 /* how many */
  size_t sending_bytes;
  int lasts;            /* last messages that have come */
  bool here[32];        /* rounds of the barrier of a consensus of which the message has come */
  MPI_Request *signals; /* messages without elements, of the end */
  int signalled;        /* how many */
  char *room;           /* for what comes */
  struct cwi_axpy_pending *pending; /* what this process waits for; NULL: nothing */
  struct cwi_first_error trouble;   /* that messages made, or serving while in other epochs */
  bool open;                        /* messages may come */
  struct cwi_axpy *next;            /* of those that are open in this process */
};

/* A selection holds no more than so many bytes of elements, and so does a message. */
enum { CWI_AXPY_MOST = 4 << 20 };

/* One thread at a time is in a call of any epoch: who waits serves all that are open. May this
 * thread? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_axpy_enter(void);
void cwi_axpy_leave(void);

/* Take memory for the messages of an epoch. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_begin(cw_axpy axpy);

/* It has its slot: messages may come. */
void cwi_axpy_open(cw_axpy axpy);

/* From here on between enter and leave. */

/* Send each owner one message with what it has of a selection in the buffer, which it adds. Serves
 * meanwhile, if it has to wait. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_send_elements(cw_axpy axpy, const struct cwi_selection *selection,
                                            char *buffer, const void *alpha);

/* Ask each owner by one message for what it has of a selection, add that to the buffer, and serve
 * until the last has come. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_fetch_elements(cw_axpy axpy, const struct cwi_selection *selection,
                                             char *buffer, const void *alpha);

/* Serve until no member has anything to send, and end it. Collective. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_finish(cw_axpy axpy);

/* Forget what an epoch has in memory; after a failure, not what MPI may still read. Also of one
 * that was never open, which other threads do not know: outside of enter and leave, too. */
void cwi_axpy_drop(cw_axpy axpy);
#endif
