/* What all our objects share: who holds them, and their copies. */
#include "sites/site.h"

#include <stdlib.h>

const char cwi_sites_mark;

/* Of those that a launch has to recognise among its arguments. */
struct cwi_objects cwi_sited_memory_list = CWI_OBJECTS(struct cwi_sited_memory);
struct cwi_objects cwi_sited_sampler_list = CWI_OBJECTS(struct cwi_sited_sampler);

void cwi_sited_lists_stop(void)
{
  cwi_objects_stop(&cwi_sited_memory_list);
  cwi_objects_stop(&cwi_sited_sampler_list);
}

void cwi_sited_lists_go_on(void)
{
  cwi_objects_go_on(&cwi_sited_sampler_list);
  cwi_objects_go_on(&cwi_sited_memory_list);
}

static void member_add(struct cwi_sited *sited)
{
  struct cwi_sited_context *context = sited->context;
  pthread_mutex_lock(&context->members_lock);
  sited->after = context->members;
  sited->place = &context->members;
  if (sited->after != NULL)
    sited->after->place = &sited->after;
  context->members = sited;
  pthread_mutex_unlock(&context->members_lock);
}

static void member_remove(struct cwi_sited *sited)
{
  pthread_mutex_lock(&sited->context->members_lock);
  *sited->place = sited->after;
  if (sited->after != NULL)
    sited->after->place = sited->place;
  pthread_mutex_unlock(&sited->context->members_lock);
}

void *cwi_sited_new(const struct cwi_sited_kind *kind, struct cwi_sited_context *context)
{
  struct cwi_sited *sited =
      kind->objects != NULL ? cwi_object_make(kind->objects) : calloc(1, kind->bytes);
  if (sited == NULL)
    return NULL;
  sited->mark = &cwi_sites_mark;
  sited->kind = kind;
  sited->held = 1;
  sited->context = context;
  if (context != NULL) {
    cwi_sited_hold(context);
    member_add(sited);
  }
  return sited;
}

static void sited_free(struct cwi_sited *sited)
{
  const struct cwi_sited_kind *kind = sited->kind;
  struct cwi_sited_context *context = sited->context;
  if (context != NULL)
    member_remove(sited);
  if (kind->leave != NULL)
    kind->leave(sited);
  for (uint32_t site = 0; site < CWI_SITES_MOST; site++)
    if (sited->copies[site] != NULL)
      cwi_copy_drop(kind->sort, sited->copies[site]);
  if (kind->end != NULL)
    kind->end(sited);
  if (kind->objects != NULL)
    cwi_object_end(kind->objects, sited);
  else
    free(sited);
  cwi_sited_let_go(context);
}

struct cwi_sited_context *cwi_context_of(const void *object)
{
  const struct cwi_sited *sited = object;
  return sited->kind->sort == CWI_CONTEXT ? (struct cwi_sited_context *)(uintptr_t)object
                                          : sited->context;
}

bool cwi_sited_try_hold(void *object)
{
  struct cwi_sited *sited = object;
  uint32_t held = __atomic_load_n(&sited->held, __ATOMIC_RELAXED);
  while (held > 0)
    if (__atomic_compare_exchange_n(&sited->held, &held, held + 1, true, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

bool cwi_sited_let_go(void *object)
{
  struct cwi_sited *sited = object;
  if (sited == NULL || __atomic_sub_fetch(&sited->held, 1, __ATOMIC_ACQ_REL) > 0)
    return false;
  sited_free(sited);
  return true;
}

/* False: the gate has been opened meanwhile. */
static bool drop_later(struct cwi_sited_context *context, struct cwi_sited *sited)
{
  pthread_mutex_lock(&context->gate.lock);
  const bool is_closed = cwi_gate_is_closed(&context->gate);
  if (is_closed) {
    sited->next_dropped = context->dropped;
    context->dropped = sited;
  }
  pthread_mutex_unlock(&context->gate.lock);
  return is_closed;
}

static bool calls_program(const struct cwi_sited *sited)
{
  return sited->kind->calls_program != NULL && sited->kind->calls_program(sited);
}

/* But not of those that call the program: they go to *telling, unless that is NULL. */
static void dropped_let_go(struct cwi_sited *dropped, struct cwi_sited **telling)
{
  while (dropped != NULL) {
    struct cwi_sited *next = dropped->next_dropped;
    if (telling != NULL && calls_program(dropped)) {
      dropped->next_dropped = *telling;
      *telling = dropped;
    } else {
      cwi_sited_let_go(dropped);
    }
    dropped = next;
  }
}

/* A function of the program's may wait for a thread of it that waits at the gate. */
void cwi_sites_open(struct cwi_sited_context *context)
{
  struct cwi_gate *gate = &context->gate;
  struct cwi_sited *telling = NULL;
  cwi_gate_pass(gate);
  pthread_mutex_lock(&gate->lock);
  while (context->dropped != NULL) {
    struct cwi_sited *dropped = context->dropped;
    context->dropped = NULL;
    pthread_mutex_unlock(&gate->lock);
    dropped_let_go(dropped, &telling);
    pthread_mutex_lock(&gate->lock);
  }
  cwi_gate_open(gate);
  pthread_mutex_unlock(&gate->lock);
  dropped_let_go(telling, NULL);
  cwi_gate_leave(gate);
}

/* It passes the gate as others do: whoever finds an object that is held knows that it stays. But
 * nobody waits there: this may be a vendor's thread, in a callback of a device that stays, and who
 * has closed the gate may wait for what that device has still to do. */
void cwi_sites_drop(void *object)
{
  struct cwi_sited_context *context = cwi_context_of(object);
  cwi_sited_hold(context);
  bool is_inside = cwi_gate_try(&context->gate);
  while (!is_inside && !drop_later(context, object))
    is_inside = cwi_gate_try(&context->gate);
  if (is_inside) {
    cwi_sited_let_go(object);
    cwi_gate_leave(&context->gate);
  }
  cwi_sited_let_go(context);
}

/* Two threads may make it at once: one of them takes the other's. */
void *cwi_site_copy(void *object, uint32_t site, cl_int *code)
{
  struct cwi_sited *sited = object;
  void *copy = cwi_site_copy_known(sited, site), *other = NULL;
  *code = CL_SUCCESS;
  if (copy != NULL)
    return copy;
  *code = sited->kind->copy(sited, site, &copy);
  if (*code != CL_SUCCESS)
    return NULL;
  if (__atomic_compare_exchange_n(&sited->copies[site], &other, copy, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST)) {
    if (sited->kind->made != NULL)
      sited->kind->made(sited, site);
    return copy;
  }
  cwi_copy_drop(sited->kind->sort, copy);
  return other;
}

cl_int cwi_site_copies(void *const *objects, cl_uint count, uint32_t site, void **copies)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
    copies[i] = cwi_site_copy(objects[i], site, &code);
  return code;
}

cl_int cwi_site_make_at(cl_int code, uint32_t sites, void **object)
{
  for (uint32_t site = 0; site < CWI_SITES_MOST && code == CL_SUCCESS; site++)
    if ((sites >> site & 1) != 0)
      cwi_site_copy(*object, site, &code);
  if (code != CL_SUCCESS) {
    cwi_sited_let_go(*object);
    *object = NULL;
  }
  return code;
}
