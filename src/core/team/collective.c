/* Comparing collective calls (CW_CHECK=1): each member sends a record of its call to all others, on
 * a communicator of the world. So a member also hears of one that is in a call of another team of
 * which both are members. With one thread in each process that cannot end well; with several it
 * may. Those that make a team of a list compare it always: MPI would let them wait for ever. */
#include "team/collective.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/lock.h"
#include "mpi/call.h"
#include "mpi/yield.h"
#include "team/world.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  char call[40];
  uint64_t circle;
  uint64_t arguments; /* all of them, whatever the words have room for */
  int32_t process;
  int32_t count;    /* processes in the circle */
  int32_t threads;  /* several threads of the process make collective calls */
  int32_t makes;    /* a team, of a list */
  int32_t starts;   /* and waits for nobody: calls of other circles may come before theirs */
  int32_t used;     /* bytes of the words, which alone are sent */
  char words[4096]; /* names and values, with a 0 behind each */
};

/* A record that has come, and that nobody has asked for yet. */
struct letter {
  int source; /* a process */
  bool told;  /* a call of another circle has failed because of it */
  double odd; /* when it was first seen in the way of one; 0: never */
  struct record record;
  struct letter *next;
};

enum { TAG = 1 };

static MPI_Comm comm = MPI_COMM_NULL;
static struct letter *letters; /* in the order in which they came */

/* A call that has started, and waits until all others of the circle are heard. */
struct cwi_comparison {
  struct cwi_comparison *next;
  struct cwi_circle circle;
  cwi_decided_function decided;
  void *context;
  MPI_Request *requests; /* of my record to each */
  char *heard;           /* [processes of the circle] */
  struct letter *odd;    /* the first that differs */
  struct record mine;
};

/* In the order in which they started; guarded, as the letters, by the threads' lock. */
static struct cwi_comparison *undecided;

__thread const struct cwi_engagement *cwi_engaged __attribute__((tls_model("initial-exec")));

cw_error cwi_collective_engaged(cw_team team)
{
  for (const struct cwi_engagement *one = cwi_engaged; one != NULL; one = one->outer)
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
  MPI_Status status;
  CWI_TRY(CWI_MPI(MPI_Improbe(MPI_ANY_SOURCE, TAG, comm, &here, &message, &status)));
  *more = here;
  if (!here)
    return CW_OK;
  struct letter *letter = calloc(1, sizeof *letter);
  if (letter == NULL)
    cwi_abort("no memory to compare collective calls", 1); /* the others would wait */
  letter->source = status.MPI_SOURCE;
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

static cw_error receive_all(void)
{
  bool more = true;
  while (more)
    CWI_TRY(receive_one(&more));
  return CW_OK;
}

/* --- Calls that have started ------------------------------------------------------------------ */

static int circle_index(const struct cwi_circle *circle, int process)
{
  int i = 0;
  while (i < circle->count && circle->processes[i] != process)
    i++;
  return i;
}

/* Whose record is it? The first call of its circle that has not heard the process: calls of one
 * circle come in the same order from all. NULL: of none of these. */
static struct cwi_comparison *comparison_of(const struct letter *letter, int *index)
{
  for (struct cwi_comparison *one = undecided; one != NULL; one = one->next)
    if (one->circle.id == letter->record.circle) {
      *index = circle_index(&one->circle, letter->source);
      if (*index < one->circle.count && !one->heard[*index])
        return one;
    }
  return NULL;
}

static bool records_differ(const struct record *mine, const struct record *other)
{
  return strcmp(mine->call, other->call) != 0 || mine->arguments != other->arguments;
}

static void sort_letters(void)
{
  struct letter **link = &letters;
  while (*link != NULL) {
    int index = 0;
    struct letter *letter = *link;
    struct cwi_comparison *comparison = comparison_of(letter, &index);
    if (comparison == NULL) {
      link = &letter->next;
      continue;
    }
    *link = letter->next;
    __atomic_store_n(&comparison->heard[index], 1, __ATOMIC_RELAXED);
    if (comparison->odd == NULL && records_differ(&comparison->mine, &letter->record))
      comparison->odd = letter;
    else
      free(letter);
  }
}

static bool all_are_heard(const struct cwi_comparison *comparison)
{
  int i = 0;
  while (i < comparison->circle.count && comparison->heard[i])
    i++;
  return i == comparison->circle.count;
}

static void decide(void)
{
  struct cwi_comparison **link = &undecided;
  while (*link != NULL) {
    struct cwi_comparison *one = *link;
    if (!all_are_heard(one)) {
      link = &one->next;
      continue;
    }
    __atomic_store_n(link, one->next, __ATOMIC_RELAXED);
    one->decided(one->context, one->odd == NULL);
  }
}

/* Take in what has come, and give it to the calls that have started: they were first. */
static cw_error comparisons_hear(void)
{
  CWI_TRY(receive_all());
  sort_letters();
  decide();
  return CW_OK;
}

void cwi_comparisons_progress(void)
{
  if (__atomic_load_n(&undecided, __ATOMIC_RELAXED) == NULL || !cwi_threads_trylock())
    return;
  const cw_error error = comparisons_hear();
  cwi_threads_unlock();
  if (error != CW_OK)
    cwi_abort(cwi_sentence(), 1); /* the others would wait */
}

void cwi_comparison_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_comparison *comparison = what;
  int i = 0;
  while (i < comparison->circle.count - 1 &&
         __atomic_load_n(&comparison->heard[i], __ATOMIC_RELAXED))
    i++;
  snprintf(text, size, "process %d to make the same call of %s", comparison->circle.processes[i],
           comparison->mine.call);
}

