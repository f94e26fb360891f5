/* Functions that modules run when Causeway stops. The runtime cannot call them directly, because a
 * library may be built without these modules. */
#pragma once

/* A function that runs at each stop. The module keeps this structure in static memory. */
struct cwi_stop_hook {
  void (*run)(void);
  struct cwi_stop_hook *next;
  int registered;
};

/* cwi_stop_hook_add makes `end` run at each stop from now on, after all memory has been freed. It
 * may be called more than once, by any thread. */
void cwi_stop_hook_add(struct cwi_stop_hook *end);
void cwi_stop_hooks_run(void);
