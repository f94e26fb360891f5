/* What travels between an origin and a node's server.
 *
 * A message is a row of parcels, at most CW_SERVER_BUFFER bytes in all. A batch goes from one
 * process to one node and holds requests, each with its data behind it. Everything begins at
 * multiples of 8. Servers forward whole parcels; only the server of batch.node reads the requests.
 * Memory is named by its offset in the zone of its node. Numbers are in the machine's byte order:
 * all processes of a job run the same program. */
#ifndef CWI_LINK_WIRE_FORMAT_H
#define CWI_LINK_WIRE_FORMAT_H

#include "base/size.h"
#include "number/atomic_update.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_WIRE_VERSION = 6 };

enum cwi_wire_operation {
  CWI_WIRE_PUT,
  CWI_WIRE_GET,
  CWI_WIRE_ACCUMULATE, /* up to here with a shape, and perhaps data */
  CWI_WIRE_UPDATE,     /* of `run` bytes: operands behind it, old contents in the answer */
  CWI_WIRE_NOTIFY,
  CWI_WIRE_LOCK,
  CWI_WIRE_TRYLOCK,
  CWI_WIRE_UNLOCK,
  CWI_WIRE_QUERY, /* do these bytes lie inside one slice of the process? */
  CWI_WIRE_FENCE,
  CWI_WIRE_OPERATIONS
};

enum cwi_wire_flag {
  CWI_WIRE_SCALED = 1, /* accumulate: by `scale` */
  CWI_WIRE_LIST = 2,   /* single runs: each with its offset before its data; `offset` is not used */
  CWI_WIRE_BULK = 4,   /* the data goes in a message of its own */
  CWI_WIRE_LAST = 8,   /* get: the reply holds what was asked since the last of these */
  CWI_WIRE_LOCK_FREE = 16,     /* accumulate, update: by the processor's atomics */
  CWI_WIRE_MEMORY_HANDLE = 32, /* memory that a handle of the process names: `slot` and `serial`.
                           Outside the zone, offsets are its owner's addresses */
  CWI_WIRE_BEHIND = 64 /* notify: when the bulk updates that its origin has sent before are there */
};

/* CWI_BATCH_RETURN: of the first batch of a message. Above it stands the number of the origin
 * (mpi/origin.h) in its process: messages of threads are not counted among their process's. */
enum cwi_request_batch_flag {
  CWI_BATCH_RETURN = 1,   /* give the message back as soon as there is nothing else to do */
  CWI_BATCH_QUESTION = 2, /* the message asks for nothing but that */
  CWI_BATCH_ORIGIN_SHIFT = 16
};

struct cwi_request_batch {
  uint16_t version;
  uint16_t forwards; /* so far */
  int32_t node;      /* where to */
  int32_t origin;    /* process */
  uint32_t flags;    /* enum cwi_request_batch_flag, and the number of the origin */
  uint64_t bytes;    /* with this header */
};

static inline uint32_t cwi_request_batch_origin(const struct cwi_request_batch *batch)
{
  return batch->flags >> CWI_BATCH_ORIGIN_SHIFT;
}

/* Rows of `run` bytes: put, get, accumulate. The others use offset, `run` as the width, and their
 * value. */
struct cwi_request {
  uint8_t operation; /* enum cwi_wire_operation */
  uint8_t flags;     /* enum cwi_wire_flag */
  uint8_t type;      /* cw_type */
  uint8_t reduction; /* accumulate, update: what to do */
  int32_t process;   /* whose memory */
  uint64_t offset;
  uint64_t run, rows;
  int64_t stride;
  uint64_t reply_bytes; /* first get of a reply: of all of it */
  uint32_t tag;         /* of the reply; 0: none */
  uint32_t slot;        /* CWI_WIRE_MEMORY_HANDLE */
  uint64_t serial;
  union {
    union cwi_scalar scale;
    int64_t value; /* notify */
  };
};

/* The answer to all but gets; behind the head of an update's comes what was there. It tells whether
 * the request was rejected. A get is answered by its data; one that was rejected, by no bytes and
 * then, under the same tag, by an answer that says why. Puts, accumulates, notifications and
 * unlocks that were rejected have numbered batches: what is rejected after a fence was told of a
 * error_batch begins the next one. Each fence of the origin is told of the last error_batch, again
 * and again, because several may be under way: the origin knows what it has heard. The answer to a
 * bulk put has a value other than 0 if that was rejected, so that there will be a fence. */
struct cwi_answer {
  uint32_t rejected;    /* requests */
  uint32_t error_batch; /* the origin's last; 0: there was none */
  int64_t value;
  char message[240]; /* why, of the first of them; only sent if there are any */
};
enum { CWI_ANSWER_SHORT = offsetof(struct cwi_answer, message) };

/* A server gives back request buffers: whose messages were in them, -1 for what was forwarded, or
 * CWI_CREDIT_ANSWER. */
enum { CWI_CREDIT_ANSWER = -2 };
struct cwi_credit {
  uint32_t version;
  int32_t node; /* that gives back */
  uint32_t buffers;
  int32_t process[];
};

/* Bytes behind a request. */
static inline size_t cwi_wire_data_bytes(const struct cwi_request *request)
{
  if (request->operation == CWI_WIRE_UPDATE)
    return request->reduction == CW_NO_OP
               ? 0
               : cwi_round_up(request->run, 8) * (request->reduction == CWI_COMPARE_SWAP ? 2 : 1);
  if (request->operation > CWI_WIRE_ACCUMULATE)
    return 0;
  const bool carries =
      (request->flags & CWI_WIRE_BULK) == 0 &&
      (request->operation == CWI_WIRE_PUT || request->operation == CWI_WIRE_ACCUMULATE);
  if ((request->flags & CWI_WIRE_LIST) != 0)
    return request->rows * (8 + (carries ? cwi_round_up(request->run, 8) : 0));
  return carries ? cwi_round_up(request->run * request->rows, 8) : 0;
}
#endif