/* --- Calls that wait -------------------------------------------------------------------------- */

/* A record that is to come. */
struct expected {
  int process;
  uint64_t circle;
  bool makes; /* of those that make a team of a list */
  struct record *record;
  cw_error error; /* the job is over */
};

static void drop_letter(struct letter **link)
{
  struct letter *letter = *link;
  *link = letter->next;
  free(letter);
}

/* The one thread of this process is in a new call: what has made its last one fail is over. */
static void drop_told(void)
{
  cwi_threads_lock();
  for (struct letter **link = &letters; *link != NULL;)
    if ((*link)->told)
      drop_letter(link);
    else
      link = &(*link)->next;
  cwi_threads_unlock();
}

/* Where there may be threads, what another thread of the two processes is about to say comes soon.
 */
static bool is_a_mistake(struct letter *letter)
{
  static const double SOON_SECONDS = 0.1;
  const double now = cwi_now();
  if (letter->odd == 0)
    letter->odd = now;
  return !cwi_mpi_threads() || now - letter->odd >= SOON_SECONDS;
}

/* The first record of the process in my circle; if there is none, and neither of us has several
 * threads, the first of another circle: that is a mistake. Where one of us makes a team and the
 * other does not, the one that makes it is wrong: it alone hears of that, and the other call stays
 * as if nobody had made a team, so that later calls meet the right ones. A record of another circle
 * stays: a thread that has yet to come may wait for it. Whose one thread is in my circle has left
 * the call of the other one before, which nobody can meet any more. False: not here yet. */
static bool take_letter(const struct expected *expected)
{
  const bool alone = !several_threads();
  struct letter **link = &letters, **other = NULL;
  bool has_left = false;
  while (*link != NULL) {
    const struct record *record = &(*link)->record;
    const bool is_his = (*link)->source == expected->process;
    const bool odd = is_his && alone && !record->threads && !record->starts && !(*link)->told;
    if (is_his && record->circle == expected->circle) {
      has_left = other != NULL && !record->threads;
      if (has_left)
        break;
      if (other != NULL)
        (*other)->odd = 0;
      *expected->record = *record;
      drop_letter(link);
      return true;
    }
    if (odd && other == NULL && record->makes && !expected->makes) {
      drop_letter(link);
      continue;
    }
    if (odd && other == NULL)
      other = link;
    link = &(*link)->next;
  }
  if (other == NULL || (!has_left && !is_a_mistake(*other)))
    return false;
  *expected->record = (*other)->record;
  (*other)->told = (*other)->record.makes == expected->makes;
  return true;
}

