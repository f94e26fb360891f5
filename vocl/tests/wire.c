/* The wire between a program and a proxy: two ends in two threads, then in two processes, send
 * messages of random lengths and lose none; an end that writes invalid data is detected; a sleeping
 * end is woken; the listening socket accepts clients and replies. */
#include "kit/kit.h"

#include "wire/channel.h"
#include "wire/service_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TALKS = 20000, WILD_ROUNDS = 2000, PINGS = 5000 };
static const long LONG_NAP = 900000000;

/* A message of the tests. The bytes in `rest` depend on its number. */
struct test_message {
  uint32_t bytes, number;
  uint64_t position, piece_bytes;
  unsigned char rest[];
};

/* Messages that one end has sent and received. */
struct talk {
  struct vocl_channel channel;
  uint32_t sent, received, total;
  uint64_t piece_position;
  char *piece; /* written, but not yet named by a message */
  bool good;
  long lost_naps;
};

static struct vocl_channel_memory *channel_memory(void)
{
  const int memory = vocl_shared_memory_make("causeway test", VOCL_CHANNEL_BYTES);
  void *mapped = memory < 0 ? NULL : vocl_shared_memory_map(memory, VOCL_CHANNEL_BYTES, true);
  if (mapped == NULL) {
    perror("a channel's memory");
    exit(KIT_FAIL);
  }
  close(memory);
  return mapped;
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint32_t mix(uint32_t number, uint32_t salt)
{
  uint64_t x = ((uint64_t)number << 8 | salt) * UINT64_C(0x9e3779b97f4a7c15);
  x ^= x >> 29;
  return (uint32_t)((x * UINT64_C(0xbf58476d1ce4e5b9)) >> 32);
}

/* Returns the bytes of a message: mostly few, sometimes the maximum. Every third message names a
 * piece. */
static uint32_t message_bytes(uint32_t number)
{
  const uint32_t most = mix(number, 0) % 16 == 0 ? VOCL_MESSAGE_MAX : 200;
  return (uint32_t)sizeof(struct test_message) +
         mix(number, 1) % (most + 1 - (uint32_t)sizeof(struct test_message));
}

static uint32_t piece_bytes(uint32_t number)
{
  if (number % 3 != 0)
    return 0;
  return mix(number, 2) % (number % 128 == 0 ? VOCL_PIECE_MAX + 1 : 3000);
}

static void fill(unsigned char *bytes, size_t count, uint32_t salt)
{
  for (size_t i = 0; i < count; i += 1 + i / 8)
    bytes[i] = (unsigned char)mix((uint32_t)i, salt);
}

static bool is_filled(const unsigned char *bytes, size_t count, uint32_t salt)
{
  for (size_t i = 0; i < count; i += 1 + i / 8)
    if (bytes[i] != (unsigned char)mix((uint32_t)i, salt))
      return false;
  return true;
}

/* Sends the next message if there is space. */
static bool send_next(struct talk *talk)
{
  const uint32_t number = talk->sent, piece = piece_bytes(number);
  if (piece > 0 && talk->piece == NULL) {
    talk->piece = vocl_channel_piece(&talk->channel, piece, &talk->piece_position);
    if (talk->piece == NULL)
      return false;
    fill((unsigned char *)talk->piece, piece, number % 251);
  }
  const uint32_t bytes = message_bytes(number);
  struct test_message *message = vocl_channel_begin(&talk->channel, bytes);
  if (message == NULL)
    return false;
  message->number = number;
  message->position = talk->piece_position;
  message->piece_bytes = piece;
  fill(message->rest, bytes - sizeof *message, number % 241);
  vocl_channel_end_message(&talk->channel);
  talk->piece = NULL;
  talk->sent++;
  if (vocl_channel_unpublished(&talk->channel) > mix(number, 3) % 16384)
    vocl_channel_publish(&talk->channel);
  return true;
}

static bool receive_next(struct talk *talk)
{
  size_t bytes = 0;
  const struct test_message *message = vocl_channel_next(&talk->channel, &bytes);
  if (message == NULL)
    return false;
  const uint32_t number = talk->received, piece = piece_bytes(number);
  bool good = message->number == number && bytes == message_bytes(number) &&
              message->bytes == bytes && message->piece_bytes == piece &&
              is_filled(message->rest, bytes - sizeof *message, number % 241);
  if (piece > 0) {
    const char *data = vocl_channel_piece_at(&talk->channel, message->position, piece);
    good = good && data != NULL && is_filled((const unsigned char *)data, piece, number % 251);
    vocl_channel_release_space(&talk->channel, vocl_channel_piece_end(message->position, piece));
  }
  vocl_channel_take(&talk->channel);
  talk->received++;
  talk->good = talk->good && good;
  return true;
}

/* Sleeps until there is something to do. A thread that wakes by the time-out alone, on time, and
 * then finds a message has missed the signal. A thread that wakes late had no processor, and may
 * have received the signal. */
static void talk_sleep(struct talk *talk, uint32_t bell, bool *timed_out)
{
  const double nap = 1e-9 * (double)LONG_NAP, before = now();
  vocl_channel_sleep(&talk->channel, bell, LONG_NAP);
  const double slept = now() - before;
  *timed_out = slept >= nap && slept < nap + 0.05;
}

static void *talk_all(void *argument)
{
  struct talk *talk = argument;
  bool timed_out = false;
  while ((talk->sent < talk->total || talk->received < talk->total) &&
         !vocl_channel_is_closed(&talk->channel)) {
    const uint32_t bell = vocl_channel_bell(&talk->channel);
    bool moved = false;
    for (int count = 0; count < 40 && talk->sent < talk->total && send_next(talk); count++)
      moved = true;
    for (int count = 0; count < 50 && receive_next(talk); count++)
      moved = true;
    talk->lost_naps += timed_out && moved;
    timed_out = false;
    if (!moved) {
      vocl_channel_publish(&talk->channel);
      talk_sleep(talk, bell, &timed_out);
    }
  }
  vocl_channel_publish(&talk->channel);
  return NULL;
}

static void talk_begin(struct talk *talk, struct vocl_channel_memory *memory,
                       enum vocl_channel_end end, uint32_t total)
{
  *talk = (struct talk){.good = true, .total = total};
  vocl_channel_open(&talk->channel, memory, end);
}

static bool is_well(const struct talk *talk)
{
  return talk->good && talk->sent == talk->total && talk->received == talk->total &&
         talk->lost_naps == 0;
}

static void check_threads(uint32_t total)
{
  struct vocl_channel_memory *memory = channel_memory();
  struct talk above, below;
  pthread_t thread;
  talk_begin(&above, memory, VOCL_PROGRAM_SIDE, total);
  talk_begin(&below, memory, VOCL_PROXY_SIDE, total);
  pthread_create(&thread, NULL, talk_all, &below);
  talk_all(&above);
  pthread_join(thread, NULL);
  kit_check(is_well(&above), "above sent %u, received %u of %u, missed the bell %ld times",
            above.sent, above.received, total, above.lost_naps);
  kit_check(is_well(&below), "below sent %u, received %u of %u, missed the bell %ld times",
            below.sent, below.received, total, below.lost_naps);
  munmap(memory, VOCL_CHANNEL_BYTES);
}

static void check_processes(uint32_t total)
{
  struct vocl_channel_memory *memory = channel_memory();
  struct talk talk;
  const pid_t child = fork();
  talk_begin(&talk, memory, child == 0 ? VOCL_PROXY_SIDE : VOCL_PROGRAM_SIDE, total);
  talk_all(&talk);
  if (child == 0)
    _exit(is_well(&talk) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  kit_check(is_well(&talk), "the program's process");
  kit_check(status == 0, "the proxy's process");
  munmap(memory, VOCL_CHANNEL_BYTES);
}

/* Answers one message at a time, so that both ends sleep between messages. */
static void *answer_pings(void *argument)
{
  struct talk *talk = argument;
  bool timed_out = false;
  while (talk->received < talk->total) {
    const uint32_t bell = vocl_channel_bell(&talk->channel);
    if (receive_next(talk)) {
      talk->lost_naps += timed_out;
      timed_out = false;
      send_next(talk);
      vocl_channel_publish(&talk->channel);
      continue;
    }
    talk_sleep(talk, bell, &timed_out);
  }
  return NULL;
}

static void check_sleepers(void)
{
  struct vocl_channel_memory *memory = channel_memory();
  struct talk above, below;
  pthread_t thread;
  talk_begin(&above, memory, VOCL_PROGRAM_SIDE, PINGS);
  talk_begin(&below, memory, VOCL_PROXY_SIDE, PINGS);
  pthread_create(&thread, NULL, answer_pings, &below);
  send_next(&above);
  vocl_channel_publish(&above.channel);
  bool timed_out = false;
  while (above.received < PINGS - 1) {
    const uint32_t bell = vocl_channel_bell(&above.channel);
    if (receive_next(&above)) {
      above.lost_naps += timed_out;
      timed_out = false;
      send_next(&above);
      vocl_channel_publish(&above.channel);
      continue;
    }
    talk_sleep(&above, bell, &timed_out);
  }
  pthread_join(thread, NULL);
  kit_check(above.lost_naps + below.lost_naps == 0, "%ld and %ld bells were missed",
            above.lost_naps, below.lost_naps);
  munmap(memory, VOCL_CHANNEL_BYTES);
}

/* Checks that both rings accept what fits and no more, and accept more after space was released. */
static void check_full(void)
{
  struct vocl_channel_memory *memory = channel_memory();
  struct vocl_channel above, below;
  vocl_channel_open(&above, memory, VOCL_PROGRAM_SIDE);
  vocl_channel_open(&below, memory, VOCL_PROXY_SIDE);
  for (int round = 0; round < 5; round++) {
    uint64_t positions[VOCL_DATA_RING_BYTES / VOCL_PIECE_MAX];
    int pieces = 0, messages = 0;
    while (pieces < 8 && vocl_channel_piece(&above, VOCL_PIECE_MAX, &positions[pieces]) != NULL)
      pieces++;
    uint64_t position = 0;
    kit_check(vocl_channel_piece(&above, 1, &position) == NULL, "a piece in a full ring");
    while (vocl_channel_begin(&above, VOCL_MESSAGE_MAX) != NULL) {
      vocl_channel_end_message(&above);
      messages++;
    }
    kit_check(vocl_channel_begin(&above, 16) == NULL, "a message in a full ring");
    vocl_channel_publish(&above);
    kit_check_long(pieces, 8, "pieces");
    kit_check_long(messages, 4, "messages");
    size_t bytes = 0;
    for (int i = 0; i < messages; i++) {
      kit_check(vocl_channel_next(&below, &bytes) != NULL && bytes == VOCL_MESSAGE_MAX, "message");
      vocl_channel_take(&below);
    }
    kit_check(vocl_channel_next(&below, &bytes) == NULL, "no further message");
    for (int i = 0; i < pieces; i++)
      kit_check(vocl_channel_piece_at(&below, positions[i], VOCL_PIECE_MAX) != NULL, "piece %d", i);
    vocl_channel_release_space(&below,
                               vocl_channel_piece_end(positions[pieces - 1], VOCL_PIECE_MAX));
  }
  kit_check(!vocl_channel_is_closed(&above) && !vocl_channel_is_closed(&below), "both go on");
  kit_check(vocl_channel_begin(&above, VOCL_MESSAGE_MAX + 1) == NULL, "a message too long");
  munmap(memory, VOCL_CHANNEL_BYTES);
}

/* A thread that waits for space in one ring is woken even if other threads of its end find space
 * meanwhile: in the other ring, or a shorter piece in the same ring. */
static void check_wanted_space(void)
{
  struct vocl_channel_memory *memory = channel_memory();
  struct vocl_channel above, below;
  uint64_t positions[VOCL_DATA_RING_BYTES / VOCL_PIECE_MAX], position = 0;
  size_t bytes = 0;
  vocl_channel_open(&above, memory, VOCL_PROGRAM_SIDE);
  vocl_channel_open(&below, memory, VOCL_PROXY_SIDE);
  for (int i = 0; i < VOCL_DATA_RING_BYTES / VOCL_PIECE_MAX; i++)
    vocl_channel_piece(&above, VOCL_PIECE_MAX, &positions[i]);
  while (vocl_channel_begin(&above, VOCL_MESSAGE_MAX) != NULL)
    vocl_channel_end_message(&above);
  vocl_channel_publish(&above);
  kit_check(vocl_channel_piece(&above, VOCL_PIECE_MAX, &position) == NULL, "a piece too many");
  while (vocl_channel_next(&below, &bytes) != NULL)
    vocl_channel_take(&below);
  kit_check(vocl_channel_begin(&above, 16) != NULL, "room for a message");
  uint32_t bell = vocl_channel_bell(&above);
  for (int i = 0; i < 2; i++)
    vocl_channel_piece_at(&below, positions[i], VOCL_PIECE_MAX);
  vocl_channel_release_space(&below, vocl_channel_piece_end(positions[0], VOCL_PIECE_MAX));
  kit_check(vocl_channel_bell(&above) != bell,
            "a sender that waits for space for data is not notified");
  /* One of two waiting threads finds the space that it needs. */
  kit_check(vocl_channel_piece(&above, VOCL_PIECE_MAX, &position) != NULL, "a piece");
  kit_check(vocl_channel_piece(&above, VOCL_PIECE_MAX, &position) == NULL, "a piece too many");
  vocl_channel_release_space(&below, vocl_channel_piece_end(positions[0], VOCL_PIECE_MAX) + 128);
  bell = vocl_channel_bell(&above);
  kit_check(vocl_channel_piece(&above, 64, &position) != NULL, "a short piece");
  kit_check(vocl_channel_bell(&above) != bell, "who wants more does not look again");
  munmap(memory, VOCL_CHANNEL_BYTES);
}

/* Data that is taken before more is written uses the beginning of its ring alone; a relay does not
 * copy the skipped part. Otherwise the whole ring is used. */
static void check_laps(void)
{
  enum { PIECE = 100000, PIECES = 500 };
  struct vocl_channel_memory *memory = channel_memory();
  const struct vocl_channel_ring_state *ring = &memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_DATA];
  const char *data = vocl_channel_ring_memory(memory, VOCL_PROGRAM_SIDE, VOCL_RING_DATA);
  struct vocl_channel above, below;
  uint64_t position = 0, passed = 0, copied = 0;
  vocl_channel_open(&above, memory, VOCL_PROGRAM_SIDE);
  vocl_channel_open(&below, memory, VOCL_PROXY_SIDE);
  for (int i = 0; i < PIECES; i++) {
    const char *piece = vocl_channel_piece(&above, PIECE, &position);
    kit_check(piece != NULL && piece - data <= VOCL_DATA_WRAP_BYTES, "piece %d lies at %td", i,
              piece - data);
    vocl_channel_publish(&above);
    passed = vocl_channel_after_skip(&ring->skipped, passed, ring->written.bytes);
    copied += ring->written.bytes - passed;
    passed = ring->written.bytes;
    kit_check(vocl_channel_piece_at(&below, position, PIECE) == piece, "piece %d", i);
    vocl_channel_release_space(&below, vocl_channel_piece_end(position, PIECE));
  }
  kit_check_long((long)copied, PIECES * (long)vocl_channel_piece_end(0, PIECE), "bytes copied");
  int pieces = 0;
  while (vocl_channel_piece(&above, VOCL_PIECE_MAX / 2, &position) != NULL)
    pieces++;
  kit_check(pieces >= 12, "a ring takes %d pieces of half a MiB", pieces);
  kit_check(!vocl_channel_is_closed(&above) && !vocl_channel_is_closed(&below), "both go on");
  munmap(memory, VOCL_CHANNEL_BYTES);
}

static void check_closed(void)
{
  struct vocl_channel_memory *memory = channel_memory();
  struct vocl_channel above, below;
  vocl_channel_open(&above, memory, VOCL_PROGRAM_SIDE);
  vocl_channel_open(&below, memory, VOCL_PROXY_SIDE);
  enum { TRIES = 5 };
  const double too_long = 0.5;
  const uint32_t bell = vocl_channel_bell(&below);
  vocl_channel_close(&above);
  double slept = too_long;
  for (int i = 0; i < TRIES && slept >= too_long; i++) { /* this thread may have no processor */
    slept = -now();
    vocl_channel_sleep(&below, bell, LONG_NAP);
    slept += now();
  }
  kit_check(slept < too_long, "a sleeping end is woken when the other end ends");
  kit_check(vocl_channel_is_closed(&below) && !vocl_channel_is_closed(&above), "closed from above");
  kit_check(vocl_channel_begin(&below, 16) == NULL, "nothing is said to who has gone");
  munmap(memory, VOCL_CHANNEL_BYTES);
}

/* Returns a random number that is often nearly valid. */
static uint64_t wild(uint64_t right)
{
  switch (kit_own(8)) {
  case 0:
    return (uint64_t)kit_own(1 << 30) << 33 | (uint64_t)kit_own(1 << 30);
  case 1:
    return right + (uint64_t)kit_own(100) - 50;
  case 2:
    return right ^ (uint64_t)1 << kit_own(64);
  case 3:
    return UINT64_MAX - (uint64_t)kit_own(100);
  case 4:
    return (uint64_t)kit_own(2 * VOCL_DATA_RING_BYTES);
  default:
    return right + 64 * (uint64_t)kit_own(5000);
  }
}

static bool lies_within(const void *place, size_t bytes, const char *ring, size_t size)
{
  const char *first = place;
  return first >= ring && bytes <= size && first + bytes <= ring + size;
}

/* Writes invalid values everywhere as the program does, and checks that the proxy reads nothing
 * outside the program's rings. */
static void receive_malformed(struct vocl_channel_memory *memory)
{
  struct vocl_channel below;
  vocl_channel_open(&below, memory, VOCL_PROXY_SIDE);
  uint32_t *words =
      (uint32_t *)(void *)vocl_channel_ring_memory(memory, VOCL_PROGRAM_SIDE, VOCL_RING_MESSAGES);
  const char *data = vocl_channel_ring_memory(memory, VOCL_PROGRAM_SIDE, VOCL_RING_DATA);
  for (int step = 0; step < 20 && !vocl_channel_is_closed(&below); step++) {
    for (int i = 0; i < VOCL_MESSAGE_RING_BYTES / 16; i++)
      words[4 * i] = 16;
    for (int i = 0; i < 3; i++)
      words[(below.taken % VOCL_MESSAGE_RING_BYTES) / 4 + 4 * (uint64_t)kit_own(50)] =
          (uint32_t)(kit_own(4) ? 16 * kit_own(40) : (int)wild(0));
    words[VOCL_MESSAGE_RING_BYTES / 4 - 4 * (1 + kit_own(8))] = (uint32_t)kit_own(100);
    struct vocl_channel_ring_state *rings = memory->rings[VOCL_PROGRAM_SIDE];
    rings[VOCL_RING_MESSAGES].written.bytes =
        kit_own(4) ? below.taken + 16 * (uint64_t)kit_own(16000) : wild(below.taken);
    rings[VOCL_RING_DATA].skipped = (struct vocl_ring_skip){wild(below.named), wild(below.named)};
    rings[VOCL_RING_DATA].written.bytes =
        kit_own(4) ? below.named + 64 * (uint64_t)kit_own(9000) : wild(below.named);
    memory->rings[VOCL_PROXY_SIDE][VOCL_RING_MESSAGES].taken.bytes =
        wild(below.given[VOCL_RING_MESSAGES]);
    size_t bytes = 0;
    const void *message = NULL;
    while ((message = vocl_channel_next(&below, &bytes)) != NULL) {
      kit_check(lies_within(message, bytes, (const char *)words, VOCL_MESSAGE_RING_BYTES),
                "a message");
      vocl_channel_take(&below);
    }
    bytes = (size_t)wild(1000);
    const char *piece = vocl_channel_piece_at(&below, wild(below.named), bytes);
    kit_check(piece == NULL || lies_within(piece, bytes, data, VOCL_DATA_RING_BYTES), "a piece");
    const char *mine = vocl_channel_begin(&below, VOCL_MESSAGE_MAX);
    if (mine != NULL)
      vocl_channel_end_message(&below);
    vocl_channel_publish(&below);
  }
  memset(memory, 0, VOCL_CHANNEL_HEADER);
}

/* Checks that each impossible value ends the channel. */
static void check_impossible(struct vocl_channel_memory *memory)
{
  static const struct {
    uint64_t written, data_written;
    uint32_t length;
    uint64_t position, bytes;
    bool is_possible;
  } cases[] = {
      {32, 128, 32, 0, 128, true},
      {32, 128, 17, 0, 65, true},
      {24, 128, 24, 0, 64, false},
      {32, 128, 33, 0, 64, false},
      {32, 128, 8, 0, 64, false},
      {VOCL_MESSAGE_RING_BYTES + 16, 128, 32, 0, 64, false},
      {32, 128, 32, 0, 129, false},
      {32, 128, 32, 32, 64, false},
      {32, 128, 32, 192, 0, false},
      {32, 100, 32, 0, 64, false},
      {32, 128, 32, UINT64_MAX - 63, 64, false},
      {32, VOCL_DATA_RING_BYTES + 64, 32, 0, 64, false},
      {32, VOCL_DATA_RING_BYTES, 32, VOCL_DATA_RING_BYTES - 64, 128, false},
      {32, VOCL_DATA_RING_BYTES, 32, 0, VOCL_PIECE_MAX + 1, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct vocl_channel below;
    memset(memory, 0, VOCL_CHANNEL_HEADER);
    vocl_channel_open(&below, memory, VOCL_PROXY_SIDE);
    memcpy(vocl_channel_ring_memory(memory, VOCL_PROGRAM_SIDE, VOCL_RING_MESSAGES),
           &cases[i].length, 4);
    memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES].written.bytes = cases[i].written;
    memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_DATA].written.bytes = cases[i].data_written;
    size_t bytes = 0;
    const bool possible = vocl_channel_next(&below, &bytes) != NULL &&
                          vocl_channel_piece_at(&below, cases[i].position, cases[i].bytes) != NULL;
    kit_check(possible == cases[i].is_possible, "case %zu: possible %d", i, possible);
    kit_check(vocl_channel_is_closed(&below) != possible, "case %zu: over", i);
  }
}

