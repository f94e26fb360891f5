/* A client of a proxy that breaks every rule. Afterwards others must be served as before.
 *
 *   hostile_client mute NUMBER SECONDS   NUMBER connections stay open and send nothing; prints a
 *                                        line when they are open
 *   hostile_client nonsense ROUNDS SEED  malformed requests: wrong lengths, versions, types
 *   hostile_client crowd NUMBER          NUMBER clients connect, request the device list, and leave
 *   hostile_client wild PROXY ROUNDS SEED       sessions of random or nearly valid messages
 *   hostile_client positions PROXY ROUNDS SEED  sessions whose ring positions change at random
 *                                               while the proxy reads
 *   hostile_client replay PROXY ROUNDS FILE SEED  the messages of a program (vocl_user record) with
 *                                                 changed numbers and lengths
 *
 * The exit status is 0 if the proxy still accepts connections. */
#include "mutate.h"

#include "executor/executor.h"
#include "wire/channel.h"
#include "wire/message.h"
#include "wire/service_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MUTE_MOST = 4000, MOST_ATTEMPTS = 100000 };

static uint64_t state = 1;

static uint64_t draw(uint64_t count)
{
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % count;
}

static _Noreturn void fail(const char *what)
{
  fprintf(stderr, "hostile_client: FAILED: %s: %s\n", what, strerror(errno));
  exit(1);
}

static const char *service(void)
{
  const char *name = getenv("CW_VOCL_SERVICE");
  return name != NULL ? name : "default";
}

/* Connects to the service. A proxy with many clients may reject one for a while, so this repeats.
 */
static int service_connect(void)
{
  for (int i = 0; i < MOST_ATTEMPTS; i++) {
    const int connection = vocl_socket_connect(service());
    if (connection >= 0)
      return connection;
    if (errno != EAGAIN && errno != ECONNREFUSED)
      break;
    usleep(1000);
  }
  fail("the service does not accept the connection");
}

static void query_devices(void)
{
  const struct vocl_socket_request request = {
      .version = VOCL_SOCKET_VERSION, .type = VOCL_SOCKET_DEVICES, .process = (uint32_t)getpid()};
  struct vocl_socket_reply reply;
  int memory = -1;
  const int connection = service_connect();
  if (!vocl_socket_query(connection, &request, &reply, &memory) || reply.code != 0)
    fail("no device list");
  close(memory);
  close(connection);
}

/* --- connections --- */

static void mute(long number, unsigned seconds)
{
  static int connections[MUTE_MOST];
  const struct rlimit many = {MUTE_MOST + 100, MUTE_MOST + 100};
  setrlimit(RLIMIT_NOFILE, &many);
  long open = 0;
  for (long i = 0; i < number && i < MUTE_MOST; i++) {
    connections[i] = vocl_socket_connect(service());
    open += connections[i] >= 0;
  }
  printf("%ld stay\n", open);
  fflush(stdout);
  sleep(seconds);
}

static void send_malformed(long rounds)
{
  static char bytes[70000];
  for (long i = 0; i < rounds; i++) {
    struct vocl_socket_request request = {.version = (uint32_t)draw(3),
                                          .type = (uint32_t)draw(5), /* not "stop" */
                                          .number = (uint32_t)draw(UINT32_MAX)};
    const int connection = service_connect();
    if (request.type == VOCL_SOCKET_STOP || draw(3) == 0)
      request.type = 5 + (uint32_t)draw(1000000);
    memset(request.text, 'x', sizeof request.text);
    const size_t size = draw(2) == 0 ? sizeof request : draw(sizeof bytes);
    memcpy(bytes, &request, sizeof request);
    for (uint64_t k = 1 + draw(3); k > 0; k--)
      if (send(connection, bytes, size, MSG_NOSIGNAL) < 0)
        break;
    if (draw(2) == 0) { /* the proxy replies or closes, and never waits for this process */
      struct pollfd poller = {.fd = connection, .events = POLLIN};
      poll(&poller, 1, 20);
    }
    close(connection);
  }
  query_devices();
}

