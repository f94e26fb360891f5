/* cw-vocl list, move and stop: requests to a running service. */
#include "proxy/proxy.h"

#include "wire/service_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int client_connect(const char *service)
{
  const int socket = vocl_socket_connect(service);
  if (socket < 0 && errno == ECONNREFUSED)
    fprintf(stderr, "cw-vocl: there is no service '%s' of this user on this machine\n", service);
  else if (socket < 0)
    fprintf(stderr, "cw-vocl: the service '%s' does not answer: %s\n", service, strerror(errno));
  return socket;
}

static bool client_report(int socket, const struct vocl_socket_request *query,
                          struct vocl_socket_reply *answer, int *descriptor)
{
  if (!vocl_socket_query(socket, query, answer, descriptor)) {
    fprintf(stderr, "cw-vocl: the service does not answer: %s\n", strerror(errno));
    return false;
  }
  if (answer->code != 0)
    fprintf(stderr, "cw-vocl: %s\n", answer->text);
  return answer->code == 0;
}

static bool client_query(int socket, enum vocl_socket_request_type type,
                         struct vocl_socket_reply *answer, int *descriptor)
{
  const struct vocl_socket_request query = {.version = VOCL_SOCKET_VERSION,
                                            .type = type,
                                            .process = (uint32_t)getpid(),
                                            .text = "cw-vocl"};
  return client_report(socket, &query, answer, descriptor);
}

static int show_list(int descriptor, uint64_t bytes)
{
  void *text = vocl_shared_memory_map(descriptor, bytes, false);
  close(descriptor);
  if (text == NULL) {
    fprintf(stderr, "cw-vocl: the service's list cannot be read\n");
    return 1;
  }
  fwrite(text, 1, bytes, stdout);
  munmap(text, bytes);
  return 0;
}

int vocl_cli_list(const char *service)
{
  struct vocl_socket_reply answer;
  int descriptor = -1, status = 1;
  const int socket = client_connect(service);
  if (socket < 0)
    return 1;
  if (client_query(socket, VOCL_SOCKET_LIST, &answer, &descriptor))
    status = show_list(descriptor, answer.bytes);
  close(socket);
  return status;
}

/* Disables the timeout of the socket, because the duration of a move has no limit here: the
 * proxy replies if the program fails or does not answer. */
static bool client_wait(int socket)
{
  const struct timeval forever = {.tv_sec = 0};
  return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever) == 0;
}

int vocl_cli_move(const char *service, char **words)
{
  struct vocl_socket_request query = {
      .version = VOCL_SOCKET_VERSION, .type = VOCL_SOCKET_MOVE, .process = (uint32_t)getpid()};
  struct vocl_socket_reply answer;
  int descriptor = -1, status = 1;
  query.number = (uint32_t)strtoul(words[0], NULL, 10);
  snprintf(query.text, sizeof query.text, "%s %s", words[1], words[2]);
  const int socket = client_connect(service);
  if (socket < 0)
    return 1;
  if (client_wait(socket) && client_report(socket, &query, &answer, &descriptor)) {
    printf("%s, %.3f MB in %.3f s\n", answer.text, (double)answer.bytes / 1e6,
           (double)answer.nanoseconds / 1e9);
    status = 0;
  }
  close(socket);
  return status;
}

/* Stops the service. The proxy closes the socket when all programs have been notified. The service
 * ends later, when everything that the programs left behind is released. */
int vocl_cli_stop(const char *service)
{
  struct vocl_socket_reply answer;
  int descriptor = -1, status = 1;
  const int socket = client_connect(service);
  if (socket < 0)
    return 1;
  if (client_query(socket, VOCL_SOCKET_STOP, &answer, &descriptor)) {
    struct pollfd end = {.fd = socket, .events = POLLRDHUP};
    status = poll(&end, 1, -1) > 0 ? 0 : 1;
  }
  close(socket);
  return status;
}
