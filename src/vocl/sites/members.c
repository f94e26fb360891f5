/* The objects of each context, for whoever must find all of them; and the gate that calls about
 * them pass. */
#include "sites/site.h"

#include <stdlib.h>

/* One that nobody holds any more is about to go, and waits for the lock. */
struct cwi_sited **cwi_members_hold(struct cwi_sited_context *context, size_t *count)
{
  size_t most = 1;
  *count = 0;
  pthread_mutex_lock(&context->members_lock);
  for (const struct cwi_sited *each = context->members; each != NULL; each = each->after)
    most++;
  struct cwi_sited **members = malloc(most * sizeof *members);
  for (struct cwi_sited *each = context->members; members != NULL && each != NULL;
       each = each->after)
    if (cwi_sited_try_hold(each))
      members[(*count)++] = each;
  pthread_mutex_unlock(&context->members_lock);
  return members;
}

void cwi_members_let_go(struct cwi_sited **members, size_t count)
{
  for (size_t i = 0; i < count; i++)
    cwi_sited_let_go(members[i]);
  free(members);
}

struct cwi_gate *cwi_sites_enter(const void *object)
{
  struct cwi_sited_context *context = cwi_context_of(object);
  cwi_gate_enter(&context->gate);
  return &context->gate;
}

void cwi_sites_leave(struct cwi_gate *gate)
{
  if (gate != NULL)
    cwi_gate_leave(gate);
}