static void crowd(long number)
{
  for (long i = 0; i < number; i++)
    query_devices();
}

/* --- sessions --- */

struct client {
  int connection;
  struct vocl_channel channel;
};

/* Opens a session. Returns false if the proxy has no space for one. */
static bool client_begin(struct client *client, uint32_t proxy)
{
  const struct vocl_socket_request request = {.version = VOCL_SOCKET_VERSION,
                                              .type = VOCL_SOCKET_OPEN,
                                              .number = proxy,
                                              .process = (uint32_t)getpid(),
                                              .text = "hostile_client"};
  struct vocl_socket_reply reply;
  int memory = -1;
  client->connection = service_connect();
  if (!vocl_socket_query(client->connection, &request, &reply, &memory))
    fail("no reply");
  if (reply.code != 0) {
    close(client->connection);
    usleep(20000);
    return false;
  }
  void *map = vocl_shared_memory_map(memory, reply.bytes, true);
  close(memory);
  if (map == NULL)
    fail("no memory");
  vocl_channel_open(&client->channel, map, VOCL_PROGRAM_SIDE);
  return true;
}

static void client_end(struct client *client)
{
  munmap(client->channel.memory, VOCL_CHANNEL_BYTES);
  close(client->connection);
}

/* Returns a number that occurs in messages, or an invalid one. */
static uint32_t number_32(void)
{
  static const uint32_t odd[] = {0, 1, 2, 1000, 1 << 16, 1U << 31, UINT32_MAX, UINT32_MAX - 1};
  return draw(3) == 0 ? odd[draw(sizeof odd / sizeof *odd)]
                      : (uint32_t)draw(2) * VOCL_FIRST_OBJECT_NUMBER + (uint32_t)draw(8);
}

static void fill_words(void *place, size_t bytes)
{
  uint32_t *words = place;
  for (size_t i = 0; i < bytes / sizeof *words; i++)
    words[i] = number_32();
}

/* Returns a type of message, rarely an unknown one. */
static uint16_t what_32(void)
{
  static const uint16_t harmless[] = {VOCL_MSG_MAKE,
                                      VOCL_MSG_DROP,
                                      VOCL_MSG_WATCH_DELETED,
                                      VOCL_MSG_BUILD,
                                      VOCL_MSG_QUERY,
                                      VOCL_MSG_COMMAND,
                                      VOCL_MSG_ARGUMENT,
                                      VOCL_MSG_DATA,
                                      VOCL_MSG_MAKE_KERNELS,
                                      VOCL_MSG_FLUSH,
                                      VOCL_MSG_FINISH,
                                      VOCL_MSG_QUERY_FORMATS,
                                      VOCL_MSG_MAKE_SUB_DEVICES};
  return draw(20) == 0 ? (uint16_t)draw(65536) : harmless[draw(sizeof harmless / sizeof *harmless)];
}

static void send_random(struct client *client)
{
  const size_t bytes = sizeof(struct vocl_msg_header) + draw(60) * sizeof(uint64_t);
  struct vocl_msg_header *msg = vocl_channel_begin(&client->channel, bytes);
  if (msg == NULL)
    return;
  fill_words(msg + 1, bytes - sizeof *msg);
  msg->what = what_32();
  msg->ticket = draw(2) * draw(1000);
  /* Most messages keep the length that the channel wrote. */
  if (draw(10) == 0)
    msg->bytes = number_32();
  vocl_channel_end_message(&client->channel);
}

/* Makes a context, a queue and a buffer, to which later numbers may refer. */
static void send_objects(struct client *client)
{
  const uint32_t sorts[] = {VOCL_CONTEXT, VOCL_QUEUE, VOCL_BUFFER, VOCL_BUFFER};
  for (uint32_t i = 0; i < 4; i++) {
    const size_t bytes = sizeof(struct vocl_msg_make) + sizeof(uint64_t);
    struct vocl_msg_make *make = vocl_channel_begin(&client->channel, bytes);
    if (make == NULL)
      return;
    memset((char *)make + sizeof make->header, 0, bytes - sizeof make->header);
    make->header.what = VOCL_MSG_MAKE;
    make->header.ticket = 0;
    make->sort = sorts[i];
    make->number = VOCL_FIRST_OBJECT_NUMBER + i;
    make->parent = i > 0 ? VOCL_FIRST_OBJECT_NUMBER : 0;
    make->device_count = i < 2;
    make->size = i >= 2 ? 4096 : 0;
    vocl_channel_end_message(&client->channel);
  }
}

