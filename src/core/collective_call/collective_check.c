/* Compares collective calls (CW_CHECK=1): each member sends a record of its call to all others, on
 * a communicator of the world. So a member also detects another one that is in a call of another
 * team to which both belong. If each process has one thread, these calls can never complete; with
 * several threads they may. Calls that make a team of a list of ranks are compared even without
 * CW_CHECK, because calls that differ would wait in MPI for ever. */
#include "collective_call/collective_check.h"

#include "base/clock.h"
#include "base/hash.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"
#include "wait/lock.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  char call[40];
  uint64_t participants;
  uint64_t arguments; /* hash of all arguments, including those that do not fit into `words` */
  int32_t process;
  int32_t count;   /* number of participants */
  int32_t threads; /* true if several threads of the process make collective calls */
  int32_t makes;   /* true for a call that makes a team of a list of ranks */
  /* true for a nonblocking call: the receiver may first be in calls of other participants */
  int32_t starts;
  int32_t used;     /* number of bytes in `words`; only these are sent */
  char words[4096]; /* names and values, each followed by a 0 */
};

/* A record that has arrived and that no call has taken yet. */
struct received_record {
  int source;    /* process that sent it */
  bool reported; /* a call of other participants has failed because of it */
  double odd;    /* time at which it was first found in place of an expected record; 0 if never */
  struct record record;
  struct received_record *next;
};

enum { TAG = 1 };

static MPI_Comm comm = MPI_COMM_NULL;
static struct received_record *received_records; /* in order of arrival */

/* A nonblocking call that has started and waits for the records of all other participants. */
struct cwi_comparison {
  struct cwi_comparison *next;
  struct cwi_participants participants;
  cwi_decided_function decided;
  void *context;
  MPI_Request *requests;       /* sends of my record to the participants */
  char *received;              /* [participants] 1 for each whose record has arrived */
  struct received_record *odd; /* the first record that differs */
  struct record mine;
};

/* Comparisons in the order of their start. The threads' lock guards this list and received_records.
 */
static struct cwi_comparison *undecided;

__thread const struct cwi_task_engagement *cwi_engaged __attribute__((tls_model("initial-exec")));

cw_error cwi_collective_engaged(cw_team team)
{
  for (const struct cwi_task_engagement *one = cwi_engaged; one != NULL; one = one->outer)
    if (team == one->team || team == cwi_world.team)
      return cwi_misuse("this thread runs a task: a call that is collective over %s would wait for "
                        "members that are in the task's phase",
                        team == one->team ? "the pool's team" : "the world");
  return CW_OK;
}

cw_error cwi_collectives_start(void)
{
  if (!cwi_settings.check)
    return CW_OK;
  CWI_TRY(cwi_mpi_duplicate(cwi_world.team->comm, &comm));
  cwi_mpi_set_progress(cwi_comparisons_progress);
  return CWI_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
}

cw_error cwi_collectives_stop(void)
{
  cwi_mpi_set_progress(NULL);
  while (received_records != NULL) {
    struct received_record *first = received_records;
    received_records = first->next;
    free(first);
  }
  return comm != MPI_COMM_NULL ? CWI_MPI(MPI_Comm_free(&comm)) : CW_OK;
}

