/* The list of all objects of a context, and the freeze lock that calls on them enter. */
#include "replica/replicated.h"

#include <stdlib.h>

/* Returns references to all objects of the context, except those without references: another thread
 * is about to free them and waits for members_lock. */
struct vocl_replicated **vocl_context_objects_ref(struct vocl_replicated_context *context,
                                                  size_t *count)
{
  size_t most = 1;
  *count = 0;
  pthread_mutex_lock(&context->members_lock);
  for (const struct vocl_replicated *each = context->members; each != NULL; each = each->after)
    most++;
  struct vocl_replicated **members = malloc(most * sizeof *members);
  for (struct vocl_replicated *each = context->members; members != NULL && each != NULL;
       each = each->after)
    if (vocl_replicated_try_ref(each))
      members[(*count)++] = each;
  pthread_mutex_unlock(&context->members_lock);
  return members;
}

void vocl_context_objects_unref(struct vocl_replicated **members, size_t count)
{
  for (size_t i = 0; i < count; i++)
    vocl_replicated_unref(members[i]);
  free(members);
}

struct vocl_freeze *vocl_context_enter(const void *object)
{
  struct vocl_replicated_context *context = vocl_context_of(object);
  vocl_freeze_enter(&context->freeze);
  return &context->freeze;
}

void vocl_context_leave(struct vocl_freeze *freeze)
{
  if (freeze != NULL)
    vocl_freeze_leave(freeze);
}