/* Waits until the proxy has received everything or has ended the session. */
static void await_reader(struct client *client)
{
  for (int i = 0; i < 200 && !vocl_channel_is_closed(&client->channel); i++) {
    const struct vocl_channel_ring_state *ring =
        &client->channel.memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES];
    size_t bytes = 0;
    while (vocl_channel_next(&client->channel, &bytes) != NULL)
      vocl_channel_take(&client->channel);
    vocl_channel_publish(&client->channel);
    if (__atomic_load_n(&ring->taken.bytes, __ATOMIC_ACQUIRE) ==
        __atomic_load_n(&ring->written.bytes, __ATOMIC_ACQUIRE))
      break;
    usleep(500);
  }
}

static void wild(uint32_t proxy, long rounds)
{
  for (long i = 0; i < rounds; i++) {
    struct client client;
    if (!client_begin(&client, proxy))
      continue;
    if (draw(4) > 0)
      send_objects(&client);
    for (uint64_t k = 1 + draw(40); k > 0; k--)
      send_random(&client);
    vocl_channel_publish(&client.channel);
    if (draw(3) > 0)
      await_reader(&client);
    client_end(&client);
  }
  query_devices();
}

/* Overwrites the memory of both ends, as far as a program can write it. */
static void overwrite_randomly(struct vocl_channel_memory *memory)
{
  uint64_t *words = (uint64_t *)(void *)memory;
  const size_t header = VOCL_CHANNEL_HEADER / sizeof *words,
               all = VOCL_CHANNEL_BYTES / sizeof *words;
  for (int i = 0; i < 200; i++) {
    const size_t place = draw(3) > 0 ? draw(header) : draw(all);
    const uint64_t old = __atomic_load_n(&words[place], __ATOMIC_RELAXED);
    const uint64_t values[] = {0,
                               old + 16,
                               old + 64,
                               old - 16,
                               old + VOCL_MESSAGE_RING_BYTES,
                               old + VOCL_DATA_RING_BYTES,
                               UINT64_MAX,
                               (uint64_t)1 << 63,
                               draw(UINT64_MAX)};
    __atomic_store_n(&words[place], values[draw(sizeof values / sizeof *values)], __ATOMIC_RELEASE);
  }
}

static void positions(uint32_t proxy, long rounds)
{
  for (long i = 0; i < rounds; i++) {
    struct client client;
    if (!client_begin(&client, proxy))
      continue;
    send_objects(&client);
    vocl_channel_publish(&client.channel);
    if (draw(2) == 0)
      usleep((useconds_t)draw(2000));
    overwrite_randomly(client.channel.memory);
    vocl_channel_ring_bell(client.channel.memory, VOCL_PROXY_SIDE);
    if (draw(2) == 0)
      usleep((useconds_t)draw(2000));
    client_end(&client);
  }
  query_devices();
}

/* --- recorded sessions --- */

struct record {
  uint64_t ends[2];
  char *bytes[2];
};

static void record_read(struct record *record, const char *name)
{
  FILE *file = fopen(name, "r");
  if (file == NULL || fread(record->ends, 1, sizeof record->ends, file) != sizeof record->ends)
    fail(name);
  for (int ring = VOCL_RING_MESSAGES; ring <= VOCL_RING_DATA; ring++) {
    record->bytes[ring] = malloc(record->ends[ring] + 1);
    if (record->bytes[ring] == NULL ||
        fread(record->bytes[ring], 1, record->ends[ring], file) != record->ends[ring])
      fail(name);
  }
  fclose(file);
}

static int draw_below(int count)
{
  return (int)draw((uint64_t)count);
}

