/* Sessions: the table of objects by number, and the end of a session. */
#include "remote/remote_session.h"

#include <stdlib.h>

enum { FIRST_SPACE = 1024 };

const char vocl_remote_tag;

void vocl_session_lost(struct vocl_session *session)
{
  if (session->is_over)
    return;
  __atomic_store_n(&session->is_over, true, __ATOMIC_RELEASE);
  for (struct vocl_request *each = session->queries; each != NULL; each = each->next) {
    each->is_replied = true;
    each->code = CL_DEVICE_NOT_AVAILABLE;
  }
  session->queries = NULL;
  uint32_t next = 0;
  for (struct vocl_stub *stub = NULL; (stub = vocl_number_next(&session->objects, &next)) != NULL;)
    if (stub->kind->over != NULL)
      stub->kind->over(stub);
  vocl_session_wake(session);
}

/* Enlarges the lists of numbers. Returns false if there is no memory, or if all numbers are in
 * use. */
static bool session_grow(struct vocl_session *session)
{
  const uint32_t most = session->most > 0 ? 2 * session->most : FIRST_SPACE;
  if (session->most >= VOCL_OBJECT_NUMBERS)
    return false;
  uint32_t *idle = realloc(session->idle, most * sizeof *idle);
  if (idle == NULL)
    return false;
  session->idle = idle;
  uint32_t *drops = realloc(session->drops, most * sizeof *drops);
  if (drops == NULL)
    return false;
  session->drops = drops;
  session->most = most;
  return true;
}

/* Enters the stub under an idle number or a fresh one. Returns false if there is no memory or no
 * number. */
static bool stub_enter(struct vocl_session *session, struct vocl_stub *stub)
{
  const bool is_idle = session->idle_count > 0;
  const uint32_t number = is_idle ? session->idle[session->idle_count - 1] : session->fresh;
  if (number + 1 >= session->most && !session_grow(session))
    return false;
  void **place = vocl_number_place_make(&session->objects, number);
  if (place == NULL)
    return false;
  if (is_idle)
    session->idle_count--;
  else
    session->fresh++;
  *place = stub;
  stub->number = number;
  stub->generation = ++session->generation;
  return true;
}

void *vocl_stub_new(struct vocl_session *session, const struct vocl_stub_kind *kind, size_t bytes,
                    bool numbered)
{
  struct vocl_stub *stub = calloc(1, bytes);
  if (stub == NULL)
    return NULL;
  *stub = (struct vocl_stub){.tag = &vocl_remote_tag, .kind = kind, .refs = 1, .session = session};
  if (!numbered || stub_enter(session, stub))
    return stub;
  free(stub);
  return NULL;
}

struct vocl_stub *vocl_stub_at(const struct vocl_session *session, uint32_t number)
{
  return vocl_number_find(&session->objects, number);
}

/* Frees the number of an object that the proxy never had or no longer has. */
static void stub_forget(struct vocl_stub *stub)
{
  struct vocl_session *session = stub->session;
  if (stub->number == 0)
    return;
  *vocl_number_place(&session->objects, stub->number) = NULL;
  session->idle[session->idle_count++] = stub->number;
  stub->number = 0;
}

void vocl_stub_free(struct vocl_stub *stub)
{
  stub_forget(stub);
  if (stub->kind->free != NULL)
    stub->kind->free(stub);
  free(stub);
}

void vocl_stub_unref(void *object)
{
  struct vocl_stub *stub = object;
  const struct vocl_stub_kind *kind = stub->kind;
  struct vocl_session *session = stub->session;
  if (--stub->refs > 0)
    return;
  const bool is_known =
      stub->number != 0 && !session->is_over && (kind->is_known == NULL || kind->is_known(stub));
  if (is_known)
    session->drops[session->drop_count++] = stub->number;
  if (kind->leave != NULL && kind->leave(stub))
    return;
  if (is_known) {
    *vocl_number_place(&session->objects, stub->number) = NULL;
    stub->number = 0;
  }
  vocl_stub_free(stub);
}

void vocl_session_wake(struct vocl_session *session)
{
  vocl_channel_ring_bell(session->channel.memory, VOCL_PROGRAM_SIDE);
  cwi_signal_advance(&session->wanted);
}