static void meeting_awaited(const void *process, char *text, size_t size)
{
  snprintf(text, size, "process %d to make the same call", *(const int *)process);
}

static bool has_come(void *context)
{
  struct expected *expected = context;
  cwi_threads_lock();
  expected->error = comparisons_hear();
  const bool found = expected->error == CW_OK && take_letter(expected);
  cwi_threads_unlock();
  return found || expected->error != CW_OK;
}

static cw_error await_record(int process, uint64_t circle, bool makes, struct record *record)
{
  struct expected expected = {process, circle, makes, record, CW_OK};
  cwi_wait_until(has_come, &expected, 0);
  return expected.error;
}

/* Where an argument was refused there are no words: that member says why. */
static cw_error compare_arguments(struct record *mine, struct record *other)
{
  const struct cwi_words here = {mine->words, (size_t)mine->used, sizeof mine->words,
                                 mine->arguments};
  const struct cwi_words there = {other->words, (size_t)other->used, sizeof other->words,
                                  other->arguments};
  return cwi_agreed_compare(mine->process, &here, other->process, &there);
}

static cw_error meeting_compare(struct record *mine, struct record *other)
{
  if (strcmp(mine->call, other->call) != 0)
    return cwi_misuse("the processes are in different collective calls: process %d in %s, process "
                      "%d in %s",
                      mine->process, mine->call, other->process, other->call);
  if (mine->makes && other->makes)
    CWI_TRY(compare_arguments(mine, other)); /* the tag */
  if (mine->circle != other->circle)
    return cwi_misuse("process %d and process %d are in %s with different %s (of %d and of %d "
                      "processes)",
                      mine->process, other->process, mine->call,
                      mine->makes ? "parents or ranks" : "teams", mine->count, other->count);
  return compare_arguments(mine, other);
}

static cw_error send_records(const struct record *mine, const struct cwi_circle *circle,
                             MPI_Request *requests)
{
  const int bytes = (int)offsetof(struct record, words) + mine->used;
  for (int i = 0; i < circle->count; i++) {
    requests[i] = MPI_REQUEST_NULL;
    if (circle->processes[i] != cwi_world.process)
      CWI_TRY(
          CWI_MPI(MPI_Isend(mine, bytes, MPI_BYTE, circle->processes[i], TAG, comm, &requests[i])));
  }
  return CW_OK;
}

/* All are heard, whatever they say: nothing is left over that a later call would take for its own.
 */
static cw_error hear_all(struct record *mine, const struct cwi_circle *circle)
{
  cw_error verdict = CW_OK;
  for (int i = 0; i < circle->count; i++) {
    struct record other;
    if (circle->processes[i] == cwi_world.process)
      continue;
    cwi_waiting.awaited = meeting_awaited;
    cwi_waiting.what = &circle->processes[i];
    CWI_TRY(await_record(circle->processes[i], circle->id, false, &other));
    cwi_waiting.awaited = NULL;
    if (verdict == CW_OK)
      verdict = meeting_compare(mine, &other);
  }
  return verdict;
}

/* Its words are cleared no further than they are used. */
static void fill_record(struct record *mine, const char *call, const struct cwi_circle *circle,
                        const struct cwi_agreed *agreed)
{
  struct cwi_words words = {mine->words, 0, sizeof mine->words, CWI_HASH_EMPTY};
  memset(mine, 0, offsetof(struct record, words));
  snprintf(mine->call, sizeof mine->call, "%.*s", (int)cwi_waiting_known(call), call);
  cwi_agreed_write(agreed, &words);
  mine->circle = circle->id;
  mine->arguments = words.hash;
  mine->process = cwi_world.process;
  mine->count = circle->count;
  mine->threads = several_threads();
  if (!mine->threads)
    drop_told();
  mine->used = (int32_t)words.used;
}

