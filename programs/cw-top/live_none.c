/* Replaces live.c where ncurses is not installed: there is no live view. */
#include "cw-top.h"

const bool top_has_live = false;

int top_live(struct top_view *view, double interval)
{
  (void)view, (void)interval;
  return top_misuse("this cw-top was built without ncurses (libncurses-dev): only --once works");
}
