/* The wire: how a program and a proxy of virtual OpenCL speak. It knows no OpenCL calls.
 *
 * channel.c   two rings of messages and two of data, in memory that both ends see
 * message.h   what the messages say
 * adaptive_poll.c      looking a short time before sleeping
 * service_socket.c      the socket by which a program finds its proxy and gets a channel
 * device_list.c    the devices of all proxies and what they say of themselves, in one block of
 * memory
 *
 * A channel has an end above, the program, and an end below, the proxy that has the devices. Each
 * end has one ring of messages and one of data that it writes, and reads the other end's. The other
 * end is not trusted: positions and lengths that it writes are checked before they are used, and
 * what they name is copied or read once.
 *
 * A ring's positions count bytes from the beginning of the session and only grow: written, by its
 * writer, and taken, by its reader. A message or a piece of data lies at one place without a break.
 * So a proxy that only passes a session on copies what lies between two positions to the same place
 * of another channel's memory, whatever it says.
 *
 * A ring of data that is empty begins again at its beginning: there the memory of both ends is in
 * caches, and need not be asked of the kernel first. The writer skips the rest, and shows what it
 * has skipped, so that nobody copies it. */
#ifndef VOCL_WIRE_CHANNEL_H
#define VOCL_WIRE_CHANNEL_H

#include "wait/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vocl_channel_end {
  VOCL_PROGRAM_SIDE,
  VOCL_PROXY_SIDE
}; /* who writes: the program, the proxy */
enum vocl_channel_ring { VOCL_RING_MESSAGES, VOCL_RING_DATA };

/* Bytes; powers of 2. The longest message fills a quarter of its ring, the longest piece of data an
 * eighth of its. */
enum {
  VOCL_MESSAGE_RING_BYTES = 1 << 18,
  VOCL_DATA_RING_BYTES = 1 << 23,
  VOCL_MESSAGE_MAX = VOCL_MESSAGE_RING_BYTES / 4,
  VOCL_PIECE_MAX = VOCL_DATA_RING_BYTES / 8,
  VOCL_DATA_WRAP_BYTES = VOCL_PIECE_MAX, /* so much is used before the rest is skipped */
  VOCL_MESSAGE_ALIGNMENT = 16,
  VOCL_DATA_ALIGNMENT = 64
};

/* In shared memory. Each position has a line of its own. */
struct vocl_ring_position {
  uint64_t bytes;
} __attribute__((aligned(64)));

/* What its writer has skipped last: nothing lies between two positions. All that lies
 * before has been taken. */
struct vocl_ring_skip {
  uint64_t from, to;
};

struct vocl_channel_ring_state {
  struct vocl_ring_position written, taken;
  struct vocl_ring_skip skipped __attribute__((aligned(64)));
};

/* What one end shows the other, besides its positions. */
struct vocl_channel_end_state {
  struct cwi_signal news; /* its bell: the other end rings it */
  uint32_t wants_space;   /* rings that it found full, as bits: ring when room was given there */
  uint32_t closed;        /* it has gone */
} __attribute__((aligned(64)));

/* The beginning of a channel's memory; the rings follow: messages of ABOVE, of BELOW, data of
 * ABOVE, of BELOW. */
struct vocl_channel_memory {
  struct vocl_channel_ring_state rings[2][2]; /* [end that writes][ring] */
  struct vocl_channel_end_state ends[2];
};

#define VOCL_CHANNEL_HEADER ((sizeof(struct vocl_channel_memory) + 4095) / 4096 * 4096)
#define VOCL_CHANNEL_BYTES                                                                         \
  (VOCL_CHANNEL_HEADER + 2 * (size_t)VOCL_MESSAGE_RING_BYTES + 2 * (size_t)VOCL_DATA_RING_BYTES)

/* The memory of a ring. */
char *vocl_channel_ring_memory(struct vocl_channel_memory *memory, enum vocl_channel_end writer,
                               enum vocl_channel_ring ring);

/* One end. Of its threads one at a time writes (begin to publish, piece), one at a time reads
 * (next, take, piece_at) and one at a time gives room: whoever has several takes a lock. */
