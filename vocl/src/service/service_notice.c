/* Callbacks of vendors. A vendor may make them on any thread, even during our own calls. They
 * therefore only store a notice, and the session's thread sends it. A vendor may make a callback
 * after the end of the session, so its user data is a number, not an address. */
#include "service/service_session.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 4096 };

struct vocl_service_notice {
  struct vocl_service_notice *next;
  uint32_t number;
  bool is_deleted; /* true if memory was deleted, false if it is a notice of a context */
  size_t text_bytes, private_bytes;
  char bytes[];
};

static pthread_mutex_t notices = PTHREAD_MUTEX_INITIALIZER;
static struct vocl_service *sessions;
static uint32_t last_id;

void *vocl_service_notice_data(const struct vocl_service *session, uint32_t number)
{
  return (void *)(uintptr_t)((uint64_t)session->id << 32 | number);
}

/* Appends the notice to the session that `data` names, or frees it if the session has ended. */
static void notice_put(void *data, struct vocl_service_notice *notice)
{
  const uint64_t name = (uint64_t)(uintptr_t)data;
  if (notice == NULL)
    return;
  notice->next = NULL;
  notice->number = (uint32_t)name;
  pthread_mutex_lock(&notices);
  struct vocl_service *session = sessions;
  while (session != NULL && session->id != name >> 32)
    session = session->next;
  if (session == NULL) {
    free(notice);
  } else {
    if (session->last_notice != NULL)
      session->last_notice->next = notice;
    else
      session->first_notice = notice;
    session->last_notice = notice;
    vocl_channel_ring_bell(session->channel.memory, VOCL_PROXY_SIDE);
  }
  pthread_mutex_unlock(&notices);
}

void CL_CALLBACK vocl_service_context_notice(const char *text, const void *bytes, size_t size,
                                             void *data)
{
  const size_t text_bytes = text != NULL ? strnlen(text, MOST_TEXT) : 0;
  size = bytes != NULL && size <= MOST_TEXT ? size : 0;
  struct vocl_service_notice *notice = malloc(sizeof *notice + text_bytes + size);
  if (notice != NULL) {
    *notice = (struct vocl_service_notice){.text_bytes = text_bytes, .private_bytes = size};
    if (text_bytes > 0)
      memcpy(notice->bytes, text, text_bytes);
    if (size > 0)
      memcpy(notice->bytes + text_bytes, bytes, size);
  }
  notice_put(data, notice);
}

void CL_CALLBACK vocl_service_deleted_notice(cl_mem memory, void *data)
{
  (void)memory;
  struct vocl_service_notice *notice = calloc(1, sizeof *notice);
  if (notice != NULL)
    notice->is_deleted = true;
  notice_put(data, notice);
}

void vocl_service_notices_begin(struct vocl_service *session)
{
  pthread_mutex_lock(&notices);
  session->id = ++last_id;
  session->next = sessions;
  sessions = session;
  pthread_mutex_unlock(&notices);
}

static struct vocl_service_notice *notices_take(struct vocl_service *session)
{
  pthread_mutex_lock(&notices);
  struct vocl_service_notice *first = session->first_notice;
  session->first_notice = session->last_notice = NULL;
  pthread_mutex_unlock(&notices);
  return first;
}

void vocl_service_notices_end(struct vocl_service *session)
{
  pthread_mutex_lock(&notices);
  struct vocl_service **place = &sessions;
  while (*place != session)
    place = &(*place)->next;
  *place = session->next;
  pthread_mutex_unlock(&notices);
  struct vocl_service_notice *notice = notices_take(session);
  while (notice != NULL) {
    struct vocl_service_notice *next = notice->next;
    free(notice);
    notice = next;
  }
}

static void send_deleted(struct vocl_service *session, uint32_t number)
{
  struct vocl_msg_numbers *msg =
      vocl_service_message_begin(session, VOCL_MSG_DELETED, sizeof *msg + sizeof *msg->numbers, 0);
  if (msg == NULL)
    return;
  msg->count = 1;
  msg->numbers[0] = number;
  vocl_service_message_end(session);
}

static void send_notice(struct vocl_service *session, const struct vocl_service_notice *notice)
{
  const size_t bytes = notice->text_bytes + notice->private_bytes;
  struct vocl_msg_notice *msg =
      vocl_service_message_begin(session, VOCL_MSG_NOTICE, sizeof *msg + bytes, 0);
  if (msg == NULL)
    return;
  msg->context = notice->number;
  msg->text_bytes = notice->text_bytes;
  msg->private_bytes = notice->private_bytes;
  memcpy(msg->text, notice->bytes, bytes);
  vocl_service_message_end(session);
}

void vocl_service_notices_send(struct vocl_service *session)
{
  struct vocl_service_notice *notice = notices_take(session);
  while (notice != NULL) {
    struct vocl_service_notice *next = notice->next;
    if (notice->is_deleted)
      send_deleted(session, notice->number);
    else
      send_notice(session, notice);
    free(notice);
    notice = next;
  }
}
