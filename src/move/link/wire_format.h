/* The format of messages between an origin and a node's server.
 *
 * A message is a sequence of batches, at most CW_SERVER_BUFFER bytes in all. A batch goes from one
 * process to one node. It contains requests, each followed by its data. Everything begins at
 * multiples of 8 bytes. Servers forward whole batches; only the server of batch.node reads the
 * requests. Memory is named by its offset in the zone of its node. Numbers are in the machine's
 * byte order, because all processes of a job run the same program. */
#pragma once

#include "base/size.h"
#include "number/atomic_update.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Increment this with every change of the structures or meanings in this file. */
enum { CWI_WIRE_VERSION = 6 };

/* Operations of requests. */
enum cwi_wire_operation {
  CWI_WIRE_PUT,
  CWI_WIRE_GET,
  CWI_WIRE_ACCUMULATE, /* the operations up to here have a shape, and perhaps data */
  CWI_WIRE_UPDATE, /* an atomic update of `run` bytes; its operands follow, and the answer has the
                      old contents */
  CWI_WIRE_NOTIFY,
  CWI_WIRE_LOCK,
  CWI_WIRE_TRYLOCK,
  CWI_WIRE_UNLOCK,
  CWI_WIRE_QUERY, /* checks that the bytes are inside one slice of the process */
  CWI_WIRE_FENCE,
  CWI_WIRE_OPERATIONS
};

/* Flags of requests. */
enum cwi_wire_flag {
  CWI_WIRE_SCALED = 1,     /* accumulate: multiplied by `scale` */
  CWI_WIRE_LIST = 2,       /* single runs, each preceded by its offset; servers ignore `offset` */
  CWI_WIRE_BULK = 4,       /* the data is in a message of its own */
  CWI_WIRE_LAST = 8,       /* get: the last one of a reply, which has the data of all gets since the
                              previous such flag */
  CWI_WIRE_LOCK_FREE = 16, /* accumulate, update: the server uses the processor's atomics */
  CWI_WIRE_MEMORY_HANDLE =
      32, /* the memory is that of the memory handle with `slot` and `serial`; if it lies outside
             the zone, `offset` is an address of its owner */
  CWI_WIRE_BEHIND = 64 /* notify: executed only after earlier bulk updates of its origin */
};

/* Flags of a batch. CWI_BATCH_RETURN and CWI_BATCH_QUESTION are set in the first batch of a message
 * only. The bits from CWI_BATCH_ORIGIN_SHIFT on are the number of the origin (mpi/origin.h) in its
 * process, because messages of threads are counted apart from those of their process. */
enum cwi_request_batch_flag {
  CWI_BATCH_RETURN =
      1, /* return the message's buffer as soon as the server has nothing else to do */
  CWI_BATCH_QUESTION = 2, /* the message is a liveness check, without requests. In a job that
                             survives failures a bit for each failed process follows */
  CWI_BATCH_ORIGIN_SHIFT = 16
};

/* Header of a batch. */
struct cwi_request_batch {
  uint16_t version;
  uint16_t forwards; /* number of times that it has been forwarded */
  int32_t node;      /* target node */
  int32_t origin;    /* process that sent it */
  /* enum cwi_request_batch_flag; the high bits are the number of the origin in its process. */
  uint32_t flags;
  uint64_t bytes; /* including this header */
};

static inline uint32_t cwi_request_batch_origin(const struct cwi_request_batch *batch)
{
  return batch->flags >> CWI_BATCH_ORIGIN_SHIFT;
}

/* A request. Puts, gets and accumulates move rows of `run` bytes. The others use `offset`, `run` as
 * the number of bytes, and `value`. */
struct cwi_request {
  uint8_t operation; /* enum cwi_wire_operation */
  uint8_t flags;     /* enum cwi_wire_flag */
  uint8_t type;      /* cw_type */
  uint8_t reduction; /* accumulate, update: the operation */
  int32_t process;   /* process that owns the memory */
  uint64_t offset;
  uint64_t run, rows;
  int64_t stride;
  uint64_t reply_bytes; /* first get of a reply: length of the whole reply */
  uint32_t tag;         /* tag of the reply; 0 if there is none */
  uint32_t slot;        /* CWI_WIRE_MEMORY_HANDLE */
  uint64_t serial;
  union {
    union cwi_scalar scale;
    int64_t value; /* notify */
  };
};

/* The answer to any request except a get. It reports whether the request was rejected. In the
 * answer to an update, the old contents are in the place of `message`. A get is answered by its
 * data. A rejected get is answered by an empty message; an answer with the error message follows
 * under the same tag.
 *
 * Fences report rejected puts, accumulates, notifications and unlocks. The server collects the
 * errors of an origin in numbered error batches. Once a fence has reported an error batch, the next
 * rejected request begins a new one. Later fences report the last error batch again, because
 * several fences may be pending; the origin knows which error batches it has seen. If a bulk update
 * was rejected, `value` in its answer is not 0, and the origin then sends a fence. */
struct cwi_answer {
  uint32_t rejected;    /* number of rejected requests */
  uint32_t error_batch; /* number of the origin's last error batch; 0 if there was none */
  int64_t value;
  char message[240]; /* error message of the first rejected request; only sent if there is one */
};
enum { CWI_ANSWER_SHORT = offsetof(struct cwi_answer, message) };

/* A message that returns request buffers, and with them credits. `process` has one entry for each
 * buffer: the process whose message was in the buffer, -1 if the message was forwarded or came from
 * a thread's origin, or CWI_CREDIT_ANSWER for a liveness check. */
enum { CWI_CREDIT_ANSWER = -2 };
struct cwi_credit {
  uint32_t version;
  int32_t node; /* the node that returns the buffers */
  uint32_t buffers;
  int32_t process[];
};

/* Returns the number of bytes that follow a request. */
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
