/* A program with a session: it exchanges messages with echo_service through a proxy and checks the
 * replies.
 *
 *   echo_client PROXY random ROUNDS    messages and data of random lengths, many in flight
 *   echo_client PROXY pings ROUNDS     one message at a time; prints microseconds
 *   echo_client PROXY stream ROUNDS    pieces of data, as many as fit; prints MB/s
 *   echo_client PROXY hold             prints a line, then waits until the session is over
 *   echo_client PROXY leave            exits without closing, with data in flight
 *   echo_client PROXY ends             the service ends by itself: the session is over
 *   echo_client PROXY wild             writes invalid positions: the session is over
 *   echo_client PROXY seals            no process can change the length of the channel's memory
 *   echo_client USER stranger          connects to that user's service, which must not reply
 *
 * The exit status is 0 if all is right, 1 if not, and 3 if the proxy rejected the session. */
#include "echo.h"

#include "base/clock.h"
#include "wire/service_socket.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct vocl_channel channel;
static int connection, memory;

static _Noreturn void fail(const char *what)
{
  fprintf(stderr, "echo_client: FAILED: %s\n", what);
  exit(1);
}

static void check(bool passed, const char *what)
{
  if (!passed)
    fail(what);
}

static void open_session(uint32_t proxy)
{
  const char *service = getenv("CW_VOCL_SERVICE");
  const struct vocl_socket_request request = {.version = VOCL_SOCKET_VERSION,
                                              .type = VOCL_SOCKET_OPEN,
                                              .number = proxy,
                                              .process = (uint32_t)getpid(),
                                              .text = "echo_client"};
  struct vocl_socket_reply answer;
  connection = vocl_socket_connect(service != NULL ? service : "default");
  if (connection < 0 || !vocl_socket_query(connection, &request, &answer, &memory)) {
    fprintf(stderr, "echo_client: there is no proxy: %s\n", strerror(errno));
    exit(3);
  }
  if (answer.code != 0) {
    fprintf(stderr, "echo_client: rejected: %s\n", answer.text);
    exit(3);
  }
  void *map = vocl_shared_memory_map(memory, answer.bytes, true);
  check(map != NULL && answer.bytes == VOCL_CHANNEL_BYTES, "the memory cannot be mapped");
  vocl_channel_open(&channel, map, VOCL_PROGRAM_SIDE);
}

/* --- Messages --------------------------------------------------------------------------------- */

/* Returns a byte that depends on the message and on the position in it. */
static char byte_of(uint64_t number, uint64_t i)
{
  return (char)(number * 31 + i * 7 + (i >> 8));
}

static bool send_echo(uint64_t number, uint64_t length)
{
  struct echo sent_echo = {.number = number, .length = length};
  char *data = length > 0 ? vocl_channel_piece(&channel, length, &sent_echo.position) : NULL;
  if (length > 0 && data == NULL)
    return false;
  for (uint64_t i = 0; i < length; i++)
    data[i] = byte_of(number, i);
  struct echo *place = NULL;
  while ((place = vocl_channel_begin(&channel, sizeof sent_echo)) == NULL) {
    check(!vocl_channel_is_closed(&channel), "the session is over");
    vocl_channel_publish(&channel);
  }
  *place = sent_echo;
  vocl_channel_end_message(&channel);
  return true;
}

static bool receive_echo(uint64_t number, uint64_t length)
{
  size_t bytes = 0;
  struct echo reply;
  const void *message = vocl_channel_next(&channel, &bytes);
  if (message == NULL)
    return false;
  memcpy(&reply, message, sizeof reply);
  vocl_channel_take(&channel);
  check(bytes == sizeof reply && reply.number == number && reply.length == length,
        "another message came");
  const char *data =
      length > 0 ? vocl_channel_piece_at(&channel, reply.position, reply.length) : NULL;
  check(length == 0 || data != NULL, "the data is not there");
  for (uint64_t i = 0; i < length; i++)
    if (data[i] != (char)(byte_of(number, i) ^ ECHO_XOR))
      fail("other data came");
  if (length > 0)
    vocl_channel_release_space(&channel, vocl_channel_piece_end(reply.position, reply.length));
  return true;
}

static void wait_for_bell(uint32_t bell)
{
  check(!vocl_channel_is_closed(&channel), "the session is over");
  vocl_channel_publish(&channel);
  vocl_channel_sleep(&channel, bell, 100000000);
}

static uint64_t random_length(uint64_t number)
{
  const uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15U;
  const uint64_t bits = mixed >> 60; /* which size class */
  if (bits < 6)
    return 0;
  if (bits < 12)
    return (mixed >> 20) % 5000;
  return (mixed >> 20) % (VOCL_PIECE_MAX + 1);
}

static uint64_t whole_piece(uint64_t number)
{
  (void)number;
  return VOCL_PIECE_MAX;
}

