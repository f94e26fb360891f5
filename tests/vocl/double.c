#include "vocl/double.h"

#include "kit/kit.h"

#include "service/service.h"
#include "wire/census.h"
#include "wire/door.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t vocl_double;
/* Under the thread sanitizer: children of the tests start threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
  return "die_after_fork=0";
}

static int census = -1;
static size_t census_bytes;

static void answer_census(int visitor)
{
  const struct cwi_door_answer answer = {.version = CWI_DOOR_VERSION, .bytes = census_bytes};
  cwi_door_answer(visitor, &answer, census);
}

/* A program whose socket closes has gone, whatever it has said before. */
struct watch {
  int visitor;
  struct cwi_channel_memory *memory;
};

static void *watch_run(void *argument)
{
  struct watch *watch = argument;
  while (!cwi_door_is_left(watch->visitor))
    usleep(10000);
  __atomic_store_n(&watch->memory->ends[CWI_ABOVE].closed, 1, __ATOMIC_RELEASE);
  cwi_channel_ring_bell(watch->memory, CWI_BELOW);
  return NULL;
}

static void serve_session(int visitor)
{
  const int descriptor = cwi_door_memory("session", CWI_CHANNEL_BYTES);
  const struct cwi_door_answer answer = {
      .version = CWI_DOOR_VERSION, .bytes = CWI_CHANNEL_BYTES, .number = 1};
  struct watch watch = {visitor, cwi_door_map(descriptor, CWI_CHANNEL_BYTES, true)};
  struct cwi_service_counts counts = {0};
  pthread_t thread;
  cwi_door_answer(visitor, &answer, descriptor);
  close(descriptor);
  pthread_create(&thread, NULL, watch_run, &watch);
  cwi_service_run(watch.memory, &counts, NULL);
  pthread_join(thread, NULL);
}

static void *visitor_run(void *argument)
{
  const int visitor = (int)(intptr_t)argument;
  struct cwi_door_question question;
  struct pollfd poller = {.fd = visitor, .events = POLLIN};
  while (!cwi_door_is_left(visitor)) {
    poll(&poller, 1, -1);
    if (!cwi_door_hear(visitor, &question))
      break;
    if (question.wish == CWI_DOOR_CENSUS)
      answer_census(visitor);
    else if (question.wish == CWI_DOOR_OPEN)
      serve_session(visitor);
  }
  close(visitor);
  return NULL;
}

static void serve(const char *service, int ready)
{
  const int door = cwi_door_listen(service);
  void *bytes = cwi_census_take(0, &census_bytes);
  if (door < 0 || bytes == NULL)
    _exit(1);
  census = cwi_door_sealed("census", bytes, census_bytes);
  if (write(ready, "", 1) != 1)
    _exit(1);
  struct pollfd poller = {.fd = door, .events = POLLIN};
  for (;;) {
    pthread_t thread;
    poll(&poller, 1, -1);
    const int visitor = cwi_door_let_in(door);
    if (visitor >= 0 && pthread_create(&thread, NULL, visitor_run, (void *)(intptr_t)visitor) == 0)
      pthread_detach(thread);
  }
}

void vocl_double_start(void)
{
  char service[64];
  int ready[2];
  char byte = 0;
  snprintf(service, sizeof service, "test-%d", (int)getpid());
  setenv("CW_VOCL_SERVICE", service, 1);
  setenv("CW_VOCL_LOCAL", "proxy", 1);
  if (pipe(ready) != 0)
    exit(KIT_FAIL);
  vocl_double = fork();
  if (vocl_double == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve(service, ready[1]);
  }
  close(ready[1]);
  const bool is_ready = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  if (is_ready)
    return;
  fprintf(stderr, "vocl: no proxy\n");
  exit(KIT_FAIL);
}
