/* Checks that atomic updates of one word are linearizable. Several processes and threads update a
 * word; the program records the start and end of each call and its result. A search must find an
 * order of the calls that explains all results and in which calls that did not overlap keep their
 * order (Wing and Gong 1993). linear [histories for each kind] */
#include "kit/native.h"
#include "number/operation.h"
#include "route/route.h"
#include "transfer/update_model.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ACTORS = 4, MOST = 5, OPERATIONS = ACTORS * MOST, BATCH = 32, MEMORY = 4096, WORD = 8 };

/* Record of one call. */
struct note {
  int64_t begun, ended; /* nanoseconds */
  int operation;
  int64_t operand, expected, before;
};

struct history {
  uint32_t arrived; /* actors that are ready */
  uint32_t lengths[ACTORS];
  struct note notes[ACTORS][MOST];
  int64_t last; /* final value of the word */
};

static struct history *histories; /* [BATCH] in memory that all processes share */
static MPI_Win histories_window;
static char *words; /* [BATCH] of 8 bytes, of one process */
static int host, actors, threads_each;
static bool locked;
static cw_type type;

/* --- Searching -------------------------------------------------------------------------------- */

/* A state that led to no solution: the set of calls that are done, and the word's value after
 * them. */
struct memory {
  uint32_t done;
  bool used;
  int64_t value;
};

struct search {
  const struct note *notes[OPERATIONS];
  int count;
  int64_t last;
  struct memory tried[MEMORY];
};

static struct memory *place_of(struct search *search, uint32_t done, int64_t value)
{
  const uint64_t mixed = ((uint64_t)value * 0x9e3779b97f4a7c15u) ^ (done * 0x85ebca6bu);
  return &search->tried[(mixed >> 20) % MEMORY];
}

static int64_t result_of(const struct note *note, int64_t value)
{
  int64_t result = value;
  if (note->operation == CWI_COMPARE_SWAP)
    return value == note->expected ? note->operand : value;
  model_update((cw_reduction)note->operation, type, &result, &note->operand);
  return result;
}

/* Returns true if this call may be next: no remaining call ended before it began. */
static bool may_be_next(const struct search *search, uint32_t done, int next)
{
  for (int other = 0; other < search->count; other++)
    if ((done >> other & 1) == 0 && search->notes[other]->ended < search->notes[next]->begun)
      return false;
  return true;
}

static bool explain(struct search *search, uint32_t done, int64_t value)
{
  if (done == ((uint32_t)1 << search->count) - 1)
    return value == search->last;
  struct memory *tried = place_of(search, done, value);
  if (tried->used && tried->done == done && tried->value == value)
    return false;
  for (int next = 0; next < search->count; next++)
    if ((done >> next & 1) == 0 && search->notes[next]->before == value &&
        may_be_next(search, done, next) &&
        explain(search, done | (uint32_t)1 << next, result_of(search->notes[next], value)))
      return true;
  *tried = (struct memory){done, true, value};
  return false;
}

static bool is_linear(const struct history *history)
{
  static struct search search;
  memset(&search, 0, sizeof search);
  for (int actor = 0; actor < actors; actor++)
    for (uint32_t i = 0; i < history->lengths[actor]; i++)
      search.notes[search.count++] = &history->notes[actor][i];
  search.last = history->last;
  return explain(&search, 0, 0);
}

/* Returns true if any two calls overlap, because otherwise the test proves nothing. */
static bool overlaps(const struct history *history)
{
  for (int a = 0; a < actors; a++)
    for (uint32_t i = 0; i < history->lengths[a]; i++)
      for (int b = 0; b < a; b++)
        for (uint32_t k = 0; k < history->lengths[b]; k++)
          if (history->notes[a][i].begun < history->notes[b][k].ended &&
              history->notes[b][k].begun < history->notes[a][i].ended)
            return true;
  return false;
}

static void print_history(const struct history *history)
{
  for (int actor = 0; actor < actors; actor++)
    for (uint32_t i = 0; i < history->lengths[actor]; i++) {
      const struct note *note = &history->notes[actor][i];
      fprintf(stderr, "actor %d, %lld to %lld ns: %s %lld", actor,
              (long long)(note->begun - history->notes[0][0].begun),
              (long long)(note->ended - history->notes[0][0].begun),
              cwi_operation_word(note->operation), (long long)note->operand);
      if (note->operation == CWI_COMPARE_SWAP)
        fprintf(stderr, " if %lld", (long long)note->expected);
      fprintf(stderr, ", found %lld\n", (long long)note->before);
    }
  fprintf(stderr, "at the end %lld\n", (long long)history->last);
}

/* --- Acting ----------------------------------------------------------------------------------- */

struct actor {
  int number;
  uint64_t random;
  char message[256];
};

static unsigned draw(struct actor *actor, unsigned count)
{
  return (unsigned)kit_random(&actor->random, (int)count);
}