/* Returns true if several threads of this process have called this function. */
static bool several_threads(void)
{
  static _Thread_local char me;
  static char *only;
  static bool several;
  char *none = NULL;
  __atomic_compare_exchange_n(&only, &none, &me, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (__atomic_load_n(&only, __ATOMIC_RELAXED) != &me)
    __atomic_store_n(&several, true, __ATOMIC_RELAXED);
  return __atomic_load_n(&several, __ATOMIC_RELAXED);
}

/* Receives one record if one has arrived. Sets *more to true if there was one, because others may
 * follow, else to false. */
static cw_error receive_one(bool *more)
{
  int here = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  CWI_TRY(CWI_MPI(MPI_Improbe(MPI_ANY_SOURCE, TAG, comm, &here, &message, &status)));
  *more = here;
  if (!here)
    return CW_OK;
  struct received_record *received_record = calloc(1, sizeof *received_record);
  if (received_record == NULL)
    cwi_abort("no memory to compare collective calls", 1); /* the others would wait for ever */
  received_record->source = status.MPI_SOURCE;
  const cw_error error = CWI_MPI(MPI_Mrecv(&received_record->record, sizeof received_record->record,
                                           MPI_BYTE, &message, MPI_STATUS_IGNORE));
  if (error != CW_OK) {
    free(received_record);
    return error;
  }
  struct received_record **end = &received_records;
  while (*end != NULL)
    end = &(*end)->next;
  *end = received_record;
  return CW_OK;
}

static cw_error receive_all(void)
{
  bool more = true;
  while (more)
    CWI_TRY(receive_one(&more));
  return CW_OK;
}

/* --- Calls that have started ------------------------------------------------------------------ */

static int participants_index(const struct cwi_participants *participants, int process)
{
  int i = 0;
  while (i < participants->count && participants->processes[i] != process)
    i++;
  return i;
}

/* Returns the comparison to which a record belongs, or NULL if there is none. It is the first
 * comparison of these participants that has no record of this process yet, because all processes
 * make the calls of the same participants in the same order. */
static struct cwi_comparison *comparison_of(const struct received_record *received_record,
                                            int *index)
{
  for (struct cwi_comparison *one = undecided; one != NULL; one = one->next)
    if (one->participants.id == received_record->record.participants) {
      *index = participants_index(&one->participants, received_record->source);
      if (*index < one->participants.count && !one->received[*index])
        return one;
    }
  return NULL;
}

static bool records_differ(const struct record *mine, const struct record *other)
{
  return strcmp(mine->call, other->call) != 0 || mine->arguments != other->arguments;
}

static void match_received(void)
{
  struct received_record **link = &received_records;
  while (*link != NULL) {
    int index = 0;
    struct received_record *received_record = *link;
    struct cwi_comparison *comparison = comparison_of(received_record, &index);
    if (comparison == NULL) {
      link = &received_record->next;
      continue;
    }
    *link = received_record->next;
    __atomic_store_n(&comparison->received[index], 1, __ATOMIC_RELAXED);
    if (comparison->odd == NULL && records_differ(&comparison->mine, &received_record->record))
      comparison->odd = received_record;
    else
      free(received_record);
  }
}

static bool all_have_reported(const struct cwi_comparison *comparison)
{
  int i = 0;
  while (i < comparison->participants.count && comparison->received[i])
    i++;
  return i == comparison->participants.count;
}

static void decide(void)
{
  struct cwi_comparison **link = &undecided;
  while (*link != NULL) {
    struct cwi_comparison *one = *link;
    if (!all_have_reported(one)) {
      link = &one->next;
      continue;
    }
    __atomic_store_n(link, one->next, __ATOMIC_RELAXED);
    one->decided(one->context, one->odd == NULL);
  }
}

/* Receives all records that have arrived. Nonblocking calls get their records first, because they
 * began before the call that waits. */
static cw_error comparisons_receive(void)
{
  CWI_TRY(receive_all());
  match_received();
  decide();
  return CW_OK;
}

void cwi_comparisons_progress(void)
{
  if (__atomic_load_n(&undecided, __ATOMIC_RELAXED) == NULL || !cwi_threads_trylock())
    return;
  const cw_error error = comparisons_receive();
  cwi_threads_unlock();
  if (error != CW_OK)
    cwi_abort(cwi_error_message(), 1); /* the others would wait for ever */
}

void cwi_comparison_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_comparison *comparison = what;
  int i = 0;
  while (i < comparison->participants.count - 1 &&
         __atomic_load_n(&comparison->received[i], __ATOMIC_RELAXED))
    i++;
  snprintf(text, size, "process %d to make the same call of %s",
           comparison->participants.processes[i], comparison->mine.call);
}

/* --- Calls that wait -------------------------------------------------------------------------- */

