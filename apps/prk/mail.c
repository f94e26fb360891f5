/* Letters between processes, by the means of each side. */
#include "mail.h"

#include <stdlib.h>
#include <string.h>

/* Of what a process says to the others, in their memory. */
static size_t mail_post(int from)
{
  return (size_t)from * LINE;
}

/* Among those of all writers or readers. */
static size_t mail_number(const struct mail *mail, int64_t letter, int partner)
{
  return (size_t)(partner * mail->slots + letter % mail->slots);
}

/* In the memory of its reader. */
static size_t mail_place(const struct mail *mail, int64_t letter, int writer)
{
  return mail_post(cw_processes()) + mail_number(mail, letter, writer) * mail->letter_bytes;
}

/* Where my next letter to a process is to come. */
static size_t mail_place_there(const struct mail *mail, int process)
{
  return mail_place(mail, mail->sent[process], mail->there_from[process]);
}

/* Is what I write to a process where that reads it? */
static bool mail_is_there(const struct mail *mail, int process)
{
  return mail->in_place && mail->there[process] != NULL;
}

/* The next letter to a process: in its memory, or in mine. */
static struct letter *mail_next(const struct mail *mail, int process)
{
  const size_t number = mail_number(mail, mail->sent[process], mail->to[process]);
  char *at = mail_is_there(mail, process) ? mail->there[process] + mail_place_there(mail, process)
                                          : mail->outgoing + number * mail->letter_bytes;
  return (struct letter *)(void *)at;
}

/* --- Made and freed --------------------------------------------------------------------------- */

static MPI_Request *mail_requests(int count)
{
  MPI_Request *requests = room((size_t)count * sizeof(MPI_Request));
  for (int i = 0; i < count; i++)
    requests[i] = MPI_REQUEST_NULL;
  return requests;
}

/* Who writes to whom. */
static void mail_find_partners(const bool *write, struct mail *mail)
{
  const int processes = cw_processes();
  int *flags = room((size_t)(2 * processes) * sizeof(int)), *come = flags + processes;
  for (int i = 0; i < processes; i++)
    flags[i] = i != cw_process() && (write == NULL || write[i]);
  MPI_Alltoall(flags, 1, MPI_INT, come, 1, MPI_INT, prk_comm);
  for (int i = 0; i < processes; i++) {
    mail->to[i] = flags[i] != 0 ? mail->readers++ : -1;
    mail->from[i] = come[i] != 0 ? mail->writers++ : -1;
  }
  MPI_Alltoall(mail->from, 1, MPI_INT, mail->there_from, 1, MPI_INT, prk_comm);
  free(flags);
}

static void mail_make_room(struct mail *mail)
{
  const size_t processes = (size_t)cw_processes();
  mail->from = room(processes * sizeof(int));
  mail->to = room(processes * sizeof(int));
  mail->there_from = room(processes * sizeof(int));
  mail->sent = room(processes * sizeof(int64_t));
  mail->read = room(processes * sizeof(int64_t));
  mail->told = room(processes * sizeof(int64_t));
  mail->posts = room(processes * sizeof(struct post));
  mail->owed = room(processes * sizeof(bool));
  mail->there = room(processes * sizeof(char *));
}

void mail_create(const struct mail_terms *terms, struct mail *mail)
{
  *mail = (struct mail){.slots = terms->slots,
                        .letter_bytes = mail_bytes(terms->bytes),
                        .in_place = terms->side != CAUSEWAY || terms->writing == IN_A_PIECE};
  mail_make_room(mail);
  mail_find_partners(terms->write, mail);
  memory_create(terms->side, mail_place(mail, 0, mail->writers), &mail->memory);
  mail->outgoing = room((size_t)(mail->readers * mail->slots) * mail->letter_bytes);
  for (int i = 0; i < cw_processes(); i++)
    mail->there[i] = i != cw_process() ? memory_address(&mail->memory, i) : NULL;
  if (terms->side == MESSAGES) {
    mail->sending = mail_requests(mail->readers * mail->slots);
    mail->coming = mail_requests(mail->writers * mail->slots);
  } else if (terms->side == CAUSEWAY) {
    CW_MUST(cw_notifications_create(cw_team_world(), (size_t)cw_processes(), &mail->come));
  }
}

