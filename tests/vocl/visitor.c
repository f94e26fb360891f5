/* A visitor of a proxy's door who keeps no rule of it. Afterwards others must be served as before.
 *
 *   visitor mute NUMBER SECONDS     so many connect, say nothing, and stay; prints a line then
 *   visitor nonsense ROUNDS SEED    questions that are none: wrong lengths, versions, wishes
 *   visitor crowd NUMBER            so many come, ask for the census, and go
 *   visitor wild PROXY ROUNDS SEED  sessions whose messages are random, or nearly right
 *   visitor positions PROXY ROUNDS SEED     sessions whose positions are, while the proxy reads
 * them visitor replay PROXY ROUNDS FILE SEED   what a program has said (vocl_user record), with
 * numbers and lengths that become others
 *
 * Exit status 0: the proxy still opens its door. */
#include "vocl/mutate.h"

#include "executor/executor.h"
#include "wire/channel.h"
#include "wire/door.h"
#include "wire/message.h"

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
    const int door = cwi_door_knock(service());
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
  const struct cwi_door_question question = {
      .version = CWI_DOOR_VERSION, .wish = CWI_DOOR_CENSUS, .process = (uint32_t)getpid()};
  struct cwi_door_answer answer;
  int memory = -1;
  const int door = knock();
  if (!cwi_door_ask(door, &question, &answer, &memory) || answer.code != 0)
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
    doors[i] = cwi_door_knock(service());
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
    struct cwi_door_question question = {.version = (uint32_t)draw(3),
                                         .wish = (uint32_t)draw(5), /* not "stop" */
                                         .number = (uint32_t)draw(UINT32_MAX)};
    const int door = knock();
    if (question.wish == CWI_DOOR_STOP || draw(3) == 0)
      question.wish = 5 + (uint32_t)draw(1000000);
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
  struct cwi_channel channel;
};

/* False: there is no room for a session. */
static bool visit_begin(struct visit *visit, uint32_t proxy)
{
  const struct cwi_door_question question = {.version = CWI_DOOR_VERSION,
                                             .wish = CWI_DOOR_OPEN,
                                             .number = proxy,
                                             .process = (uint32_t)getpid(),
                                             .text = "visitor"};
  struct cwi_door_answer answer;
  int memory = -1;
  visit->door = knock();
  if (!cwi_door_ask(visit->door, &question, &answer, &memory))
    fail("no answer");
  if (answer.code != 0) {
    close(visit->door);
    usleep(20000);
    return false;
  }
  void *map = cwi_door_map(memory, answer.bytes, true);
  close(memory);
  if (map == NULL)
    fail("no memory");
  cwi_channel_open(&visit->channel, map, CWI_ABOVE);
  return true;
}

static void visit_end(struct visit *visit)
{
  munmap(visit->channel.memory, CWI_CHANNEL_BYTES);
  close(visit->door);
}

/* Numbers as they occur, and numbers that cannot be. */
static uint32_t number_32(void)
{
  static const uint32_t odd[] = {0, 1, 2, 1000, 1 << 16, 1U << 31, UINT32_MAX, UINT32_MAX - 1};
  return draw(3) == 0 ? odd[draw(sizeof odd / sizeof *odd)]
                      : (uint32_t)draw(2) * CWI_FIRST_NUMBER + (uint32_t)draw(8);
}

static void fill_words(void *place, size_t bytes)
{
  uint32_t *words = place;
  for (size_t i = 0; i < bytes / sizeof *words; i++)
    words[i] = number_32();
}

/* What is no kernel's: a wrong argument of one would be the end of any process. */
static uint16_t what_32(void)
{
  static const uint16_t harmless[] = {CWI_SAYS_MAKE,
                                      CWI_SAYS_DROP,
                                      CWI_SAYS_TELL_DELETED,
                                      CWI_SAYS_BUILD,
                                      CWI_SAYS_ASK,
                                      CWI_SAYS_COMMAND,
                                      CWI_SAYS_ARGUMENT,
                                      CWI_SAYS_DATA,
                                      CWI_SAYS_MAKE_KERNELS,
                                      CWI_SAYS_FLUSH,
                                      CWI_SAYS_FINISH,
                                      CWI_SAYS_ASK_FORMATS,
                                      CWI_SAYS_MAKE_SUB_DEVICES};
  return draw(20) == 0 ? (uint16_t)draw(65536) : harmless[draw(sizeof harmless / sizeof *harmless)];
}

static void say_random(struct visit *visit)
{
  const size_t bytes = sizeof(struct cwi_said) + draw(60) * sizeof(uint64_t);
  struct cwi_said *said = cwi_channel_begin(&visit->channel, bytes);
  if (said == NULL)
    return;
  fill_words(said + 1, bytes - sizeof *said);
  said->what = what_32();
  said->ticket = draw(2) * draw(1000);
  /* The length is what the channel wrote, but for some. */
  if (draw(10) == 0)
    said->bytes = number_32();
  cwi_channel_end_message(&visit->channel);
}

