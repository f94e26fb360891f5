/* The basis of all other modules: errors, settings, the log, small containers.
 *
 * This header declares the kinds of failure: misuse, outside, bug and failed process. Each failure
 * has a message.
 *
 * clock.c             the monotonic clock
 * error.c             the error messages of failed calls, and the end of the job
 * file_write.c        writing to files without signals
 * hash_map.c          a hash table
 * interval.c          whether byte ranges overlap
 * log.c               messages for the user
 * operation_counts.c  the counters of CW_STATS
 * reword.c            messages of native calls in a binding's terms
 * setting_text.c      values of settings as text: parsing, printing, ranges
 * settings.c          the table of settings: names, defaults, descriptions; the values in force
 * single_runtime.c    whether another Causeway library runs in this process
 * spelling.c          the edit distance of two names
 * stop_hooks.c        functions that modules run at the stop
 * temporary_name.c    names for files that are written beside their final place
 * unread_errors.c     errors of calls that the program has not read */
#pragma once

#include <causeway/error.h>

#include <stdbool.h>
#include <stddef.h>

#define CWI_CHECKED __attribute__((warn_unused_result))
#define CWI_PRINTF(position, first) __attribute__((format(printf, position, first)))
#define CWI_NORETURN __attribute__((noreturn))
#define CWI_LIKELY(x) __builtin_expect(!!(x), 1)
#define CWI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Initializes a variable with zeros, but only for analyzers. It is for a variable that is always
 * set before it is read, if an analyzer cannot see that. */
#ifdef __clang_analyzer__
#define CWI_SET_LATER = {0}
#else
#define CWI_SET_LATER
#endif

/* Record a message for this thread and return the error: CW_MISUSE, CW_OUTSIDE, or `error`. */
CWI_CHECKED cw_error cwi_misuse(const char *format, ...) CWI_PRINTF(1, 2);
CWI_CHECKED cw_error cwi_outside(const char *format, ...) CWI_PRINTF(1, 2);
CWI_CHECKED cw_error cwi_failure(cw_error error, const char *format, ...) CWI_PRINTF(2, 3);

/* cwi_error_messages counts the messages of this thread, except those set aside.
 * cwi_error_message_is_of returns true if the last message belongs to an error of this kind. It may
 * belong to another error, because a program may return an error that no call of Causeway has
 * returned. cwi_error_name returns a name like "CW_MISUSE". */
extern __thread __attribute__((tls_model("initial-exec"))) unsigned cwi_error_messages;
bool cwi_error_message_is_of(cw_error error);
const char *cwi_error_name(cw_error error);

/* While `aside` is true, messages of this thread do not replace the one that the program may read,
 * because the thread works on behalf of another process. At most one thread of the process may set
 * it at a time. */
void cwi_error_set_aside(bool aside);

/* Return CW_MISUSE with the argument's name: cwi_null_argument always, cwi_check_not_negative if
 * value < 0. */
CWI_CHECKED cw_error cwi_null_argument(const char *name);
CWI_CHECKED cw_error cwi_check_not_negative(const char *name, long long value);

static inline CWI_CHECKED cw_error cwi_check_not_null(const char *name, const void *pointer)
{
  if (CWI_LIKELY(pointer != NULL))
    return CW_OK;
  const cw_error error = cwi_null_argument(name);
  if (error == CW_OK) /* impossible; shows analyzers that a checked pointer is not NULL */
    __builtin_unreachable();
  return error;
}

/* Returns the system's text for a value of errno. Unlike strerror, it is thread-safe. */
const char *cwi_system_error(int error);

/* Returns the text of cw_error_message(), but does not mark the error as read. */
const char *cwi_error_message(void);

/* Replaces the message of the present error. */
void cwi_error_message_replace(const char *message);

/* cwi_error_is_recorded returns true if the message has been recorded as the failure of a call. A
 * public call may pass on the failure of another one, but a failure must be recorded only once.
 * Code that replaces the message of a failure restores this flag. */
bool cwi_error_is_recorded(void);
void cwi_error_set_recorded(bool recorded);

/* Prefixes the recorded message with the name of the call: "cw_put: ...". Returns false if the
 * message is set aside, and so does not belong to a call of the program. */
bool cwi_error_message_prefix(const char *call, cw_error error);

/* Prefixes the message like cwi_error_message_prefix and records the failure (unread_errors.c).
 * Every public call that fails calls this. */
void cwi_failed_in_call(const char *call, cw_error error);

static inline cw_error cwi_in_call(const char *call, cw_error error)
{
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_failed_in_call(call, error);
  return error;
}

/* Appends text in brackets to the recorded message. Returns error. */
cw_error cwi_error_append(cw_error error, const char *format, ...) CWI_PRINTF(2, 3);

/* The first of several errors, with a copy of its message, because a later error replaces the
 * message of the thread. */
struct cwi_first_error {
  cw_error error;
  bool recorded;
  bool marked; /* true if this error or a later one was marked: see cwi_error_mark */
  char message[1024];
};
/* cwi_first_keep stores the error if it is the first. If it is a later one, only its mark is
 * stored. cwi_first_again records the stored message again and returns its error. */
void cwi_first_keep(struct cwi_first_error *first, cw_error error);
CWI_CHECKED cw_error cwi_first_again(const struct cwi_first_error *first);

static inline void cwi_first_note(struct cwi_first_error *first, cw_error error)
{
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_first_keep(first, error);
}

/* Initializes `first` with `error`, which may be CW_OK. */
static inline void cwi_first_begin(struct cwi_first_error *first, cw_error error)
{
  first->error = CW_OK;
  cwi_first_note(first, error);
}

static inline cw_error cwi_first_return(const struct cwi_first_error *first)
{
  return CWI_LIKELY(first->error == CW_OK) ? CW_OK : cwi_first_again(first);
}

/* Reports a bug of Causeway: prints the place and ends the job. */
CWI_NORETURN void cwi_bug_at(const char *file, int line, const char *condition);
#define CWI_ASSERT(condition)                                                                      \
  (CWI_LIKELY(condition) ? (void)0 : cwi_bug_at(__FILE__, __LINE__, #condition))

/* Makes `call`. If it returns an error, the enclosing function returns that error. */
#define CWI_TRY(call)                                                                              \
  do {                                                                                             \
    const cw_error cwi_try_error = (call);                                                         \
    if (CWI_UNLIKELY(cwi_try_error != CW_OK))                                                      \
      return cwi_try_error;                                                                        \
  } while (0)

/* cwi_error_mark sets or clears a mark on the message that this thread has just recorded;
 * cwi_error_marked returns it. The caller defines its meaning: see cwi_error_is_from_mpi. */
void cwi_error_mark(bool marked);
bool cwi_error_marked(void);

/* Ends the job after a bug or the death of a peer. src/core/mpi sets a function that calls
 * MPI_Abort, because this module may not call MPI. */
typedef void (*cwi_abort_function)(const char *message, int status);
void cwi_set_abort(cwi_abort_function function);
CWI_NORETURN void cwi_abort(const char *message, int status);
CWI_NORETURN void cwi_abort_with(int status, const char *format, ...) CWI_PRINTF(2, 3);
