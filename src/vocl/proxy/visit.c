/* What people ask at a service's door. */
#include "proxy/proxy.h"

#include "wire/door.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int visit_knock(const char *service)
{
  const int socket = cwi_door_knock(service);
  if (socket < 0 && errno == ECONNREFUSED)
    fprintf(stderr, "cw-vocl: there is no service '%s' of this user on this machine\n", service);
  else if (socket < 0)
    fprintf(stderr, "cw-vocl: the service '%s' does not answer: %s\n", service, strerror(errno));
  return socket;
}

static bool visit_say(int socket, const struct cwi_door_question *question,
                      struct cwi_door_answer *answer, int *descriptor)
{
  if (!cwi_door_ask(socket, question, answer, descriptor)) {
    fprintf(stderr, "cw-vocl: the service does not answer: %s\n", strerror(errno));
    return false;
  }
  if (answer->code != 0)
    fprintf(stderr, "cw-vocl: %s\n", answer->text);
  return answer->code == 0;
}

static bool visit_ask(int socket, enum cwi_door_wish wish, struct cwi_door_answer *answer,
                      int *descriptor)
{
  const struct cwi_door_question question = {
      .version = CWI_DOOR_VERSION, .wish = wish, .process = (uint32_t)getpid(), .text = "cw-vocl"};
  return visit_say(socket, &question, answer, descriptor);
}

static int show_list(int descriptor, uint64_t bytes)
{
  void *text = cwi_door_map(descriptor, bytes, false);
  close(descriptor);
  if (text == NULL) {
    fprintf(stderr, "cw-vocl: the service's list cannot be read\n");
    return 1;
  }
  fwrite(text, 1, bytes, stdout);
  munmap(text, bytes);
  return 0;
}

int cwi_command_list(const char *service)
{
  struct cwi_door_answer answer;
  int descriptor = -1, status = 1;
  const int socket = visit_knock(service);
  if (socket < 0)
    return 1;
  if (visit_ask(socket, CWI_DOOR_LIST, &answer, &descriptor))
    status = show_list(descriptor, answer.bytes);
  close(socket);
  return status;
}

/* A move takes as long as it takes: the program says when it refuses. */
static bool visit_with_patience(int socket)
{
  const struct timeval forever = {.tv_sec = 0};
  return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever) == 0;
}

int cwi_command_move(const char *service, char **words)
{
  struct cwi_door_question question = {
      .version = CWI_DOOR_VERSION, .wish = CWI_DOOR_MOVE, .process = (uint32_t)getpid()};
  struct cwi_door_answer answer;
  int descriptor = -1, status = 1;
  question.number = (uint32_t)strtoul(words[0], NULL, 10);
  snprintf(question.text, sizeof question.text, "%s %s", words[1], words[2]);
  const int socket = visit_knock(service);
  if (socket < 0)
    return 1;
  if (visit_with_patience(socket) && visit_say(socket, &question, &answer, &descriptor)) {
    printf("%s, %.3f MB in %.3f s\n", answer.text, (double)answer.bytes / 1e6,
           (double)answer.nanoseconds / 1e9);
    status = 0;
  }
  close(socket);
  return status;
}

/* The proxy closes the socket when its programs have been told. It ends when what they have left
 * has been released. */
int cwi_command_stop(const char *service)
{
  struct cwi_door_answer answer;
  int descriptor = -1, status = 1;
  const int socket = visit_knock(service);
  if (socket < 0)
    return 1;
  if (visit_ask(socket, CWI_DOOR_STOP, &answer, &descriptor)) {
    struct pollfd end = {.fd = socket, .events = POLLRDHUP};
    status = poll(&end, 1, -1) > 0 ? 0 : 1;
  }
  close(socket);
  return status;
}
