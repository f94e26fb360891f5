/* The wire: communication between a program and a proxy of virtual OpenCL. This module knows no
 * OpenCL calls.
 *
 * channel.c         two rings of messages and two of data, in shared memory
 * message.h         the messages
 * object_numbers.h  tables that map the numbers in messages to objects
 * adaptive_poll.c   polling for a short time before sleeping
 * service_socket.c  the socket by which a program finds its proxy and gets a channel
 * device_list.c     the devices of all proxies with their facts, in one block of memory
 *
 * A channel has two ends: the side of the program, and the side of the proxy with the devices. Each
 * end writes one ring of messages and one ring of data, and reads the two rings of the other end.
 * Neither end trusts the other. It checks each position and length before it uses it, and it copies
 * the named bytes, or reads them only once.
 *
 * A ring has two positions, which count bytes from the beginning of the session and only grow. Its
 * writer advances `written`, and its reader advances `taken`. Each message and each piece of data
 * is contiguous. A proxy that relays a session can therefore copy the bytes between two positions
 * to the same place of another channel's memory, without knowing what they mean.
 *
 * When a ring of data is empty, its writer may restart at the beginning of the ring, where the
 * memory is in the caches of both ends and has been allocated by the kernel. The writer skips the
 * rest of the ring and publishes the skipped range, so that relays do not copy it. */
#pragma once

#include "wait/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vocl_channel_end { VOCL_PROGRAM_SIDE, VOCL_PROXY_SIDE };
enum vocl_channel_ring { VOCL_RING_MESSAGES, VOCL_RING_DATA };

/* Sizes in bytes; powers of 2. The longest message fills a quarter of its ring, the longest
 * piece of data an eighth of its ring. */
enum {
  VOCL_MESSAGE_RING_BYTES = 1 << 18,
  VOCL_DATA_RING_BYTES = 1 << 23,
  VOCL_MESSAGE_MAX = VOCL_MESSAGE_RING_BYTES / 4,
  VOCL_PIECE_MAX = VOCL_DATA_RING_BYTES / 8,
  VOCL_DATA_WRAP_BYTES =
      VOCL_PIECE_MAX, /* the rest of a ring may be skipped when this many bytes of it are used */
  VOCL_MESSAGE_ALIGNMENT = 16,
  VOCL_DATA_ALIGNMENT = 64
};

/* A position in shared memory, in a cache line of its own. */
struct vocl_ring_position {
  uint64_t bytes;
} __attribute__((aligned(64)));

/* The last range that the writer has skipped. The reader has taken everything before it. */
struct vocl_ring_skip {
  uint64_t from, to;
};

struct vocl_channel_ring_state {
  struct vocl_ring_position written, taken;
  struct vocl_ring_skip skipped __attribute__((aligned(64)));
};

