/* Common parts of all replicated objects: references and replicas. */
#include "replica/replicated.h"
#include "replica/replicated_memory.h"

#include <stdlib.h>

const char vocl_replicated_tag;

/* Lists of the objects that may be arguments of launches. They must be recognised even after their
 * end. */
struct cwi_objects vocl_replicated_memory_list = CWI_OBJECTS(struct vocl_replicated_memory);
struct cwi_objects vocl_replicated_sampler_list = CWI_OBJECTS(struct vocl_replicated_sampler);

void vocl_replicated_lists_lock(void)
{
  cwi_objects_stop(&vocl_replicated_memory_list);
  cwi_objects_stop(&vocl_replicated_sampler_list);
}

void vocl_replicated_lists_unlock(void)
{
  cwi_objects_resume(&vocl_replicated_sampler_list);
  cwi_objects_resume(&vocl_replicated_memory_list);
}

static void member_add(struct vocl_replicated *replicated)
{
  struct vocl_replicated_context *context = replicated->context;
  pthread_mutex_lock(&context->members_lock);
  replicated->after = context->members;
  replicated->place = &context->members;
  if (replicated->after != NULL)
    replicated->after->place = &replicated->after;
  context->members = replicated;
  pthread_mutex_unlock(&context->members_lock);
}

static void member_remove(struct vocl_replicated *replicated)
{
  pthread_mutex_lock(&replicated->context->members_lock);
  *replicated->place = replicated->after;
  if (replicated->after != NULL)
    replicated->after->place = replicated->place;
  pthread_mutex_unlock(&replicated->context->members_lock);
}

void *vocl_replicated_new(const struct vocl_replicated_kind *kind,
                          struct vocl_replicated_context *context)
{
  struct vocl_replicated *replicated =
      kind->objects != NULL ? cwi_object_make(kind->objects) : calloc(1, kind->bytes);
  if (replicated == NULL)
    return NULL;
  replicated->tag = &vocl_replicated_tag;
  replicated->kind = kind;
  replicated->refs = 1;
  replicated->context = context;
  if (context != NULL) {
    vocl_replicated_ref(context);
    member_add(replicated);
  }
  return replicated;
}

static void replicated_free(struct vocl_replicated *replicated)
{
  const struct vocl_replicated_kind *kind = replicated->kind;
  struct vocl_replicated_context *context = replicated->context;
  if (context != NULL)
    member_remove(replicated);
  if (kind->leave != NULL)
    kind->leave(replicated);
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX; location++)
    if (replicated->replicas[location] != NULL)
      vocl_replica_drop(kind->sort, replicated->replicas[location]);
  if (kind->end != NULL)
    kind->end(replicated);
  if (kind->objects != NULL)
    cwi_object_end(kind->objects, replicated);
  else
    free(replicated);
  vocl_replicated_unref(context);
}

struct vocl_replicated_context *vocl_context_of(const void *object)
{
  const struct vocl_replicated *replicated = object;
  return replicated->kind->sort == VOCL_CONTEXT
             ? (struct vocl_replicated_context *)(uintptr_t)object
             : replicated->context;
}