cw_error cwi_collective_compare(const char *call, const struct cwi_circle *circle,
                                const struct cwi_agreed *agreed)
{
  CWI_TRY(cwi_mpi_check_thread());
  if (comm == MPI_COMM_NULL || circle->count <= 1)
    return CW_OK;
  struct record mine;
  fill_record(&mine, call, circle, agreed);
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

static cw_error comparison_make(cw_team team, struct cwi_comparison **made)
{
  struct cwi_comparison *one = calloc(1, sizeof *one);
  const size_t count = (size_t)team->size;
  *made = one;
  if (one == NULL)
    return cwi_outside("no memory to compare collective calls");
  one->circle = (struct cwi_circle){team->process, team->size, team->id};
  one->heard = calloc(count, 1);
  one->requests = malloc(count * sizeof *one->requests);
  if (one->heard != NULL && one->requests != NULL)
    return CW_OK;
  return cwi_outside("no memory to compare collective calls");
}

static void comparison_free(struct cwi_comparison *comparison)
{
  if (comparison == NULL)
    return;
  free(comparison->heard);
  free(comparison->requests);
  free(comparison->odd);
  free(comparison);
}

/* It is listed before the others hear of it: what they answer is its own. */
cw_error cwi_comparison_begin(const char *call, cw_team team, const struct cwi_agreed *agreed,
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
  fill_record(&one->mine, call, &one->circle, agreed);
  one->mine.starts = true;
  one->heard[team->rank] = 1;
  cwi_threads_lock();
  struct cwi_comparison **end = &undecided;
  while (*end != NULL)
    end = &(*end)->next;
  __atomic_store_n(end, one, __ATOMIC_RELAXED);
  const cw_error sent = send_records(&one->mine, &one->circle, one->requests);
  cwi_threads_unlock();
  if (sent != CW_OK)
    cwi_abort(cwi_sentence(), 1); /* the others would wait */
  return CW_OK;
}

/* What it has sent has come, or will: the others hear this call before they decide. */
cw_error cwi_comparison_end(struct cwi_comparison *comparison)
{
  cw_error error = CW_OK;
  for (int i = 0; i < comparison->circle.count && error == CW_OK; i++)
    error = cwi_mpi_wait(&comparison->requests[i]);
  if (error == CW_OK && comparison->odd != NULL)
    error = meeting_compare(&comparison->mine, &comparison->odd->record);
  comparison_free(comparison);
  return error;
}

/* --- Those that make a team of a list --------------------------------------------------------- */

static const char *makers_call(void)
{
  return cwi_waiting.call != NULL ? cwi_waiting.call : "cw_team_create";
}

/* Of a long list the first ranks are told as words; all of them count. */
static void makers_record(const struct cwi_makers *makers, struct record *mine)
{
  enum { TOLD = 40 };
  const size_t told = makers->members < TOLD ? makers->members : TOLD;
  const struct cwi_agreed list[] = {cwi_agreed_int("tag", &makers->tag),
                                    cwi_agreed_ints("ranks", makers->ranks, told),
                                    cwi_agreed_size("members", makers->members), CWI_AGREED_END};
  const uint64_t id = cwi_hash_text(cwi_hash_add(CWI_HASH_EMPTY, makers->parent->id), "makers");
  const struct cwi_circle circle = {NULL, (int)makers->members,
                                    cwi_hash_add(id, (uint64_t)makers->tag)};
  fill_record(mine, makers_call(), &circle, list);
  mine->makes = true;
  for (size_t i = told; i < makers->members; i++)
    mine->arguments = cwi_hash_add(mine->arguments, (uint64_t)makers->ranks[i]);
}

static cw_error makers_tell(const struct cwi_makers *makers, int rank, const struct record *record)
{
  const int bytes = (int)offsetof(struct record, words) + record->used;
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(comm != MPI_COMM_NULL
              ? CWI_MPI(MPI_Isend(record, bytes, MPI_BYTE, makers->parent->process[rank], TAG, comm,
                                  &request))
              : CWI_MPI(MPI_Isend(record, bytes, MPI_BYTE, rank, CWI_TAG_TEAMS + makers->tag,
                                  makers->parent->internal, &request)));
  return cwi_mpi_wait(&request);
}

/* Whom a maker waits for. */
struct maker {
  int process, tag;
};

static void makers_awaited(const void *what, char *text, size_t size)
{
  const struct maker *maker = what;
  const bool tagged = strncmp(makers_call(), "cw_", 3) == 0; /* no binding has tags */
  snprintf(text, size, "process %d to make the same call with ", maker->process);
  snprintf(text + strlen(text), size - strlen(text),
           tagged ? "tag %d and the same ranks" : "the same ranks", maker->tag);
}

static cw_error makers_receive(const struct cwi_makers *makers, int rank, struct record *record)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  CWI_TRY(cwi_mpi_await_message(rank, CWI_TAG_TEAMS + makers->tag, makers->parent->internal,
                                &message, &status));
  return CWI_MPI(MPI_Mrecv(record, sizeof *record, MPI_BYTE, &message, MPI_STATUS_IGNORE));
}

