/* A client that breaks the rules of a proxy's socket. Afterwards others must be served as before.
 *
 *   visitor mute NUMBER SECONDS      NUMBER clients connect, send nothing, and stay
 *   visitor nonsense ROUNDS SEED     malformed requests: wrong lengths, versions, kinds
 *   visitor crowd NUMBER             NUMBER clients connect, request the device list, and leave
 *   visitor wild PROXY ROUNDS SEED   sessions whose messages are random, or nearly right
 *   visitor positions PROXY ROUNDS SEED     sessions whose positions change while the proxy reads
 *   visitor replay PROXY ROUNDS FILE SEED   the messages of a program (vocl_user record), with
 *                                           changed numbers and lengths
 *
 * `mute` prints a line when all are connected. The exit status is 0 if the proxy still accepts
 * clients. */
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

enum { MUTE_MOST = 4000, PATIENCE = 100000 };

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
  fprintf(stderr, "visitor: FAILED: %s: %s\n", what, strerror(errno));
  exit(1);
}

static const char *service(void)
{
  const char *name = getenv("CW_VOCL_SERVICE");
  return name != NULL ? name : "default";
}

/* A proxy that many visit at once may let the next one wait. */
static int knock(void)
{
  for (int i = 0; i < PATIENCE; i++) {
    const int door = vocl_socket_connect(service());
    if (door >= 0)
      return door;
    if (errno != EAGAIN && errno != ECONNREFUSED)
      break;
    usleep(1000);
  }
  fail("nobody opens");
}

static void ask_census(void)
{
  const struct vocl_socket_request question = {
      .version = VOCL_SOCKET_VERSION, .type = VOCL_SOCKET_DEVICES, .process = (uint32_t)getpid()};
  struct vocl_socket_reply answer;
  int memory = -1;
  const int door = knock();
  if (!vocl_socket_query(door, &question, &answer, &memory) || answer.code != 0)
    fail("no census");
  close(memory);
  close(door);
}

/* --- At the door ------------------------------------------------------------------------------ */

static void mute(long number, unsigned seconds)
{
  static int doors[MUTE_MOST];
  const struct rlimit many = {MUTE_MOST + 100, MUTE_MOST + 100};
  setrlimit(RLIMIT_NOFILE, &many);
  long open = 0;
  for (long i = 0; i < number && i < MUTE_MOST; i++) {
    doors[i] = vocl_socket_connect(service());
    open += doors[i] >= 0;
  }
  printf("%ld stay\n", open);
  fflush(stdout);
  sleep(seconds);
}

static void nonsense(long rounds)
{
  static char bytes[70000];
  for (long i = 0; i < rounds; i++) {
    struct vocl_socket_request question = {.version = (uint32_t)draw(3),
                                           .type = (uint32_t)draw(5), /* not "stop" */
                                           .number = (uint32_t)draw(UINT32_MAX)};
    const int door = knock();
    if (question.type == VOCL_SOCKET_STOP || draw(3) == 0)
      question.type = 5 + (uint32_t)draw(1000000);
    memset(question.text, 'x', sizeof question.text);
    const size_t size = draw(2) == 0 ? sizeof question : draw(sizeof bytes);
    memcpy(bytes, &question, sizeof question);
    for (uint64_t k = 1 + draw(3); k > 0; k--)
      if (send(door, bytes, size, MSG_NOSIGNAL) < 0)
        break;
    if (draw(2) == 0) { /* it answers or closes: but it never waits for us */
      struct pollfd poller = {.fd = door, .events = POLLIN};
      poll(&poller, 1, 20);
    }
    close(door);
  }
  ask_census();
}

static void crowd(long number)
{
  for (long i = 0; i < number; i++)
    ask_census();
}

/* --- In a session ----------------------------------------------------------------------------- */

struct visit {
  int door;
  struct vocl_channel channel;
};

/* False: there is no room for a session. */
static bool visit_begin(struct visit *visit, uint32_t proxy)
{
  const struct vocl_socket_request question = {.version = VOCL_SOCKET_VERSION,
                                               .type = VOCL_SOCKET_OPEN,
                                               .number = proxy,
                                               .process = (uint32_t)getpid(),
                                               .text = "visitor"};
  struct vocl_socket_reply answer;
  int memory = -1;
  visit->door = knock();
  if (!vocl_socket_query(visit->door, &question, &answer, &memory))
    fail("no answer");
  if (answer.code != 0) {
    close(visit->door);
    usleep(20000);
    return false;
  }
  void *map = vocl_shared_memory_map(memory, answer.bytes, true);
  close(memory);
  if (map == NULL)
    fail("no memory");
  vocl_channel_open(&visit->channel, map, VOCL_PROGRAM_SIDE);
  return true;
}

static void visit_end(struct visit *visit)
{
  munmap(visit->channel.memory, VOCL_CHANNEL_BYTES);
  close(visit->door);
}

/* Numbers as they occur, and numbers that cannot be. */
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

/* Returns a kind of message that is not about kernels, because a wrong argument of a kernel could
 * end any process. */
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

static void say_random(struct visit *visit)
{
  const size_t bytes = sizeof(struct vocl_msg_header) + draw(60) * sizeof(uint64_t);
  struct vocl_msg_header *said = vocl_channel_begin(&visit->channel, bytes);
  if (said == NULL)
    return;
  fill_words(said + 1, bytes - sizeof *said);
  said->what = what_32();
  said->ticket = draw(2) * draw(1000);
  /* The length is what the channel wrote, but for some. */
  if (draw(10) == 0)
    said->bytes = number_32();
  vocl_channel_end_message(&visit->channel);
}

