/* Mail between proxies: for each sender a box of places in its receiver's slice. The counter of
 * notifications says how many mails have come, and another one how often half a box was emptied:
 * that is the sender's credit. */
#include "proxy/post.h"

#include <stdlib.h>
#include <string.h>

enum { BOX = 64 };

struct waiting_mail {
  struct waiting_mail *next;
  struct cwi_mail mail;
};

/* Of one other process. */
struct correspondent {
  int64_t sent, taken;
  struct waiting_mail *first, **last; /* no room yet */
};

static struct {
  cw_region region;
  cw_view view;
  cw_notifications counters; /* p: mails of process p; processes + p: halves that p has emptied */
  struct correspondent *others;
  int next; /* whose mail is looked for first */
} post;

static struct cwi_mail *box_at(int receiver, int sender, int64_t number)
{
  struct cwi_mail *boxes = cw_region_address(post.region, receiver);
  return boxes + (size_t)sender * BOX + number % BOX;
}

static size_t boxes_bytes(void)
{
  return ((size_t)cw_processes() * BOX * sizeof(struct cwi_mail) + 4095) / 4096 * 4096;
}

void cwi_post_open(unsigned slots)
{
  const size_t processes = (size_t)cw_processes();
  post.others = calloc(processes, sizeof *post.others);
  if (post.others == NULL)
    cw_abort("cw-vocl: no memory for mail", 1);
  for (size_t i = 0; i < processes; i++)
    post.others[i].last = &post.others[i].first;
  CW_MUST(cw_region_create(cw_team_world(), boxes_bytes() + slots * CWI_CHANNEL_BYTES, &post.region,
                           NULL));
  CW_MUST(cw_view_of(post.region, &post.view));
  CW_MUST(cw_notifications_create(cw_team_world(), 2 * processes, &post.counters));
}

void cwi_post_close(void)
{
  CW_MUST(cw_notifications_free(&post.counters));
  CW_MUST(cw_view_free(&post.view));
  CW_MUST(cw_region_free(cw_team_world(), &post.region));
  free(post.others);
}

char *cwi_post_slot(int process, unsigned slot)
{
  return (char *)cw_region_address(post.region, process) + boxes_bytes() + slot * CWI_CHANNEL_BYTES;
}

void cwi_post_put(int process, const void *from, char *to, size_t bytes, cw_handle *handle)
{
  CW_MUST(cw_view_rrput(post.view, from, to, bytes, process, handle));
}

static int64_t counter(int number)
{
  int64_t value = 0;
  CW_MUST(cw_notification_read(post.counters, (size_t)number, &value));
  return value;
}

static size_t mail_bytes(const struct cwi_mail *mail)
{
  static const size_t sizes[] = {[CWI_MAIL_OPEN] = sizeof(struct cwi_mail_opening),
                                 [CWI_MAIL_OPENED] = sizeof(struct cwi_mail_opening),
                                 [CWI_MAIL_POSITIONS] = sizeof(struct cwi_mail_positions),
                                 [CWI_MAIL_GONE] = sizeof(struct cwi_mail_positions),
                                 [CWI_MAIL_ENTRY] = sizeof(struct cwi_mail_entry),
                                 [CWI_MAIL_MOVE] = sizeof(struct cwi_mail_moving),
                                 [CWI_MAIL_MOVED] = sizeof(struct cwi_mail_moved),
                                 [CWI_MAIL_LOAD] = sizeof(struct cwi_mail_load),
                                 [CWI_MAIL_PULSE] = 0};
  return offsetof(struct cwi_mail, of) + sizes[mail->kind];
}

static bool box_has_place(int process)
{
  const int64_t emptied = counter(cw_processes() + process) * (BOX / 2);
  return post.others[process].sent - emptied < BOX;
}

static void send_now(int process, const struct cwi_mail *mail)
{
  struct cwi_mail *place = box_at(process, cw_process(), post.others[process].sent++);
  CW_MUST(
      cw_put_notify(mail, place, mail_bytes(mail), process, post.counters, (size_t)cw_process()));
}

bool cwi_post_has_room(int process)
{
  return post.others[process].first == NULL && box_has_place(process);
}

void cwi_post_send(int process, const struct cwi_mail *mail)
{
  struct correspondent *other = &post.others[process];
  if (cwi_post_has_room(process)) {
    send_now(process, mail);
    return;
  }
  struct waiting_mail *waiting = malloc(sizeof *waiting);
  if (waiting == NULL) {
    cw_abort("cw-vocl: no memory for a mail", 1);
    return;
  }
  *waiting = (struct waiting_mail){NULL, *mail};
  *other->last = waiting;
  other->last = &waiting->next;
}

bool cwi_post_push(void)
{
  bool more = false;
  for (int process = 0; process < cw_processes(); process++) {
    struct correspondent *other = &post.others[process];
    while (other->first != NULL && box_has_place(process)) {
      struct waiting_mail *waiting = other->first;
      send_now(process, &waiting->mail);
      other->first = waiting->next;
      if (other->first == NULL)
        other->last = &other->first;
      free(waiting);
    }
    more = more || other->first != NULL;
  }
  return more;
}

bool cwi_post_next(int *process, struct cwi_mail *mail)
{
  for (int tries = 0; tries < cw_processes(); tries++) {
    const int from = post.next;
    struct correspondent *other = &post.others[from];
    post.next = (post.next + 1) % cw_processes();
    if (counter(from) == other->taken)
      continue;
    *mail = *box_at(cw_process(), from, other->taken++);
    *process = from;
    if (other->taken % (BOX / 2) == 0)
      CW_MUST(cw_put_notify(NULL, NULL, 0, from, post.counters,
                            (size_t)(cw_processes() + cw_process())));
    return true;
  }
  return false;
}