bool vocl_replicated_try_ref(void *object)
{
  struct vocl_replicated *replicated = object;
  uint32_t refs = __atomic_load_n(&replicated->refs, __ATOMIC_RELAXED);
  while (refs > 0)
    if (__atomic_compare_exchange_n(&replicated->refs, &refs, refs + 1, true, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

bool vocl_replicated_unref(void *object)
{
  struct vocl_replicated *replicated = object;
  if (replicated == NULL || __atomic_sub_fetch(&replicated->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return false;
  replicated_free(replicated);
  return true;
}

/* Schedules the release for vocl_context_unfreeze. Returns false if the freeze has ended
 * meanwhile. */
static bool drop_later(struct vocl_replicated_context *context, struct vocl_replicated *replicated)
{
  pthread_mutex_lock(&context->freeze.lock);
  const bool is_closed = vocl_freeze_is_active(&context->freeze);
  if (is_closed) {
    replicated->next_dropped = context->dropped;
    context->dropped = replicated;
  }
  pthread_mutex_unlock(&context->freeze.lock);
  return is_closed;
}

static bool calls_program(const struct vocl_replicated *replicated)
{
  return replicated->kind->calls_program != NULL && replicated->kind->calls_program(replicated);
}

/* Releases the dropped objects. Objects whose end calls the program are moved to the list
 * *reporting instead, unless `reporting` is NULL. */
static void dropped_unref(struct vocl_replicated *dropped, struct vocl_replicated **reporting)
{
  while (dropped != NULL) {
    struct vocl_replicated *next = dropped->next_dropped;
    if (reporting != NULL && calls_program(dropped)) {
      dropped->next_dropped = *reporting;
      *reporting = dropped;
    } else {
      vocl_replicated_unref(dropped);
    }
    dropped = next;
  }
}

/* Opens the freeze lock. Objects whose end calls the program are released afterwards, because
 * the callback may wait for a thread of the program that waits at the lock. */
void vocl_context_unfreeze(struct vocl_replicated_context *context)
{
  struct vocl_freeze *freeze = &context->freeze;
  struct vocl_replicated *reporting = NULL;
  vocl_freeze_bypass(freeze);
  pthread_mutex_lock(&freeze->lock);
  while (context->dropped != NULL) {
    struct vocl_replicated *dropped = context->dropped;
    context->dropped = NULL;
    pthread_mutex_unlock(&freeze->lock);
    dropped_unref(dropped, &reporting);
    pthread_mutex_lock(&freeze->lock);
  }
  vocl_freeze_end(freeze);
  pthread_mutex_unlock(&freeze->lock);
  dropped_unref(reporting, NULL);
  vocl_freeze_leave(freeze);
}

/* Drops an object. Enters the freeze lock like other calls, so that a move can rely on references,
 * but never waits there: this may be a vendor's thread in a callback, and the move may wait for the
 * device of that vendor. If the lock is closed, the release is deferred. */
void vocl_replicated_drop(void *object)
{
  struct vocl_replicated_context *context = vocl_context_of(object);
  vocl_replicated_ref(context);
  bool is_inside = vocl_freeze_try_enter(&context->freeze);
  while (!is_inside && !drop_later(context, object))
    is_inside = vocl_freeze_try_enter(&context->freeze);
  if (is_inside) {
    vocl_replicated_unref(object);
    vocl_freeze_leave(&context->freeze);
  }
  vocl_replicated_unref(context);
}

/* Returns a replica, which it makes if necessary. Two threads may make it at the same time; one of
 * them then drops its own and uses the other's. */
void *vocl_replica_get(void *object, uint32_t location, cl_int *code)
{
  struct vocl_replicated *replicated = object;
  void *replica = vocl_replica_existing(replicated, location), *other = NULL;
  *code = CL_SUCCESS;
  if (replica != NULL)
    return replica;
  *code = replicated->kind->replica(replicated, location, &replica);
  if (*code != CL_SUCCESS)
    return NULL;
  if (__atomic_compare_exchange_n(&replicated->replicas[location], &other, replica, false,
                                  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    if (replicated->kind->made != NULL)
      replicated->kind->made(replicated, location);
    return replica;
  }
  vocl_replica_drop(replicated->kind->sort, replica);
  return other;
}

cl_int vocl_replicas_get(void *const *objects, cl_uint count, uint32_t location, void **replicas)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
    replicas[i] = vocl_replica_get(objects[i], location, &code);
  return code;
}

cl_int vocl_replicas_make(cl_int code, uint32_t locations, void **object)
{
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX && code == CL_SUCCESS; location++)
    if ((locations >> location & 1) != 0)
      vocl_replica_get(*object, location, &code);
  if (code != CL_SUCCESS) {
    vocl_replicated_unref(*object);
    *object = NULL;
  }
  return code;
}
