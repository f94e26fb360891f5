/* Order: a process that sees a flag sees what was put before it, without a flush in between. The
 * writer never waits. Numbers only grow, so what is read after a flag must be at least as new.
 *
 *   order SEQUENCES [WORDS] */
#include "kit/native.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG_WORDS = 8, DATA = 30000, SIZES = 8, LAST = 1 << 30 };

/* Memory of the reader. */
struct slice {
  int64_t flag[FLAG_WORDS];
  int64_t tail[DATA]; /* put after the flag, and before the next one */
  int64_t data[DATA];
};

static size_t sizes[SIZES] = {1, 3, 60, 2000, 2, 700, 5, 1};

/* Flags are short, or so long that they go in messages of their own. */
static size_t flag_words(int64_t number)
{
  return number % SIZES == 3 || number % 3 == 0 ? FLAG_WORDS : 1;
}

/* A word that is loaded while it is put may have bytes of the old number and of the new one: long
 * puts are copied by the C library, and the copy of the address sanitizer goes byte by byte. So a
 * word shows whether it is whole: its upper half follows from the lower one. */
static int64_t word_of(int64_t number)
{
  return (int64_t)((uint64_t)((uint32_t)number * 2654435761u) << 32 | (uint32_t)number);
}

static void put_words(cw_view view, int64_t *to, size_t words, int64_t number, int process)
{
  static int64_t out[16][DATA]; /* not overwritten before its data has left */
  static unsigned number_of_run;
  int64_t *from = out[number_of_run++ % 16];
  for (size_t i = 0; i < words; i++)
    from[i] = word_of(number);
  KIT_OK(cw_view_put(view, from, to, words * 8, process));
  if (number_of_run % 16 == 0)
    KIT_OK(cw_view_flush_local(view, process));
}

static void write_all(cw_view view, struct slice *there, int process, int sequences)
{
  for (int64_t number = 1; number <= sequences; number++) {
    put_words(view, there->data, sizes[number % SIZES], number, process);
    put_words(view, there->flag, flag_words(number), number, process);
    if (number % 4 == 0)
      put_words(view, there->tail, sizes[number % SIZES], number, process);
  }
  put_words(view, there->flag, 1, LAST, process);
  KIT_OK(cw_view_flush(view, process));
}

/* Returns the number of a word, which a put may change meanwhile (cmake/races.supp). */
static int64_t load_word(const int64_t *word)
{
  int64_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  while (seen != word_of(seen)) {
    cw_progress();
    seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  }
  return (uint32_t)seen;
}

/* Returns the first number that is older than the flag. */
static struct {
  int64_t flag, number, again;
  const char *where;
  size_t index;
} first_old;

static long is_old(const int64_t *words, size_t index, int64_t least, int64_t flag,
                   const char *where)
{
  const int64_t number = load_word(&words[index]);
  if (number >= least)
    return 0;
  if (first_old.where == NULL) {
    first_old.flag = flag;
    first_old.number = number;
    first_old.again = load_word(&words[index]);
    first_old.where = where;
    first_old.index = index;
  }
  return 1;
}

/* Counts numbers that are older than the flag. */
static long count_old(const struct slice *mine, int64_t number)
{
  long old = 0;
  for (size_t i = 0; i < sizes[number % SIZES]; i++)
    old += is_old(mine->data, i, number, number, "data");
  const int64_t behind = (number - 1) / 4 * 4; /* of which the tail was put before this flag */
  for (size_t i = 0; behind > 0 && i < sizes[behind % SIZES]; i++)
    old += is_old(mine->tail, i, behind, number, "tail");
  return old;
}

static void read_all(const struct slice *mine, int sequences)
{
  long flags_seen = 0, wrong = 0;
  for (int64_t number = 0; number < LAST;) {
    const int64_t seen = load_word(&mine->flag[0]);
    if (seen != number && seen < LAST) {
      wrong += count_old(mine, seen);
      flags_seen++;
    }
    cw_progress();
    number = seen;
  }
  kit_check(wrong == 0,
            "%ld numbers were older than the flag, after %ld of %d flags; the first: flag %lld, "
            "%s[%zu] was %lld, then %lld",
            wrong, flags_seen, sequences, (long long)first_old.flag, first_old.where,
            first_old.index, (long long)first_old.number, (long long)first_old.again);
  kit_check(flags_seen > 0 || sequences < 10000, "no flag was ever seen");
}

static void run(const cw_view_settings *settings, int sequences)
{
  const int target = cw_processes() - 1;
  cw_region region = NULL;
  cw_view plain = NULL, view = NULL;
  void **at = NULL;
  const struct slice *mine = kit_make_region(sizeof *mine, &region, &at);
  KIT_MUST(cw_view_of(region, &plain));
  if (cw_view_dup(plain, settings, &view) == CW_OK) {
    if (cw_process() == 0)
      write_all(view, at[target], target, sequences);
    if (cw_process() == target && target != 0)
      read_all(mine, sequences);
    KIT_OK(cw_view_free(&view));
  }
  KIT_OK(cw_view_free(&plain));
  kit_free_region(&region, at);
}

