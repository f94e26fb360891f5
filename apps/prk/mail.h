/* Letters between processes, by the means of a side: kernels whose sides differ in nothing else
 * have one text for all four.
 *
 *   Causeway   a letter is written where its reader has it, or put there, and the reader told
 *   two-sided  it is sent; the receive has been posted before
 *   shared     it is written where its reader has it, then a number behind it
 *   one-sided  it is put, then a number
 *
 * Two processes that write to each other do so in turns. Before a process writes its letter n, it
 * is through with the other one's letter n - slots / 2: then that is through with letter n - slots,
 * whose place the new one takes. */
#ifndef PRK_MAIL_H
#define PRK_MAIL_H

#include "memory.h"

struct letter {
  uint64_t bytes; /* of data */
  uint64_t unused;
  char data[];
};

struct mail {
  struct memory memory; /* signals by process, then letters [slots][processes] that come in;
                           MESSAGES: no signals are used */
  int slots;
  size_t letter_bytes;
  int64_t *sent, *read;          /* [processes] letters so far */
  char **there;                  /* [processes] their memory, where it may be stored; else NULL */
  char *outgoing;                /* letters [slots][processes] that are put or sent */
  MPI_Request *sending, *coming; /* MESSAGES: [slots][processes] */
  cw_notifications told;         /* CAUSEWAY */
};

/* How letters are written: each in one piece; or words go now to one, now to another. Words apart
 * are written in my own memory and put from there, where Causeway could store them at the reader's:
 * its cache would ask for their lines one by one. */
enum writing { IN_A_PIECE, WORD_BY_WORD };

/* Letters of at most so many bytes. Collective. */
void mail_create(enum side_number side, enum writing writing, int slots, size_t bytes,
                 struct mail *mail);
void mail_destroy(struct mail *mail);

/* Where the next letter to another process is to be written. */
void *mail_write(struct mail *mail, int process);

/* Send it: so many bytes have been written. */
void mail_send(struct mail *mail, int process, size_t bytes);

/* The next letter of another process, to which as many have been written. bytes: receives its
 * length. */
const void *mail_read(struct mail *mail, int process, size_t *bytes);

/* What was sent needs this process no more. */
void mail_settle(struct mail *mail);

#endif
