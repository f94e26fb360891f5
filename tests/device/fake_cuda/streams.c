/* The fake driver's streams. Each is a thread with random delays. An event names a stream and how
 * many of its operations must be done. */
#include "device/fake_cuda/fake.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NON_BLOCKING = 1, HOST = 1, DEVICE = 2, MOST_STREAMS = 4096 };

struct stream {
  pthread_t thread;
  struct fake_op *first, **end;
  uint64_t put, done; /* numbers of operations */
  bool running, ending;
  unsigned random;
};

struct event {
  struct event *next;
  struct stream *stream; /* NULL if nothing was recorded */
  uint64_t number;
};

struct wait_op {
  struct fake_op op;
  struct stream *stream;
  uint64_t number;
};

struct copy_op {
  struct fake_op op;
  char *to;
  const char *from;
  size_t to_pitch, from_pitch, width, height;
};

bool fake_held;
unsigned fake_slowness;
size_t fake_longest_pitch = 0x7fffffff;

/* Ended streams stay in the table, because events may refer to them. */
static struct stream *streams[MOST_STREAMS];
static int stream_count;
static struct event *events;

static bool stream_lives(const struct stream *stream)
{
  for (int i = 0; i < stream_count; i++)
    if (streams[i] == stream)
      return !stream->ending;
  return false;
}

static void stream_nap(struct stream *stream)
{
  static long longest = -1;
  if (longest < 0)
    longest = fake_number("FAKE_CUDA_DELAY", 200);
  stream->random = stream->random * 1664525u + 1013904223u;
  long microseconds = fake_slowness;
  if (microseconds == 0 && stream->random >> 30 == 0 && longest > 0)
    microseconds = (long)(stream->random >> 8) % (longest + 1);
  pthread_mutex_unlock(&fake_lock);
  if (microseconds > 0)
    nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
  pthread_mutex_lock(&fake_lock);
}

/* Runs an operation. One without `run` waits for another stream. */
static void stream_do(struct stream *stream, struct fake_op *op)
{
  if (op->run == NULL) {
    const struct wait_op *wait = (struct wait_op *)op;
    while (!fake_is_lost() && wait->stream->done < wait->number)
      pthread_cond_wait(&fake_changed, &fake_lock);
    return;
  }
  while (fake_held && !fake_is_lost())
    pthread_cond_wait(&fake_changed, &fake_lock);
  stream_nap(stream);
  if (fake_op_fails())
    return;
  stream->running = true;
  pthread_mutex_unlock(&fake_lock);
  op->run(op);
  pthread_mutex_lock(&fake_lock);
  stream->running = false;
}

static void op_free(struct fake_op *op)
{
  for (int i = 0; i < op->block_count; i++)
    op->blocks[i]->pending--;
  if (op->module != NULL)
    --*op->module;
  free(op);
}

static void *stream_work(void *argument)
{
  struct stream *stream = argument;
  pthread_mutex_lock(&fake_lock);
  while (!stream->ending || stream->first != NULL) {
    struct fake_op *op = stream->first;
    if (op == NULL) {
      pthread_cond_wait(&fake_changed, &fake_lock);
      continue;
    }
    stream_do(stream, op);
    stream->first = op->next;
    if (stream->first == NULL)
      stream->end = &stream->first;
    op_free(op);
    stream->done++;
    pthread_cond_broadcast(&fake_changed);
  }
  pthread_mutex_unlock(&fake_lock);
  return NULL;
}

bool fake_put(void *handle, struct fake_op *op)
{
  struct stream *stream = handle;
  if (!stream_lives(stream)) {
    free(op);
    return false;
  }
  for (int i = 0; i < op->block_count; i++)
    op->blocks[i]->pending++;
  if (op->module != NULL)
    ++*op->module;
  op->next = NULL;
  *stream->end = op;
  stream->end = &op->next;
  stream->put++;
  pthread_cond_broadcast(&fake_changed);
  return true;
}

void fake_uses(struct fake_op *op, struct fake_block *block)
{
  if (op->block_count == FAKE_MOST_BLOCKS)
    abort();
  op->blocks[op->block_count++] = block;
}

static void stream_await(struct stream *stream, uint64_t number)
{
  while (stream->done < number)
    pthread_cond_wait(&fake_changed, &fake_lock);
}

void fake_await_quiet(void)
{
  for (int i = 0; i < stream_count; i++)
    stream_await(streams[i], streams[i]->put);
}