/* A record for which a call waits. */
struct expected {
  int process;
  uint64_t participants;
  bool makes; /* true for a call that makes a team of a list */
  struct record *record;
  cw_error error; /* an error of MPI; the job is over */
};

static void drop_received(struct received_record **link)
{
  struct received_record *received_record = *link;
  *link = received_record->next;
  free(received_record);
}

/* Drops the records that have made a call of this process fail. The process has one thread, which
 * is in a new call, so it has already got those errors. */
static void drop_reported(void)
{
  cwi_threads_lock();
  for (struct received_record **link = &received_records; *link != NULL;)
    if ((*link)->reported)
      drop_received(link);
    else
      link = &(*link)->next;
  cwi_threads_unlock();
}

/* Returns true if a record in place of the expected one proves a mistake. With several threads,
 * another thread of either process may send or expect a matching record within a short time, so
 * this waits 0.1 seconds. */
static bool is_a_mistake(struct received_record *received_record)
{
  static const double SOON_SECONDS = 0.1;
  const double now = cwi_now();
  if (received_record->odd == 0)
    received_record->odd = now;
  return !cwi_mpi_threads() || now - received_record->odd >= SOON_SECONDS;
}

/* Takes a record of the expected process and returns true. Returns false if none can be taken yet.
 *
 * The first record for my participants is taken. If there is none, and neither process has several
 * threads, the first record for other participants is evidence of a mistake. It may be that only
 * one of the two processes makes a team of a list. Then that process is wrong, and it alone gets
 * the error. The other process drops the record and continues as if no team had been made, so that
 * later calls match.
 *
 * A record for other participants stays in the list, because a thread may expect it later. But if
 * the sender has one thread and a record for my participants follows, that thread has left its
 * earlier call. No later call can match that record, so the mistake is certain. */
static bool take_received(const struct expected *expected)
{
  const bool alone = !several_threads();
  struct received_record **link = &received_records, **other = NULL;
  bool has_left = false;
  while (*link != NULL) {
    const struct record *record = &(*link)->record;
    const bool is_his = (*link)->source == expected->process;
    const bool odd = is_his && alone && !record->threads && !record->starts && !(*link)->reported;
    if (is_his && record->participants == expected->participants) {
      has_left = other != NULL && !record->threads;
      if (has_left)
        break;
      if (other != NULL)
        (*other)->odd = 0;
      *expected->record = *record;
      drop_received(link);
      return true;
    }
    if (odd && other == NULL && record->makes && !expected->makes) {
      drop_received(link);
      continue;
    }
    if (odd && other == NULL)
      other = link;
    link = &(*link)->next;
  }
  if (other == NULL || (!has_left && !is_a_mistake(*other)))
    return false;
  *expected->record = (*other)->record;
  (*other)->reported = (*other)->record.makes == expected->makes;
  return true;
}

static void record_awaited(const void *process, char *text, size_t size)
{
  snprintf(text, size, "process %d to make the same call", *(const int *)process);
}

static bool has_arrived(void *context)
{
  struct expected *expected = context;
  cwi_threads_lock();
  expected->error = comparisons_receive();
  const bool found = expected->error == CW_OK && take_received(expected);
  cwi_threads_unlock();
  return found || expected->error != CW_OK;
}

static cw_error await_record(int process, uint64_t participants, bool makes, struct record *record)
{
  struct expected expected = {process, participants, makes, record, CW_OK};
  cwi_wait_until(has_arrived, &expected, 0);
  return expected.error;
}

/* A record without words comes from a member that has rejected an argument. That member returns the
 * error, so the others find no difference. */
static cw_error compare_arguments(struct record *mine, struct record *other)
{
  const struct cwi_words here = {mine->words, (size_t)mine->used, sizeof mine->words,
                                 mine->arguments};
  const struct cwi_words there = {other->words, (size_t)other->used, sizeof other->words,
                                  other->arguments};
  return cwi_arguments_compare(mine->process, &here, other->process, &there);
}