/* All processes of a machine share a clock. */
static int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void choose(struct actor *actor, struct note *note)
{
  static const int operations[] = {CW_SUM,     CW_MINIMUM,       CW_MAXIMUM,     CW_BIT_XOR,
                                   CW_BIT_OR,  CW_BIT_AND,       CW_REPLACE,     CW_NO_OP,
                                   CW_PRODUCT, CWI_COMPARE_SWAP, CW_LOGICAL_XOR, CW_SUM};
  note->operation = operations[draw(actor, sizeof operations / sizeof operations[0])];
  note->operand = draw(actor, 4);
  note->expected = draw(actor, 3);
  note->before = 0;
}

static bool act(struct actor *actor, struct note *note, char *word)
{
  struct cwi_update update = {.operation = note->operation,
                              .type = type,
                              .locked = locked,
                              .process = host,
                              .remote = word,
                              .count = 1,
                              .operand = {.i64 = note->operand},
                              .expected = {.i64 = note->expected},
                              .before = &note->before};
  note->begun = now();
  const cw_error error = cwi_start_update(&update, true, NULL);
  note->ended = now();
  if (error != CW_OK)
    snprintf(actor->message, sizeof actor->message, "%s", cw_error_message());
  return error == CW_OK;
}

/* Each actor makes its calls one after the other; all actors begin together. */
static void *play(void *argument)
{
  struct actor *actor = argument;
  for (int h = 0; h < BATCH; h++) {
    struct history *history = &histories[h];
    struct note mine[MOST];
    const uint32_t length = 3 + draw(actor, MOST - 2);
    for (uint32_t i = 0; i < length; i++)
      choose(actor, &mine[i]);
    __atomic_fetch_add(&history->arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&history->arrived, __ATOMIC_ACQUIRE) < (uint32_t)actors) {
      cwi_mpi_progress(); /* the others may need this process's progress to finish their calls */
      sched_yield();
    }
    for (uint32_t i = 0; i < length && actor->message[0] == '\0'; i++)
      act(actor, &mine[i], words + (size_t)h * WORD);
    memcpy(history->notes[actor->number], mine, sizeof mine);
    history->lengths[actor->number] = length;
  }
  return NULL;
}

static void play_all(void)
{
  pthread_t threads[ACTORS];
  struct actor mine[ACTORS];
  for (int t = 0; t < threads_each; t++) {
    mine[t] = (struct actor){.number = kit_me() * threads_each + t,
                             .random = (uint64_t)(kit_own(1 << 30) + t)};
    pthread_create(&threads[t], NULL, play, &mine[t]);
  }
  for (int t = 0; t < threads_each; t++) {
    pthread_join(threads[t], NULL);
    kit_check(mine[t].message[0] == '\0', "an update failed: %s", mine[t].message);
  }
}

/* Runs one batch, in which all words and histories begin with zeros. */
static long run_batch(void)
{
  static const char zeros[BATCH * WORD];
  long overlapping = 0;
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 0) {
    memset(histories, 0, BATCH * sizeof *histories);
    KIT_OK(cw_put(zeros, words, sizeof zeros, host));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  play_all();
  KIT_OK(cw_barrier(cw_team_world()));
  for (int h = 0; h < BATCH && kit_me() == 0; h++) {
    KIT_OK(cw_get(&histories[h].last, words + (size_t)h * WORD, WORD, host));
    if (!kit_check(is_linear(&histories[h]), "no order explains history %d of this batch", h))
      print_history(&histories[h]);
    overlapping += overlaps(&histories[h]);
  }
  return overlapping;
}

static void share_histories(void)
{
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_allocate_shared(kit_me() == 0 ? (MPI_Aint)(BATCH * sizeof *histories) : 0, 1,
                          MPI_INFO_NULL, kit_comm(), (void *)&histories, &histories_window);
  MPI_Win_shared_query(histories_window, 0, &bytes, &unit, (void *)&histories);
}

int main(int argc, char **argv)
{
  static const cw_type types[] = {CW_INT64, CW_UINT64};
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "linearizable");
  kit_hang_guard();
  kit_need_threads();
  const long wanted = kit_rounds(argc > 1 ? argv[1] : NULL, 256);
  threads_each = kit_processes() < 2 ? ACTORS : kit_processes() == 2 ? 2 : 1;
  actors = threads_each * kit_processes();
  share_histories();
  kit_make_region(BATCH * WORD, &region, &at);
  for (int kind = 0; kind < 4; kind++) {
    long overlapping = 0;
    type = types[kind / 2];
    locked = kind % 2 == 1;
    host = kind % kit_processes();
    words = at[host];
    kit_about("type %d, %s, word of process %d, %d actors", (int)type,
              locked ? "locked" : "lock-free", host, actors);
    for (long done = 0; done < wanted; done += BATCH)
      overlapping += run_batch();
    if (kit_me() == 0)
      printf("linearizable: kind %d: %ld of %ld histories have calls that overlap\n", kind,
             overlapping, wanted);
  }
  kit_free_region(&region, at);
  MPI_Win_free(&histories_window);
  return kit_finish_native();
}