struct vocl_channel {
  struct vocl_channel_memory *memory;
  enum vocl_channel_end end;
  bool broken; /* the other end has written what cannot be */
  /* of the writer */
  uint64_t written[2];   /* in my rings */
  uint64_t filled;       /* of the data in mine, what may be published */
  uint64_t published[2]; /* of that, what the other end sees */
  uint64_t given[2];     /* what the other end has taken of my rings, as I last saw it */
  uint64_t begun;        /* where the message lies that was begun, and its bytes */
  uint32_t begun_bytes;
  /* of the reader */
  uint32_t next_bytes; /* the message that was looked at; 0: none */
  uint64_t taken;      /* of the other end's messages */
  uint64_t shown;      /* of that, what the other end sees */
  uint64_t named;      /* the end of the last piece that a message named */
  uint64_t seen[2];    /* what the other end has written, as I last saw it */
};

/* Memory of VOCL_CHANNEL_BYTES that is all zero, seen by both ends. */
void vocl_channel_open(struct vocl_channel *channel, struct vocl_channel_memory *memory,
                       enum vocl_channel_end end);

/* This end goes: the other one is told and woken. */
void vocl_channel_close(struct vocl_channel *channel);
/* Has the other end gone, or written what cannot be? */
bool vocl_channel_is_closed(const struct vocl_channel *channel);

/* Room for a message of `bytes` (16 to VOCL_MESSAGE_MAX), aligned; NULL: there is none now (the
 * bell rings when there is some), or the channel is over. Its first 4 bytes are its length, which
 * end_message writes. The other end sees it at the next publish. */
void *vocl_channel_begin(struct vocl_channel *channel, size_t bytes);
void vocl_channel_end_message(struct vocl_channel *channel);
/* Bytes of messages that are not yet published. */
size_t vocl_channel_unpublished(const struct vocl_channel *channel);
/* All that was written so far is seen, and the other end wakes if it sleeps. */
void vocl_channel_publish(struct vocl_channel *channel);

/* The next message of the other end, *bytes of it, where it lies: the other end may change it while
 * it is read. NULL: none now, or the channel is over. It is there until it is taken. */
const void *vocl_channel_next(struct vocl_channel *channel, size_t *bytes);
void vocl_channel_take(struct vocl_channel *channel);

/* Room for a piece of data (at most VOCL_PIECE_MAX), and its position, which a message names. NULL:
 * none now. It belongs to the writer until he publishes a message that names it. */
char *vocl_channel_piece(struct vocl_channel *channel, size_t bytes, uint64_t *position);
/* The same for who fills it later: nothing from there on is published before he says that all is
 * filled that lies before `end`. The last one that was reserved may be given up. */
char *vocl_channel_reserve(struct vocl_channel *channel, size_t bytes, uint64_t *position);
void vocl_channel_fill(struct vocl_channel *channel, uint64_t end);
void vocl_channel_unreserve(struct vocl_channel *channel, uint64_t position);
/* The other end's piece that a message names, asked once for each: messages name pieces in the
 * order in which they lie. NULL: it cannot be, and the channel is over. Not const: reads and writes
 * of devices go there directly. */
char *vocl_channel_piece_at(struct vocl_channel *channel, uint64_t position, size_t bytes);
/* Where the piece after one that ends there begins: a reader gives room back in order, with the
 * position after the last piece that it needs no more. */
uint64_t vocl_channel_piece_end(uint64_t position, size_t bytes);
void vocl_channel_release_space(struct vocl_channel *channel, uint64_t position);

/* The value of the bell to sleep on: read it, look for what you wait for (messages, room, the other
 * end's going), then sleep, which returns when the bell has rung since, or after the time. */
uint32_t vocl_channel_bell(const struct vocl_channel *channel);
void vocl_channel_sleep(struct vocl_channel *channel, uint32_t bell, long nanoseconds);
/* For a third party, which passes on: the place behind what was skipped at a position, if that was
 * written; else the position. */
uint64_t vocl_channel_after_skip(const struct vocl_ring_skip *skipped, uint64_t position,
                                 uint64_t written);
/* For a third party: wake an end. It shows wants_space for the end that it stands
 * for, so that it hears of room, too. */
void vocl_channel_ring_bell(struct vocl_channel_memory *memory, enum vocl_channel_end end);
#endif
