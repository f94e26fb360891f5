/* Tables of bad inputs: a row for each (call, argument), tried with every value of an axis.
 *
 * A row is rejected by a message that names the call and the argument, or it is documented as
 * harmless. A crash, a hang, and a call that accepts a value that it should reject are failures.
 * All of that happens in one process: signals, alarms and the end of the job (cw_abort, MPI_Abort)
 * return to this kit. A program is therefore linked with -Wl,--wrap=cw_abort.
 *
 * A program fills a struct bad_program, and includes kit/bad_program.inc, which has its tables and
 * its main function. A program with other moments or tables calls bad_try itself.
 *
 * The rows are a file of lines of these two kinds; `bad` is the value:
 *
 *   REJECTED(call, "word|word", axis, expression)   the message has the name of the call and the
 *                                                  words, and no word that is marked as !word
 *   HARMLESS(call, axis, expression)               the expression is true
 *
 * Rows after a line PENDING fail today; CW_TEST_PENDING=1 tries them, too, and any other value
 * tries those of the moments ("first life") whose name contains it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bad_value {
  const char *what;
  intptr_t value;
};

enum { BAD_VALUES = 24 };

struct bad_axis {
  size_t count;
  struct bad_value values[BAD_VALUES];
};

/* Returns a value as an address. */
static inline void *at(intptr_t bad)
{
  void *address = NULL;
  memcpy(&address, &bad, sizeof address);
  return address;
}

void bad_add(struct bad_axis *axis, const char *what, intptr_t value);
/* Adds an address unless it is NULL, because the object does not exist yet. */
void bad_add_address(struct bad_axis *axis, const char *what, const void *address);

/* Adds addresses that do not belong to any object. */
void bad_add_other_processes(struct bad_axis *axis);
/* Empties the axis, and adds those addresses, and NULL if `null`. */
void bad_begin_objects(struct bad_axis *axis, bool null);

/* Axis without values: the row is tried once. */
extern struct bad_axis once;
/* Adds -1 and INT_MIN; numbers outside 0 .. count-1; and sizes that overflow when something is
 * added. */
void bad_add_negatives(struct bad_axis *axis);
void bad_add_numbers(struct bad_axis *axis, int count);
void bad_add_sizes(struct bad_axis *axis);

enum bad_kind { BAD_REJECTED, BAD_HARMLESS, BAD_PENDING };

struct bad_row {
  enum bad_kind kind;
  const char *call;
  const char *words; /* separated by '|' */
  const struct bad_axis *axis;
  long (*run)(intptr_t bad);
};

/* kit/bad_table.inc makes the table from these macros. A program defines the file and a prefix:
 *
 *   #define BAD_TABLE "runtime/no_mpi.def"
 *   #define BAD_PREFIX no_mpi
 *   #include "kit/bad_table.inc"
 *   bad_try(no_mpi_rows, BAD_COUNT(no_mpi_rows), ...) */
#define BAD_PASTE(a, b) a##b
#define BAD_NAMED(prefix, line) BAD_PASTE(prefix, line)
#define BAD_FUNCTION(expression)                                                                   \
  static long BAD_NAMED(BAD_PREFIX, __LINE__)(intptr_t bad)                                        \
  {                                                                                                \
    (void)bad;                                                                                     \
    return (long)(expression);                                                                     \
  }
#define BAD_ROW(kind, call, words, axis)                                                           \
  {kind, #call, words, &(axis), BAD_NAMED(BAD_PREFIX, __LINE__)},
#define BAD_COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

struct bad_rows {
  const struct bad_row *rows;
  size_t count;
};
#define BAD_ROWS(rows)                                                                             \
  (struct bad_rows)                                                                                \
  {                                                                                                \
    rows, BAD_COUNT(rows)                                                                          \
  }

/* The original cw_abort. */
void __real_cw_abort(const char *message, int status); /* NOLINT(bugprone-reserved-identifier) */

/* Ways in which a call reports bad input. Native calls return a cw_error other than CW_OK, and
 * cw_error_message() returns the message. ARMCI's calls end the job with it, and words may be
 * "status 1". */
enum bad_manner { BAD_RETURNS, BAD_ENDS };

/* Tries the rows in the same order on all processes. `when` names the moment. */
void bad_try(const struct bad_row *rows, size_t count, enum bad_manner manner, const char *when);

/* Test program. The functions may be NULL, except make and end. */
struct bad_program {
  const char *name;
  enum bad_manner manner;
  bool outside_mpi;    /* idle rows are also tried before MPI_Init and after MPI_Finalize */
  void (*add)(void);   /* fills the axes that stay. Called first, before MPI_Init */
  void (*begin)(void); /* fills the axes that change. Called before each table */
  void (*make)(void);  /* starts the library and makes the objects that the rows use */
  void (*end)(void);   /* checks and frees the objects, and stops the library */
  void (*without_mpi)(const char *when); /* tries more rows while MPI does not run */
};

/* Runs a program and returns its exit status. Starts MPI, and the library twice. Tries the rows of
 * `running` in both lives of the library, and those of `idle` before each life. */
int bad_run(int *argc, char ***argv, const struct bad_program *program, struct bad_rows running,
            struct bad_rows idle);

/* Called before kit_finish. Checks that all rows were as expected. After a crash or a hang the
 * process is in an unknown state, so this ends the job. */
void bad_judge(void);

/* Returns the number of failures so far, for rows that are tried after the kit has finished. */
long bad_failures(void);
