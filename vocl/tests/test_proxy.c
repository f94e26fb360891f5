#include "test_proxy.h"

#include "kit/kit.h"

#include "service/service.h"
#include "wire/device_list.h"
#include "wire/service_socket.h"

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

static int device_list = -1;
static size_t device_list_bytes;

static void send_device_list(int client)
{
  const struct vocl_socket_reply answer = {.version = VOCL_SOCKET_VERSION,
                                           .bytes = device_list_bytes};
  vocl_socket_reply(client, &answer, device_list);
}

/* A program whose socket is closed has ended, whatever it has sent before. */
struct watch {
  int client;
  struct vocl_channel_memory *memory;
};

static void *watch_run(void *argument)
{
  struct watch *watch = argument;
  while (!vocl_socket_is_closed(watch->client))
    usleep(10000);
  __atomic_store_n(&watch->memory->ends[VOCL_PROGRAM_SIDE].closed, 1, __ATOMIC_RELEASE);
  vocl_channel_ring_bell(watch->memory, VOCL_PROXY_SIDE);
  return NULL;
}

static void serve_session(int client)
{
  const int descriptor = vocl_shared_memory_make("session", VOCL_CHANNEL_BYTES);
  const struct vocl_socket_reply answer = {
      .version = VOCL_SOCKET_VERSION, .bytes = VOCL_CHANNEL_BYTES, .number = 1};
  struct watch watch = {client, vocl_shared_memory_map(descriptor, VOCL_CHANNEL_BYTES, true)};
  struct vocl_service_counts counts = {0};
  pthread_t thread;
  vocl_socket_reply(client, &answer, descriptor);
  close(descriptor);
  pthread_create(&thread, NULL, watch_run, &watch);
  vocl_service_run(watch.memory, &counts, NULL);
  pthread_join(thread, NULL);
}

static void *client_run(void *argument)
{
  const int client = (int)(intptr_t)argument;
  struct vocl_socket_request question;
  struct pollfd poller = {.fd = client, .events = POLLIN};
  while (!vocl_socket_is_closed(client)) {
    poll(&poller, 1, -1);
    if (!vocl_socket_receive(client, &question))
      break;
    if (question.type == VOCL_SOCKET_DEVICES)
      send_device_list(client);
    else if (question.type == VOCL_SOCKET_OPEN)
      serve_session(client);
  }
  close(client);
  return NULL;
}

static void serve(const char *service, int ready)
{
  const int listening = vocl_socket_listen(service);
  void *bytes = vocl_device_list_make(0, &device_list_bytes);
  if (listening < 0 || bytes == NULL)
    _exit(1);
  device_list = vocl_shared_memory_make_sealed("census", bytes, device_list_bytes);
  if (write(ready, "", 1) != 1)
    _exit(1);
  struct pollfd poller = {.fd = listening, .events = POLLIN};
  for (;;) {
    pthread_t thread;
    poll(&poller, 1, -1);
    const int client = vocl_socket_accept(listening);
    if (client >= 0 && pthread_create(&thread, NULL, client_run, (void *)(intptr_t)client) == 0)
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
