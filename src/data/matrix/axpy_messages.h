/* The messages of an AXPY epoch: from who adds to owners, and back.
 *
 * All messages of an epoch have one tag, which the next epochs of the team do not have: who is
 * still in the last one receives nothing of them. */
#ifndef CWI_MATRIX_AXPY_MESSAGES_H
#define CWI_MATRIX_AXPY_MESSAGES_H

#include "array/portion.h"
#include "matrix/attached.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_axpy_send;

struct cwi_axpy {
  cw_array array;
  cw_matrix_order order;
  cw_axpy_direction direction;
  cw_axpy_end end;
  int slot;                    /* of the team's */
  struct cwi_axpy_send *sends; /* on their way */
  int sending;                 /* how many */
  size_t sending_bytes;
  int lasts;               /* last messages that have come */
  MPI_Request *last_sends; /* [team size] mine, to each member */
  char *room;              /* for what comes */
  struct cwi_asked *asked; /* what this process waits for; NULL: nothing */
};

/* Portions that owners were asked for: each is added to the buffer when it comes. */
struct cwi_asked {
  const void *alpha;
  char *buffer;
  struct cwi_portion *portions; /* in the order in which they were asked for */
  size_t count, come;
};

/* A message holds no more than so many bytes of elements. */
enum { CWI_AXPY_MOST = 4 << 20 };

/* Take memory for the messages of an epoch. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_begin(cw_axpy axpy);

/* Send what a portion has of the buffer to its owner, who adds it. Serves meanwhile, if it has to
 * wait. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_give(cw_axpy axpy, const struct cwi_portion *portion,
                                   const char *buffer, const void *alpha);

/* Ask the owners of all portions for them, add them, and serve until the last has come. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_take(cw_axpy axpy, struct cwi_asked *asked);

/* Serve until no member has anything to send. Collective. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axpy_finish(cw_axpy axpy);

/* Forget what an epoch has in memory; after a failure, not what MPI may still read. */
void cwi_axpy_drop(cw_axpy axpy);

#ifdef __cplusplus
}
#endif
#endif