/* A get follows a put of other memory, and a put a get: with order neither passes the other. */
static void run_gets(int rounds)
{
  static int64_t out[DATA], back[DATA];
  const int next = (cw_process() + 1) % cw_processes();
  const cw_view_settings ordered = {.ordered = true};
  cw_region region = NULL;
  cw_view plain = NULL, view = NULL;
  void **at = NULL;
  kit_make_region(sizeof(struct slice), &region, &at);
  struct slice *there = at[next];
  KIT_MUST(cw_view_of(region, &plain));
  KIT_MUST(cw_view_dup(plain, &ordered, &view));
  for (int round = 1; round <= rounds; round++) {
    const size_t words = sizes[round % SIZES];
    for (size_t i = 0; i < words; i++)
      out[i] = round;
    KIT_OK(cw_view_put(view, out, there->data, words * 8, next));
    KIT_OK(cw_view_get(view, back, there->data, words * 8, next));
    KIT_OK(cw_view_flush_local(view, next));
    kit_check_bytes(back, out, words * 8, "what was put before");
  }
  KIT_OK(cw_view_free(&view));
  KIT_OK(cw_view_free(&plain));
  kit_free_region(&region, at);
}

/* --- Reads and earlier writes ----------------------------------------------------------------- */

enum { APART = 16, PAIRS = 4096 }; /* words; many, so that stores miss the cache */

/* Processes 0 and 1 each put a word at 0, and then read the other's: one at least sees it. A
 * processor lets loads pass earlier stores. */
static void cross(cw_view view, int64_t *at_first, int rounds)
{
  const int me = cw_process(), other = 1 - me;
  int64_t *rendezvous = at_first + 2 * APART * PAIRS;
  static int64_t seen[20000];
  long failed = 0;
  for (int64_t i = 1; i <= rounds; i++) {
    int64_t *pair = at_first + 2 * APART * (i % PAIRS);
    __atomic_store_n(rendezvous + me * APART, i, __ATOMIC_SEQ_CST);
    for (long spins = 0; __atomic_load_n(rendezvous + other * APART, __ATOMIC_SEQ_CST) < i; spins++)
      if (spins > 10000) /* fewer processors than processes */
        sched_yield();
    /* No check between them: it would be a barrier of its own. */
    const cw_error put = cw_view_put(view, &i, pair + me * APART, sizeof i, 0);
    const cw_error got =
        cw_view_fetch_op(view, CW_INT64, CW_NO_OP, NULL, pair + other * APART, 0, &seen[i - 1]);
    failed += put != CW_OK || got != CW_OK;
  }
  int64_t theirs[20000];
  MPI_Sendrecv(seen, rounds, MPI_INT64_T, 1 - me, 0, theirs, rounds, MPI_INT64_T, 1 - me, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long blind = 0;
  for (int64_t i = 0; i < rounds; i++)
    blind += seen[i] < i + 1 && theirs[i] < i + 1;
  kit_check_long(failed, 0, "puts and reads that failed");
  kit_check_long(blind, 0, "pairs of which neither saw what the other had put before");
}

static void run_reads(bool checked, int rounds)
{
  const cw_view_settings wanted = {
      .ordered = true, .intrinsic = "no_op,sum", .intrinsic_type = CW_INT64, .checked = checked};
  cw_region region = NULL;
  cw_view plain = NULL, view = NULL;
  void **at = NULL;
  kit_make_region(2 * APART * (PAIRS + 1) * sizeof(int64_t), &region, &at);
  KIT_MUST(cw_view_of(region, &plain));
  if (cw_view_dup(plain, &wanted, &view) == CW_OK) { /* all share memory */
    if (cw_process() < 2)
      cross(view, at[0], rounds);
    KIT_OK(cw_view_free(&view));
  }
  KIT_OK(cw_view_free(&plain));
  kit_free_region(&region, at);
}

int main(int argc, char **argv)
{
  const int sequences = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 1000);
  if (argc > 2)
    sizes[3] = (size_t)atoi(argv[2]);
  kit_start_native(&argc, &argv, "order");
  run(&(cw_view_settings){.ordered = true}, sequences);
  run(&(cw_view_settings){.ordered = true, .scope = CW_SCOPE_THREAD}, sequences);
  run_gets(sequences < 500 ? sequences : 500);
  if (cw_processes() > 1) {
    run_reads(false, 20000);
    run_reads(true, 20000);
  }
  return kit_finish_native();
}
