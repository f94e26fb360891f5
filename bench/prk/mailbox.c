/* Messages between processes, by the means of each side. */
#include "mailbox.h"

#include <stdlib.h>
#include <string.h>

/* Returns the offset of the counters that process `from` writes in another process's memory. */
static size_t mailbox_counters(int from)
{
  return (size_t)from * LINE;
}

/* Returns the index of a message among the slots of all writers or readers. */
static size_t mailbox_number(const struct mailbox *mailbox, int64_t message, int partner)
{
  return (size_t)(partner * mailbox->slots + message % mailbox->slots);
}

/* Returns the offset of a message in its reader's memory. */
static size_t mailbox_place(const struct mailbox *mailbox, int64_t message, int writer)
{
  return mailbox_counters(cw_processes()) +
         mailbox_number(mailbox, message, writer) * mailbox->message_bytes;
}

/* Returns the offset of the next message of this process in the reader's memory. */
static size_t mailbox_place_there(const struct mailbox *mailbox, int process)
{
  return mailbox_place(mailbox, mailbox->sent[process], mailbox->there_from[process]);
}

/* Returns true if this process writes messages directly into the reader's memory. */
static bool mailbox_is_there(const struct mailbox *mailbox, int process)
{
  return mailbox->in_place && mailbox->there[process] != NULL;
}

/* Returns the buffer of the next message to a process, in its memory or in this process's. */
static struct message *mailbox_next(const struct mailbox *mailbox, int process)
{
  const size_t number = mailbox_number(mailbox, mailbox->sent[process], mailbox->to[process]);
  char *at = mailbox_is_there(mailbox, process)
                 ? mailbox->there[process] + mailbox_place_there(mailbox, process)
                 : mailbox->outgoing + number * mailbox->message_bytes;
  return (struct message *)(void *)at;
}

/* --- Creation and release --------------------------------------------------------------------- */

static MPI_Request *mailbox_requests(int count)
{
  MPI_Request *requests = allocate((size_t)count * sizeof(MPI_Request));
  for (int i = 0; i < count; i++)
    requests[i] = MPI_REQUEST_NULL;
  return requests;
}

/* Finds the processes that write to this one and those to which it writes. */
static void mailbox_find_partners(const bool *write, struct mailbox *mailbox)
{
  const int processes = cw_processes();
  int *flags = allocate((size_t)(2 * processes) * sizeof(int)), *arrived = flags + processes;
  for (int i = 0; i < processes; i++)
    flags[i] = i != cw_process() && (write == NULL || write[i]);
  MPI_Alltoall(flags, 1, MPI_INT, arrived, 1, MPI_INT, prk_comm);
  for (int i = 0; i < processes; i++) {
    mailbox->to[i] = flags[i] != 0 ? mailbox->readers++ : -1;
    mailbox->from[i] = arrived[i] != 0 ? mailbox->writers++ : -1;
  }
  MPI_Alltoall(mailbox->from, 1, MPI_INT, mailbox->there_from, 1, MPI_INT, prk_comm);
  free(flags);
}

static void mailbox_allocate(struct mailbox *mailbox)
{
  const size_t processes = (size_t)cw_processes();
  mailbox->from = allocate(processes * sizeof(int));
  mailbox->to = allocate(processes * sizeof(int));
  mailbox->there_from = allocate(processes * sizeof(int));
  mailbox->sent = allocate(processes * sizeof(int64_t));
  mailbox->read = allocate(processes * sizeof(int64_t));
  mailbox->acknowledged = allocate(processes * sizeof(int64_t));
  mailbox->counters = allocate(processes * sizeof(struct counters));
  mailbox->owed = allocate(processes * sizeof(bool));
  mailbox->there = allocate(processes * sizeof(char *));
}

void mailbox_create(const struct mailbox_terms *terms, struct mailbox *mailbox)
{
  *mailbox = (struct mailbox){.slots = terms->slots,
                              .message_bytes = mailbox_message_bytes(terms->bytes),
                              .in_place = terms->side != CAUSEWAY || terms->writing == IN_A_PIECE};
  mailbox_allocate(mailbox);
  mailbox_find_partners(terms->write, mailbox);
  memory_create(terms->side, mailbox_place(mailbox, 0, mailbox->writers), &mailbox->memory);
  mailbox->outgoing =
      allocate((size_t)(mailbox->readers * mailbox->slots) * mailbox->message_bytes);
  for (int i = 0; i < cw_processes(); i++)
    mailbox->there[i] = i != cw_process() ? memory_address(&mailbox->memory, i) : NULL;
  if (terms->side == MESSAGES) {
    mailbox->sending = mailbox_requests(mailbox->readers * mailbox->slots);
    mailbox->coming = mailbox_requests(mailbox->writers * mailbox->slots);
  } else if (terms->side == CAUSEWAY) {
    CW_MUST(cw_notifications_create(cw_team_world(), (size_t)cw_processes(), &mailbox->arrived));
  }
}