int cuStreamCreate(void **made, unsigned flags)
{
  FAKE_BEGIN(NEED_CONTEXT);
  if (flags != NON_BLOCKING || stream_count == MOST_STREAMS) {
    fake_misused("cuStreamCreate: a stream waits for the default one, or there are too many");
    return fake_leave(FAKE_INVALID_VALUE);
  }
  struct stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL)
    abort();
  stream->end = &stream->first;
  stream->random = (unsigned)fake_number("CW_TEST_SEED", 1) * 7919u + (unsigned)stream_count;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are handled by the program's threads */
  if (pthread_create(&stream->thread, NULL, stream_work, stream) != 0)
    abort();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  streams[stream_count++] = stream;
  *made = stream;
  return fake_leave(FAKE_OK);
}

int cuStreamDestroy_v2(void *handle)
{
  FAKE_BEGIN_END(NEED_CONTEXT);
  struct stream *stream = handle;
  if (!stream_lives(stream)) {
    fake_misused("cuStreamDestroy_v2: %p is no stream", handle);
    return fake_leave(FAKE_INVALID_HANDLE);
  }
  stream->ending = true;
  pthread_cond_broadcast(&fake_changed);
  pthread_mutex_unlock(&fake_lock);
  pthread_join(stream->thread, NULL);
  return result;
}

int cuStreamSynchronize(void *handle)
{
  FAKE_BEGIN(NEED_CONTEXT);
  struct stream *stream = handle;
  if (!stream_lives(stream))
    return fake_leave(FAKE_INVALID_HANDLE);
  stream_await(stream, stream->put);
  return fake_leave(fake_is_lost() ? FAKE_LOST : FAKE_OK);
}

/* --- Events ----------------------------------------------------------------------------------- */

static struct event **event_link(const void *event)
{
  struct event **link = &events;
  while (*link != NULL && *link != event)
    link = &(*link)->next;
  return link;
}

int cuEventCreate(void **made, unsigned flags)
{
  FAKE_BEGIN(NEED_CONTEXT);
  struct event *event = flags < 4 ? calloc(1, sizeof *event) : NULL;
  if (event == NULL)
    return fake_leave(FAKE_INVALID_VALUE);
  event->next = events;
  events = event;
  *made = event;
  return fake_leave(FAKE_OK);
}

int cuEventDestroy_v2(void *handle)
{
  FAKE_BEGIN_END(NEED_CONTEXT);
  struct event **link = event_link(handle), *event = *link;
  if (event == NULL) {
    fake_misused("cuEventDestroy_v2: %p is no event", handle);
    return fake_leave(FAKE_INVALID_HANDLE);
  }
  *link = event->next;
  free(event);
  return fake_leave(result);
}

int cuEventRecord(void *handle, void *stream)
{
  FAKE_BEGIN(NEED_CONTEXT);
  struct event *event = *event_link(handle);
  if (event == NULL || !stream_lives(stream))
    return fake_leave(FAKE_INVALID_HANDLE);
  event->stream = stream;
  event->number = event->stream->put;
  return fake_leave(FAKE_OK);
}

int cuEventQuery(void *handle)
{
  FAKE_BEGIN(NEED_CONTEXT);
  const struct event *event = *event_link(handle);
  if (event == NULL)
    return fake_leave(FAKE_INVALID_HANDLE);
  const bool done = event->stream == NULL || event->stream->done >= event->number;
  return fake_leave(done ? FAKE_OK : FAKE_NOT_READY);
}

/* The event may be recorded again meanwhile: the record at the time of the call counts. */
int cuEventSynchronize(void *handle)
{
  FAKE_BEGIN(NEED_CONTEXT);
  const struct event *event = *event_link(handle);
  if (event == NULL)
    return fake_leave(FAKE_INVALID_HANDLE);
  if (event->stream != NULL)
    stream_await(event->stream, event->number);
  return fake_leave(fake_is_lost() ? FAKE_LOST : FAKE_OK);
}

int cuStreamWaitEvent(void *stream, void *handle, unsigned flags)
{
  FAKE_BEGIN(NEED_CONTEXT);
  const struct event *event = *event_link(handle);
  if (event == NULL || flags != 0)
    return fake_leave(FAKE_INVALID_HANDLE);
  struct wait_op *wait = calloc(1, sizeof *wait);
  if (wait == NULL)
    abort();
  wait->stream = event->stream;
  wait->number = event->number;
  if (event->stream == NULL) {
    free(wait);
    return fake_leave(FAKE_OK);
  }
  return fake_leave(fake_put(stream, &wait->op) ? FAKE_OK : FAKE_INVALID_HANDLE);
}

