/* Messages between processes by the means of a side. Kernels whose sides differ only in
 * communication have one implementation for all four sides.
 *
 *   Causeway    a message is written in its reader's memory, or put there; the reader is notified
 *   two-sided   it is sent; the receive has been posted before
 *   shared      it is written in its reader's memory, then a counter after it
 *   one-sided   it is put; when this process must wait, it sends the counters of all messages
 *               together
 *
 * A reader has slots for a fixed number of messages of each writer, and a writer waits for a free
 * one. The reader therefore acknowledges how many it has read: with a message of its own to that
 * writer when a quarter of the slots have been used since the last acknowledgement, or separately
 * when half of them have. MPI messages need no acknowledgement, but there two processes that write
 * to each other must alternate: the receive of a message is posted when its answer is written. */
#pragma once

#include "memory.h"

struct message {
  uint64_t bytes; /* bytes of data */
  uint64_t unused;
  char data[];
};

/* Counters that another process reports to this one: messages that it has sent to this process, and
 * those of this process that it has read. */
enum { COUNTER_NUMBERS = 2 };
struct counters {
  int64_t sent; /* SHARED, WINDOWS */
  int64_t read;
};

struct mailbox {
  struct memory memory; /* the counters of each process, in a cache line each; then incoming
                           messages [writers][slots]. MESSAGES does not use the counters */
  int slots;
  size_t message_bytes;
  int writers, readers;  /* numbers of processes that write to this one, and to which it writes */
  int *from, *to;        /* [processes] index of each among writers and readers; -1 if it is none */
  int *there_from;       /* [processes] index of this process among the writers of each */
  int64_t *sent, *read;  /* [processes] messages so far */
  int64_t *acknowledged; /* [processes] messages that this process has acknowledged to each */
  struct counters *counters; /* [processes] WINDOWS: counters for each process */
  bool *owed;                /* [processes] WINDOWS: the counters have still to be sent */
  char **there;   /* [processes] its memory, if this process can store there; else NULL */
  bool in_place;  /* messages are written directly into it */
  char *outgoing; /* [readers][slots] messages that are put or sent */
  MPI_Request *sending, *coming; /* MESSAGES: [readers][slots], [writers][slots] */
  cw_notifications arrived;      /* CAUSEWAY: messages, by process */
};

/* Returns the size of a message with `bytes` bytes of data. */
static inline size_t mailbox_message_bytes(size_t bytes)
{
  return lines(sizeof(struct message) + bytes);
}

/* Ways to write messages: each in one piece, or word by word with several messages interleaved.
 * Messages of the second kind are written in the writer's memory and put from there, even where
 * Causeway could store them at the reader, because the cache would fetch their lines one by one. */
enum writing { IN_A_PIECE, WORD_BY_WORD };

struct mailbox_terms {
  enum side_number side;
  enum writing writing;
  int slots;         /* an even number */
  size_t bytes;      /* largest size of a message */
  const bool *write; /* [processes] processes to which this one will write; NULL for all others */
};

/* Creates a mailbox; mailbox_destroy frees it. Both are collective. */
void mailbox_create(const struct mailbox_terms *terms, struct mailbox *mailbox);
void mailbox_destroy(struct mailbox *mailbox);

/* Waits for a free slot and returns where the next message to a process is to be written. */
void *mailbox_write(struct mailbox *mailbox, int process);

/* Sends that message, of which `bytes` bytes have been written. */
void mailbox_send(struct mailbox *mailbox, int process, size_t bytes);

/* Waits for the next message of a process, sets *bytes to its length and returns it. It remains
 * valid until the next operation of the mailbox on that process. */
const void *mailbox_read(struct mailbox *mailbox, int process, size_t *bytes);

/* Completes all messages that were sent, without further calls by this process. */
void mailbox_settle(struct mailbox *mailbox);
