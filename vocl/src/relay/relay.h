/* A relay: what a proxy does for a session whose program and devices are at different proxies.
 * Each of the two has one: it copies what its own end of the channel has written to the same place
 * of the other proxy's slot, and shows its end what has come from there.
 *
 * At the program's proxy the channel's memory is the program's, which may write there whatever it
 * likes; what comes from the other proxy lands in a slot first. At the proxy with the devices the
 * slot is the channel's memory.
 *
 * control_channel.c  mail between proxies
 * proxy_session.c    sessions: they begin, are served or passed on, and end
 * relay.c            passing a session on: copies of rings
 * watch.c            what a proxy sleeps on */
#ifndef VOCL_RELAY_RELAY_H
#define VOCL_RELAY_RELAY_H

#include "relay/control_channel.h"
#include "relay/watch.h"

enum { VOCL_RELAY_SAMPLES = 16, VOCL_RELAY_PIECES = 4 };

struct vocl_relay {
  struct vocl_channel_memory *memory;
  enum vocl_channel_end here, there; /* here: who reads and writes at this proxy */
  int other;                         /* the other proxy */
  unsigned slot, other_slot;
  bool is_malformed; /* this end has written what cannot be */

  /* What my end has written: positions in its two rings. */
  uint64_t seen[2];              /* as I last looked */
  uint64_t put[2];               /* so much has been put, or is under way */
  uint64_t ready[2];             /* so much may be shown to the other end */
  uint64_t given[2];             /* so much the other end has taken */
  struct vocl_ring_skip skipped; /* the last that was not put */
  uint32_t used[2];              /* by who writes: so much of the ring of data in my slot */
  /* Messages up to one position may be shown when data up to another one is there. */
  struct vocl_relay_sample {
    uint64_t position[2];
  } samples[VOCL_RELAY_SAMPLES];
  unsigned sample_count;
  /* Long data under way, in order. */
  struct vocl_relay_piece {
    uint64_t position;
    cw_handle handle;
  } pieces[VOCL_RELAY_PIECES];
  unsigned piece_count;

  struct vocl_control_positions sent, received; /* as the last mails said */
};

void vocl_relay_begin(struct vocl_relay *relay, struct vocl_channel_memory *memory,
                      enum vocl_channel_end here, int other, unsigned slot, unsigned other_slot);

/* Goes on with what my end has written and taken. Was there anything? */
bool vocl_relay_forward(struct vocl_relay *relay);
/* Is anything under way, so that its thread must not sleep? */
bool vocl_relay_is_busy(const struct vocl_relay *relay);

/* What the other proxy says. */
void vocl_relay_receive(struct vocl_relay *relay, const struct vocl_control_positions *positions);

/* What my end rings when there is something to carry. */
struct vocl_watch_bell vocl_relay_bell(const struct vocl_relay *relay);

/* My end goes: waits until nothing is under way, and sends the last mail. */
void vocl_relay_close(struct vocl_relay *relay, uint32_t session);
/* The other proxy's last mail: my end of the channel learns it. */
void vocl_relay_receive_close(struct vocl_relay *relay, const struct vocl_control_positions *last);
/* Zeroes what was used of my slot. Both ends have gone. */
void vocl_relay_clear(struct vocl_relay *relay);
#endif