static void check_wild(void)
{
  struct vocl_channel_memory *memory = channel_memory();
  check_impossible(memory);
  memset(memory, 0, VOCL_CHANNEL_HEADER);
  for (long round = kit_rounds(NULL, WILD_ROUNDS); round > 0; round--)
    receive_malformed(memory);
  munmap(memory, VOCL_CHANNEL_BYTES);
}

/* Accepts one client and answers its request, with a sealed memory. */
static atomic_bool has_checked;

static void *serve_client(void *argument)
{
  const int listening = *(int *)argument;
  static const char text[] = "a census";
  int client = -1;
  struct vocl_socket_request question;
  while ((client = vocl_socket_accept(listening)) < 0)
    usleep(1000);
  while (!vocl_socket_receive(client, &question))
    usleep(1000);
  const int memory = vocl_shared_memory_make_sealed("causeway test", text, sizeof text);
  struct vocl_socket_reply answer = {
      .version = VOCL_SOCKET_VERSION, .bytes = sizeof text, .number = question.number + 1};
  vocl_socket_reply(client, &answer, memory);
  close(memory);
  const bool early = vocl_socket_is_closed(client);
  atomic_store(&has_checked, true);
  for (int i = 0; i < 60000 && !vocl_socket_is_closed(client); i++)
    usleep(1000);
  kit_check(!early && vocl_socket_is_closed(client), "the visitor stays, then leaves");
  close(client);
  return NULL;
}