static cw_error makers_hear(const struct cwi_makers *makers, int rank, uint64_t circle,
                            struct record *record)
{
  const struct maker maker = {makers->parent->process[rank], makers->tag};
  cwi_waiting.awaited = makers_awaited;
  cwi_waiting.what = &maker;
  const cw_error error = comm != MPI_COMM_NULL ? await_record(maker.process, circle, true, record)
                                               : makers_receive(makers, rank, record);
  cwi_waiting.awaited = NULL;
  return error;
}

/* A member, for the one that hears all. */
enum { ALIKE, DIFFERS, ELSEWHERE };

/* Hears all, and tells those that came of one that differs from them, if there is one. */
static cw_error makers_decide(const struct cwi_makers *makers, struct record *mine, char *members)
{
  cw_error verdict = CW_OK;
  struct record odd = *mine;
  for (size_t i = 0; i < makers->members; i++) {
    struct record other;
    members[i] = ELSEWHERE;
    if (makers->ranks[i] == makers->parent->rank)
      continue;
    CWI_TRY(makers_hear(makers, makers->ranks[i], mine->circle, &other));
    const cw_error error = meeting_compare(mine, &other);
    members[i] = !other.makes ? ELSEWHERE : error != CW_OK ? DIFFERS : ALIKE;
    if (error != CW_OK && verdict == CW_OK)
      odd = other;
    verdict = verdict != CW_OK ? verdict : error;
  }
  for (size_t i = 0; i < makers->members; i++)
    if (members[i] != ELSEWHERE)
      CWI_TRY(makers_tell(makers, makers->ranks[i], members[i] == DIFFERS ? mine : &odd));
  return verdict != CW_OK ? meeting_compare(mine, &odd) : CW_OK;
}

cw_error cwi_collective_meet(const struct cwi_makers *makers)
{
  struct record mine, other;
  int lowest = makers->parent->rank;
  if (cwi_settings.check)
    CWI_TRY(cwi_mpi_check_thread());
  if (makers->members <= 1)
    return CW_OK;
  for (size_t i = 0; i < makers->members; i++)
    lowest = makers->ranks[i] < lowest ? makers->ranks[i] : lowest;
  makers_record(makers, &mine);
  if (lowest != makers->parent->rank) {
    CWI_TRY(makers_tell(makers, lowest, &mine));
    CWI_TRY(makers_hear(makers, lowest, mine.circle, &other));
    return meeting_compare(&mine, &other);
  }
  char few[CWI_TEAM_SMALL];
  char *members = makers->members <= CWI_TEAM_SMALL ? few : malloc(makers->members);
  if (members == NULL)
    cwi_abort("no memory to compare lists of ranks", 1); /* the others would wait */
  const cw_error error = makers_decide(makers, &mine, members);
  if (members != few)
    free(members);
  return error;
}