void mailbox_destroy(struct mailbox *mailbox)
{
  mailbox_settle(mailbox);
  if (mailbox->arrived != NULL)
    CW_MUST(cw_notifications_free(&mailbox->arrived));
  memory_destroy(&mailbox->memory);
  free(mailbox->from);
  free(mailbox->to);
  free(mailbox->there_from);
  free(mailbox->sent);
  free(mailbox->read);
  free(mailbox->acknowledged);
  free(mailbox->counters);
  free(mailbox->owed);
  free(mailbox->there);
  free(mailbox->outgoing);
  free(mailbox->sending);
  free(mailbox->coming);
}

/* --- Acknowledgements ------------------------------------------------------------------------- */

/* Returns the number of messages from a process that this process has read but not yet
 * acknowledged. */
static int64_t mailbox_unacknowledged(const struct mailbox *mailbox, int process)
{
  return mailbox->read[process] - mailbox->acknowledged[process];
}

/* CAUSEWAY between nodes: a counter that is put waits for the message that follows and travels with
 * it. A counter that is added is sent at once. */
static void mailbox_put_counters(const struct mailbox *mailbox, int process, int64_t more,
                                 bool message_follows)
{
  char *counters = (char *)mailbox->memory.all[process] + mailbox_counters(cw_process());
  int64_t *read = (int64_t *)(void *)(counters + offsetof(struct counters, read));
  const cw_transfer put =
      cw_contiguous(CW_PUT, &mailbox->acknowledged[process], read, sizeof *read, process);
  if (message_follows)
    CW_MUST(cw_transfer_start(&put, NULL));
  else
    CW_MUST(cw_notify(read, more, process));
}

/* Stores the counters in memory that this process can access. */
static void mailbox_store_counters(const struct mailbox *mailbox, int process)
{
  struct counters *counters =
      (struct counters *)(void *)(mailbox->there[process] + mailbox_counters(cw_process()));
  __atomic_store_n(&counters->read, mailbox->acknowledged[process], __ATOMIC_RELEASE);
  __atomic_store_n(&counters->sent, mailbox->sent[process], __ATOMIC_RELEASE);
}

/* Reports to a process how many of its messages this process has read, and how many it has sent.
 * The messages themselves must be there before the counters. */
static void mailbox_acknowledge(const struct mailbox *mailbox, int process, bool message_follows)
{
  const int64_t more = mailbox_unacknowledged(mailbox, process);
  mailbox->acknowledged[process] = mailbox->read[process];
  if (mailbox->there[process] != NULL) {
    mailbox_store_counters(mailbox, process);
  } else if (mailbox->memory.side == WINDOWS) {
    mailbox->owed[process] = true;
  } else {
    mailbox_put_counters(mailbox, process, more, message_follows);
  }
}

/* WINDOWS: completes the puts to all processes that have not been notified yet. */
static void mailbox_flush(const struct mailbox *mailbox)
{
  for (int i = 0; i < cw_processes(); i++)
    if (mailbox->owed[i])
      MPI_Win_flush(i, mailbox->memory.window);
}

/* WINDOWS: completes the puts of messages and then notifies their readers. */
static void mailbox_push(const struct mailbox *mailbox)
{
  const int processes = cw_processes();
  if (mailbox->memory.side != WINDOWS)
    return;
  mailbox_flush(mailbox);
  for (int i = 0; i < processes; i++)
    if (mailbox->owed[i]) {
      mailbox->counters[i] = (struct counters){mailbox->sent[i], mailbox->acknowledged[i]};
      memory_signal(&mailbox->memory, i, mailbox_counters(cw_process()), &mailbox->counters[i].sent,
                    COUNTER_NUMBERS);
    }
  mailbox_flush(mailbox);
  memset(mailbox->owed, false, (size_t)processes * sizeof(bool));
}

/* Waits until a counter from another process is at least `least`. Sends all outstanding
 * notifications first, because the other process may wait for one of them. */
static void mailbox_await(const struct mailbox *mailbox, size_t place, int64_t least)
{
  mailbox_push(mailbox);
  memory_await(&mailbox->memory, place, least);
}

