/* Comparing collective calls (CW_CHECK=1): each member sends a record of its call to all others, on
 * a communicator of the world. So a member also hears of one that is in a call of another team of
 * which both are members. With one thread in each process that cannot end well; with several it
 * may. */
#include "team/collective.h"

#include "base/lock.h"
#include "mpi/call.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  char call[40];
  char name[16]; /* of what has to be the same; "": nothing */
  uint64_t value;
  uint64_t circle;
  int32_t process;
  int32_t count;   /* processes in the circle */
  int32_t threads; /* several threads of the process make collective calls */
  int32_t unused;
};

/* A record that has come, and that nobody has asked for yet. */
struct letter {
  struct record record;
  struct letter *next;
};

enum { TAG = 1 };

static MPI_Comm comm = MPI_COMM_NULL;
static struct letter *letters; /* in the order in which they came */

cw_error cwi_collectives_start(void)
{
  if (!cwi_settings.check)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Comm_dup(cwi_world.team->comm, &comm)));
  return CWI_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
}

cw_error cwi_collectives_stop(void)
{
  while (letters != NULL) {
    struct letter *first = letters;
    letters = first->next;
    free(first);
  }
  return comm != MPI_COMM_NULL ? CWI_MPI(MPI_Comm_free(&comm)) : CW_OK;
}

/* Have several threads of this process come here? */
static bool several_threads(void)
{
  static _Thread_local char me;
  static char *only;
  static bool several;
  char *nobody = NULL;
  __atomic_compare_exchange_n(&only, &nobody, &me, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (__atomic_load_n(&only, __ATOMIC_RELAXED) != &me)
    __atomic_store_n(&several, true, __ATOMIC_RELAXED);
  return __atomic_load_n(&several, __ATOMIC_RELAXED);
}

/* Take in a record that has come; *more: there may be others. */
static cw_error receive_one(bool *more)
{
  int here = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  CWI_TRY(CWI_MPI(MPI_Improbe(MPI_ANY_SOURCE, TAG, comm, &here, &message, MPI_STATUS_IGNORE)));
  *more = here;
  if (!here)
    return CW_OK;
  struct letter *letter = calloc(1, sizeof *letter);
  if (letter == NULL)
    cwi_abort("no memory to compare collective calls", 1); /* the others would wait */
  const cw_error error = CWI_MPI(
      MPI_Mrecv(&letter->record, sizeof letter->record, MPI_BYTE, &message, MPI_STATUS_IGNORE));
  if (error != CW_OK) {
    free(letter);
    return error;
  }
  struct letter **end = &letters;
  while (*end != NULL)
    end = &(*end)->next;
  *end = letter;
  return CW_OK;
}

/* The first record of a process for this circle; alone: of whatever circle. False: not here yet. */
static bool take_letter(int process, uint64_t circle, bool alone, struct record *record)
{
  for (struct letter **link = &letters; *link != NULL; link = &(*link)->next) {
    struct letter *letter = *link;
    const bool others = alone && !letter->record.threads;
    if (letter->record.process != process || (letter->record.circle != circle && !others))
      continue;
    *record = letter->record;
    *link = letter->next;
    free(letter);
    return true;
  }
  return false;
}

static void awaited(const void *process, char *text, size_t size)
{
  snprintf(text, size, "process %d to make the same call", *(const int *)process);
}

/* A record that is to come. */
struct expected {
  int process;
  uint64_t circle;
  bool alone;
  struct record *record;
  cw_error error; /* the job is over */
};

static bool has_come(void *context)
{
  struct expected *expected = context;
  bool more = true, found = false;
  cwi_threads_lock();
  while (more && expected->error == CW_OK)
    expected->error = receive_one(&more);
  found = expected->error == CW_OK &&
          take_letter(expected->process, expected->circle, expected->alone, expected->record);
  cwi_threads_unlock();
  return found || expected->error != CW_OK;
}

static cw_error await_record(int process, uint64_t circle, struct record *record)
{
  struct expected expected = {process, circle, !several_threads(), record, CW_OK};
  cwi_waiting.awaited = awaited;
  cwi_waiting.what = &process;
  cwi_wait_until(has_come, &expected, 0);
  cwi_waiting.awaited = NULL;
  return expected.error;
}

static cw_error compare(const struct record *mine, const struct record *other)
{
  if (strcmp(mine->call, other->call) != 0)
    return cwi_misuse("the processes are in different collective calls: process %d in %s, process "
                      "%d in %s",
                      mine->process, mine->call, other->process, other->call);
  if (mine->circle != other->circle)
    return cwi_misuse("process %d is in %s with %d processes, process %d in %s with %d others",
                      mine->process, mine->call, mine->count, other->process, other->call,
                      other->count);
  if (mine->value != other->value || strcmp(mine->name, other->name) != 0)
    return cwi_misuse("%s has to be the same on all members: process %d gives %llu, process %d "
                      "gives %llu",
                      mine->name, mine->process, (unsigned long long)mine->value, other->process,
                      (unsigned long long)other->value);
  return CW_OK;
}

static cw_error send_records(const struct record *mine, const struct cwi_circle *circle,
                             MPI_Request *requests)
{
  for (int i = 0; i < circle->count; i++) {
    requests[i] = MPI_REQUEST_NULL;
    if (circle->processes[i] != cwi_world.process)
      CWI_TRY(CWI_MPI(
          MPI_Isend(mine, sizeof *mine, MPI_BYTE, circle->processes[i], TAG, comm, &requests[i])));
  }
  return CW_OK;
}

/* All are heard, whatever they say: nothing is left over that a later call would take for its own.
 */
static cw_error hear_all(const struct record *mine, const struct cwi_circle *circle)
{
  cw_error verdict = CW_OK;
  for (int i = 0; i < circle->count; i++) {
    struct record other;
    if (circle->processes[i] == cwi_world.process)
      continue;
    CWI_TRY(await_record(circle->processes[i], circle->id, &other));
    if (verdict == CW_OK)
      verdict = compare(mine, &other);
  }
  return verdict;
}

cw_error cwi_collective_compare(const char *call, const struct cwi_circle *circle,
                                struct cwi_agreed agreed)
{
  CWI_TRY(cwi_mpi_check_thread());
  if (comm == MPI_COMM_NULL || circle->count <= 1)
    return CW_OK;
  struct record mine = {.value = agreed.value,
                        .circle = circle->id,
                        .process = cwi_world.process,
                        .count = circle->count,
                        .threads = several_threads()};
  snprintf(mine.call, sizeof mine.call, "%s", call);
  snprintf(mine.name, sizeof mine.name, "%s", agreed.name != NULL ? agreed.name : "");
  MPI_Request few[CWI_TEAM_SMALL];
  MPI_Request *requests =
      circle->count <= CWI_TEAM_SMALL ? few : malloc((size_t)circle->count * sizeof *requests);
  if (requests == NULL)
    cwi_abort("no memory to compare collective calls", 1); /* the others would wait */
  cw_error error = send_records(&mine, circle, requests);
  if (error == CW_OK)
    error = hear_all(&mine, circle);
  for (int i = 0; i < circle->count && error != CW_OUTSIDE; i++) {
    const cw_error sent = cwi_mpi_wait(&requests[i]);
    error = sent != CW_OK ? sent : error;
  }
  if (requests != few)
    free(requests);
  return error;
}
