/* Waits for operations that vendors have, and reports completed commands. Each queue has a thread
 * that waits for the first operation if the queue is in order, and otherwise for any operation.
 * While the reading thread of the session is awake, it polls short operations itself, because
 * waking another thread takes longer. The service does not rely on callbacks of vendors. An
 * execution status of CL_COMPLETE does not make the results visible. Only vocl_native_wait does
 * that; after such a status it returns soon. */
#include "handler/handler.h"

#include "base/clock.h"
#include "wait/lock.h"
#include "wait/thread.h"

#include <stdlib.h>
#include <string.h>

/* --- completion of an operation --- */

static cl_int query_event(const struct vocl_service_operation *operation,
                          enum vocl_query_about about, cl_uint what, size_t size, void *value)
{
  return vocl_native_query(
      &(struct vocl_query){.about = about, .object = operation->event, .what = what}, size, value,
      NULL);
}

static cl_int operation_status(const struct vocl_service_operation *operation)
{
  cl_int status = CL_COMPLETE;
  const cl_int code = query_event(operation, VOCL_ABOUT_EVENT, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                  sizeof status, &status);
  return code == CL_SUCCESS ? status : code;
}

/* Adds the times of an operation to its command. A command of several operations has the start time
 * of the first one and the end time of the last one. */