/* A context, a queue and a buffer, so that later numbers mean something. */
static void say_objects(struct visit *visit)
{
  const uint32_t sorts[] = {VOCL_CONTEXT, VOCL_QUEUE, VOCL_BUFFER, VOCL_BUFFER};
  for (uint32_t i = 0; i < 4; i++) {
    const size_t bytes = sizeof(struct vocl_msg_make) + sizeof(uint64_t);
    struct vocl_msg_make *make = vocl_channel_begin(&visit->channel, bytes);
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
    vocl_channel_end_message(&visit->channel);
  }
}

/* Until the proxy has heard everything, or has ended the session. */
static void await_reader(struct visit *visit)
{
  for (int i = 0; i < 200 && !vocl_channel_is_closed(&visit->channel); i++) {
    const struct vocl_channel_ring_state *ring =
        &visit->channel.memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES];
    size_t bytes = 0;
    while (vocl_channel_next(&visit->channel, &bytes) != NULL)
      vocl_channel_take(&visit->channel);
    vocl_channel_publish(&visit->channel);
    if (__atomic_load_n(&ring->taken.bytes, __ATOMIC_ACQUIRE) ==
        __atomic_load_n(&ring->written.bytes, __ATOMIC_ACQUIRE))
      break;
    usleep(500);
  }
}

static void wild(uint32_t proxy, long rounds)
{
  for (long i = 0; i < rounds; i++) {
    struct visit visit;
    if (!visit_begin(&visit, proxy))
      continue;
    if (draw(4) > 0)
      say_objects(&visit);
    for (uint64_t k = 1 + draw(40); k > 0; k--)
      say_random(&visit);
    vocl_channel_publish(&visit.channel);
    if (draw(3) > 0)
      await_reader(&visit);
    visit_end(&visit);
  }
  ask_census();
}

/* The memory of both ends, as a program can write it. */
static void scribble(struct vocl_channel_memory *memory)
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
    struct visit visit;
    if (!visit_begin(&visit, proxy))
      continue;
    say_objects(&visit);
    vocl_channel_publish(&visit.channel);
    if (draw(2) == 0)
      usleep((useconds_t)draw(2000));
    scribble(visit.channel.memory);
    vocl_channel_ring_bell(visit.channel.memory, VOCL_PROXY_SIDE);
    if (draw(2) == 0)
      usleep((useconds_t)draw(2000));
    visit_end(&visit);
  }
  ask_census();
}

/* --- What was recorded ------------------------------------------------------------------------ */

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

/* One of wildness messages becomes another one, and some of these are cut off. False: the session
 * is over, or the proxy takes nothing more. */
static bool say_again(struct visit *visit, const struct record *record,
                      const struct vocl_msg_header *old, uint64_t wildness)
{
  const struct vocl_msg_data *data = (const struct vocl_msg_data *)(const void *)old;
  const size_t piece = old->what == VOCL_MSG_DATA ? data->bytes : 0;
  const bool is_wild = draw(wildness) == 0;
  uint64_t position = 0;
  size_t bytes = old->bytes;
  if (piece > 0) {
    char *place = vocl_channel_piece(&visit->channel, piece, &position);
    if (place == NULL)
      return false;
    memcpy(place, record->bytes[VOCL_RING_DATA] + data->position, piece);
  }
  if (is_wild && draw(4) == 0)
    bytes -= draw(bytes - 15);
  struct vocl_msg_header *said = vocl_channel_begin(&visit->channel, bytes);
  if (said == NULL)
    return false;
  memcpy(said, old, bytes);
  if (piece > 0 && bytes >= sizeof *data)
    ((struct vocl_msg_data *)(void *)said)->position = position;
  if (is_wild)
    mutate(said, bytes, VOCL_FIRST_OBJECT_NUMBER, draw_below);
  vocl_channel_end_message(&visit->channel);
  return true;
}

/* Builds take long: most sessions leave them out, and all that needs them is wrong then. */
static void say_record(struct visit *visit, const struct record *record, uint64_t wildness)
{
  const bool builds = wildness > 1000 || draw(5) == 0;
  for (uint64_t at = 0; at < record->ends[VOCL_RING_MESSAGES];) {
    const struct vocl_msg_header *old =
        (const struct vocl_msg_header *)(const void *)(record->bytes[VOCL_RING_MESSAGES] + at);
    at +=
        (old->bytes + VOCL_MESSAGE_ALIGNMENT - 1) / VOCL_MESSAGE_ALIGNMENT * VOCL_MESSAGE_ALIGNMENT;
    if (old->what == VOCL_MSG_BUILD && !builds)
      continue;
    if (!say_again(visit, record, old, wildness))
      return;
    if (draw(8) == 0)
      vocl_channel_publish(&visit->channel);
  }
}

static void replay(uint32_t proxy, long rounds, const char *name)
{
  struct record record;
  long heard = 0;
  record_read(&record, name);
  for (long i = 0; i < rounds; i++) {
    struct visit visit;
    if (!visit_begin(&visit, proxy))
      continue;
    say_record(&visit, &record, i == 0 ? UINT64_MAX : 10 + 10 * draw(10));
    vocl_channel_publish(&visit.channel);
    if (i == 0 || draw(4) > 0)
      await_reader(&visit);
    if (i == 0 && vocl_channel_is_closed(&visit.channel))
      fail("the proxy does not take the record as it was");
    heard += vocl_channel_is_closed(&visit.channel) ? 0 : 1;
    visit_end(&visit);
  }
  printf("%ld of %ld sessions were not ended by the proxy\n", heard, rounds);
  for (int ring = VOCL_RING_MESSAGES; ring <= VOCL_RING_DATA; ring++)
    free(record.bytes[ring]);
  ask_census();
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
    nonsense(first);
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