static cw_error record_compare(struct record *mine, struct record *other)
{
  if (strcmp(mine->call, other->call) != 0)
    return cwi_misuse("the processes are in different collective calls: process %d in %s, process "
                      "%d in %s",
                      mine->process, mine->call, other->process, other->call);
  if (mine->makes && other->makes)
    CWI_TRY(compare_arguments(mine, other)); /* the tags may differ */
  if (mine->participants != other->participants)
    return cwi_misuse("process %d and process %d are in %s with different %s (of %d and of %d "
                      "processes)",
                      mine->process, other->process, mine->call,
                      mine->makes ? "parents or ranks" : "teams", mine->count, other->count);
  return compare_arguments(mine, other);
}

static cw_error send_records(const struct record *mine, const struct cwi_participants *participants,
                             MPI_Request *requests)
{
  const int bytes = (int)offsetof(struct record, words) + mine->used;
  for (int i = 0; i < participants->count; i++) {
    requests[i] = MPI_REQUEST_NULL;
    if (participants->processes[i] != cwi_world.process)
      CWI_TRY(CWI_MPI(
          MPI_Isend(mine, bytes, MPI_BYTE, participants->processes[i], TAG, comm, &requests[i])));
  }
  return CW_OK;
}

/* Receives the records of all participants, whatever they contain, so that none remains that a
 * later call would take for its own. */
static cw_error receive_all_records(struct record *mine,
                                    const struct cwi_participants *participants)
{
  cw_error verdict = CW_OK;
  for (int i = 0; i < participants->count; i++) {
    struct record other;
    if (participants->processes[i] == cwi_world.process)
      continue;
    cwi_waiting.awaited = record_awaited;
    cwi_waiting.what = &participants->processes[i];
    CWI_TRY(await_record(participants->processes[i], participants->id, false, &other));
    cwi_waiting.awaited = NULL;
    if (verdict == CW_OK)
      verdict = record_compare(mine, &other);
  }
  return verdict;
}

/* Fills everything but the unused part of `words`. */
static void fill_record(struct record *mine, const char *call,
                        const struct cwi_participants *participants,
                        const struct cwi_argument *argument_list)
{
  struct cwi_words words = {mine->words, 0, sizeof mine->words, CWI_HASH_EMPTY};
  memset(mine, 0, offsetof(struct record, words));
  snprintf(mine->call, sizeof mine->call, "%.*s", (int)cwi_waiting_known(call), call);
  cwi_arguments_write(argument_list, &words);
  mine->participants = participants->id;
  mine->arguments = words.hash;
  mine->process = cwi_world.process;
  mine->count = participants->count;
  mine->threads = several_threads();
  if (!mine->threads)
    drop_reported();
  mine->used = (int32_t)words.used;
}

cw_error cwi_collective_compare(const char *call, const struct cwi_participants *participants,
                                const struct cwi_argument *argument_list)
{
  CWI_TRY(cwi_mpi_check_thread());
  if (comm == MPI_COMM_NULL || participants->count <= 1)
    return CW_OK;
  struct record mine;
  fill_record(&mine, call, participants, argument_list);
  MPI_Request few[CWI_TEAM_SMALL];
  MPI_Request *requests = participants->count <= CWI_TEAM_SMALL
                              ? few
                              : malloc((size_t)participants->count * sizeof *requests);
  if (requests == NULL)
    cwi_abort("no memory to compare collective calls", 1); /* the others would wait for ever */
  cw_error error = send_records(&mine, participants, requests);
  if (error == CW_OK)
    error = receive_all_records(&mine, participants);
  for (int i = 0; i < participants->count && error != CW_OUTSIDE; i++) {
    const cw_error sent = cwi_mpi_wait(&requests[i]);
    error = sent != CW_OK ? sent : error;
  }
  if (requests != few)
    free(requests);
  return error;
}