static void operation_report_times(const struct vocl_service_operation *operation)
{
  static const cl_profiling_info whats[4] = {CL_PROFILING_COMMAND_QUEUED,
                                             CL_PROFILING_COMMAND_SUBMIT,
                                             CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  uint64_t *times = operation->command->times;
  for (int i = 0; i < 4; i++) {
    cl_ulong time = 0;
    if (query_event(operation, VOCL_ABOUT_PROFILE, whats[i], sizeof time, &time) == CL_SUCCESS &&
        (times[i] == 0 || i == 3))
      times[i] = time;
  }
}

static void operation_leave(struct vocl_service_queue *queue,
                            struct vocl_service_operation *operation)
{
  struct vocl_service_operation **place = &operation->command->operations;
  while (*place != operation)
    place = &(*place)->next_of_command;
  *place = operation->next_of_command;
  struct vocl_service_operation *before = NULL;
  for (struct vocl_service_operation *each = queue->first_operation; each != operation;
       each = each->next)
    before = each;
  *(before != NULL ? &before->next : &queue->first_operation) = operation->next;
  if (queue->last_operation == operation)
    queue->last_operation = before;
  queue->operations--;
}

/* Sends the data that was read. If the read failed, sends an empty result for space in the ring, so
 * that the program releases it. */
static void operation_report_result(struct vocl_service *session,
                                    const struct vocl_service_operation *operation)
{
  const struct vocl_service_command *command = operation->command;
  const bool is_good = command->status == CL_COMPLETE;
  const struct vocl_msg_data result = {.number = command->object.number,
                                       .last =
                                           operation->offset + operation->size == command->total,
                                       .offset = operation->offset};
  if (operation->space.bytes != NULL)
    vocl_service_space_send(session, &operation->space, &result, is_good);
  if (operation->stage == NULL)
    return;
  if (is_good)
    vocl_service_send_result(session, operation->stage, operation->size, &result);
  session->staged -= operation->size;
  free(operation->stage);
}

/* Completes an operation and frees it. May release the session's lock while the data waits for
 * space in the ring or for its turn. */
static void operation_end(struct vocl_service_queue *queue,
                          struct vocl_service_operation *operation)
{
  struct vocl_service *session = queue->session;
  struct vocl_service_command *command = operation->command;
  const cl_int status = operation_status(operation);
  if (status < 0 && command->status == CL_COMPLETE)
    command->status = status;
  if (queue->is_profiled && status >= 0)
    operation_report_times(operation);
  operation_report_result(session, operation);
  if (operation->piece != NULL)
    vocl_service_piece_release(session, operation->piece);
  operation_leave(queue, operation);
  vocl_native_drop(VOCL_EVENT, operation->event);
  free(operation);
  if (command->is_issued && command->operations == NULL)
    vocl_service_command_done(session, command);
}

/* --- thread of a queue --- */

/* Returns true for a marker or barrier without a wait list, which waits for all earlier commands of
 * its queue. */
static bool operation_gathers(const struct vocl_service_operation *operation)
{
  const struct vocl_service_command *command = operation->command;
  return vocl_command_kind_of(&command->native)->role == VOCL_GATHERS && command->wait_count == 0;
}

/* Returns true if the operation may be reported before earlier operations of its queue. It must
 * follow the earlier operations of its own command and the commands of its wait list. A program
 * that sees its end must also find their data, whatever order vendors complete them in. A read into
 * the ring must follow the earlier reads in the ring. A staged read waits for its turn in the ring
 * when it ends, so it must not follow an operation with space in the ring that only this thread can
 * complete. */
static bool operation_is_free(const struct vocl_service *session,
                              const struct vocl_service_operation *operation, bool is_behind_space)
{
  const struct vocl_service_command *command = operation->command;
  if (operation->next_of_command != NULL || !vocl_service_waits_are_done(command) ||
      (operation_gathers(operation) && command->queue->first_operation != operation))
    return false;
  return operation->space.bytes != NULL ? operation->space.number == session->named
                                        : operation->stage == NULL || !is_behind_space;
}

/* Returns an operation that has completed and may be reported, or NULL. In the list, no staged read
 * precedes a read into the ring, because a read into the ring is issued only while its queue is
 * idle. */
static struct vocl_service_operation *operation_over(const struct vocl_service_queue *queue)
{
  struct vocl_service_operation *operation = queue->first_operation;
  bool is_behind_space = false;
  while (operation != NULL && (!operation_is_free(queue->session, operation, is_behind_space) ||
                               operation_status(operation) > CL_COMPLETE)) {
    is_behind_space = is_behind_space || operation->space.bytes != NULL;
    const bool holds =
        queue->keeps_order || operation->command->native.sort == VOCL_COMMAND_BARRIER;
    operation = holds ? NULL : operation->next;
  }
  if (operation != NULL)
    vocl_native_wait(1, &operation->event);
  return operation;
}

/* Waits until any operation of the queue completes. A vendor can wait only for given events, but
 * any other event may complete first or be added. This function therefore polls all events, at
 * growing intervals. */
static struct vocl_service_operation *wait_for_any(struct vocl_service_queue *queue)
{
  enum { SHORTEST_NAP = 20000, LONGEST_NAP = 1000000 }; /* nanoseconds */
  static const double NAP_SHARE = 1.0 / 8;
  const double begun = cwi_now();
  struct vocl_service_operation *operation = NULL;
  while ((operation = operation_over(queue)) == NULL) {
    pthread_mutex_unlock(&queue->session->lock);
    cwi_nap(cwi_nap_share(cwi_now() - begun, NAP_SHARE, SHORTEST_NAP, LONGEST_NAP));
    pthread_mutex_lock(&queue->session->lock);
  }
  return operation;
}

static struct vocl_service_operation *wait_for_first(struct vocl_service_queue *queue)
{
  struct vocl_service_operation *first = queue->first_operation;
  struct vocl_service *session = queue->session;
  pthread_mutex_unlock(&session->lock);
  vocl_native_wait(1, &first->event);
  pthread_mutex_lock(&session->lock);
  while (!vocl_service_waits_are_done(first->command))
    pthread_cond_wait(&session->changed, &session->lock);
  return first;
}

/* Completes `operation` and all others that are complete, so that one publication reports them. */
static void queue_take(struct vocl_service_queue *queue, struct vocl_service_operation *operation)
{
  struct vocl_service *session = queue->session;
  for (; operation != NULL; operation = operation_over(queue))
    operation_end(queue, operation);
  vocl_service_issue(session);
  vocl_service_flush_queues(session);
  vocl_service_publish(session);
}

static bool queue_is_idle(const struct vocl_service_queue *queue)
{
  return queue->is_polled || (queue->first_operation == NULL && !queue->is_left);
}

static void *queue_run(void *argument)
{
  struct vocl_service_queue *queue = argument;
  struct vocl_service *session = queue->session;
  pthread_mutex_lock(&session->lock);
  for (;;) {
    queue->is_awaited = false;
    while (queue_is_idle(queue))
      pthread_cond_wait(&queue->work, &session->lock);
    if (queue->first_operation == NULL)
      break;
    queue->is_awaited = true;
    vocl_service_flush_queues(session);
    queue_take(queue, queue->keeps_order ? wait_for_first(queue) : wait_for_any(queue));
  }
  queue->has_ended = true;
  pthread_mutex_unlock(&session->lock);
  return NULL;
}

/* --- the reading thread --- */

/* Moves staged data into the ring. Returns false if this would have to wait for space, or for reads
 * of other devices that come earlier in the ring, which can take long. A failed read needs no
 * space. */
static bool result_reserve(struct vocl_service *session, struct vocl_service_operation *operation)
{
  if (operation->stage == NULL || operation->command->status < 0 || operation_status(operation) < 0)
    return true;
  if (session->reserved_pieces != session->named ||
      !vocl_service_space_reserve(session, operation->size, &operation->space))
    return false;
  memcpy(operation->space.bytes, operation->stage, operation->size);
  session->staged -= operation->size;
  free(operation->stage);
  operation->stage = NULL;
  return true;
}

static bool poll_once(struct vocl_service *session)
{
  bool any = false;
  for (struct vocl_service_queue *queue = session->polls ? session->queues : NULL; queue != NULL;
       queue = queue->next) {
    struct vocl_service_operation *operation = NULL;
    while (queue->is_polled && (operation = operation_over(queue)) != NULL) {
      any = true;
      if (result_reserve(session, operation))
        operation_end(queue, operation);
      else
        vocl_service_hand_over_queue(queue);
    }
  }
  return any;
}

/* Repeats poll_once, because the end of an operation may allow others to be reported. */
bool vocl_service_poll(struct vocl_service *session)
{
  bool any = false;
  while (poll_once(session))
    any = true;
  return any;
}

/* --- start and end of the thread --- */

bool vocl_service_queue_start(struct vocl_service_queue *queue)
{
  if (!queue->has_thread)
    queue->has_thread = cwi_thread_start(&queue->thread, queue_run, queue) == 0;
  return queue->has_thread;
}

void vocl_service_queue_retire(struct vocl_service *session, struct vocl_service_object *object)
{
  struct vocl_service_queue *queue = (struct vocl_service_queue *)object;
  (void)session;
  queue->is_left = true;
  queue->has_ended = !queue->has_thread;
  pthread_cond_signal(&queue->work);
}

static void queue_free(struct vocl_service_queue *queue)
{
  struct vocl_service *session = queue->session;
  if (queue->has_thread)
    pthread_join(queue->thread, NULL);
  while (queue->finishes != NULL) {
    struct vocl_service_finish *finish = queue->finishes;
    queue->finishes = finish->next;
    free(finish);
  }
  vocl_native_drop(VOCL_QUEUE, queue->object.native);
  pthread_cond_destroy(&queue->work);
  vocl_service_count(&queue->load->queues, (uint64_t)-1);
  free(queue);
  session->queue_count--;
  vocl_service_count(&session->counts->objects, (uint64_t)-1);
}

void vocl_service_queues_reap(struct vocl_service *session)
{
  for (struct vocl_service_queue **place = &session->queues; *place != NULL;) {
    struct vocl_service_queue *queue = *place;
    if (!queue->has_ended) {
      place = &queue->next;
      continue;
    }
    *place = queue->next;
    queue_free(queue);
  }
}

void vocl_service_queues_stop(struct vocl_service *session)
{
  for (struct vocl_service_queue *queue = session->queues; queue != NULL; queue = queue->next)
    while (queue->first != NULL)
      vocl_service_issued(session, queue->first, CL_DEVICE_NOT_AVAILABLE);
}

/* Joins the threads. All queues have been dropped, so each thread ends after its last operation. */
void vocl_service_queues_join(struct vocl_service *session)
{
  for (struct vocl_service_queue *queue = session->queues; queue != NULL; queue = queue->next) {
    if (queue->has_thread)
      pthread_join(queue->thread, NULL);
    queue->has_thread = false;
  }
  pthread_mutex_lock(&session->lock);
  vocl_service_queues_reap(session);
  pthread_mutex_unlock(&session->lock);
}
