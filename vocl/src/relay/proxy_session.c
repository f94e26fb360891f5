/* Sessions of a proxy. They begin with a client's request or a message of another proxy, and end
 * when both of their ends have closed. */
#include "relay/proxy_session.h"

#include "wait/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
  struct vocl_proxy_session *first;
  struct vocl_proxy_session **of_slots; /* the session that uses each of my slots */
  unsigned slots;
  uint32_t opened; /* number of sessions that my clients have opened */
} sessions;

bool vocl_proxy_sessions_start(unsigned slots)
{
  sessions.slots = slots;
  sessions.of_slots = calloc(slots, sizeof(void *));
  return sessions.of_slots != NULL || slots == 0;
}

void vocl_proxy_sessions_stop(void)
{
  free(sessions.of_slots);
}

struct vocl_proxy_session *vocl_proxy_sessions_first(void)
{
  return sessions.first;
}

struct vocl_proxy_session *vocl_proxy_session_find(uint32_t number)
{
  struct vocl_proxy_session *session = sessions.first;
  while (session != NULL && session->number != number)
    session = session->next;
  return session;
}

/* --- Numbers of sessions
 * --------------------------------------------------------------------------- */

/* Returns a number that is unique in the service: each proxy uses the numbers of one residue
 * class. */
static uint32_t next_number(void)
{
  return sessions.opened++ * (uint32_t)cw_processes() + (uint32_t)cw_process() + 1;
}

int vocl_proxy_session_client_proxy(uint32_t number)
{
  return (int)((number - 1) % (uint32_t)cw_processes());
}

/* --- One session ------------------------------------------------------------------------------ */

static struct vocl_proxy_session *session_new(uint32_t number, int from, int to, uint32_t process,
                                              const char *program)
{
  struct vocl_proxy_session *session = calloc(1, sizeof *session);
  if (session == NULL)
    return NULL;
  session->number = number;
  session->from = from;
  session->to = to;
  session->process = process;
  snprintf(session->program, sizeof session->program, "%s", program);
  for (char *each = session->program; *each != '\0'; each++) /* the text is shown on terminals */
    if ((unsigned char)*each < ' ' || *each == 0x7f)
      *each = '?';
  session->descriptor = -1;
  return session;
}

static void session_add(struct vocl_proxy_session *session)
{
  session->next = sessions.first;
  sessions.first = session;
}

static void session_free(struct vocl_proxy_session *session)
{
  if (session->descriptor >= 0)
    close(session->descriptor);
  if (session->memory != NULL && session->from == cw_process())
    munmap(session->memory, VOCL_CHANNEL_BYTES);
  free(session);
}

/* Makes the memory of the channel, which is shared with the program. */
static bool map_channel(struct vocl_proxy_session *session)
{
  session->descriptor = vocl_shared_memory_make("causeway-session", VOCL_CHANNEL_BYTES);
  if (session->descriptor >= 0)
    session->memory = vocl_shared_memory_map(session->descriptor, VOCL_CHANNEL_BYTES, true);
  return session->memory != NULL;
}

static void *session_serve(void *context)
{
  struct vocl_proxy_session *session = context;
  vocl_service_run(session->memory, &session->counts, &session->request);
  __atomic_store_n(&session->thread_ended, 1, __ATOMIC_RELEASE);
  vocl_watch_wake();
  return NULL;
}

static int start_service(struct vocl_proxy_session *session)
{
  const int code = cwi_thread_start(&session->thread, session_serve, session);
  session->is_served = code == 0;
  return code;
}

/* Closes an end of the channel on behalf of its owner, which has gone or will not come. */
static void close_end(struct vocl_proxy_session *session, enum vocl_channel_end end)
{
  struct vocl_channel stand_in;
  vocl_channel_open(&stand_in, session->memory, end);
  vocl_channel_close(&stand_in);
}

static bool session_take_slot(struct vocl_proxy_session *session)
{
  unsigned slot = 0;
  while (slot < sessions.slots && sessions.of_slots[slot] != NULL)
    slot++;
  if (slot == sessions.slots)
    return false;
  sessions.of_slots[slot] = session;
  session->relay.slot = slot;
  memset(vocl_control_slot(cw_process(), slot), 0, VOCL_CHANNEL_HEADER);
  session->is_passed = true;
  return true;
}