/* Sends one recorded message. Changes one in `wildness`, and shortens some of these. Returns false
 * if the session is over or the proxy accepts nothing more. */
static bool replay_some(struct client *client, const struct record *record,
                        const struct vocl_msg_header *old, uint64_t wildness)
{
  const struct vocl_msg_data *data = (const struct vocl_msg_data *)(const void *)old;
  const size_t piece = old->what == VOCL_MSG_DATA ? data->bytes : 0;
  const bool is_wild = draw(wildness) == 0;
  uint64_t position = 0;
  size_t bytes = old->bytes;
  if (piece > 0) {
    char *place = vocl_channel_piece(&client->channel, piece, &position);
    if (place == NULL)
      return false;
    memcpy(place, record->bytes[VOCL_RING_DATA] + data->position, piece);
  }
  if (is_wild && draw(4) == 0)
    bytes -= draw(bytes - 15);
  struct vocl_msg_header *msg = vocl_channel_begin(&client->channel, bytes);
  if (msg == NULL)
    return false;
  memcpy(msg, old, bytes);
  if (piece > 0 && bytes >= sizeof *data)
    ((struct vocl_msg_data *)(void *)msg)->position = position;
  if (is_wild)
    mutate(msg, bytes, VOCL_FIRST_OBJECT_NUMBER, draw_below);
  vocl_channel_end_message(&client->channel);
  return true;
}

/* Sends a recorded session. Most leave out the builds, which take long; what needs them is then
 * invalid. */
static void send_record(struct client *client, const struct record *record, uint64_t wildness)
{
  const bool builds = wildness > 1000 || draw(5) == 0;
  for (uint64_t at = 0; at < record->ends[VOCL_RING_MESSAGES];) {
    const struct vocl_msg_header *old =
        (const struct vocl_msg_header *)(const void *)(record->bytes[VOCL_RING_MESSAGES] + at);
    at +=
        (old->bytes + VOCL_MESSAGE_ALIGNMENT - 1) / VOCL_MESSAGE_ALIGNMENT * VOCL_MESSAGE_ALIGNMENT;
    if (old->what == VOCL_MSG_BUILD && !builds)
      continue;
    if (!replay_some(client, record, old, wildness))
      return;
    if (draw(8) == 0)
      vocl_channel_publish(&client->channel);
  }
}

static void replay(uint32_t proxy, long rounds, const char *name)
{
  struct record record;
  long alive = 0;
  record_read(&record, name);
  for (long i = 0; i < rounds; i++) {
    struct client client;
    if (!client_begin(&client, proxy))
      continue;
    send_record(&client, &record, i == 0 ? UINT64_MAX : 10 + 10 * draw(10));
    vocl_channel_publish(&client.channel);
    if (i == 0 || draw(4) > 0)
      await_reader(&client);
    if (i == 0 && vocl_channel_is_closed(&client.channel))
      fail("the proxy does not take the record as it was");
    alive += vocl_channel_is_closed(&client.channel) ? 0 : 1;
    client_end(&client);
  }
  printf("%ld of %ld sessions were not ended by the proxy\n", alive, rounds);
  for (int ring = VOCL_RING_MESSAGES; ring <= VOCL_RING_DATA; ring++)
    free(record.bytes[ring]);
  query_devices();
}

int main(int argc, char **argv)
{
  if (argc < 3)
    return 2;
  const char *what = argv[1];
  const long first = strtol(argv[2], NULL, 10), second = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
  state = argc > 3 ? strtoull(argv[argc - 1], NULL, 10) + 1 : 1;
  if (strcmp(what, "mute") == 0)
    mute(first, (unsigned)second);
  else if (strcmp(what, "nonsense") == 0)
    send_malformed(first);
  else if (strcmp(what, "crowd") == 0)
    crowd(first);
  else if (strcmp(what, "wild") == 0)
    wild((uint32_t)first, second);
  else if (strcmp(what, "positions") == 0)
    positions((uint32_t)first, second);
  else if (strcmp(what, "replay") == 0 && argc > 4)
    replay((uint32_t)first, second, argv[4]);
  else
    return 2;
  return 0;
}
