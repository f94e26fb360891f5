/* The messages of an AXPY epoch between a process that adds and the owners of elements. All
 * messages of an epoch have one tag, which the next epochs of the team do not use. So a process
 * that is still in the previous epoch does not receive messages of the next. */
#pragma once

#include "matrix/attached.h"
#include "matrix/owner_elements.h"

#include <mpi.h>

struct cwi_axpy_send;

/* A request for elements. Each owner's answer is added to the buffer when it arrives. */
struct cwi_axpy_pending {
  const struct cwi_selection *selection;
  const void *alpha;
  char *buffer;
  int count; /* owners that have not answered yet */
};

struct cwi_axpy {
  cw_array array;
  cw_matrix_order order;
  cw_axpy_direction direction;
  cw_axpy_end end;
  int slot;                    /* the epoch's slot in the team */
  struct cwi_axpy_send *sends; /* messages in flight */
  int sending;                 /* number of messages in flight */
  size_t sending_bytes;
  int lasts;                        /* last messages of members that have arrived */
  bool here[32];                    /* rounds of the consensus barrier whose message has arrived */
  MPI_Request *signals;             /* messages without elements, which end the epoch */
  int signalled;                    /* number of signals */
  char *receive_buffer;             /* for one message */
  struct cwi_axpy_pending *pending; /* the request that this process waits for, or NULL */
  struct cwi_first_error pending_error; /* first error of a message of this epoch, even if the
                                           message was received during a call of another epoch */
  bool open;                            /* messages may arrive */
  struct cwi_axpy *next;                /* next open epoch of this process */
};

/* Largest number of bytes of elements in a selection, and so in a message. */
enum { CWI_AXPY_MOST = 4 << 20 };

/* cwi_axpy_enter takes the lock of all epochs: only one thread at a time may be in a call, because
 * a waiting thread serves all open epochs. Errors: CW_MISUSE (MPI does not allow this thread to
 * call it). */
CWI_CHECKED cw_error cwi_axpy_enter(void);
void cwi_axpy_leave(void);

/* Allocates the buffers of an epoch. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_begin(cw_axpy axpy);

/* Opens an epoch, whose slot must be set: from now on messages may arrive. */
void cwi_axpy_open(cw_axpy axpy);

/* The following functions are called between enter and leave. */

/* Sends each owner one message with its elements of a selection in the buffer; the owner adds them.
 * Serves other members while it waits. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_send_elements(cw_axpy axpy, const struct cwi_selection *selection,
                                            char *buffer, const void *alpha);

/* Sends each owner one request for its elements of a selection. Adds the elements to the buffer,
 * and serves other members until the last answer has arrived. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_fetch_elements(cw_axpy axpy, const struct cwi_selection *selection,
                                             char *buffer, const void *alpha);

/* Serves other members until no member has anything left to send, and ends the epoch. Collective.
 * Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_finish(cw_axpy axpy);

/* Frees the memory of an epoch. After a failure it keeps the buffers that MPI may still read. May
 * be called outside of enter and leave for an epoch that was never open, because no other thread
 * knows it. */
void cwi_axpy_drop(cw_axpy axpy);
