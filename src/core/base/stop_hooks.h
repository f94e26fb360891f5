/* What rooms have to do when Causeway stops that the start and the stop do not know, because a
 * library may be built without them. */
#ifndef CWI_BASE_STOP_HOOKS_H
#define CWI_BASE_STOP_HOOKS_H

/* Static memory of the room. */
struct cwi_stop_hook {
  void (*run)(void);
  struct cwi_stop_hook *next;
  int registered;
};

/* Run it at each stop from now on, after all memory has gone. It may be told more than once; any
 * thread. */
void cwi_stop_hook_add(struct cwi_stop_hook *end);
void cwi_stop_hooks_run(void);
#endif