/* State of one end that the other end sees, besides its positions. */
struct vocl_channel_end_state {
  struct cwi_signal news; /* bell of this end, which the other end rings */
  uint32_t wants_space;   /* bit mask of the rings that this end found full; the other end rings the
                             bell when it releases space there */
  uint32_t closed;        /* 1 if this end has closed */
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

/* One end of a channel. At any time, one thread may write (call begin, end_message, publish or
 * piece), one may read (call next, take or piece_at), and one may release space. An end with
 * several threads needs a lock. */
struct vocl_channel {
  struct vocl_channel_memory *memory;
  enum vocl_channel_end end;
  bool broken; /* the other end has written an invalid position or length */
  /* of the writer */
  uint64_t written[2];   /* positions up to which this end has written its rings */
  uint64_t filled;       /* position up to which this end's data may be published */
  uint64_t published[2]; /* positions up to which the other end sees them */
  uint64_t given[2];     /* positions up to which the other end has taken them, when last read */
  uint64_t begun;        /* position and length of the message under construction */
  uint32_t begun_bytes;
  /* of the reader */
  uint32_t next_bytes; /* length of the message returned last; 0 if there is none */
  uint64_t taken;      /* position in the other end's messages */
  uint64_t shown;      /* `taken` as the other end sees it */
  uint64_t named;      /* end of the last piece that a message named */
  uint64_t seen[2]; /* positions up to which the other end has written its rings, when last read */
};

/* Opens an end. The memory has VOCL_CHANNEL_BYTES, zeroed, and both ends map it. */
void vocl_channel_open(struct vocl_channel *channel, struct vocl_channel_memory *memory,
                       enum vocl_channel_end end);

/* Closes this end, and wakes the other end. */
void vocl_channel_close(struct vocl_channel *channel);
/* Returns true if the other end has closed, or has written an invalid position or length. */
bool vocl_channel_is_closed(const struct vocl_channel *channel);

/* Returns aligned space for a message of `bytes` bytes (16 to VOCL_MESSAGE_MAX). Returns NULL if
 * the channel is closed, or if the ring is full; in the latter case the bell rings when there is
 * space. The first 4 bytes are the length of the message, which vocl_channel_end_message writes.
 * The other end sees the message after the next publish. */
void *vocl_channel_begin(struct vocl_channel *channel, size_t bytes);
void vocl_channel_end_message(struct vocl_channel *channel);
/* Returns the bytes of messages that are not published. */
size_t vocl_channel_unpublished(const struct vocl_channel *channel);
/* Publishes everything that was written, and wakes the other end. */
void vocl_channel_publish(struct vocl_channel *channel);

/* Returns the next message of the other end, in the ring itself: the other end may change it while
 * it is read. Stores its length in *bytes. Returns NULL if there is no message now, or the channel
 * is broken. vocl_channel_take removes the message. */
const void *vocl_channel_next(struct vocl_channel *channel, size_t *bytes);
void vocl_channel_take(struct vocl_channel *channel);

/* Returns space for a piece of data of at most VOCL_PIECE_MAX bytes. Stores its position, which a
 * message names, in *position. Returns NULL if there is no space now, or the channel is closed. The
 * other end uses the piece when a message that names it is published. */
char *vocl_channel_piece(struct vocl_channel *channel, size_t bytes, uint64_t *position);
/* Like vocl_channel_piece, for a piece that is filled later. The piece and the data after it are
 * published only after vocl_channel_fill has declared that all data before `end` is filled.
 * vocl_channel_unreserve cancels the last reservation. */
char *vocl_channel_reserve(struct vocl_channel *channel, size_t bytes, uint64_t *position);
void vocl_channel_fill(struct vocl_channel *channel, uint64_t end);
void vocl_channel_unreserve(struct vocl_channel *channel, uint64_t position);
/* Returns the piece of the other end that a message names. Call it once for each piece, in the
 * order of the messages, which is ring order. Returns NULL and breaks the channel if the position
 * is invalid. The result is not const, because it is passed directly to transfers to and from
 * devices. */
char *vocl_channel_piece_at(struct vocl_channel *channel, uint64_t position, size_t bytes);
/* vocl_channel_piece_end returns the position after a piece. A reader releases space in ring order,
 * up to the end of a piece that it no longer needs. */
uint64_t vocl_channel_piece_end(uint64_t position, size_t bytes);
void vocl_channel_release_space(struct vocl_channel *channel, uint64_t position);

/* vocl_channel_bell returns the value of this end's bell. To wait, read the bell, then check the
 * condition (messages, space, or that the other end has closed), then sleep. vocl_channel_sleep
 * returns when the bell has rung since it was read, or after `nanoseconds`. */
uint32_t vocl_channel_bell(const struct vocl_channel *channel);
void vocl_channel_sleep(struct vocl_channel *channel, uint32_t bell, long nanoseconds);
/* For a relay. If a skipped range begins at `position` and ends at or before `written`, returns its
 * end; otherwise returns `position`. */
uint64_t vocl_channel_after_skip(const struct vocl_ring_skip *skipped, uint64_t position,
                                 uint64_t written);
/* For a relay: wakes an end. A relay also sets wants_space for the end that it represents, so
 * that it is woken when space is released. */
void vocl_channel_ring_bell(struct vocl_channel_memory *memory, enum vocl_channel_end end);