static cw_error comparison_make(cw_team team, struct cwi_comparison **made)
{
  struct cwi_comparison *one = calloc(1, sizeof *one);
  const size_t count = (size_t)team->size;
  *made = one;
  if (one == NULL)
    return cwi_outside("no memory to compare collective calls");
  one->participants = (struct cwi_participants){team->process, team->size, team->id};
  one->received = calloc(count, 1);
  one->requests = malloc(count * sizeof *one->requests);
  if (one->received != NULL && one->requests != NULL)
    return CW_OK;
  return cwi_outside("no memory to compare collective calls");
}

static void comparison_free(struct cwi_comparison *comparison)
{
  if (comparison == NULL)
    return;
  free(comparison->received);
  free(comparison->requests);
  free(comparison->odd);
  free(comparison);
}

/* Appends the comparison to the list before it sends the record, so that the records of the other
 * members find it. */
cw_error cwi_comparison_begin(const char *call, cw_team team,
                              const struct cwi_argument *argument_list,
                              cwi_decided_function decided, void *context,
                              struct cwi_comparison **comparison)
{
  CWI_TRY(cwi_mpi_check_thread());
  const cw_error error = comparison_make(team, comparison);
  struct cwi_comparison *one = *comparison;
  if (error != CW_OK) {
    comparison_free(one);
    return error;
  }
  CWI_ASSERT(one != NULL);
  one->decided = decided;
  one->context = context;
  fill_record(&one->mine, call, &one->participants, argument_list);
  one->mine.starts = true;
  one->received[team->rank] = 1;
  cwi_threads_lock();
  struct cwi_comparison **end = &undecided;
  while (*end != NULL)
    end = &(*end)->next;
  __atomic_store_n(end, one, __ATOMIC_RELAXED);
  const cw_error sent = send_records(&one->mine, &one->participants, one->requests);
  cwi_threads_unlock();
  if (sent != CW_OK)
    cwi_abort(cwi_error_message(), 1); /* the others would wait for ever */
  return CW_OK;
}

/* The waits for the sends end, because the others must receive this record before they can decide.
 */
cw_error cwi_comparison_end(struct cwi_comparison *comparison)
{
  cw_error error = CW_OK;
  for (int i = 0; i < comparison->participants.count && error == CW_OK; i++)
    error = cwi_mpi_wait(&comparison->requests[i]);
  if (error == CW_OK && comparison->odd != NULL)
    error = record_compare(&comparison->mine, &comparison->odd->record);
  comparison_free(comparison);
  return error;
}

/* --- Calls that make a team of a list --------------------------------------------------------- */

static const char *creators_call(void)
{
  return cwi_waiting.call != NULL ? cwi_waiting.call : "cw_team_create";
}

/* Lists the first ranks as words. The hash covers all ranks. */
static void creators_record(const struct cwi_team_creators *creators, struct record *mine)
{
  enum { LISTED = 40 };
  const size_t reported = creators->members < LISTED ? creators->members : LISTED;
  const struct cwi_argument list[] = {cwi_argument_int("tag", &creators->tag),
                                      cwi_argument_ints("ranks", creators->ranks, reported),
                                      cwi_argument_size("members", creators->members),
                                      CWI_ARGUMENTS_END};
  const uint64_t id = cwi_hash_text(cwi_hash_add(CWI_HASH_EMPTY, creators->parent->id), "creators");
  const struct cwi_participants participants = {NULL, (int)creators->members,
                                                cwi_hash_add(id, (uint64_t)creators->tag)};
  fill_record(mine, creators_call(), &participants, list);
  mine->makes = true;
  for (size_t i = reported; i < creators->members; i++)
    mine->arguments = cwi_hash_add(mine->arguments, (uint64_t)creators->ranks[i]);
}

static cw_error creators_send(const struct cwi_team_creators *creators, int rank,
                              const struct record *record)
{
  const int bytes = (int)offsetof(struct record, words) + record->used;
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(comm != MPI_COMM_NULL
              ? CWI_MPI(MPI_Isend(record, bytes, MPI_BYTE, creators->parent->process[rank], TAG,
                                  comm, &request))
              : CWI_MPI(MPI_Isend(record, bytes, MPI_BYTE, rank, CWI_TAG_TEAMS + creators->tag,
                                  creators->parent->internal, &request)));
  return cwi_mpi_wait(&request);
}

