/* Finds the place in the program from which a call of Causeway comes: the first return address
 * outside of Causeway, and Causeway's function that the program has called.
 *
 * On x86-64, frame sizes are remembered, because a frame nearly always has the same size at the
 * same return address. A walk then takes one table lookup for each frame. For an unknown address
 * the unwinder is called, which takes a microsecond. */
#pragma once

#include "base/hash_map.h"

#include <stdint.h>

struct cwi_caller {
  uintptr_t place; /* return address in the program; 0 if it is not known */
  /* address in Causeway's function that the program called; 0 if it is not known */
  uintptr_t entry;
};

/* Frames known to one thread. Initialize it with {0}. */
enum { CWI_LAST_FRAMES = 6 };
struct cwi_frames {
  struct cwi_hash_map sizes; /* return address -> size of the frame that contains it */
  /* The last walk: the end of each frame, and the return address there. */
  struct {
    uintptr_t end, address;
  } last[CWI_LAST_FRAMES];
  int last_count; /* 0 if there is none, or it had more frames than fit */
  struct cwi_caller last_caller;
};

/* Returns the caller. `stack` is __builtin_dwarf_cfa() of one of Causeway's functions. Causeway may
 * be part of the program's own file without a section of its own there, as after link-time
 * optimization. Then its frames cannot be distinguished from the program's: the place is the return
 * address of the caller of that function, and the entry is not known. */
struct cwi_caller cwi_caller_find(struct cwi_frames *frames, const void *stack);
void cwi_caller_forget(struct cwi_frames *frames);

/* Returns true if Causeway's frames cannot be distinguished from the program's (see
 * cwi_caller_find). Calls within Causeway then hide those of the program. */
int cwi_caller_is_static(void);
