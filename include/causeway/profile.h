/* Causeway: phases of a program, for its profile (CW_PROFILE, docs/profile.md).
 *
 * Thread level of all calls: any. */
#ifndef CAUSEWAY_PROFILE_H
#define CAUSEWAY_PROFILE_H

#include <causeway/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From here to cw_profile_end this thread is in a phase of the program, of which the profile then
 * has: how often, how long on which process, and how long it was in which calls of Causeway.
 *
 * name: a copy is taken. A phase may begin in another one: "step", "step/fock". Each thread has
 * phases of its own; the profile adds up those of one name. Where no profile is wanted, and where
 * Causeway does not run, nothing happens. Local. Complete on return. Errors: CW_MISUSE (name is
 * NULL or empty; 64 phases are open), CW_OUTSIDE (no memory is left for it): this phase is not told
 * of, and the cw_profile_end that belongs to it ends no other. */
cw_error cw_profile_begin(const char *name);

/* The phase that this thread has begun last ends. One that never ends lasts until the thread or
 * Causeway does. Local. Complete on return. Errors: CW_MISUSE (this thread has begun none that has
 * not ended: nothing happens). */
cw_error cw_profile_end(void);

/* The same for Fortran, in all libraries and for both sizes of INTEGER:
 *
 *     call cw_profile_begin('step')
 *     call cw_profile_end
 *
 * Blanks at the end of the name do not count. What the calls above return is a warning here, but
 * with CW_ERRORS=fatal it ends the job. Local. Complete on return. Errors: none is returned. */
void cw_profile_begin_(const char *name, size_t length);
void cw_profile_end_(void);

#ifdef __cplusplus
}
#endif
#endif
