/* A list of functions that run when Causeway stops, for modules above the runtime. */
#include "base/stop_hooks.h"

#include <stddef.h>

static struct cwi_stop_hook *first;

void cwi_stop_hook_add(struct cwi_stop_hook *end)
{
  if (__atomic_exchange_n(&end->registered, 1, __ATOMIC_ACQ_REL) != 0)
    return;
  end->next = __atomic_load_n(&first, __ATOMIC_RELAXED);
  while (
      !__atomic_compare_exchange_n(&first, &end->next, end, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

void cwi_stop_hooks_run(void)
{
  for (struct cwi_stop_hook *end = __atomic_load_n(&first, __ATOMIC_ACQUIRE); end != NULL;
       end = end->next)
    end->run();
}
