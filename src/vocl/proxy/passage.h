/* A passage: what a proxy does for a session whose program and devices are at different proxies.
 * Each of the two has one: it copies what its own end of the channel has written to the same place
 * of the other proxy's slot, and shows its end what has come from there.
 *
 * At the program's proxy the channel's memory is the program's, which may write there whatever it
 * likes; what comes from the other proxy lands in a slot first. At the proxy with the devices the
 * slot is the channel's memory. */
#ifndef CWI_PROXY_PASSAGE_H
#define CWI_PROXY_PASSAGE_H

#include "proxy/post.h"
#include "proxy/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_PASSAGE_SAMPLES = 16, CWI_PASSAGE_PIECES = 4 };

struct cwi_passage {
  struct cwi_channel_memory *memory;
  enum cwi_channel_end here, there; /* here: who reads and writes at this proxy */
  int other;                        /* the other proxy */
  unsigned slot, other_slot;
  bool is_wild; /* this end has written what cannot be */

  /* What my end has written: positions in its two rings. */
  uint64_t seen[2];           /* as I last looked */
  uint64_t put[2];            /* so much has been put, or is under way */
  uint64_t ready[2];          /* so much may be shown to the other end */
  uint64_t given[2];          /* so much the other end has taken */
  struct cwi_skipped skipped; /* the last that was not put */
  uint32_t used[2];           /* by who writes: so much of the ring of data in my slot */
  /* Messages up to one position may be shown when data up to another one is there. */
  struct cwi_passage_sample {
    uint64_t position[2];
  } samples[CWI_PASSAGE_SAMPLES];
  unsigned sample_count;
  /* Long data under way, in order. */
  struct cwi_passage_piece {
    uint64_t position;
    cw_handle handle;
  } pieces[CWI_PASSAGE_PIECES];
  unsigned piece_count;

  struct cwi_mail_positions told, heard; /* as the last mails said */
};

void cwi_passage_begin(struct cwi_passage *passage, struct cwi_channel_memory *memory,
                       enum cwi_channel_end here, int other, unsigned slot, unsigned other_slot);

/* Goes on with what my end has written and taken. Was there anything? */
bool cwi_passage_carry(struct cwi_passage *passage);
/* Is anything under way, so that its thread must not sleep? */
bool cwi_passage_is_busy(const struct cwi_passage *passage);

/* What the other proxy says. */
void cwi_passage_hear(struct cwi_passage *passage, const struct cwi_mail_positions *positions);

/* What my end rings when there is something to carry. */
struct cwi_watch_bell cwi_passage_bell(const struct cwi_passage *passage);

/* My end goes: waits until nothing is under way, and sends the last mail. */
void cwi_passage_end(struct cwi_passage *passage, uint32_t session);
/* The other proxy's last mail: my end of the channel learns it. */
void cwi_passage_hear_end(struct cwi_passage *passage, const struct cwi_mail_positions *last);
/* Zeroes what was used of my slot. Both ends have gone. */
void cwi_passage_clear(struct cwi_passage *passage);

#ifdef __cplusplus
}
#endif
#endif
