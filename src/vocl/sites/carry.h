/* What memory holds goes from its copy at one site to that at another one, through this process's
 * memory: while one piece is written, the next one is read. */
#ifndef CWI_SITES_CARRY_H
#define CWI_SITES_CARRY_H

#include "sites/site.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_CARRY_PIECE = 4 << 20, CWI_CARRY_PIECES = 2 };

struct cwi_carrier {
  uint32_t from, to;
  void *queues[2]; /* at the two sites */
  char *pieces[CWI_CARRY_PIECES];
  void *written[CWI_CARRY_PIECES]; /* the event of a piece's last write, or NULL */
  uint64_t bytes;                  /* so far */
};

/* Queues on these devices, which are at the sites. */
cl_int cwi_carry_begin(struct cwi_carrier *carrier, struct cwi_sited_context *context,
                       uint32_t from, void *from_device, uint32_t to, void *to_device);
/* All of a buffer or an image, whose copies are there. */
cl_int cwi_carry(struct cwi_carrier *carrier, const struct cwi_sited_memory *memory);
/* Has all arrived? Ends what began, too, that did not begin wholly. */
cl_int cwi_carry_end(struct cwi_carrier *carrier);

#ifdef __cplusplus
}
#endif
#endif
