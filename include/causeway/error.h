/* Causeway: what a call returns, the sentence that explains it, and short ways to look at both.
 *
 *   CW_MUST(call);                        succeeds, or ends the job with the sentence
 *   CW_TRY(call);                         succeeds, or this function returns the error
 *   if (CW_MAY_FAIL(call) != CW_OK) ...   its failure is an answer, of which nobody need hear
 *
 * A failure is looked at when its thread calls cw_error_message() before its next failure, or when
 * it comes from within CW_MAY_FAIL. cw_finalize says how many were not, and which was the first;
 * where it is not called, or before it, the end of the process does (exit, return from main). With
 * CW_CHECK=1 each is told as soon as that is known. With CW_ERRORS=fatal the first failure ends the
 * job, before cw_init, too.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_ERROR_H
#define CAUSEWAY_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Stands before calls that return a cw_error: compilers (gcc, clang, and those
 * that know their attributes) warn where a program drops it. */
#define CW_CHECKED __attribute__((warn_unused_result))

/* Result of a call. Three kinds of failure, three names. */
typedef enum cw_error {
  CW_OK = 0,      /* done */
  CW_MISUSE = 1,  /* the caller gave something that is wrong in any case; nothing was changed */
  CW_OUTSIDE = 2, /* MPI, memory or the kernel refused */
  CW_BUG = 3      /* Causeway broke its own promise: please report it */
} cw_error;

/* The sentence for the last failed call of this thread: call, argument, value, legal range.
 *
 * Local. Returns a string that stays valid until the next failing call of this thread; "" if no
 * call has failed. Errors: none. */
const char *cw_error_message(void);

/* Do `call`, which returns a cw_error. If it fails, end the whole job with the place in the
 * program, the call and its sentence. */
#define CW_MUST(call)                                                                              \
  do {                                                                                             \
    const cw_error cw_must_error = (call);                                                         \
    if (cw_must_error != CW_OK)                                                                    \
      cw_error_end(cw_must_error, #call, __FILE__, __LINE__);                                      \
  } while (0)

/* Do `call`. If it fails, return its error from this function, which returns a cw_error, too. */
#define CW_TRY(call)                                                                               \
  do {                                                                                             \
    const cw_error cw_try_error = (call);                                                          \
    if (cw_try_error != CW_OK)                                                                     \
      return cw_try_error;                                                                         \
  } while (0)

/* Do `call` and return what it returns: it may fail, and the program knows what that means. Its
 * failure counts as looked at, and CW_ERRORS=fatal lets it return. */
#ifdef __cplusplus
#define CW_MAY_FAIL(call) (cw_error_awaited{{}, (call)}.end())
#else
#define CW_MAY_FAIL(call) (cw_error_expect(), cw_error_expected(call))
#endif

/* What CW_MAY_FAIL is made of: failures of this thread are expected from here, until the other one,
 * which returns `error`. Programs say CW_MAY_FAIL. Local. Errors: none. */
void cw_error_expect(void);
cw_error cw_error_expected(cw_error error);

/* Print "file:line: call failed: sentence" with the process number to standard error and end the
 * whole job with status 1. Where `call` is a function of the program's, which may return what it
 * likes, the error's name stands there, and the sentence as that of the thread's last failed call,
 * if that has failed so. Programs say CW_MUST. error: what the call returned. Does not return.
 * Local. Errors: none. */
void cw_error_end(cw_error error, const char *call, const char *file, int line);

#ifdef __cplusplus
}

/* Failures are expected for as long as this is open: also where `call` throws, it ends. */
struct cw_error_expecting {
  bool open = true;
  cw_error_expecting()
  {
    cw_error_expect();
  }
  ~cw_error_expecting()
  {
    end(CW_OK);
  }
  cw_error end(cw_error error)
  {
    return open ? (open = false, cw_error_expected(error)) : error;
  }
};

/* In braces `expecting` begins before the call. */
struct cw_error_awaited {
  cw_error_expecting expecting;
  cw_error error;
  cw_error end()
  {
    return expecting.end(error);
  }
};
#endif
#endif
