/* The control channel between proxies. Each sender has a ring of BOX messages in the receiver's
 * slice. One notification counter counts the messages that arrived; another one counts how often
 * half a ring was emptied, which gives credit to the sender. */
#include "relay/control_channel.h"

#include <stdlib.h>
#include <string.h>

enum { BOX = 64 };

struct waiting_message {
  struct waiting_message *next;
  struct vocl_control_message message;
};

/* State of the connection with one other process. */
struct control_peer {
  int64_t sent, taken;
  struct waiting_message *first, **last; /* messages that wait for space */
};

static struct {
  cw_region region;
  cw_view view;
  cw_notifications counters; /* index p: messages from process p; index processes + p: half rings
                                that p has emptied */
  struct control_peer *others;
  int next; /* process whose messages are checked first */
} control;

static struct vocl_control_message *box_at(int receiver, int sender, int64_t number)
{
  struct vocl_control_message *boxes = cw_region_address(control.region, receiver);
  return boxes + (size_t)sender * BOX + number % BOX;
}

static size_t boxes_bytes(void)
{
  return ((size_t)cw_processes() * BOX * sizeof(struct vocl_control_message) + 4095) / 4096 * 4096;
}

void vocl_control_open(unsigned slots)
{
  const size_t processes = (size_t)cw_processes();
  control.others = calloc(processes, sizeof *control.others);
  if (control.others == NULL)
    cw_abort("cw-vocl: no memory for messages", 1);
  for (size_t i = 0; i < processes; i++)
    control.others[i].last = &control.others[i].first;
  CW_MUST(cw_region_create(cw_team_world(), boxes_bytes() + slots * VOCL_CHANNEL_BYTES,
                           &control.region, NULL));
  CW_MUST(cw_view_of(control.region, &control.view));
  CW_MUST(cw_notifications_create(cw_team_world(), 2 * processes, &control.counters));
}

void vocl_control_close(void)
{
  CW_MUST(cw_notifications_free(&control.counters));
  CW_MUST(cw_view_free(&control.view));
  CW_MUST(cw_region_free(cw_team_world(), &control.region));
  free(control.others);
}

char *vocl_control_slot(int process, unsigned slot)
{
  return (char *)cw_region_address(control.region, process) + boxes_bytes() +
         slot * VOCL_CHANNEL_BYTES;
}

void vocl_control_put(int process, const void *from, char *to, size_t bytes, cw_handle *handle)
{
  CW_MUST(cw_view_rrput(control.view, from, to, bytes, process, handle));
}

static int64_t counter(int number)
{
  int64_t value = 0;
  CW_MUST(cw_notification_read(control.counters, (size_t)number, &value));
  return value;
}

static size_t message_bytes(const struct vocl_control_message *message)
{
  static const size_t sizes[] = {[VOCL_CONTROL_OPEN] = sizeof(struct vocl_control_opening),
                                 [VOCL_CONTROL_OPEN_REPLY] = sizeof(struct vocl_control_opening),
                                 [VOCL_CONTROL_POSITIONS] = sizeof(struct vocl_control_positions),
                                 [VOCL_CONTROL_CLOSE] = sizeof(struct vocl_control_positions),
                                 [VOCL_CONTROL_LIST_ENTRY] = sizeof(struct vocl_control_entry),
                                 [VOCL_CONTROL_MOVE] = sizeof(struct vocl_control_move),
                                 [VOCL_CONTROL_MOVE_REPLY] = sizeof(struct vocl_control_move_reply),
                                 [VOCL_CONTROL_LOAD] = sizeof(struct vocl_control_load),
                                 [VOCL_CONTROL_HEARTBEAT] = 0};
  return offsetof(struct vocl_control_message, of) + sizes[message->kind];
}

static bool box_has_place(int process)
{
  const int64_t emptied = counter(cw_processes() + process) * (BOX / 2);
  return control.others[process].sent - emptied < BOX;
}

static void send_now(int process, const struct vocl_control_message *message)
{
  struct vocl_control_message *place =
      box_at(process, cw_process(), control.others[process].sent++);
  CW_MUST(cw_put_notify(message, place, message_bytes(message), process, control.counters,
                        (size_t)cw_process()));
}

bool vocl_control_can_send(int process)
{
  return control.others[process].first == NULL && box_has_place(process);
}

void vocl_control_send(int process, const struct vocl_control_message *message)
{
  struct control_peer *other = &control.others[process];
  if (vocl_control_can_send(process)) {
    send_now(process, message);
    return;
  }
  struct waiting_message *waiting = malloc(sizeof *waiting);
  if (waiting == NULL) {
    cw_abort("cw-vocl: no memory for a message", 1);
    return;
  }
  *waiting = (struct waiting_message){NULL, *message};
  *other->last = waiting;
  other->last = &waiting->next;
}

bool vocl_control_send_queued(void)
{
  bool more = false;
  for (int process = 0; process < cw_processes(); process++) {
    struct control_peer *other = &control.others[process];
    while (other->first != NULL && box_has_place(process)) {
      struct waiting_message *waiting = other->first;
      send_now(process, &waiting->message);
      other->first = waiting->next;
      if (other->first == NULL)
        other->last = &other->first;
      free(waiting);
    }
    more = more || other->first != NULL;
  }
  return more;
}

bool vocl_control_receive(int *process, struct vocl_control_message *message)
{
  for (int tries = 0; tries < cw_processes(); tries++) {
    const int from = control.next;
    struct control_peer *other = &control.others[from];
    control.next = (control.next + 1) % cw_processes();
    if (counter(from) == other->taken)
      continue;
    *message = *box_at(cw_process(), from, other->taken++);
    *process = from;
    if (other->taken % (BOX / 2) == 0)
      CW_MUST(cw_put_notify(NULL, NULL, 0, from, control.counters,
                            (size_t)(cw_processes() + cw_process())));
    return true;
  }
  return false;
}