/* --- Copies ----------------------------------------------------------------------------------- */

static void copy_run(struct fake_op *op)
{
  const struct copy_op *copy = (struct copy_op *)op;
  for (size_t row = 0; row < copy->height; row++)
    memcpy(copy->to + row * copy->to_pitch, copy->from + row * copy->from_pitch, copy->width);
}

/* Returns the address of one side's bytes, or NULL if it is invalid. */
static char *copy_place(struct copy_op *copy, const struct cwi_cuda_side *side, size_t span)
{
  if (side->kind == HOST) /* a device address is not a valid host address */
    return fake_block_of((uint64_t)(uintptr_t)side->host, 1) == NULL ? side->host : NULL;
  struct fake_block *block = fake_block_of(side->address, span);
  if (side->kind != DEVICE || block == NULL)
    return NULL;
  fake_uses(&copy->op, block);
  return fake_secret(block, side->address);
}

static int copy_put(const struct cwi_cuda_rows *rows, void *stream)
{
  const struct cwi_cuda_side *from = &rows->from, *to = &rows->to;
  if (rows->width == 0 || rows->height == 0)
    return FAKE_OK;
  if (rows->height > 1 && (from->pitch < rows->width || to->pitch < rows->width ||
                           from->pitch > fake_longest_pitch || to->pitch > fake_longest_pitch))
    return FAKE_INVALID_VALUE;
  struct copy_op *copy = calloc(1, sizeof *copy);
  if (copy == NULL)
    abort();
  *copy = (struct copy_op){.op = {.run = copy_run},
                           .to_pitch = to->pitch,
                           .from_pitch = from->pitch,
                           .width = rows->width,
                           .height = rows->height};
  copy->from = copy_place(copy, from, (rows->height - 1) * from->pitch + rows->width);
  copy->to = copy_place(copy, to, (rows->height - 1) * to->pitch + rows->width);
  if (copy->from == NULL || copy->to == NULL) {
    free(copy);
    return FAKE_INVALID_VALUE;
  }
  return fake_put(stream, &copy->op) ? FAKE_OK : FAKE_INVALID_HANDLE;
}

static struct cwi_cuda_side on_host(const void *host)
{
  return (struct cwi_cuda_side){.kind = HOST, .host = (void *)host};
}

static struct cwi_cuda_side on_device(cwi_cuda_address address)
{
  return (struct cwi_cuda_side){.kind = DEVICE, .address = address};
}

static int copy_run_put(struct cwi_cuda_side to, struct cwi_cuda_side from, size_t bytes,
                        void *stream)
{
  return copy_put(&(struct cwi_cuda_rows){from, to, bytes, 1}, stream);
}

int cuMemcpyHtoDAsync_v2(cwi_cuda_address to, const void *from, size_t bytes, void *stream)
{
  FAKE_BEGIN(NEED_CONTEXT);
  return fake_leave(copy_run_put(on_device(to), on_host(from), bytes, stream));
}

int cuMemcpyDtoHAsync_v2(void *to, cwi_cuda_address from, size_t bytes, void *stream)
{
  FAKE_BEGIN(NEED_CONTEXT);
  return fake_leave(copy_run_put(on_host(to), on_device(from), bytes, stream));
}

int cuMemcpyDtoDAsync_v2(cwi_cuda_address to, cwi_cuda_address from, size_t bytes, void *stream)
{
  FAKE_BEGIN(NEED_CONTEXT);
  return fake_leave(copy_run_put(on_device(to), on_device(from), bytes, stream));
}

/* The use of arrays, or of x and y, is not supported. */
int cuMemcpy2DAsync_v2(const struct cwi_cuda_rows *rows, void *stream)
{
  FAKE_BEGIN(NEED_CONTEXT);
  if (rows->from.x != 0 || rows->from.y != 0 || rows->to.x != 0 || rows->to.y != 0)
    return fake_leave(FAKE_INVALID_VALUE);
  return fake_leave(copy_put(rows, stream));
}

int fake_streams_left(bool report)
{
  int live = 0, kept = 0;
  for (int i = 0; i < stream_count; i++)
    live += !streams[i]->ending;
  for (struct event *event = events; event != NULL; event = event->next)
    kept++;
  if (report && live + kept > 0)
    fake_misused("%d streams and %d events are left", live, kept);
  return live + kept;
}
