/* Active messages on one ordered view. A message names a handler, and the target runs it.
 *
 * Each process has a ring of slots for each sender. A sender puts the message into the next slot
 * and then puts the slot's number. The view is ordered, so a receiver that sees the number also
 * sees the message. For each half ring that a receiver has read it sends a notification, which
 * gives the sender credit for these slots. */
#include <causeway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The message layer ------------------------------------------------------------------------ */

enum { SLOTS = 16, BYTES = 48 };

struct message {
  int64_t handler;
  char data[BYTES];
};

/* Slots for the messages of one sender. numbers: the number of the message in the slot, counted
 * from 1. */
struct ring {
  struct message messages[SLOTS];
  int64_t numbers[SLOTS];
};

typedef void (*handler)(int from, const void *data);

static const handler *handlers;
static cw_region region;
static cw_view view;
static cw_notifications credits; /* counter p: half rings of my messages that process p has read */
static struct ring **rings;      /* [processes]; for each process, the rings of all senders */
static int64_t *sent, *taken;    /* [processes]; number of messages to and from each process */

static void open_messages(const handler *table)
{
  const size_t all = (size_t)cw_processes();
  cw_view plain = NULL;
  handlers = table;
  rings = malloc(all * sizeof(void *));
  sent = calloc(all, sizeof *sent);
  taken = calloc(all, sizeof *taken);
  CW_MUST(cw_region_create(cw_team_world(), all * sizeof(struct ring), &region, (void **)rings));
  memset(rings[cw_process()], 0, all * sizeof(struct ring));
  CW_MUST(cw_notifications_create(cw_team_world(), all, &credits));
  CW_MUST(cw_view_of(region, &plain));
  CW_MUST(cw_view_dup(plain, &(cw_view_settings){.ordered = true}, &view));
  CW_MUST(cw_view_free(&plain));
  CW_MUST(cw_barrier(cw_team_world()));
}

/* Runs the handlers of all senders' next messages, if they have arrived. */
static void poll_messages(void)
{
  struct ring *mine = rings[cw_process()];
  for (int from = 0; from < cw_processes(); from++) {
    struct ring *ring = &mine[from];
    int64_t number = 0;
    const int64_t slot = taken[from] % SLOTS;
    CW_MUST(cw_get(&number, &ring->numbers[slot], sizeof number, cw_process()));
    if (number != taken[from] + 1)
      continue;
    const struct message message = ring->messages[slot];
    taken[from]++;
    handlers[message.handler](from, message.data);
    if (taken[from] % (SLOTS / 2) == 0)
      CW_MUST(cw_view_put_notify(view, NULL, NULL, 0, from, credits, (size_t)cw_process()));
  }
  cw_progress();
}

static void send_message(int process, int64_t number_of_handler, const void *data, size_t bytes)
{
  struct ring *ring = &rings[process][cw_process()];
  struct message message = {.handler = number_of_handler};
  const int64_t slot = sent[process] % SLOTS;
  int64_t halves = 0; /* half rings that the target has read */
  do {
    CW_MUST(cw_notification_read(credits, (size_t)process, &halves));
    if (sent[process] - halves * (SLOTS / 2) >= SLOTS)
      poll_messages(); /* no credit: handle messages meanwhile, as others may be waiting for my
                          credit */
  } while (sent[process] - halves * (SLOTS / 2) >= SLOTS);
  const int64_t number = ++sent[process];
  if (bytes > 0)
    memcpy(message.data, data, bytes);
  CW_MUST(cw_view_put(view, &message, &ring->messages[slot], sizeof message, process));
  CW_MUST(cw_view_put(view, &number, &ring->numbers[slot], sizeof number, process));
  CW_MUST(cw_view_flush_local(view, process));
}

static void close_messages(void)
{
  CW_MUST(cw_view_free(&view));
  CW_MUST(cw_notifications_free(&credits));
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(rings);
  free(sent);
  free(taken);
}

/* --- A program that uses it ------------------------------------------------------------------- */

enum { PING, PONG, ROUNDS = 500 };

static long pings, pongs, wrong;
static long last_ping[64]; /* by sender; messages of one sender arrive in order */

static void on_ping(int from, const void *data)
{
  long number = 0;
  memcpy(&number, data, sizeof number);
  wrong += from < 64 && number != ++last_ping[from];
  pings++;
}

static void on_pong(int from, const void *data)
{
  (void)from, (void)data;
  pongs++;
}

int main(int argc, char **argv)
{
  static const handler table[] = {[PING] = on_ping, [PONG] = on_pong};
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int all = cw_processes();
  open_messages(table);
  for (long round = 1; round <= ROUNDS; round++) {
    for (int process = 0; process < all; process++)
      send_message(process, PING, &round, sizeof round);
    poll_messages();
  }
  while (pings < (long)ROUNDS * all)
    poll_messages();
  for (int process = 0; process < all; process++)
    send_message(process, PONG, NULL, 0);
  while (pongs < all) /* after a pong from every process, no process needs credit any more */
    poll_messages();
  CW_MUST(cw_barrier(cw_team_world()));
  if (cw_process() == 0)
    printf("%d processes: %ld pings and %ld pongs came, %ld out of order\n", all, pings, pongs,
           wrong);
  const int status = wrong == 0 && pings == (long)ROUNDS * all ? 0 : 1;
  close_messages();
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return status;
}