static void give_slot_back(struct vocl_proxy_session *session)
{
  if (session->is_begun)
    vocl_relay_clear(&session->relay);
  sessions.of_slots[session->relay.slot] = NULL;
}

/* --- Clients of this proxy
 * ------------------------------------------------------------------------- */

static int pass_on(struct vocl_proxy_session *session)
{
  if (!session_take_slot(session))
    return ENOSPC;
  struct vocl_control_message message = {.kind = VOCL_CONTROL_OPEN, .number = session->number};
  message.of.opening.slot = session->relay.slot;
  message.of.opening.process = session->process;
  memcpy(message.of.opening.program, session->program, sizeof message.of.opening.program);
  vocl_control_send(session->to, &message);
  return 0;
}

int vocl_proxy_session_open(int proxy, const struct vocl_socket_request *query, void *client,
                            struct vocl_proxy_session **opened)
{
  struct vocl_proxy_session *session =
      session_new(next_number(), cw_process(), proxy, query->process, query->text);
  if (session == NULL)
    return ENOMEM;
  session->client = client;
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

/* Closes my end of the session's relay. */
static void leave_relay(struct vocl_proxy_session *session)
{
  vocl_relay_close(&session->relay, session->number);
  session->has_left = true;
}

void vocl_proxy_session_leave(struct vocl_proxy_session *session)
{
  session->client = NULL;
  if (!session->is_passed)
    close_end(session, VOCL_PROGRAM_SIDE);
  else if (session->is_begun && !session->has_left)
    leave_relay(session);
}

static void session_report_over(struct vocl_proxy_session *session,
                                const struct vocl_proxy_session_callbacks *listener)
{
  if (session->client != NULL)
    listener->over(session->client);
  session->client = NULL;
}

/* --- Messages of other proxies
 * --------------------------------------------------------------------- */

/* Starts to serve a client of another proxy that wants a session with this proxy's devices. */
static int receive_opening(int from, const struct vocl_control_message *message, unsigned *slot)
{
  const struct vocl_control_opening *opening = &message->of.opening;
  struct vocl_proxy_session *session =
      session_new(message->number, from, cw_process(), opening->process, opening->program);
  if (session == NULL)
    return ENOMEM;
  if (!session_take_slot(session)) {
    free(session);
    return ENOSPC;
  }
  *slot = session->relay.slot;
  session->memory = (struct vocl_channel_memory *)(void *)vocl_control_slot(cw_process(), *slot);
  vocl_relay_begin(&session->relay, session->memory, VOCL_PROXY_SIDE, from, *slot, opening->slot);
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

static void answer_opening(int from, const struct vocl_control_message *message)
{
  struct vocl_control_message answer = {
      .kind = VOCL_CONTROL_OPEN_REPLY, .slot = message->of.opening.slot, .number = message->number};
  answer.code = receive_opening(from, message, &answer.of.opening.slot);
  vocl_control_send(from, &answer);
}

/* Handles the reply to an opening. After an error, both ends count as closed, because the other
 * proxy has no session. */
static void receive_opened(struct vocl_proxy_session *session,
                           const struct vocl_control_message *message,
                           const struct vocl_proxy_session_callbacks *listener)
{
  void *client = session->client;
  if (message->code != 0) {
    session->has_left = session->other_left = true;
    session->client = NULL;
  } else {
    vocl_relay_begin(&session->relay, session->memory, VOCL_PROGRAM_SIDE, session->to,
                     session->relay.slot, message->of.opening.slot);
    session->is_begun = true;
  }
  if (client != NULL)
    listener->opened(client, session, message->code);
  else if (session->is_begun)
    leave_relay(session);
}

static void receive_left(struct vocl_proxy_session *session,
                         const struct vocl_control_message *message,
                         const struct vocl_proxy_session_callbacks *listener)
{
  session->other_left = true;
  vocl_relay_receive_close(&session->relay, &message->of.positions);
  session_report_over(session, listener);
  if (session->from == cw_process() && !session->has_left)
    leave_relay(session);
}

void vocl_proxy_sessions_receive(int from, const struct vocl_control_message *message,
                                 const struct vocl_proxy_session_callbacks *listener)
{
  if (message->kind == VOCL_CONTROL_OPEN) {
    answer_opening(from, message);
    return;
  }
  struct vocl_proxy_session *session = sessions.of_slots[message->slot];
  if (message->kind == VOCL_CONTROL_OPEN_REPLY)
    receive_opened(session, message, listener);
  else if (message->kind == VOCL_CONTROL_CLOSE)
    receive_left(session, message, listener);
  else if (!session->has_left)
    vocl_relay_receive(&session->relay, &message->of.positions);
}

/* --- All sessions
 * ---------------------------------------------------------------------------------- */

/* Ends a session whose service thread has ended, because the program has gone or has sent a
 * malformed message. */
static void end_service(struct vocl_proxy_session *session)
{
  pthread_join(session->thread, NULL);
  session->is_served = false;
  close_end(session, VOCL_PROXY_SIDE);
  if (session->is_passed && !session->has_left)
    leave_relay(session);
}

/* Does one pass for a session. Returns true if the session can be freed. */
static bool session_pass(struct vocl_proxy_session *session,
                         const struct vocl_proxy_session_callbacks *listener, bool *moved)
{
  if (session->is_served && __atomic_load_n(&session->thread_ended, __ATOMIC_ACQUIRE) != 0) {
    end_service(session);
    *moved = true;
  }
  /* A session with a pending move request stays until the requester has received the reply that the
   * program is gone. */
  const bool is_idle = !session->is_served && vocl_move_state_is(&session->request, VOCL_MOVE_NONE);
  if (!session->is_passed) {
    if (!session->is_served)
      session_report_over(session, listener);
    return is_idle;
  }
  if (session->is_begun && !session->has_left && !session->other_left)
    *moved = vocl_relay_forward(&session->relay) || *moved;
  if (session->relay.is_malformed && !session->has_left) {
    close_end(session, VOCL_PROXY_SIDE);
    session_report_over(session, listener);
    leave_relay(session);
  }
  return session->has_left && session->other_left && is_idle;
}

/* Moves the first session to the end of the list. All relays share the small number of pieces that
 * may be in flight, so each session must come first in turn. */
static void rotate(void)
{
  struct vocl_proxy_session *first = sessions.first;
  if (first == NULL || first->next == NULL)
    return;
  struct vocl_proxy_session *last = first;
  while (last->next != NULL)
    last = last->next;
  sessions.first = first->next;
  last->next = first;
  first->next = NULL;
}

bool vocl_proxy_sessions_poll(const struct vocl_proxy_session_callbacks *listener)
{
  bool moved = false;
  struct vocl_proxy_session **place = &sessions.first;
  while (*place != NULL) {
    struct vocl_proxy_session *session = *place;
    if (!session_pass(session, listener, &moved)) {
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

void vocl_proxy_sessions_end_all(const struct vocl_proxy_session_callbacks *listener)
{
  for (struct vocl_proxy_session *session = sessions.first; session != NULL;
       session = session->next)
    if (session->client != NULL) {
      close_end(session, VOCL_PROXY_SIDE);
      session_report_over(session, listener);
      vocl_proxy_session_leave(session);
    }
}

uint64_t vocl_proxy_sessions_remaining(void)
{
  uint64_t left = 0;
  for (const struct vocl_proxy_session *session = sessions.first; session != NULL;
       session = session->next)
    if (session->is_served)
      left += 1 + __atomic_load_n(&session->counts.objects, __ATOMIC_RELAXED);
  return left;
}

size_t vocl_proxy_sessions_bells(struct vocl_watch_bell *bells, bool *busy, bool *passed)
{
  size_t count = 0;
  for (struct vocl_proxy_session *session = sessions.first; session != NULL;
       session = session->next) {
    *passed = *passed || session->is_passed;
    if (!session->is_begun || session->has_left || session->other_left)
      continue;
    *busy = *busy || vocl_relay_is_busy(&session->relay);
    if (count < VOCL_WATCH_BELLS)
      bells[count++] = vocl_relay_bell(&session->relay);
  }
  return count;
}
