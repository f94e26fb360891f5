/* A proxy asks the program to move what it has on a device to another one. A thread of its own has
 * that done, so that all others are heard meanwhile, and tells what came of it. */
#include "remote/session.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cwi_device_mover *mover_of_all;

struct wanted_move {
  struct cwi_session *session;
  uint64_t ticket;
  struct cwi_device_name from, to;
};

void cwi_remote_set_mover(cwi_device_mover *mover)
{
  __atomic_store_n(&mover_of_all, mover, __ATOMIC_RELEASE);
}

static void tell_moved(const struct wanted_move *wanted, int code,
                       const struct cwi_move_report *report, double seconds)
{
  struct cwi_session *session = wanted->session;
  const size_t length = strlen(report->text);
  cwi_session_lock(session);
  session->is_asked = false;
  struct cwi_say_moved *said =
      cwi_say_begin(session, CWI_SAYS_MOVED, sizeof *said + length, wanted->ticket);
  if (said != NULL) {
    said->code = code;
    said->text_bytes = (uint32_t)length;
    said->bytes = report->bytes;
    said->nanoseconds = (uint64_t)(seconds * 1e9);
    memcpy(said->text, report->text, length);
    cwi_say_end(session);
    cwi_say_publish(session);
  }
  cwi_session_unlock(session);
}

static int move_asked(const struct wanted_move *wanted, struct cwi_move_report *report)
{
  cwi_device_mover *mover = __atomic_load_n(&mover_of_all, __ATOMIC_ACQUIRE);
  if (mover != NULL)
    return mover(wanted->from, wanted->to, report);
  snprintf(report->text, sizeof report->text, "the program has nothing that can be moved");
  return ENOSYS;
}

static void *wanted_run(void *argument)
{
  struct wanted_move *wanted = argument;
  struct cwi_move_report report = {.bytes = 0};
  const double began = cwi_now();
  const int code = move_asked(wanted, &report);
  tell_moved(wanted, code, &report, cwi_now() - began);
  free(wanted);
  return NULL;
}

/* There is no memory, or no thread. Without room to say so, the proxy waits for a time. */
static void move_refuse(struct cwi_session *session, uint64_t ticket)
{
  static const char text[] = "the program has no memory to move";
  const size_t length = sizeof text - 1;
  struct cwi_say_moved *said = cwi_channel_begin(&session->channel, sizeof *said + length);
  if (said == NULL)
    return;
  cwi_say_head(&said->said, CWI_SAYS_MOVED, sizeof *said + length, ticket);
  said->code = ENOMEM;
  said->text_bytes = (uint32_t)length;
  memcpy(said->text, text, length);
  cwi_say_end(session);
  cwi_say_publish(session);
}

bool cwi_hear_move(struct cwi_session *session, const char *at, size_t bytes)
{
  struct cwi_say_move said;
  pthread_t thread;
  if (bytes < sizeof said || session->is_asked)
    return false;
  memcpy(&said, at, sizeof said);
  struct wanted_move *wanted = malloc(sizeof *wanted);
  if (wanted != NULL)
    *wanted = (struct wanted_move){
        session, said.said.ticket, {session->proxy, said.device}, {said.target[0], said.target[1]}};
  session->is_asked = wanted != NULL && cwi_thread_start(&thread, wanted_run, wanted) == 0;
  if (session->is_asked) {
    pthread_detach(thread);
  } else {
    free(wanted);
    move_refuse(session, said.said.ticket);
  }
  return true;
}
