/* A relay connects the two ends of a session whose program and devices are at different proxies.
 * Each of the two proxies has a relay. The relay copies the bytes that its own end of the channel
 * writes. It puts them into the other proxy's slot, at the same place. It publishes the bytes that
 * come from the other proxy to its own end.
 *
 * At the program's proxy the channel's memory is shared with the program, which may write
 * anything there; data from the other proxy therefore arrives in a slot first. At the proxy with
 * the devices the slot is the channel's memory.
 *
 * control_channel.c  messages between proxies
 * proxy_session.c    sessions: they begin, are served or relayed, and end
 * relay.c            copies the rings of a session between two proxies
 * watch.c            the descriptors and bells on which a proxy sleeps */
#pragma once

#include "relay/control_channel.h"
#include "relay/watch.h"

enum { VOCL_RELAY_SAMPLES = 16, VOCL_RELAY_PIECES = 4 };

struct vocl_relay {
  struct vocl_channel_memory *memory;
  enum vocl_channel_end here, there; /* `here` is the end that reads and writes at this proxy */
  int other;                         /* the other proxy */
  unsigned slot, other_slot;
  bool is_malformed; /* this end has written an invalid position */

  /* Positions in the two rings that my end has written. */
  uint64_t seen[2];              /* as of the last sample */
  uint64_t put[2];               /* up to which data was put or is in flight */
  uint64_t ready[2];             /* up to which the other end may see it */
  uint64_t given[2];             /* up to which the other end has taken it */
  struct vocl_ring_skip skipped; /* the last range that was skipped instead of put */
  uint32_t used[2]; /* for each writer, how much of its data ring in my slot has been used */
  /* Messages up to one position may be published when data up to the other position has arrived. */
  struct vocl_relay_sample {
    uint64_t position[2];
  } samples[VOCL_RELAY_SAMPLES];
  unsigned sample_count;
  /* Pieces of long data in flight, in order. */
  struct vocl_relay_piece {
    uint64_t position;
    cw_handle handle;
  } pieces[VOCL_RELAY_PIECES];
  unsigned piece_count;

  struct vocl_control_positions sent, received; /* positions in the last messages */
};

/* Begins to relay a session. `here` is the end of the channel in `memory` that is at this proxy,
 * `slot` is this proxy's slot and `other_slot` that of the other proxy. */
void vocl_relay_begin(struct vocl_relay *relay, struct vocl_channel_memory *memory,
                      enum vocl_channel_end here, int other, unsigned slot, unsigned other_slot);

/* Forwards what my end has written and taken. Returns true if there was anything. */
bool vocl_relay_forward(struct vocl_relay *relay);
/* Returns true if a transfer is in progress, so that the proxy must not sleep long. */
bool vocl_relay_is_busy(const struct vocl_relay *relay);

/* Handles a message with positions of the other proxy. */
void vocl_relay_receive(struct vocl_relay *relay, const struct vocl_control_positions *positions);

/* Returns the bell that my end rings when there is something to forward. */
struct vocl_watch_bell vocl_relay_bell(const struct vocl_relay *relay);

/* Closes my end: waits for its own pieces and sends the last message. */
void vocl_relay_close(struct vocl_relay *relay, uint32_t session);
/* Handles the last message of the other proxy, and closes the other end of the channel for my
 * end. */
void vocl_relay_receive_close(struct vocl_relay *relay, const struct vocl_control_positions *last);
/* Zeroes the used part of my slot. Both ends have closed. */
void vocl_relay_clear(struct vocl_relay *relay);