static void check_listening_socket(void)
{
  char service[64];
  snprintf(service, sizeof service, "test-%ld", (long)getpid());
  kit_check(vocl_socket_connect(service) < 0 && errno == ECONNREFUSED, "a door that is not there");
  int listening = vocl_socket_listen(service);
  if (!kit_check(listening >= 0, "listen: %s", strerror(errno)))
    return;
  kit_check(vocl_socket_listen(service) < 0 && errno == EADDRINUSE, "a second door of that name");
  pthread_t thread;
  pthread_create(&thread, NULL, serve_client, &listening);
  const int connected = vocl_socket_connect(service);
  struct vocl_socket_request question = {.version = VOCL_SOCKET_VERSION, .number = 41};
  struct vocl_socket_reply answer;
  int descriptor = -1;
  kit_check(vocl_socket_query(connected, &question, &answer, &descriptor), "ask: %s",
            strerror(errno));
  kit_check_long((long)answer.number, 42, "the answer");
  char *text = vocl_shared_memory_map(descriptor, answer.bytes, false);
  kit_check(text != NULL && strcmp(text, "a census") == 0, "the sealed memory");
  kit_check(vocl_shared_memory_map(descriptor, answer.bytes + 1, false) == NULL,
            "a size that is not so");
  kit_check(pwrite(descriptor, "x", 1, 0) < 0 && ftruncate(descriptor, 0) < 0, "it is sealed");
  munmap(text, answer.bytes);
  close(descriptor);
  while (!atomic_load(&has_checked))
    usleep(1000);
  close(connected);
  pthread_join(thread, NULL);
  close(listening);
  const int loose = memfd_create("causeway test", MFD_ALLOW_SEALING);
  kit_check(ftruncate(loose, 4096) == 0 && vocl_shared_memory_map(loose, 4096, true) == NULL,
            "memory that could be cut off");
  close(loose);
}