/* A context, a queue and a buffer, so that later numbers mean something. */
static void say_objects(struct visit *visit)
{
  const uint32_t sorts[] = {CWI_CONTEXT, CWI_QUEUE, CWI_BUFFER, CWI_BUFFER};
  for (uint32_t i = 0; i < 4; i++) {
    const size_t bytes = sizeof(struct cwi_say_make) + sizeof(uint64_t);
    struct cwi_say_make *make = cwi_channel_begin(&visit->channel, bytes);
    if (make == NULL)
      return;
    memset((char *)make + sizeof make->said, 0, bytes - sizeof make->said);
    make->said.what = CWI_SAYS_MAKE;
    make->said.ticket = 0;
    make->sort = sorts[i];
    make->number = CWI_FIRST_NUMBER + i;
    make->parent = i > 0 ? CWI_FIRST_NUMBER : 0;
    make->device_count = i < 2;
    make->size = i >= 2 ? 4096 : 0;
    cwi_channel_end_message(&visit->channel);
  }
}

/* Until the proxy has heard everything, or has ended the session. */
static void await_reader(struct visit *visit)
{
  for (int i = 0; i < 200 && !cwi_channel_is_over(&visit->channel); i++) {
    const struct cwi_channel_ring_state *ring =
        &visit->channel.memory->rings[CWI_ABOVE][CWI_MESSAGES];
    size_t bytes = 0;
    while (cwi_channel_next(&visit->channel, &bytes) != NULL)
      cwi_channel_take(&visit->channel);
    cwi_channel_publish(&visit->channel);
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
    cwi_channel_publish(&visit.channel);
    if (draw(3) > 0)
      await_reader(&visit);
    visit_end(&visit);
  }
  ask_census();
}

/* The memory of both ends, as a program can write it. */
static void scribble(struct cwi_channel_memory *memory)
{
  uint64_t *words = (uint64_t *)(void *)memory;
  const size_t header = CWI_CHANNEL_HEADER / sizeof *words, all = CWI_CHANNEL_BYTES / sizeof *words;
  for (int i = 0; i < 200; i++) {
    const size_t place = draw(3) > 0 ? draw(header) : draw(all);
    const uint64_t old = __atomic_load_n(&words[place], __ATOMIC_RELAXED);
    const uint64_t values[] = {0,
                               old + 16,
                               old + 64,
                               old - 16,
                               old + CWI_MESSAGE_RING,
                               old + CWI_DATA_RING,
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
    cwi_channel_publish(&visit.channel);
    if (draw(2) == 0)
      usleep((useconds_t)draw(2000));
    scribble(visit.channel.memory);
    cwi_channel_ring_bell(visit.channel.memory, CWI_BELOW);
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
  for (int ring = CWI_MESSAGES; ring <= CWI_DATA; ring++) {
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
static bool say_again(struct visit *visit, const struct record *record, const struct cwi_said *old,
                      uint64_t wildness)
{
  const struct cwi_say_data *data = (const struct cwi_say_data *)(const void *)old;
  const size_t piece = old->what == CWI_SAYS_DATA ? data->bytes : 0;
  const bool is_wild = draw(wildness) == 0;
  uint64_t position = 0;
  size_t bytes = old->bytes;
  if (piece > 0) {
    char *place = cwi_channel_piece(&visit->channel, piece, &position);
    if (place == NULL)
      return false;
    memcpy(place, record->bytes[CWI_DATA] + data->position, piece);
  }
  if (is_wild && draw(4) == 0)
    bytes -= draw(bytes - 15);
  struct cwi_said *said = cwi_channel_begin(&visit->channel, bytes);
  if (said == NULL)
    return false;
  memcpy(said, old, bytes);
  if (piece > 0 && bytes >= sizeof *data)
    ((struct cwi_say_data *)(void *)said)->position = position;
  if (is_wild)
    mutate(said, bytes, CWI_FIRST_NUMBER, draw_below);
  cwi_channel_end_message(&visit->channel);
  return true;
}

/* Builds take long: most sessions leave them out, and all that needs them is wrong then. */
static void say_record(struct visit *visit, const struct record *record, uint64_t wildness)
{
  const bool builds = wildness > 1000 || draw(5) == 0;
  for (uint64_t at = 0; at < record->ends[CWI_MESSAGES];) {
    const struct cwi_said *old =
        (const struct cwi_said *)(const void *)(record->bytes[CWI_MESSAGES] + at);
    at += (old->bytes + CWI_MESSAGE_ALIGNMENT - 1) / CWI_MESSAGE_ALIGNMENT * CWI_MESSAGE_ALIGNMENT;
    if (old->what == CWI_SAYS_BUILD && !builds)
      continue;
    if (!say_again(visit, record, old, wildness))
      return;
    if (draw(8) == 0)
      cwi_channel_publish(&visit->channel);
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
    cwi_channel_publish(&visit.channel);
    if (i == 0 || draw(4) > 0)
      await_reader(&visit);
    if (i == 0 && cwi_channel_is_over(&visit.channel))
      fail("the proxy does not take the record as it was");
    heard += cwi_channel_is_over(&visit.channel) ? 0 : 1;
    visit_end(&visit);
  }
  printf("%ld of %ld sessions were not ended by the proxy\n", heard, rounds);
  for (int ring = CWI_MESSAGES; ring <= CWI_DATA; ring++)
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
