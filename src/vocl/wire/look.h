/* Looking for what should come soon before sleeping, because waking a thread takes 20 to 50 us. A
 * look is left out where the same came late the last time, and where others want the core: there it
 * would only keep them, or a kernel, from running. */
#ifndef CWI_WIRE_LOOK_H
#define CWI_WIRE_LOOK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How one thread waits for things of one kind; begins as {0}, which is no look. */
struct cwi_look {
  double begun, end; /* since when it is awaited, and when to sleep; 0: at once */
  double late;       /* coming later, it was not worth the look */
  unsigned turns;
  bool was_late;
};

/* Something is awaited now: look for it for so many seconds. */
void cwi_look_begin(struct cwi_look *look, double seconds);
/* Pass some tenths of a microsecond, or give the core away; false: it is time to sleep. */
bool cwi_look_turn(struct cwi_look *look);
/* It has come. */
void cwi_look_end(struct cwi_look *look);

#ifdef __cplusplus
}
#endif
#endif