/* The process for which a maker waits, and the tag of its call. */
struct maker {
  int process, tag;
};

static void creators_awaited(const void *what, char *text, size_t size)
{
  const struct maker *maker = what;
  const bool tagged = strncmp(creators_call(), "cw_", 3) == 0; /* only native calls have tags */
  snprintf(text, size, "process %d to make the same call with ", maker->process);
  snprintf(text + strlen(text), size - strlen(text),
           tagged ? "tag %d and the same ranks" : "the same ranks", maker->tag);
}

static cw_error creators_receive_one(const struct cwi_team_creators *creators, int rank,
                                     struct record *record)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  CWI_TRY(cwi_mpi_await_message(rank, CWI_TAG_TEAMS + creators->tag, creators->parent->internal,
                                &message, &status));
  return CWI_MPI(MPI_Mrecv(record, sizeof *record, MPI_BYTE, &message, MPI_STATUS_IGNORE));
}

static cw_error creators_receive(const struct cwi_team_creators *creators, int rank,
                                 uint64_t participants, struct record *record)
{
  const struct maker maker = {creators->parent->process[rank], creators->tag};
  cwi_waiting.awaited = creators_awaited;
  cwi_waiting.what = &maker;
  const cw_error error = comm != MPI_COMM_NULL
                             ? await_record(maker.process, participants, true, record)
                             : creators_receive_one(creators, rank, record);
  cwi_waiting.awaited = NULL;
  return error;
}

/* Result of comparing a member's record, for the rank that receives all records. */
enum { ALIKE, DIFFERS, IN_ANOTHER_CALL };

/* Receives the records of all members and answers each maker with one record. A maker whose record
 * differs from that of this rank gets the record of this rank. The others get the first record that
 * differs, or that of this rank if none does. */
static cw_error creators_decide(const struct cwi_team_creators *creators, struct record *mine,
                                char *members)
{
  cw_error verdict = CW_OK;
  struct record odd = *mine;
  for (size_t i = 0; i < creators->members; i++) {
    struct record other;
    members[i] = IN_ANOTHER_CALL;
    if (creators->ranks[i] == creators->parent->rank)
      continue;
    CWI_TRY(creators_receive(creators, creators->ranks[i], mine->participants, &other));
    const cw_error error = record_compare(mine, &other);
    members[i] = !other.makes ? IN_ANOTHER_CALL : error != CW_OK ? DIFFERS : ALIKE;
    if (error != CW_OK && verdict == CW_OK)
      odd = other;
    verdict = verdict != CW_OK ? verdict : error;
  }
  for (size_t i = 0; i < creators->members; i++)
    if (members[i] != IN_ANOTHER_CALL)
      CWI_TRY(creators_send(creators, creators->ranks[i], members[i] == DIFFERS ? mine : &odd));
  return verdict != CW_OK ? record_compare(mine, &odd) : CW_OK;
}

cw_error cwi_collective_compare_creators(const struct cwi_team_creators *creators)
{
  struct record mine, other;
  int lowest = creators->parent->rank;
  if (cwi_settings.check)
    CWI_TRY(cwi_mpi_check_thread());
  if (creators->members <= 1)
    return CW_OK;
  for (size_t i = 0; i < creators->members; i++)
    lowest = creators->ranks[i] < lowest ? creators->ranks[i] : lowest;
  creators_record(creators, &mine);
  if (lowest != creators->parent->rank) {
    CWI_TRY(creators_send(creators, lowest, &mine));
    CWI_TRY(creators_receive(creators, lowest, mine.participants, &other));
    return record_compare(&mine, &other);
  }
  char few[CWI_TEAM_SMALL];
  char *members = creators->members <= CWI_TEAM_SMALL ? few : malloc(creators->members);
  if (members == NULL)
    cwi_abort("no memory to compare lists of ranks", 1); /* the others would wait for ever */
  const cw_error error = creators_decide(creators, &mine, members);
  if (members != few)
    free(members);
  return error;
}
