/* A session's thread: it hears one message after the other, and has it done, until the program has
 * gone or says what cannot be. */
#include "service/session.h"

#include "base/log.h"
#include "base/settings.h"
#include "wire/look.h"

#include <stdlib.h>
#include <string.h>

/* Commands that may wait for their vendor: the program is heard further only if data must come
 * before any of them can go, and then not without end. */
enum { MANY_WAITING = 4096, MOST_WAITING = 1 << 20 };

static const long NAP_NANOSECONDS = 500000000;
static const double LOOK_SECONDS = 100e-6;

static const struct {
  cwi_service_hear *hear;
  size_t least; /* bytes of such a message */
} says[] = {
    [CWI_SAYS_MAKE] = {cwi_service_make, sizeof(struct cwi_say_make)},
    [CWI_SAYS_MAKE_KERNELS] = {cwi_service_make_kernels, sizeof(struct cwi_say_numbers)},
    [CWI_SAYS_MAKE_SUB_DEVICES] = {cwi_service_make_sub_devices,
                                   sizeof(struct cwi_say_sub_devices)},
    [CWI_SAYS_DROP] = {cwi_service_drop, sizeof(struct cwi_say_numbers)},
    [CWI_SAYS_TELL_DELETED] = {cwi_service_tell_deleted, sizeof(struct cwi_say_numbers)},
    [CWI_SAYS_BUILD] = {cwi_service_build, sizeof(struct cwi_say_build)},
    [CWI_SAYS_ASK] = {cwi_service_ask, sizeof(struct cwi_say_ask)},
    [CWI_SAYS_ASK_FORMATS] = {cwi_service_ask_formats, sizeof(struct cwi_say_ask_formats)},
    [CWI_SAYS_ARGUMENT] = {cwi_service_argument, sizeof(struct cwi_say_argument)},
    [CWI_SAYS_COMMAND] = {cwi_service_command, sizeof(struct cwi_say_command)},
    [CWI_SAYS_DATA] = {cwi_service_data, sizeof(struct cwi_say_data)},
    [CWI_SAYS_FLUSH] = {cwi_service_flush, sizeof(struct cwi_say_numbers)},
    [CWI_SAYS_FINISH] = {cwi_service_finish, sizeof(struct cwi_say_numbers)},
    [CWI_SAYS_MOVED] = {cwi_service_moved, sizeof(struct cwi_say_moved)},
};

/* The message as it was when it was read: the program may change it meanwhile. */
static bool hear(struct cwi_service *session, const void *message, size_t bytes)
{
  const struct cwi_said *said = (const struct cwi_said *)session->message;
  memcpy(session->message, message, bytes);
  cwi_service_count(&session->counts->messages, 1);
  if (said->what >= sizeof says / sizeof *says || says[said->what].hear == NULL ||
      bytes < says[said->what].least)
    return cwi_service_wild(session, "no known message");
  return says[said->what].hear(session, session->message, bytes);
}

/* So many commands wait that the program must wait, too: until fewer do. Room for what is read is
 * found by this thread alone. */
static bool has_room(struct cwi_service *session)
{
  session->is_full = true;
  while (session->waiting >= MANY_WAITING && session->awaiting == 0 &&
         !cwi_service_is_over(session)) {
    const uint32_t bell = cwi_channel_bell(&session->channel);
    cwi_service_issue(session);
    cwi_service_begin_work(session);
    cwi_service_publish(session);
    cwi_service_leave_work(session);
    pthread_mutex_unlock(&session->lock);
    cwi_channel_sleep(&session->channel, bell, NAP_NANOSECONDS);
    pthread_mutex_lock(&session->lock);
  }
  session->is_full = false;
  return session->waiting < MOST_WAITING ||
         cwi_service_wild(session, "more commands than can wait");
}

/* All that is there, and what has come to its end. False: the session is over. */
static bool hear_all(struct cwi_service *session, bool *heard, bool *ended)
{
  size_t bytes = 0;
  const void *message = NULL;
  *heard = false;
  while ((message = cwi_channel_next(&session->channel, &bytes)) != NULL) {
    *heard = true;
    pthread_mutex_lock(&session->lock);
    session->attends = true;
    const bool goes_on =
        hear(session, message, bytes) && has_room(session) && !cwi_service_is_over(session);
    if (session->waiting > 0 && cwi_service_attend(session)) /* before more is heard */
      cwi_service_issue(session);
    pthread_mutex_unlock(&session->lock);
    if (!goes_on)
      return false;
    cwi_channel_take(&session->channel);
  }
  pthread_mutex_lock(&session->lock);
  *ended = cwi_service_attend(session);
  cwi_service_notices_tell(session);
  cwi_service_wish_tell(session);
  cwi_service_issue(session); /* the program may have given room */
  cwi_service_begin_work(session);
  cwi_service_publish(session);
  const bool is_over = cwi_service_is_over(session);
  pthread_mutex_unlock(&session->lock);
  return !is_over;
}

/* The queues' threads wait for what is under way. */
static void session_sleep(struct cwi_service *session, uint32_t bell)
{
  pthread_mutex_lock(&session->lock);
  cwi_service_leave_work(session);
  pthread_mutex_unlock(&session->lock);
  cwi_channel_sleep(&session->channel, bell, NAP_NANOSECONDS);
}

static void session_serve(struct cwi_service *session)
{
  struct cwi_look after_message = {0}, after_end = {0}, *look = &after_message;
  bool heard = false, ended = false;
  for (;;) {
    const uint32_t bell = cwi_channel_bell(&session->channel);
    if (!hear_all(session, &heard, &ended))
      return;
    if (heard || ended) {
      cwi_look_end(look);
      look = heard ? &after_message : &after_end;
      cwi_look_begin(look, LOOK_SECONDS);
    } else if (!cwi_look_turn(look)) {
      session_sleep(session, bell);
    }
  }
}

/* What is under way comes to its end; everything else is dropped. */
static void session_end(struct cwi_service *session)
{
  pthread_mutex_lock(&session->lock);
  session->is_over = true;
  cwi_service_leave_work(session);
  cwi_channel_close(&session->channel);
  cwi_service_queues_stop(session);
  pthread_mutex_unlock(&session->lock);
  cwi_service_end_builds(session);
  pthread_mutex_lock(&session->lock);
  cwi_service_drop_all(session);
  pthread_mutex_unlock(&session->lock);
  cwi_service_queues_join(session);
  cwi_service_notices_end(session);
  cwi_service_pieces_free(session);
}

void cwi_service_run(struct cwi_channel_memory *memory, struct cwi_service_counts *counts,
                     struct cwi_service_wish *wish)
{
  const struct cwi_found_device *devices = NULL;
  struct cwi_service *session = calloc(1, sizeof *session);
  if (session == NULL) {
    cwi_log(CWI_LOG_WARNING, "no memory for a session");
    return;
  }
  cwi_vendor_devices(&devices);
  cwi_channel_open(&session->channel, memory, CWI_BELOW);
  session->counts = counts;
  session->wish = wish;
  session->ahead = (size_t)cwi_settings.vocl_ahead;
  pthread_mutex_init(&session->lock, NULL);
  pthread_cond_init(&session->build, NULL);
  pthread_cond_init(&session->turn, NULL);
  cwi_service_notices_begin(session);
  session_serve(session);
  session_end(session);
  pthread_cond_destroy(&session->build);
  pthread_cond_destroy(&session->turn);
  pthread_mutex_destroy(&session->lock);
  free(session);
}
