/* Sessions: what lives in one under which number, and how it is over. */
#include "remote/session.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

const char cwi_remote_mark;

void cwi_session_end(struct cwi_session *session)
{
  if (session->is_over)
    return;
  __atomic_store_n(&session->is_over, true, __ATOMIC_RELEASE);
  for (struct cwi_far_question *each = session->questions; each != NULL; each = each->next) {
    each->is_answered = true;
    each->code = CL_DEVICE_NOT_AVAILABLE;
  }
  session->questions = NULL;
  for (uint32_t number = CWI_FIRST_NUMBER; number < session->fresh; number++) {
    struct cwi_far *far = session->objects[number];
    if (far != NULL && far->kind->over != NULL)
      far->kind->over(far);
  }
  cwi_session_wake(session);
}

/* Room for one number more in all lists. */
static bool session_grow(struct cwi_session *session)
{
  const uint32_t most = session->most > 0 ? 2 * session->most : FIRST_ROOM;
  if (session->most >= CWI_NUMBERS)
    return false;
  struct cwi_far **objects = realloc(session->objects, most * sizeof *objects);
  if (objects == NULL)
    return false;
  session->objects = objects;
  uint64_t *births = realloc(session->births, most * sizeof *births);
  if (births == NULL)
    return false;
  session->births = births;
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

void *cwi_far_new(struct cwi_session *session, const struct cwi_far_kind *kind, size_t bytes,
                  bool numbered)
{
  if (numbered && session->idle_count == 0 && session->fresh + 1 >= session->most &&
      !session_grow(session))
    return NULL;
  struct cwi_far *far = calloc(1, bytes);
  if (far == NULL)
    return NULL;
  *far = (struct cwi_far){&cwi_remote_mark, kind, 0, 1, session};
  if (numbered) {
    far->number = session->idle_count > 0 ? session->idle[--session->idle_count] : session->fresh++;
    session->objects[far->number] = far;
    session->births[far->number] = ++session->birth;
  }
  return far;
}

struct cwi_far *cwi_far_at(const struct cwi_session *session, uint32_t number)
{
  return number >= CWI_FIRST_NUMBER && number < session->fresh ? session->objects[number] : NULL;
}

/* It never was at the proxy, or will be no more: its number is free. */
static void far_forget(struct cwi_far *far)
{
  struct cwi_session *session = far->session;
  if (far->number == 0)
    return;
  session->objects[far->number] = NULL;
  session->idle[session->idle_count++] = far->number;
  far->number = 0;
}

void cwi_far_free(struct cwi_far *far)
{
  far_forget(far);
  if (far->kind->free != NULL)
    far->kind->free(far);
  free(far);
}

void cwi_far_let_go(void *object)
{
  struct cwi_far *far = object;
  const struct cwi_far_kind *kind = far->kind;
  struct cwi_session *session = far->session;
  if (--far->held > 0)
    return;
  const bool is_known =
      far->number != 0 && !session->is_over && (kind->is_known == NULL || kind->is_known(far));
  if (is_known)
    session->drops[session->drop_count++] = far->number;
  if (kind->leave != NULL && kind->leave(far))
    return;
  if (is_known) {
    session->objects[far->number] = NULL;
    far->number = 0;
  }
  cwi_far_free(far);
}

void cwi_session_wake(struct cwi_session *session)
{
  cwi_channel_ring_bell(session->channel.memory, CWI_ABOVE);
  cwi_signal_advance(&session->wanted);
}