/* Exchanges messages, at most `most` in flight. */
static void exchange(uint64_t rounds, uint64_t most, uint64_t (*length)(uint64_t))
{
  uint64_t sent = 0, received = 0;
  while (received < rounds) {
    const uint32_t bell = vocl_channel_bell(&channel);
    bool moved = false;
    if (sent < rounds && sent - received < most && send_echo(sent, length(sent))) {
      sent++;
      moved = true;
    }
    if (received < sent && receive_echo(received, length(received))) {
      received++;
      moved = true;
    }
    if (!moved)
      wait_for_bell(bell);
    else if (sent % 4 == 0)
      vocl_channel_publish(&channel);
  }
}

static void pings(uint64_t rounds)
{
  const double begin = cwi_now();
  for (uint64_t i = 0; i < rounds; i++) {
    send_echo(i, 0);
    vocl_channel_publish(&channel);
    for (uint32_t bell = vocl_channel_bell(&channel); !receive_echo(i, 0);
         bell = vocl_channel_bell(&channel))
      wait_for_bell(bell);
  }
  printf("%.1f us\n", (cwi_now() - begin) / (double)rounds * 1e6);
}

static void stream(uint64_t rounds)
{
  const double begin = cwi_now();
  exchange(rounds, 7, whole_piece);
  printf("%.0f MB/s each way\n", (double)rounds * VOCL_PIECE_MAX / (cwi_now() - begin) / 1e6);
}

/* --- Ends ------------------------------------------------------------------------------------- */

/* Returns true if the channel or the socket is closed. */
static bool is_over(void)
{
  return vocl_channel_is_closed(&channel) || vocl_socket_is_closed(connection);
}

static void check_is_over(void)
{
  const double until = cwi_now() + 60;
  while (!is_over() && cwi_now() < until)
    vocl_channel_sleep(&channel, vocl_channel_bell(&channel), 1000000);
  check(is_over(), "the session goes on");
}

static void hold(void)
{
  printf("holds\n");
  fflush(stdout);
  while (!vocl_socket_is_closed(connection)) {
    struct pollfd end = {.fd = connection, .events = POLLRDHUP};
    poll(&end, 1, -1);
  }
  check_is_over();
}

static void leave(void)
{
  for (uint64_t i = 0; i < 5; i++)
    send_echo(i, VOCL_PIECE_MAX);
  vocl_channel_publish(&channel);
  _exit(0);
}

static void ends(void)
{
  struct echo *place = vocl_channel_begin(&channel, sizeof *place);
  *place = (struct echo){.ends = 1};
  vocl_channel_end_message(&channel);
  vocl_channel_publish(&channel);
  check_is_over();
}

static void wild(void)
{
  struct vocl_channel_memory *map = channel.memory;
  struct vocl_ring_position *const positions[] = {
      &map->rings[VOCL_PROGRAM_SIDE][VOCL_RING_DATA].written,
      &map->rings[VOCL_PROXY_SIDE][VOCL_RING_MESSAGES].taken,
      &map->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES].written};
  for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
    __atomic_store_n(&positions[i]->bytes, (uint64_t)1 << 40, __ATOMIC_RELEASE);
  vocl_channel_ring_bell(map, VOCL_PROXY_SIDE);
  check_is_over();
}

static void seals(void)
{
  check(ftruncate(memory, 0) != 0 && errno == EPERM, "the memory can be made shorter");
  check(ftruncate(memory, 2 * (off_t)VOCL_CHANNEL_BYTES) != 0 && errno == EPERM,
        "the memory can be made longer");
  exchange(10, 4, random_length);
}

/* Connects by itself, because vocl_socket_connect rejects sockets of other users. The proxy closes
 * the connection without a reply. */
static void connect_as_other_user(unsigned user)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct vocl_socket_reply answer;
  const struct vocl_socket_request request = {.version = VOCL_SOCKET_VERSION,
                                              .type = VOCL_SOCKET_DEVICES};
  const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                              "causeway-vocl-%u-%s", user, getenv("CW_VOCL_SERVICE"));
  connection = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  check(connect(connection, (const struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0,
        "there is no such socket");
  check(!vocl_socket_query(connection, &request, &answer, &memory), "a stranger got a reply");
}

int main(int argc, char **argv)
{
  const char *what = argc > 2 ? argv[2] : "";
  const uint64_t rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  if (strcmp(what, "stranger") == 0) {
    connect_as_other_user((unsigned)strtoul(argv[1], NULL, 10));
    return 0;
  }
  open_session(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0);
  if (strcmp(what, "random") == 0)
    exchange(rounds, 100, random_length);
  else if (strcmp(what, "pings") == 0)
    pings(rounds);
  else if (strcmp(what, "stream") == 0)
    stream(rounds);
  else if (strcmp(what, "hold") == 0)
    hold();
  else if (strcmp(what, "leave") == 0)
    leave();
  else if (strcmp(what, "ends") == 0)
    ends();
  else if (strcmp(what, "wild") == 0)
    wild();
  else if (strcmp(what, "seals") == 0)
    seals();
  else
    fail("what to do?");
  return 0;
}
