/* Sessions: they begin at a door or by a mail, and end when both of their ends have gone. */
#include "proxy/session.h"

#include "base/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
  struct cwi_proxy_session *first;
  struct cwi_proxy_session **of_slots; /* who has a slot of mine */
  unsigned slots;
  uint32_t opened; /* so many at my door */
} sessions;

bool cwi_sessions_start(unsigned slots)
{
  sessions.slots = slots;
  sessions.of_slots = calloc(slots, sizeof(void *));
  return sessions.of_slots != NULL || slots == 0;
}

void cwi_sessions_stop(void)
{
  free(sessions.of_slots);
}

struct cwi_proxy_session *cwi_sessions_first(void)
{
  return sessions.first;
}

struct cwi_proxy_session *cwi_session_find(uint32_t number)
{
  struct cwi_proxy_session *session = sessions.first;
  while (session != NULL && session->number != number)
    session = session->next;
  return session;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* Each door has numbers of its own. */
static uint32_t next_number(void)
{
  return sessions.opened++ * (uint32_t)cw_processes() + (uint32_t)cw_process() + 1;
}

int cwi_session_door(uint32_t number)
{
  return (int)((number - 1) % (uint32_t)cw_processes());
}

/* --- One session ------------------------------------------------------------------------------ */

static struct cwi_proxy_session *session_new(uint32_t number, int from, int to, uint32_t process,
                                             const char *program)
{
  struct cwi_proxy_session *session = calloc(1, sizeof *session);
  if (session == NULL)
    return NULL;
  session->number = number;
  session->from = from;
  session->to = to;
  session->process = process;
  snprintf(session->program, sizeof session->program, "%s", program);
  for (char *each = session->program; *each != '\0'; each++) /* it is shown on terminals */
    if ((unsigned char)*each < ' ' || *each == 0x7f)
      *each = '?';
  session->descriptor = -1;
  return session;
}

static void session_add(struct cwi_proxy_session *session)
{
  session->next = sessions.first;
  sessions.first = session;
}

static void session_free(struct cwi_proxy_session *session)
{
  if (session->descriptor >= 0)
    close(session->descriptor);
  if (session->memory != NULL && session->from == cw_process())
    munmap(session->memory, CWI_CHANNEL_BYTES);
  free(session);
}

/* Memory that the program will have, too. */
static bool map_channel(struct cwi_proxy_session *session)
{
  session->descriptor = cwi_door_memory("causeway-session", CWI_CHANNEL_BYTES);
  if (session->descriptor >= 0)
    session->memory = cwi_door_map(session->descriptor, CWI_CHANNEL_BYTES, true);
  return session->memory != NULL;
}

static void *session_serve(void *context)
{
  struct cwi_proxy_session *session = context;
  cwi_service_run(session->memory, &session->counts, &session->wish);
  __atomic_store_n(&session->thread_ended, 1, __ATOMIC_RELEASE);
  cwi_watch_ring();
  return NULL;
}

static int start_service(struct cwi_proxy_session *session)
{
  const int code = cwi_thread_start(&session->thread, session_serve, session);
  session->is_served = code == 0;
  return code;
}

/* The end of the channel that is not here has gone, or will not come. */
static void close_end(struct cwi_proxy_session *session, enum cwi_channel_end end)
{
  struct cwi_channel stand_in;
  cwi_channel_open(&stand_in, session->memory, end);
  cwi_channel_close(&stand_in);
}

static bool session_take_slot(struct cwi_proxy_session *session)
{
  unsigned slot = 0;
  while (slot < sessions.slots && sessions.of_slots[slot] != NULL)
    slot++;
  if (slot == sessions.slots)
    return false;
  sessions.of_slots[slot] = session;
  session->passage.slot = slot;
  memset(cwi_post_slot(cw_process(), slot), 0, CWI_CHANNEL_HEADER);
  session->is_passed = true;
  return true;
}

static void give_slot_back(struct cwi_proxy_session *session)
{
  if (session->is_begun)
    cwi_passage_clear(&session->passage);
  sessions.of_slots[session->passage.slot] = NULL;
}

/* --- At the program's door -------------------------------------------------------------------- */

static int pass_on(struct cwi_proxy_session *session)
{
  if (!session_take_slot(session))
    return ENOSPC;
  struct cwi_mail mail = {.kind = CWI_MAIL_OPEN, .number = session->number};
  mail.of.opening.slot = session->passage.slot;
  mail.of.opening.process = session->process;
  memcpy(mail.of.opening.program, session->program, sizeof mail.of.opening.program);
  cwi_post_send(session->to, &mail);
  return 0;
}

int cwi_session_open(int proxy, const struct cwi_door_question *question, void *visitor,
                     struct cwi_proxy_session **opened)
{
  struct cwi_proxy_session *session =
      session_new(next_number(), cw_process(), proxy, question->process, question->text);
  if (session == NULL)
    return ENOMEM;
  session->visitor = visitor;
  errno = ENOMEM;
  int code = map_channel(session) ? 0 : errno;
  if (code == 0)
    code = proxy == cw_process() ? start_service(session) : pass_on(session);
  if (code != 0) {
    session_free(session);
    return code;
  }
  session_add(session);
  *opened = session;
  return 0;
}

/* My end of its passage goes. */
static void leave_passage(struct cwi_proxy_session *session)
{
  cwi_passage_end(&session->passage, session->number);
  session->has_left = true;
}

void cwi_session_leave(struct cwi_proxy_session *session)
{
  session->visitor = NULL;
  if (!session->is_passed)
    close_end(session, CWI_ABOVE);
  else if (session->is_begun && !session->has_left)
    leave_passage(session);
}

static void session_tell_over(struct cwi_proxy_session *session,
                              const struct cwi_session_listener *listener)
{
  if (session->visitor != NULL)
    listener->over(session->visitor);
  session->visitor = NULL;
}

/* --- Mail ------------------------------------------------------------------------------------- */

/* A program at another door wants my devices. */
static int hear_opening(int from, const struct cwi_mail *mail, unsigned *slot)
{
  const struct cwi_mail_opening *opening = &mail->of.opening;
  struct cwi_proxy_session *session =
      session_new(mail->number, from, cw_process(), opening->process, opening->program);
  if (session == NULL)
    return ENOMEM;
  if (!session_take_slot(session)) {
    free(session);
    return ENOSPC;
  }
  *slot = session->passage.slot;
  session->memory = (struct cwi_channel_memory *)(void *)cwi_post_slot(cw_process(), *slot);
  cwi_passage_begin(&session->passage, session->memory, CWI_BELOW, from, *slot, opening->slot);
  session->is_begun = true;
  const int code = start_service(session);
  if (code == 0) {
    session_add(session);
    return 0;
  }
  give_slot_back(session);
  free(session);
  return code;
}

static void answer_opening(int from, const struct cwi_mail *mail)
{
  struct cwi_mail answer = {
      .kind = CWI_MAIL_OPENED, .slot = mail->of.opening.slot, .number = mail->number};
  answer.code = hear_opening(from, mail, &answer.of.opening.slot);
  cwi_post_send(from, &answer);
}

/* One that did not begin is left with nothing to tell the other proxy. */
static void hear_opened(struct cwi_proxy_session *session, const struct cwi_mail *mail,
                        const struct cwi_session_listener *listener)
{
  void *visitor = session->visitor;
  if (mail->code != 0) {
    session->has_left = session->other_left = true;
    session->visitor = NULL;
  } else {
    cwi_passage_begin(&session->passage, session->memory, CWI_ABOVE, session->to,
                      session->passage.slot, mail->of.opening.slot);
    session->is_begun = true;
  }
  if (visitor != NULL)
    listener->opened(visitor, session, mail->code);
  else if (session->is_begun)
    leave_passage(session);
}

static void hear_gone(struct cwi_proxy_session *session, const struct cwi_mail *mail,
                      const struct cwi_session_listener *listener)
{
  session->other_left = true;
  cwi_passage_hear_end(&session->passage, &mail->of.positions);
  session_tell_over(session, listener);
  if (session->from == cw_process() && !session->has_left)
    leave_passage(session);
}

void cwi_sessions_hear(int from, const struct cwi_mail *mail,
                       const struct cwi_session_listener *listener)
{
  if (mail->kind == CWI_MAIL_OPEN) {
    answer_opening(from, mail);
    return;
  }
  struct cwi_proxy_session *session = sessions.of_slots[mail->slot];
  if (mail->kind == CWI_MAIL_OPENED)
    hear_opened(session, mail, listener);
  else if (mail->kind == CWI_MAIL_GONE)
    hear_gone(session, mail, listener);
  else if (!session->has_left)
    cwi_passage_hear(&session->passage, &mail->of.positions);
}

/* --- All of them ------------------------------------------------------------------------------ */

/* The service has ended: the program has gone, or has said what cannot be. */
static void end_service(struct cwi_proxy_session *session)
{
  pthread_join(session->thread, NULL);
  session->is_served = false;
  close_end(session, CWI_BELOW);
  if (session->is_passed && !session->has_left)
    leave_passage(session);
}

/* Is there nothing left of it? */
static bool session_turn(struct cwi_proxy_session *session,
                         const struct cwi_session_listener *listener, bool *moved)
{
  if (session->is_served && __atomic_load_n(&session->thread_ended, __ATOMIC_ACQUIRE) != 0) {
    end_service(session);
    *moved = true;
  }
  /* Who wants something of the program is told first that it has gone. */
  const bool is_idle = !session->is_served && cwi_wish_is(&session->wish, CWI_WISH_NONE);
  if (!session->is_passed) {
    if (!session->is_served)
      session_tell_over(session, listener);
    return is_idle;
  }
  if (session->is_begun && !session->has_left && !session->other_left)
    *moved = cwi_passage_carry(&session->passage) || *moved;
  if (session->passage.is_wild && !session->has_left) {
    close_end(session, CWI_BELOW);
    session_tell_over(session, listener);
    leave_passage(session);
  }
  return session->has_left && session->other_left && is_idle;
}

/* The others come first the next time: a few pieces under way are for all of them. */
static void rotate(void)
{
  struct cwi_proxy_session *first = sessions.first;
  if (first == NULL || first->next == NULL)
    return;
  struct cwi_proxy_session *last = first;
  while (last->next != NULL)
    last = last->next;
  sessions.first = first->next;
  last->next = first;
  first->next = NULL;
}

bool cwi_sessions_turn(const struct cwi_session_listener *listener)
{
  bool moved = false;
  struct cwi_proxy_session **place = &sessions.first;
  while (*place != NULL) {
    struct cwi_proxy_session *session = *place;
    if (!session_turn(session, listener, &moved)) {
      place = &session->next;
      continue;
    }
    *place = session->next;
    if (session->to == cw_process())
      listener->ended(session);
    if (session->is_passed)
      give_slot_back(session);
    session_free(session);
    moved = true;
  }
  rotate();
  return moved;
}

void cwi_sessions_end_all(const struct cwi_session_listener *listener)
{
  for (struct cwi_proxy_session *session = sessions.first; session != NULL; session = session->next)
    if (session->visitor != NULL) {
      close_end(session, CWI_BELOW);
      session_tell_over(session, listener);
      cwi_session_leave(session);
    }
}

uint64_t cwi_sessions_left(void)
{
  uint64_t left = 0;
  for (const struct cwi_proxy_session *session = sessions.first; session != NULL;
       session = session->next)
    if (session->is_served)
      left += 1 + __atomic_load_n(&session->counts.objects, __ATOMIC_RELAXED);
  return left;
}

size_t cwi_sessions_bells(struct cwi_watch_bell *bells, bool *busy, bool *passed)
{
  size_t count = 0;
  for (struct cwi_proxy_session *session = sessions.first; session != NULL;
       session = session->next) {
    *passed = *passed || session->is_passed;
    if (!session->is_begun || session->has_left || session->other_left)
      continue;
    *busy = *busy || cwi_passage_is_busy(&session->passage);
    if (count < CWI_WATCH_BELLS)
      bells[count++] = cwi_passage_bell(&session->passage);
  }
  return count;
}