static int open_descriptors(void)
{
  int count = 0;
  for (int descriptor = 0; descriptor < 1024; descriptor++)
    count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

/* Sends a request with `count` descriptors of this process, which no program does. */
static void query_with(int socket, const int *descriptors, size_t count)
{
  struct vocl_socket_request question = {.version = VOCL_SOCKET_VERSION};
  struct iovec part = {&question, sizeof question};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(4 * sizeof(int))];
  } control = {.header = {.cmsg_len = CMSG_LEN(count * sizeof *descriptors),
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof *descriptors);
  const struct msghdr message = {.msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = &control,
                                 .msg_controllen = CMSG_SPACE(count * sizeof *descriptors)};
  kit_check(sendmsg(socket, &message, 0) == sizeof question, "sendmsg: %s", strerror(errno));
}

/* Descriptors that clients send are closed. */
static void check_sent_descriptors(void)
{
  int sockets[2];
  kit_check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0, "socketpair");
  const int sent_descriptors[4] = {sockets[0], sockets[0], sockets[0], sockets[0]};
  const int before = open_descriptors();
  for (size_t count = 1; count <= 4; count++) {
    struct vocl_socket_request question;
    query_with(sockets[0], sent_descriptors, count);
    vocl_socket_receive(sockets[1], &question);
    kit_check_long(open_descriptors(), before, "descriptors that are open");
  }
  close(sockets[0]);
  close(sockets[1]);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "wire");
  const uint32_t total = (uint32_t)kit_rounds(argc > 1 ? argv[1] : NULL, TALKS);
  check_full();
  check_wanted_space();
  check_laps();
  check_closed();
  check_threads(total);
  check_processes(total);
  check_sleepers();
  check_wild();
  check_listening_socket();
  check_sent_descriptors();
  return kit_finish();
}
