/* Letters between processes, by the means of a side: kernels whose sides differ in nothing else
 * have one text for all four.
 *
 *   Causeway   a message is written where its reader has it, or put there, and the reader
 * acknowledged two-sided  it is sent; the receive has been posted before shared     it is written
 * where its reader has it, then a number behind it one-sided  it is put; numbers follow when this
 * process must wait, behind all mailbox_way at once
 *
 * A reader has places (slots) for some mailbox_way of each writer, and a writer waits for one. So
 * the reader says how many it has read: with a message of its own to that writer when a quarter of
 * the places have been used since it said so last, or alone when half of them have. MPI's messages
 * need none of that, but there two processes that write to each other do so in turns: the receive
 * of a message is posted when its answer is written. */
#ifndef PRK_MAILBOX_H
#define PRK_MAILBOX_H

#include "memory.h"

struct message {
  uint64_t bytes; /* of data */
  uint64_t unused;
  char data[];
};

/* What another process says of its mailbox_way to this one, and of this one's to it: so many so
 * far. */
enum { COUNTER_NUMBERS = 2 };
struct counters {
  int64_t sent; /* SHARED, WINDOWS */
  int64_t read;
};

struct mailbox {
  struct memory memory; /* a counters by process, each in a line of its own; then mailbox_way
                           [writers][slots] that come in. MESSAGES: no counters are used */
  int slots;
  size_t message_bytes;
  int writers, readers;          /* that write to me, and to which I write */
  int *from, *to;                /* [processes] its number among these; -1: it is none */
  int *there_from;               /* [processes] mine among its writers */
  int64_t *sent, *read;          /* [processes] mailbox_way so far */
  int64_t *acknowledged;         /* [processes] how many it knows that I have read */
  struct counters *counters;     /* [processes] WINDOWS: what I say to each */
  bool *owed;                    /* [processes] WINDOWS: has still to be acknowledged that */
  char **there;                  /* [processes] its memory, where it may be stored; else NULL */
  bool in_place;                 /* mailbox_way are written there */
  char *outgoing;                /* mailbox_way [readers][slots] that are put or sent */
  MPI_Request *sending, *coming; /* MESSAGES: [readers][slots], [writers][slots] */
  cw_notifications come;         /* CAUSEWAY: mailbox_way, by process */
};

/* So much a message needs for so much data. */
static inline size_t mail_bytes(size_t bytes)
{
  return lines(sizeof(struct message) + bytes);
}

/* How mailbox_way are written: each in one piece; or words go now to one, now to another. Words
 * apart are written in my own memory and put from there, where Causeway could store them at the
 * reader's: its cache would ask for their lines one by one. */
enum writing { IN_A_PIECE, WORD_BY_WORD };

struct mailbox_terms {
  enum side_number side;
  enum writing writing;
  int slots;         /* an even number */
  size_t bytes;      /* of a message, at most */
  const bool *write; /* [processes] to which I shall write; NULL: to all others */
};

/* Collective. */
void mailbox_create(const struct mailbox_terms *terms, struct mailbox *mailbox);
void mailbox_destroy(struct mailbox *mailbox);

/* Where the next message to another process is to be written, when there is a place for it. */
void *mailbox_write(struct mailbox *mailbox, int process);

/* Send it: so many bytes have been written. */
void mailbox_send(struct mailbox *mailbox, int process, size_t bytes);

/* The next message of another process: it may be looked at until the mailbox is asked for something
 * else of that process. bytes: receives its length. */
const void *mailbox_read(struct mailbox *mailbox, int process, size_t *bytes);

/* What was sent needs this process no more. */
void mailbox_settle(struct mailbox *mailbox);

#endif