void mail_destroy(struct mail *mail)
{
  mail_settle(mail);
  if (mail->come != NULL)
    CW_MUST(cw_notifications_free(&mail->come));
  memory_destroy(&mail->memory);
  free(mail->from);
  free(mail->to);
  free(mail->there_from);
  free(mail->sent);
  free(mail->read);
  free(mail->told);
  free(mail->posts);
  free(mail->owed);
  free(mail->there);
  free(mail->outgoing);
  free(mail->sending);
  free(mail->coming);
}

/* --- How many I have read, and have been read ------------------------------------------------- */

/* Letters that I have read, and of which their writer does not know that. */
static int64_t mail_untold(const struct mail *mail, int process)
{
  return mail->read[process] - mail->told[process];
}

/* CAUSEWAY between nodes: a number that is put waits for the letter that follows, and travels with
 * it; one that is added goes at once. */
static void mail_put_post(const struct mail *mail, int process, int64_t more, bool letter_follows)
{
  char *post = (char *)mail->memory.all[process] + mail_post(cw_process());
  int64_t *read = (int64_t *)(void *)(post + offsetof(struct post, read));
  const cw_transfer put = cw_contiguous(CW_PUT, &mail->told[process], read, sizeof *read, process);
  if (letter_follows)
    CW_MUST(cw_transfer_start(&put, NULL));
  else
    CW_MUST(cw_notify(read, more, process));
}

/* In memory that I may store into. */
static void mail_store_post(const struct mail *mail, int process)
{
  struct post *post = (struct post *)(void *)(mail->there[process] + mail_post(cw_process()));
  __atomic_store_n(&post->read, mail->told[process], __ATOMIC_RELEASE);
  __atomic_store_n(&post->sent, mail->sent[process], __ATOMIC_RELEASE);
}

/* Say how many letters of a process I have read, and have sent to it. These are there before. */
static void mail_say(const struct mail *mail, int process, bool letter_follows)
{
  const int64_t more = mail_untold(mail, process);
  mail->told[process] = mail->read[process];
  if (mail->there[process] != NULL) {
    mail_store_post(mail, process);
  } else if (mail->memory.side == WINDOWS) {
    mail->owed[process] = true;
  } else {
    mail_put_post(mail, process, more, letter_follows);
  }
}

/* WINDOWS: what was put for those who have still to be told is there. */
static void mail_flush(const struct mail *mail)
{
  for (int i = 0; i < cw_processes(); i++)
    if (mail->owed[i])
      MPI_Win_flush(i, mail->memory.window);
}

/* WINDOWS: letters that were put are there; then their readers are told. */
static void mail_push(const struct mail *mail)
{
  const int processes = cw_processes();
  if (mail->memory.side != WINDOWS)
    return;
  mail_flush(mail);
  for (int i = 0; i < processes; i++)
    if (mail->owed[i]) {
      mail->posts[i] = (struct post){mail->sent[i], mail->told[i]};
      memory_signal(&mail->memory, i, mail_post(cw_process()), &mail->posts[i].sent, POST_NUMBERS);
    }
  mail_flush(mail);
  memset(mail->owed, false, (size_t)processes * sizeof(bool));
}

/* What another process has said of letters is at least that. Who waits has told all others first,
 * for one of them may wait for this process. */
static void mail_await(const struct mail *mail, size_t place, int64_t least)
{
  mail_push(mail);
  memory_await(&mail->memory, place, least);
}

