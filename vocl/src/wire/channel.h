/* The wire: how a program and a proxy of virtual OpenCL communicate. It does not know OpenCL
 * calls.
 *
 * channel.c         two rings of messages and two of data, in shared memory
 * message.h         the messages
 * object_numbers.h  tables of objects by the numbers that messages have
 * adaptive_poll.c   polling for a short time before sleeping
 * service_socket.c  the socket by which a program finds its proxy and gets a channel
 * device_list.c     the devices of all proxies with their facts, in one block of memory
 *
 * A channel has a program side, and a proxy side with the devices. Each end has one ring of
 * messages and one of data that it writes, and reads those of the other end. The other end is
 * not trusted: positions and lengths that it writes are checked before they are used, and what
 * they name is copied or read once.
 *
 * The positions of a ring count bytes from the beginning of the session and only grow: `written`
 * by its writer, and `taken` by its reader. A message or a piece of data is contiguous. A proxy
 * that relays a session therefore copies the bytes between two positions to the same place of
 * another channel's memory, without knowing what they mean.
 *
 * An empty ring of data restarts at its beginning: there the memory is in the caches of both
 * ends and has been allocated by the kernel. The writer skips the rest and publishes what it has
 * skipped, so that relays do not copy it. */
#ifndef VOCL_WIRE_CHANNEL_H
#define VOCL_WIRE_CHANNEL_H

#include "wait/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vocl_channel_end { VOCL_PROGRAM_SIDE, VOCL_PROXY_SIDE }; /* the end that writes */
enum vocl_channel_ring { VOCL_RING_MESSAGES, VOCL_RING_DATA };

/* Sizes in bytes; powers of 2. The longest message fills a quarter of its ring, the longest
 * piece of data an eighth of its ring. */
enum {
  VOCL_MESSAGE_RING_BYTES = 1 << 18,
  VOCL_DATA_RING_BYTES = 1 << 23,
  VOCL_MESSAGE_MAX = VOCL_MESSAGE_RING_BYTES / 4,
  VOCL_PIECE_MAX = VOCL_DATA_RING_BYTES / 8,
  VOCL_DATA_WRAP_BYTES = VOCL_PIECE_MAX, /* use of the ring from which the rest may be skipped */
  VOCL_MESSAGE_ALIGNMENT = 16,
  VOCL_DATA_ALIGNMENT = 64
};

/* A position in shared memory, in a cache line of its own. */
struct vocl_ring_position {
  uint64_t bytes;
} __attribute__((aligned(64)));

/* The last range that the writer has skipped. Everything before it has been taken. */
struct vocl_ring_skip {
  uint64_t from, to;
};

struct vocl_channel_ring_state {
  struct vocl_ring_position written, taken;
  struct vocl_ring_skip skipped __attribute__((aligned(64)));
};

/* State of one end that the other end sees, besides its positions. */
struct vocl_channel_end_state {
  struct cwi_signal news; /* its bell, which the other end rings */
  uint32_t wants_space;   /* bit mask of the rings that it found full: ring its bell when space is
                             released */
  uint32_t closed;        /* it has closed */
} __attribute__((aligned(64)));

/* The beginning of a channel's memory. The rings follow: messages of the program, messages of
 * the proxy, data of the program, data of the proxy. */
struct vocl_channel_memory {
  struct vocl_channel_ring_state rings[2][2]; /* [end that writes][ring] */
  struct vocl_channel_end_state ends[2];
};

#define VOCL_CHANNEL_HEADER ((sizeof(struct vocl_channel_memory) + 4095) / 4096 * 4096)
#define VOCL_CHANNEL_BYTES                                                                         \
  (VOCL_CHANNEL_HEADER + 2 * (size_t)VOCL_MESSAGE_RING_BYTES + 2 * (size_t)VOCL_DATA_RING_BYTES)

/* Returns the memory of a ring. */
char *vocl_channel_ring_memory(struct vocl_channel_memory *memory, enum vocl_channel_end writer,
                               enum vocl_channel_ring ring);

/* One end of a channel. One thread at a time may write (begin to publish, piece), one may read
 * (next, take, piece_at), and one may release space. An end with several threads needs a lock. */
