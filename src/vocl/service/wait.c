/* Each queue has a thread that waits for what the vendor has of it and tells what came of it: in
 * order, or, if the queue keeps none, whatever ends first. What is short the reading thread tells
 * itself, as long as it is awake: waking a thread takes longer. A vendor's callbacks are not relied
 * on, and a status only says when a wait is short: that wait makes sure. */
#include "service/session.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

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
  struct cwi_service_flight *before = NULL;
  for (struct cwi_service_flight *each = queue->first_flight; each != flight; each = each->next)
    before = each;
  *(before != NULL ? &before->next : &queue->first_flight) = flight->next;
  if (queue->last_flight == flight)
    queue->last_flight = before;
  queue->flights--;
}

/* What was read, unless it failed: then the program only gives the room back. */
static void flight_tell_result(struct cwi_service *session, const struct cwi_service_flight *flight)
{
  const struct cwi_service_command *command = flight->command;
  const bool is_good = command->status == CL_COMPLETE;
  const struct cwi_say_data result = {.number = command->object.number,
                                      .last = flight->offset + flight->size == command->total,
                                      .offset = flight->offset};
  if (flight->room.bytes != NULL)
    cwi_service_room_name(session, &flight->room, &result, is_good);
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

/* It is of a command that waits for all before it in its queue. */
static bool flight_gathers(const struct cwi_service_flight *flight)
{
  const struct cwi_service_command *command = flight->command;
  const enum cwi_command_sort sort = command->native.sort;
  return (sort == CWI_COMMAND_MARKER || sort == CWI_COMMAND_BARRIER) && command->wait_count == 0;
}

/* May it end before others of its queue? Not before what its own command began earlier, nor before
 * what that waits for: who sees its end finds all that the others have read, whenever vendors were
 * done. And what was read into the ring is told in its turn. What was read elsewhere takes a turn
 * when it ends, and waits for those before it: not for one that only this thread can end. */
static bool flight_is_free(const struct cwi_service *session,
                           const struct cwi_service_flight *flight, bool is_behind_room)
{
  const struct cwi_service_command *command = flight->command;
  if (flight->next_of_command != NULL || !cwi_service_waits_are_done(command) ||
      (flight_gathers(flight) && command->queue->first_flight != flight))
    return false;
  return flight->room.bytes != NULL ? flight->room.turn == session->named
                                    : flight->stage == NULL || !is_behind_room;
}

/* What has come to its end and can be told; NULL: nothing. Nothing is read elsewhere before what is
 * read into the ring: that begins when nothing is under way in its queue. */
static struct cwi_service_flight *flight_over(const struct cwi_service_queue *queue)
{
  struct cwi_service_flight *flight = queue->first_flight;
  bool is_behind_room = false;
  while (flight != NULL && (!flight_is_free(queue->session, flight, is_behind_room) ||
                            flight_status(flight) > CL_COMPLETE)) {
    is_behind_room = is_behind_room || flight->room.bytes != NULL;
    const bool holds = queue->keeps_order || flight->command->native.sort == CWI_COMMAND_BARRIER;
    flight = holds ? NULL : flight->next;
  }
  if (flight != NULL)
    cwi_native_wait(1, &flight->event);
  return flight;
}

/* A vendor waits for one, and it may be another one that ends first, or that comes meanwhile: so
 * all are looked at, the more rarely the longer it takes. */
static struct cwi_service_flight *await_any(struct cwi_service_queue *queue)
{
  const double part = 1e9 / 8, least = 20000, most = 1000000; /* nanoseconds */
  struct cwi_signal nothing = {0};
  const double begun = cwi_now();
  struct cwi_service_flight *flight = NULL;
  while ((flight = flight_over(queue)) == NULL) {
    double nap = (cwi_now() - begun) * part;
    nap = nap < least ? least : nap > most ? most : nap;
    pthread_mutex_unlock(&queue->session->lock);
    cwi_signal_nap(&nothing, 0, (long)nap);
    pthread_mutex_lock(&queue->session->lock);
  }
  return flight;
}

static struct cwi_service_flight *await_first(struct cwi_service_queue *queue)
{
  struct cwi_service_flight *first = queue->first_flight;
  struct cwi_service *session = queue->session;
  pthread_mutex_unlock(&session->lock);
  cwi_native_wait(1, &first->event);
  pthread_mutex_lock(&session->lock);
  while (!cwi_service_waits_are_done(first->command))
    pthread_cond_wait(&session->turn, &session->lock);
  return first;
}

/* All that is complete is told together. */
static void queue_take(struct cwi_service_queue *queue, struct cwi_service_flight *flight)
{
  struct cwi_service *session = queue->session;
  for (; flight != NULL; flight = flight_over(queue))
    flight_end(queue, flight);
  cwi_service_issue(session);
  cwi_service_begin_work(session);
  cwi_service_publish(session);
}

static bool queue_rests(const struct cwi_service_queue *queue)
{
  return queue->is_attended || (queue->first_flight == NULL && !queue->is_left);
}

static void *queue_run(void *argument)
{
  struct cwi_service_queue *queue = argument;
  struct cwi_service *session = queue->session;
  pthread_mutex_lock(&session->lock);
  for (;;) {
    queue->is_awaited = false;
    while (queue_rests(queue))
      pthread_cond_wait(&queue->work, &session->lock);
    if (queue->first_flight == NULL)
      break;
    queue->is_awaited = true;
    cwi_service_begin_work(session);
    queue_take(queue, queue->keeps_order ? await_first(queue) : await_any(queue));
  }
  queue->has_ended = true;
  pthread_mutex_unlock(&session->lock);
  return NULL;
}

/* --- the reading thread --- */

/* What was read elsewhere goes into the ring if it need not wait there: neither for room nor for
 * its turn, which other devices may be long in coming to. What has failed takes no room. */
static bool flight_lands(struct cwi_service *session, struct cwi_service_flight *flight)
{
  if (flight->stage == NULL || flight->command->status < 0 || flight_status(flight) < 0)
    return true;
  if (session->turns != session->named ||
      !cwi_service_room_take(session, flight->size, &flight->room))
    return false;
  memcpy(flight->room.bytes, flight->stage, flight->size);
  session->staged -= flight->size;
  free(flight->stage);
  flight->stage = NULL;
  return true;
}

static bool attend_once(struct cwi_service *session)
{
  bool any = false;
  for (struct cwi_service_queue *queue = session->attends ? session->queues : NULL; queue != NULL;
       queue = queue->next) {
    struct cwi_service_flight *flight = NULL;
    while (queue->is_attended && (flight = flight_over(queue)) != NULL) {
      any = true;
      if (flight_lands(session, flight))
        flight_end(queue, flight);
      else
        cwi_service_leave_queue(queue);
    }
  }
  return any;
}

/* What has ended may have kept others from being told. */
bool cwi_service_attend(struct cwi_service *session)
{
  bool any = false;
  while (attend_once(session))
    any = true;
  return any;
}

/* --- its beginning and its end --- */

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