/* The reader is through with the letter whose place the next one takes. */
static void mail_await_place(const struct mail *mail, int process)
{
  const size_t place = mail_post(process) + offsetof(struct post, read);
  const int64_t least = mail->sent[process] - mail->slots + 1;
  if (least > 0 && !memory_reached(&mail->memory, place, least))
    mail_await(mail, place, least);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* For the letter that answers mine; and mine can be written. */
static void mail_expect(const struct mail *mail, int process)
{
  const int64_t letter = mail->sent[process];
  const size_t coming = mail_number(mail, letter, mail->from[process]);
  MPI_Irecv(mail->memory.mine + mail_place(mail, letter, mail->from[process]),
            (int)mail->letter_bytes, MPI_BYTE, process, (int)(letter % mail->slots), prk_comm,
            &mail->coming[coming]);
  MPI_Wait(&mail->sending[mail_number(mail, letter, mail->to[process])], MPI_STATUS_IGNORE);
}

void *mail_write(struct mail *mail, int process)
{
  if (mail->memory.side == MESSAGES)
    mail_expect(mail, process);
  else
    mail_await_place(mail, process);
  return mail_next(mail, process)->data;
}

/* Nothing more is moved if it has been written at its place. */
static void mail_put(const struct mail *mail, int process, const struct letter *letter)
{
  char *there = (char *)mail->memory.all[process] + mail_place_there(mail, process);
  const size_t bytes = mail_is_there(mail, process) ? 0 : sizeof *letter + letter->bytes;
  if (4 * mail_untold(mail, process) >= mail->slots)
    mail_say(mail, process, true);
  CW_MUST(cw_put_notify(letter, there, bytes, process, mail->come, (size_t)cw_process()));
}

static void mail_isend(const struct mail *mail, int process, const struct letter *letter)
{
  const int64_t number = mail->sent[process];
  MPI_Isend(letter, (int)(sizeof *letter + letter->bytes), MPI_BYTE, process,
            (int)(number % mail->slots), prk_comm,
            &mail->sending[mail_number(mail, number, mail->to[process])]);
}

void mail_send(struct mail *mail, int process, size_t bytes)
{
  struct letter *letter = mail_next(mail, process);
  letter->bytes = bytes;
  if (mail->memory.side == CAUSEWAY)
    mail_put(mail, process, letter);
  else if (mail->memory.side == MESSAGES)
    mail_isend(mail, process, letter);
  else if (mail->memory.side == WINDOWS)
    MPI_Put(letter, (int)(sizeof *letter + bytes), MPI_BYTE, process,
            (MPI_Aint)mail_place_there(mail, process), (int)(sizeof *letter + bytes), MPI_BYTE,
            mail->memory.window);
  mail->sent[process]++;
  if (mail->memory.side == SHARED || mail->memory.side == WINDOWS)
    mail_say(mail, process, false);
}

/* --- Reading ---------------------------------------------------------------------------------- */

const void *mail_read(struct mail *mail, int process, size_t *bytes)
{
  const int64_t number = mail->read[process];
  const int writer = mail->from[process];
  const char *at = mail->memory.mine + mail_place(mail, number, writer);
  const struct letter *letter = (const struct letter *)(const void *)at;
  if (mail->memory.side != MESSAGES && 2 * mail_untold(mail, process) >= mail->slots)
    mail_say(mail, process, false);
  mail->read[process]++;
  switch (mail->memory.side) {
  case CAUSEWAY:
    CW_MUST(cw_notification_wait(mail->come, (size_t)process, CW_AT_LEAST, number + 1, NULL));
    break;
  case MESSAGES:
    MPI_Wait(&mail->coming[mail_number(mail, number, writer)], MPI_STATUS_IGNORE);
    break;
  default:
    mail_await(mail, mail_post(process) + offsetof(struct post, sent), number + 1);
  }
  *bytes = letter->bytes;
  return letter->data;
}

void mail_settle(struct mail *mail)
{
  mail_push(mail);
  if (mail->sending != NULL)
    wait_for_all(mail->slots * mail->readers, mail->sending);
}
