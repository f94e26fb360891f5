/* Letters between processes, by the means of a side: kernels whose sides differ in nothing else
 * have one text for all four.
 *
 *   Causeway   a letter is written where its reader has it, or put there, and the reader told
 *   two-sided  it is sent; the receive has been posted before
 *   shared     it is written where its reader has it, then a number behind it
 *   one-sided  it is put; numbers follow when this process must wait, behind all letters at once
 *
 * A reader has places (slots) for some letters of each writer, and a writer waits for one. So the
 * reader says how many it has read: with a letter of its own to that writer when a quarter of the
 * places have been used since it said so last, or alone when half of them have. MPI's messages
 * need none of that, but there two processes that write to each other do so in turns: the receive
 * of a letter is posted when its answer is written. */
#ifndef PRK_MAIL_H
#define PRK_MAIL_H

#include "memory.h"

struct letter {
  uint64_t bytes; /* of data */
  uint64_t unused;
  char data[];
};

/* What another process says of its letters to this one, and of this one's to it: so many so far. */
enum { POST_NUMBERS = 2 };
struct post {
  int64_t sent; /* SHARED, WINDOWS */
  int64_t read;
};

struct mail {
  struct memory memory; /* a post by process, each in a line of its own; then letters
                           [writers][slots] that come in. MESSAGES: no posts are used */
  int slots;
  size_t letter_bytes;
  int writers, readers;          /* that write to me, and to which I write */
  int *from, *to;                /* [processes] its number among these; -1: it is none */
  int *there_from;               /* [processes] mine among its writers */
  int64_t *sent, *read;          /* [processes] letters so far */
  int64_t *told;                 /* [processes] how many it knows that I have read */
  struct post *posts;            /* [processes] WINDOWS: what I say to each */
  bool *owed;                    /* [processes] WINDOWS: has still to be told that */
  char **there;                  /* [processes] its memory, where it may be stored; else NULL */
  bool in_place;                 /* letters are written there */
  char *outgoing;                /* letters [readers][slots] that are put or sent */
  MPI_Request *sending, *coming; /* MESSAGES: [readers][slots], [writers][slots] */
  cw_notifications come;         /* CAUSEWAY: letters, by process */
};

/* So much a letter needs for so much data. */
static inline size_t mail_bytes(size_t bytes)
{
  return lines(sizeof(struct letter) + bytes);
}

/* How letters are written: each in one piece; or words go now to one, now to another. Words apart
 * are written in my own memory and put from there, where Causeway could store them at the reader's:
 * its cache would ask for their lines one by one. */
enum writing { IN_A_PIECE, WORD_BY_WORD };

struct mail_terms {
  enum side_number side;
  enum writing writing;
  int slots;         /* an even number */
  size_t bytes;      /* of a letter, at most */
  const bool *write; /* [processes] to which I shall write; NULL: to all others */
};

/* Collective. */
void mail_create(const struct mail_terms *terms, struct mail *mail);
void mail_destroy(struct mail *mail);

/* Where the next letter to another process is to be written, when there is a place for it. */
void *mail_write(struct mail *mail, int process);

/* Send it: so many bytes have been written. */
void mail_send(struct mail *mail, int process, size_t bytes);

/* The next letter of another process: it may be looked at until the mail is asked for something
 * else of that process. bytes: receives its length. */
const void *mail_read(struct mail *mail, int process, size_t *bytes);

/* What was sent needs this process no more. */
void mail_settle(struct mail *mail);

#endif
