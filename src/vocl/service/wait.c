/* Each queue has a thread that waits for what the vendor has of it, in order, and tells what came
 * of it. A vendor's callbacks and statuses are not relied on. */
#include "service/session.h"

#include "base/thread.h"

#include <stdlib.h>

/* --- what came of it --- */

static cl_int ask_event(const struct cwi_service_flight *flight, enum cwi_about about, cl_uint what,
                        size_t size, void *value)
{
  return cwi_native_ask(
      &(struct cwi_native_question){.about = about, .object = flight->event, .what = what}, size,
      value, NULL);
}

static cl_int flight_status(const struct cwi_service_flight *flight)
{
  cl_int status = CL_COMPLETE;
  const cl_int code =
      ask_event(flight, CWI_ABOUT_EVENT, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status);
  return code == CL_SUCCESS ? status : code;
}

/* Of several parts, the first one's beginning and the last one's end. */
static void flight_tell_times(const struct cwi_service_flight *flight)
{
  static const cl_profiling_info whats[4] = {CL_PROFILING_COMMAND_QUEUED,
                                             CL_PROFILING_COMMAND_SUBMIT,
                                             CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  uint64_t *times = flight->command->times;
  for (int i = 0; i < 4; i++) {
    cl_ulong time = 0;
    if (ask_event(flight, CWI_ABOUT_PROFILE, whats[i], sizeof time, &time) == CL_SUCCESS &&
        (times[i] == 0 || i == 3))
      times[i] = time;
  }
}

static void flight_leave(struct cwi_service_queue *queue, struct cwi_service_flight *flight)
{
  struct cwi_service_flight **place = &flight->command->flights;
  while (*place != flight)
    place = &(*place)->next_of_command;
  *place = flight->next_of_command;
  queue->first_flight = flight->next;
  if (queue->first_flight == NULL)
    queue->last_flight = NULL;
  queue->flights--;
}

/* What was read, unless it failed. */
static void flight_tell_result(struct cwi_service *session, const struct cwi_service_flight *flight)
{
  const struct cwi_service_command *command = flight->command;
  const bool is_good = command->status == CL_COMPLETE;
  const struct cwi_say_data result = {.number = command->object.number,
                                      .last = flight->offset + flight->size == command->total,
                                      .offset = flight->offset};
  if (flight->room.bytes != NULL)
    cwi_service_room_name(session, &flight->room, is_good ? &result : NULL);
  if (flight->stage == NULL)
    return;
  if (is_good)
    cwi_service_result(session, flight->stage, flight->size, &result);
  session->staged -= flight->size;
  free(flight->stage);
}

/* The lock may be given back while what was read waits for room, or for its turn. */
static void flight_end(struct cwi_service_queue *queue, struct cwi_service_flight *flight)
{
  struct cwi_service *session = queue->session;
  struct cwi_service_command *command = flight->command;
  const cl_int status = flight_status(flight);
  if (status < 0 && command->status == CL_COMPLETE)
    command->status = status;
  if (queue->is_profiled && status >= 0)
    flight_tell_times(flight);
  flight_tell_result(session, flight);
  if (flight->piece != NULL)
    cwi_service_piece_end(session, flight->piece);
  flight_leave(queue, flight);
  cwi_native_drop(CWI_EVENT, flight->event);
  free(flight);
  if (command->is_issued && command->flights == NULL)
    cwi_service_command_done(session, command);
}

/* --- the thread --- */

/* All that is complete is told together. */
static void queue_take(struct cwi_service_queue *queue)
{
  struct cwi_service *session = queue->session;
  do
    flight_end(queue, queue->first_flight);
  while (queue->first_flight != NULL && flight_status(queue->first_flight) <= CL_COMPLETE);
  cwi_service_issue(session);
  cwi_service_begin_work(session);
  cwi_service_publish(session);
}

static void *queue_run(void *argument)
{
  struct cwi_service_queue *queue = argument;
  struct cwi_service *session = queue->session;
  pthread_mutex_lock(&session->lock);
  for (;;) {
    while (queue->first_flight == NULL && !queue->is_left)
      pthread_cond_wait(&queue->work, &session->lock);
    if (queue->first_flight == NULL)
      break;
    void *event = queue->first_flight->event;
    cwi_service_begin_work(session);
    pthread_mutex_unlock(&session->lock);
    cwi_native_wait(1, &event);
    pthread_mutex_lock(&session->lock);
    queue_take(queue);
  }
  queue->has_ended = true;
  pthread_mutex_unlock(&session->lock);
  return NULL;
}

bool cwi_service_queue_start(struct cwi_service_queue *queue)
{
  if (!queue->has_thread)
    queue->has_thread = cwi_thread_start(&queue->thread, queue_run, queue) == 0;
  return queue->has_thread;
}

void cwi_service_queue_leave(struct cwi_service *session, struct cwi_service_object *object)
{
  struct cwi_service_queue *queue = (struct cwi_service_queue *)object;
  (void)session;
  queue->is_left = true;
  queue->has_ended = !queue->has_thread;
  pthread_cond_signal(&queue->work);
}

static void queue_free(struct cwi_service_queue *queue)
{
  struct cwi_service *session = queue->session;
  if (queue->has_thread)
    pthread_join(queue->thread, NULL);
  while (queue->finishes != NULL) {
    struct cwi_service_finish *finish = queue->finishes;
    queue->finishes = finish->next;
    free(finish);
  }
  cwi_native_drop(CWI_QUEUE, queue->object.native);
  pthread_cond_destroy(&queue->work);
  cwi_service_count(&queue->load->queues, (uint64_t)-1);
  free(queue);
  session->queue_count--;
  cwi_service_count(&session->counts->objects, (uint64_t)-1);
}

void cwi_service_queues_reap(struct cwi_service *session)
{
  for (struct cwi_service_queue **place = &session->queues; *place != NULL;) {
    struct cwi_service_queue *queue = *place;
    if (!queue->has_ended) {
      place = &queue->next;
      continue;
    }
    *place = queue->next;
    queue_free(queue);
  }
}

void cwi_service_queues_stop(struct cwi_service *session)
{
  for (struct cwi_service_queue *queue = session->queues; queue != NULL; queue = queue->next)
    while (queue->first != NULL)
      cwi_service_issued(session, queue->first, CL_DEVICE_NOT_AVAILABLE);
}

/* All of them were dropped: their threads end with what is under way. */
void cwi_service_queues_join(struct cwi_service *session)
{
  for (struct cwi_service_queue *queue = session->queues; queue != NULL; queue = queue->next) {
    if (queue->has_thread)
      pthread_join(queue->thread, NULL);
    queue->has_thread = false;
  }
  pthread_mutex_lock(&session->lock);
  cwi_service_queues_reap(session);
  pthread_mutex_unlock(&session->lock);
}
