/* Causeway: what a call returns, and the sentence that explains it.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_ERROR_H
#define CAUSEWAY_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
