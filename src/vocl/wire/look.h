/* Looking for what should come soon before sleeping: waking a thread takes 20 to 50 us. Where
 * others want the core, a look only keeps them, or a kernel, from running: then it is left out. */
#ifndef CWI_WIRE_LOOK_H
#define CWI_WIRE_LOOK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread's; begins as {0}: no look. */
struct cwi_look {
  double end;     /* when to sleep */
  unsigned turns; /* since the core was given away */
};

/* What is awaited should come soon: look for it for a while. */
void cwi_look_begin(struct cwi_look *look);
/* Pass some tenths of a microsecond, or give the core away; false: it is time to sleep. */
bool cwi_look_turn(struct cwi_look *look);

/* What took longer, with the waking of those that wait, is not worth a look the next time. */
#define CWI_LOOK_SLOW_SECONDS 150e-6

#ifdef __cplusplus
}
#endif
#endif