/* Waits until the reader has finished with the message whose slot the next one takes. */
static void mailbox_await_place(const struct mailbox *mailbox, int process)
{
  const size_t place = mailbox_counters(process) + offsetof(struct counters, read);
  const int64_t least = mailbox->sent[process] - mailbox->slots + 1;
  if (least > 0 && !memory_reached(&mailbox->memory, place, least))
    mailbox_await(mailbox, place, least);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* Posts the receive of the message that answers this one, and waits until this one's slot can be
 * written. */
static void mailbox_expect(const struct mailbox *mailbox, int process)
{
  const int64_t message = mailbox->sent[process];
  const size_t coming = mailbox_number(mailbox, message, mailbox->from[process]);
  MPI_Irecv(mailbox->memory.mine + mailbox_place(mailbox, message, mailbox->from[process]),
            (int)mailbox->message_bytes, MPI_BYTE, process, (int)(message % mailbox->slots),
            prk_comm, &mailbox->coming[coming]);
  MPI_Wait(&mailbox->sending[mailbox_number(mailbox, message, mailbox->to[process])],
           MPI_STATUS_IGNORE);
}

void *mailbox_write(struct mailbox *mailbox, int process)
{
  if (mailbox->memory.side == MESSAGES)
    mailbox_expect(mailbox, process);
  else
    mailbox_await_place(mailbox, process);
  return mailbox_next(mailbox, process)->data;
}

/* Puts a message and notifies its reader; if the message was written in place, only notifies. */
static void mailbox_put(const struct mailbox *mailbox, int process, const struct message *message)
{
  char *there = (char *)mailbox->memory.all[process] + mailbox_place_there(mailbox, process);
  const size_t bytes = mailbox_is_there(mailbox, process) ? 0 : sizeof *message + message->bytes;
  if (4 * mailbox_unacknowledged(mailbox, process) >= mailbox->slots)
    mailbox_acknowledge(mailbox, process, true);
  CW_MUST(cw_put_notify(message, there, bytes, process, mailbox->arrived, (size_t)cw_process()));
}

static void mailbox_isend(const struct mailbox *mailbox, int process, const struct message *message)
{
  const int64_t number = mailbox->sent[process];
  MPI_Isend(message, (int)(sizeof *message + message->bytes), MPI_BYTE, process,
            (int)(number % mailbox->slots), prk_comm,
            &mailbox->sending[mailbox_number(mailbox, number, mailbox->to[process])]);
}

void mailbox_send(struct mailbox *mailbox, int process, size_t bytes)
{
  struct message *message = mailbox_next(mailbox, process);
  message->bytes = bytes;
  if (mailbox->memory.side == CAUSEWAY)
    mailbox_put(mailbox, process, message);
  else if (mailbox->memory.side == MESSAGES)
    mailbox_isend(mailbox, process, message);
  else if (mailbox->memory.side == WINDOWS)
    MPI_Put(message, (int)(sizeof *message + bytes), MPI_BYTE, process,
            (MPI_Aint)mailbox_place_there(mailbox, process), (int)(sizeof *message + bytes),
            MPI_BYTE, mailbox->memory.window);
  mailbox->sent[process]++;
  if (mailbox->memory.side == SHARED || mailbox->memory.side == WINDOWS)
    mailbox_acknowledge(mailbox, process, false);
}

/* --- Reading ---------------------------------------------------------------------------------- */

const void *mailbox_read(struct mailbox *mailbox, int process, size_t *bytes)
{
  const int64_t number = mailbox->read[process];
  const int writer = mailbox->from[process];
  const char *at = mailbox->memory.mine + mailbox_place(mailbox, number, writer);
  const struct message *message = (const struct message *)(const void *)at;
  if (mailbox->memory.side != MESSAGES &&
      2 * mailbox_unacknowledged(mailbox, process) >= mailbox->slots)
    mailbox_acknowledge(mailbox, process, false);
  mailbox->read[process]++;
  switch (mailbox->memory.side) {
  case CAUSEWAY:
    CW_MUST(cw_notification_wait(mailbox->arrived, (size_t)process, CW_AT_LEAST, number + 1, NULL));
    break;
  case MESSAGES:
    MPI_Wait(&mailbox->coming[mailbox_number(mailbox, number, writer)], MPI_STATUS_IGNORE);
    break;
  default:
    mailbox_await(mailbox, mailbox_counters(process) + offsetof(struct counters, sent), number + 1);
  }
  *bytes = message->bytes;
  return message->data;
}

void mailbox_settle(struct mailbox *mailbox)
{
  mailbox_push(mailbox);
  if (mailbox->sending != NULL)
    wait_for_all(mailbox->slots * mailbox->readers, mailbox->sending);
}
