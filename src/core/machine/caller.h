/* From which place in the program a call of ours comes, the first return address outside of
 * Causeway, and which function of ours the program has called.
 *
 * On x86-64 the way out is remembered: a function's frame nearly always has the same size at the
 * same return address, so that a walk is a look into a table for each frame. What is not in it is
 * asked of the unwinder, which takes a microsecond. */
#ifndef CWI_MACHINE_CALLER_H
#define CWI_MACHINE_CALLER_H

#include <stddef.h>
#include <stdint.h>

struct cwi_caller {
  uintptr_t place; /* return address in the program; 0 if it is not known */
  uintptr_t
      entry; /* address in the function of ours that the program called; 0 if it is not known */
};

/* What one thread knows of frames; start with {0}. */
enum { CWI_LAST_FRAMES = 6 };
struct cwi_frames {
  struct cwi_known_frame *known;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
  /* The last walk: where each frame ended, and the return address there. */
  struct {
    uintptr_t end, address;
  } last[CWI_LAST_FRAMES];
  int last_count; /* 0: there is none, or it had more */
  struct cwi_caller last_caller;
};

/* Returns the caller. stack: __builtin_dwarf_cfa() of a function of ours. Where Causeway is part of
 * the program's own file and its code has no section there, as after optimization at link time, its
 * frames cannot be told from the program's: then the place is where the caller of that function was
 * called, and the entry is not known. */
struct cwi_caller cwi_caller_find(struct cwi_frames *frames, const void *stack);
void cwi_caller_forget(struct cwi_frames *frames);

/* Is Causeway such a part of the program's file, so that our own calls hide the program's? */
int cwi_caller_is_static(void);
#endif
