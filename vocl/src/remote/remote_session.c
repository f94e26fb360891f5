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
  for (uint32_t number = VOCL_FIRST_OBJECT_NUMBER; number < session->fresh; number++) {
    struct vocl_stub *stub = session->objects[number];
    if (stub != NULL && stub->kind->over != NULL)
      stub->kind->over(stub);
  }
  vocl_session_wake(session);
}

/* Enlarges all tables. Returns false if there is no memory or the numbers are exhausted. */
static bool session_grow(struct vocl_session *session)
{
  const uint32_t most = session->most > 0 ? 2 * session->most : FIRST_SPACE;
  if (session->most >= VOCL_OBJECT_NUMBERS)
    return false;
  struct vocl_stub **objects = realloc(session->objects, most * sizeof *objects);
  if (objects == NULL)
    return false;
  session->objects = objects;
  uint64_t *generations = realloc(session->generations, most * sizeof *generations);
  if (generations == NULL)
    return false;
  session->generations = generations;
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

void *vocl_stub_new(struct vocl_session *session, const struct vocl_stub_kind *kind, size_t bytes,
                    bool numbered)
{
  if (numbered && session->idle_count == 0 && session->fresh + 1 >= session->most &&
      !session_grow(session))
    return NULL;
  struct vocl_stub *stub = calloc(1, bytes);
  if (stub == NULL)
    return NULL;
  *stub = (struct vocl_stub){&vocl_remote_tag, kind, 0, 1, session};
  if (numbered) {
    stub->number =
        session->idle_count > 0 ? session->idle[--session->idle_count] : session->fresh++;
    session->objects[stub->number] = stub;
    session->generations[stub->number] = ++session->generation;
  }
  return stub;
}

struct vocl_stub *vocl_stub_at(const struct vocl_session *session, uint32_t number)
{
  return number >= VOCL_FIRST_OBJECT_NUMBER && number < session->fresh ? session->objects[number]
                                                                       : NULL;
}

/* Frees the number of an object that the proxy never had or no longer has. */
static void stub_forget(struct vocl_stub *stub)
{
  struct vocl_session *session = stub->session;
  if (stub->number == 0)
    return;
  session->objects[stub->number] = NULL;
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
    session->objects[stub->number] = NULL;
    stub->number = 0;
  }
  vocl_stub_free(stub);
}

void vocl_session_wake(struct vocl_session *session)
{
  vocl_channel_ring_bell(session->channel.memory, VOCL_PROGRAM_SIDE);
  cwi_signal_advance(&session->wanted);
}
