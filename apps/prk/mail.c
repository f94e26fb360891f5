/* Letters between processes, by the means of each side. */
#include "mail.h"

#include <stdlib.h>

static size_t mail_number(const struct mail *mail, int64_t letter, int process)
{
  return (size_t)(letter % mail->slots * cw_processes() + process);
}

/* In the memory of its reader. */
static size_t mail_place(const struct mail *mail, int64_t letter, int from)
{
  return (size_t)cw_processes() * LINE + mail_number(mail, letter, from) * mail->letter_bytes;
}

/* The next letter to a process: in its memory, or in mine. */
static struct letter *mail_next(const struct mail *mail, int process)
{
  char *at =
      mail->there[process] != NULL
          ? mail->there[process] + mail_place(mail, mail->sent[process], cw_process())
          : mail->outgoing + mail_number(mail, mail->sent[process], process) * mail->letter_bytes;
  return (struct letter *)(void *)at;
}

static MPI_Request *mail_requests(size_t count)
{
  MPI_Request *requests = room(count * sizeof(MPI_Request));
  for (size_t i = 0; i < count; i++)
    requests[i] = MPI_REQUEST_NULL;
  return requests;
}

void mail_create(enum side_number side, enum writing writing, int slots, size_t bytes,
                 struct mail *mail)
{
  const bool stored = side != CAUSEWAY || writing == IN_A_PIECE;
  const size_t processes = (size_t)cw_processes(), letters = (size_t)slots * processes;
  *mail = (struct mail){.slots = slots, .letter_bytes = lines(sizeof(struct letter) + bytes)};
  memory_create(side, processes * LINE + letters * mail->letter_bytes, &mail->memory);
  mail->sent = room(processes * sizeof(int64_t));
  mail->read = room(processes * sizeof(int64_t));
  mail->there = room(processes * sizeof(char *));
  mail->outgoing = room(letters * mail->letter_bytes);
  for (int i = 0; i < cw_processes(); i++)
    mail->there[i] = stored && i != cw_process() ? memory_address(&mail->memory, i) : NULL;
  if (side == MESSAGES) {
    mail->sending = mail_requests(letters);
    mail->coming = mail_requests(letters);
  } else if (side == CAUSEWAY) {
    CW_MUST(cw_notifications_create(cw_team_world(), processes, &mail->told));
  }
}

void mail_destroy(struct mail *mail)
{
  mail_settle(mail);
  if (mail->told != NULL)
    CW_MUST(cw_notifications_free(&mail->told));
  memory_destroy(&mail->memory);
  free(mail->sent);
  free(mail->read);
  free(mail->there);
  free(mail->outgoing);
  free(mail->sending);
  free(mail->coming);
}

void *mail_write(struct mail *mail, int process)
{
  if (mail->memory.side == MESSAGES) {
    const int64_t letter = mail->sent[process];
    const size_t number = mail_number(mail, letter, process);
    MPI_Irecv(mail->memory.mine + mail_place(mail, letter, process), (int)mail->letter_bytes,
              MPI_BYTE, process, (int)(letter % mail->slots), prk_comm, &mail->coming[number]);
    MPI_Wait(&mail->sending[number], MPI_STATUS_IGNORE);
  }
  return mail_next(mail, process)->data;
}

/* Nothing more is moved if it has been written at its place. */
static void mail_tell(struct mail *mail, int process, const struct letter *letter)
{
  const size_t place = mail_place(mail, mail->sent[process], cw_process());
  const size_t bytes = mail->there[process] != NULL ? 0 : sizeof *letter + letter->bytes;
  CW_MUST(cw_put_notify(letter, (char *)mail->memory.all[process] + place, bytes, process,
                        mail->told, (size_t)cw_process()));
}

void mail_send(struct mail *mail, int process, size_t bytes)
{
  const int64_t number = mail->sent[process];
  struct letter *letter = mail_next(mail, process);
  letter->bytes = bytes;
  switch (mail->memory.side) {
  case CAUSEWAY:
    mail_tell(mail, process, letter);
    break;
  case MESSAGES:
    MPI_Isend(letter, (int)(sizeof *letter + bytes), MPI_BYTE, process, (int)(number % mail->slots),
              prk_comm, &mail->sending[mail_number(mail, number, process)]);
    break;
  case WINDOWS:
    memory_put(&mail->memory, letter, process, mail_place(mail, number, cw_process()),
               sizeof *letter + bytes);
    /* fall through */
  default:
    memory_signal(&mail->memory, process, (size_t)cw_process() * LINE, number + 1);
  }
  mail->sent[process]++;
}

const void *mail_read(struct mail *mail, int process, size_t *bytes)
{
  const int64_t number = mail->read[process]++;
  const char *at = mail->memory.mine + mail_place(mail, number, process);
  const struct letter *letter = (const struct letter *)(const void *)at;
  switch (mail->memory.side) {
  case CAUSEWAY:
    CW_MUST(cw_notification_wait(mail->told, (size_t)process, CW_AT_LEAST, number + 1, NULL));
    break;
  case MESSAGES:
    MPI_Wait(&mail->coming[mail_number(mail, number, process)], MPI_STATUS_IGNORE);
    break;
  default:
    memory_await(&mail->memory, (size_t)process * LINE, number + 1);
  }
  *bytes = letter->bytes;
  return letter->data;
}

void mail_settle(struct mail *mail)
{
  if (mail->sending != NULL)
    wait_for_all(mail->slots * cw_processes(), mail->sending);
}