struct vocl_channel {
  struct vocl_channel_memory *memory;
  enum vocl_channel_end end;
  bool broken; /* the other end has written an invalid position or length */
  /* of the writer */
  uint64_t written[2];   /* positions in my rings */
  uint64_t filled;       /* position up to which my data may be published */
  uint64_t published[2]; /* positions up to which the other end sees them */
  uint64_t given[2];     /* positions up to which the other end has taken, as last read */
  uint64_t begun;        /* position and length of the message under construction */
  uint32_t begun_bytes;
  /* of the reader */
  uint32_t next_bytes; /* length of the message returned last; 0 if there is none */
  uint64_t taken;      /* position in the other end's messages */
  uint64_t shown;      /* `taken` as the other end sees it */
  uint64_t named;      /* end of the last piece that a message named */
  uint64_t seen[2];    /* positions that the other end has written, as last read */
};

/* Opens an end. The memory has VOCL_CHANNEL_BYTES, zeroed, and both ends map it. */
void vocl_channel_open(struct vocl_channel *channel, struct vocl_channel_memory *memory,
                       enum vocl_channel_end end);

/* Closes this end, and wakes the other one. */
void vocl_channel_close(struct vocl_channel *channel);
/* Returns true if the other end has closed, or has written an invalid position or length. */
bool vocl_channel_is_closed(const struct vocl_channel *channel);

/* Returns aligned space for a message of `bytes` (16 to VOCL_MESSAGE_MAX), or NULL if there is
 * none now (the bell rings when there is) or the channel is over. The first 4 bytes are the
 * length, which vocl_channel_end_message writes. The other end sees the message at the next
 * publish. */
void *vocl_channel_begin(struct vocl_channel *channel, size_t bytes);
void vocl_channel_end_message(struct vocl_channel *channel);
/* Returns the bytes of messages that are not published. */
size_t vocl_channel_unpublished(const struct vocl_channel *channel);
/* Publishes everything that was written, and wakes the other end. */
void vocl_channel_publish(struct vocl_channel *channel);

/* Returns the next message of the other end in place, with its length in *bytes: the other end
 * may change it while it is read. Returns NULL if there is none now, or the channel is over. The
 * message stays until it is taken. */
const void *vocl_channel_next(struct vocl_channel *channel, size_t *bytes);
void vocl_channel_take(struct vocl_channel *channel);

/* Returns space for a piece of data (at most VOCL_PIECE_MAX) and its position, which a message
 * names. Returns NULL if there is none now. The piece is private until a message that names it
 * is published. */
char *vocl_channel_piece(struct vocl_channel *channel, size_t bytes, uint64_t *position);
/* Like vocl_channel_piece, for a piece that is filled later: nothing behind it is published
 * before vocl_channel_fill declares that all data before `end` is filled. The last reservation
 * can be cancelled. */
char *vocl_channel_reserve(struct vocl_channel *channel, size_t bytes, uint64_t *position);
void vocl_channel_fill(struct vocl_channel *channel, uint64_t end);
void vocl_channel_unreserve(struct vocl_channel *channel, uint64_t position);
/* Returns the other end's piece that a message names. Call it once for each: messages name
 * pieces in ring order. Returns NULL if the position is invalid; then the channel is over. Not
 * const, because reads and writes of devices use it directly. */
char *vocl_channel_piece_at(struct vocl_channel *channel, uint64_t position, size_t bytes);
/* vocl_channel_piece_end returns the position behind a piece. A reader releases space in order,
 * up to the end of the last piece that it needs no more. */
uint64_t vocl_channel_piece_end(uint64_t position, size_t bytes);
void vocl_channel_release_space(struct vocl_channel *channel, uint64_t position);

/* vocl_channel_bell returns the bell's value. Read it, check for what you wait for (messages,
 * space, the other end's close), then sleep; the sleep returns when the bell has rung since, or
 * after the time. */
uint32_t vocl_channel_bell(const struct vocl_channel *channel);
void vocl_channel_sleep(struct vocl_channel *channel, uint32_t bell, long nanoseconds);
/* For a relay: returns the position behind a range that was skipped at `position`, if that was
 * written, or otherwise `position`. */
uint64_t vocl_channel_after_skip(const struct vocl_ring_skip *skipped, uint64_t position,
                                 uint64_t written);
/* For a relay: wakes an end. A relay also sets wants_space for the end that it represents, so
 * that it is woken when space is released. */
void vocl_channel_ring_bell(struct vocl_channel_memory *memory, enum vocl_channel_end end);
#endif
