/* Causeway: phases of a program, for its profile (CW_PROFILE) and its timeline (CW_TIMELINE), and
 * tools that hear of each call as it begins and ends: docs/profile.md.
 *
 * Thread level of all calls: any. */
#ifndef CAUSEWAY_PROFILE_H
#define CAUSEWAY_PROFILE_H

#include <causeway/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_MAX_PHASE = 255 }; /* bytes of a name */

/* From here to cw_profile_end this thread is in a phase of the program, of which the profile then
 * has: how often, how long on which process, and how long it was in which calls of Causeway. The
 * timeline shows it, and tools hear of it.
 *
 * name: a copy is taken, of at most CW_MAX_PHASE bytes. A phase may begin in another one: "step",
 * "step/fock". Each thread has phases of its own; the profile adds up those of one name. Where none
 * of these is wanted, and where Causeway does not run, nothing happens. Local. Complete on return.
 * Errors: CW_MISUSE (name is NULL or empty; 64 phases are open; in a tool), CW_OUTSIDE (no memory
 * is left for it): this phase is not told of, and the cw_profile_end that belongs to it ends no
 * other. */
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

/* Classes of calls: they do the same kind of work. Tasks and phases are of the program, and are
 * told in the same way. */
typedef enum cw_call_class {
  CW_CALL_PUT,
  CW_CALL_GET,
  CW_CALL_ACCUMULATE,
  CW_CALL_RMW,  /* read-modify-writes */
  CW_CALL_LOCK, /* locks, tries and unlocks */
  CW_CALL_FENCE,
  CW_CALL_PATCH,
  CW_CALL_ELEMENTS, /* gather, scatter */
  CW_CALL_WAIT,     /* for handles, notifications, messages */
  CW_CALL_FLUSH,
  CW_CALL_BARRIER,
  CW_CALL_COLLECTIVE,
  CW_CALL_ARRAY,  /* operations on whole arrays and patches */
  CW_CALL_LINEAR, /* linear algebra */
  CW_CALL_FILE,
  CW_CALL_TASK_PHASE,
  CW_CALL_MAKE,          /* regions, arrays, teams and so on are made or freed */
  CW_CALL_FINALIZE,      /* waiting for the others at the end */
  CW_CALL_TASK,          /* a task runs, inside a call */
  CW_CALL_PROGRAM_PHASE, /* from cw_profile_begin to cw_profile_end */
  CW_CALL_CLASSES
} cw_call_class;

enum { CW_NO_TARGET = -1, CW_SEVERAL_TARGETS = -2 };

/* Description of a call. When a call begins, its class, its name, its place and the name of a phase
 * are set; all other members are set when it ends. Texts stay until cw_finalize. */
typedef struct cw_profile_call {
  cw_call_class call_class;
  const void *place; /* the return address in the program; of a task its function; of a phase, and
                        where it is not known, NULL */
  const char *name;  /* of a phase; of the object to which the call's first operation went:
                        "array 'fock', CW_DOUBLE, 210 x 210"; NULL: it has none */
  int target;        /* the process to which its operations went, or one of the two above */
  size_t bytes;      /* of its operations */
  const char *call;  /* the name of the call: "ARMCI_PutS", "NGA_Acc", "nga_acc", "cw_array_get"; of
                        a  task or phase, and where it is not known, NULL */
} cw_profile_call;

/* Who hears of calls. begin or end may be NULL. */
typedef struct cw_profile_tool {
  void (*begin)(const cw_profile_call *call, void *context);
  void (*end)(const cw_profile_call *call, void *context);
  void *context;
} cw_profile_tool;

/* A tool hears of each call of the program's to Causeway, ARMCI or Global Arrays, on the thread
 * that calls, from the next cw_init on (ARMCI_Init, GA_Initialize), in all worlds until the process
 * ends.
 *
 * tool: a copy is taken; at most 8 are registered. Calls that another call of Causeway makes are
 * not told. Begins and ends of one thread lie in each other, but a phase may end in another task
 * than it began in. Several threads may be in a tool at once. What the tool calls of Causeway is
 * not told, and may not be anything that moves data or waits; phases are refused it. Local.
 * Complete on return. Errors: CW_MISUSE (tool is NULL, or has no function; 8 are registered). */
cw_error cw_profile_register(const cw_profile_tool *tool);

/* A class as profiles call it: "put", "gather/scatter". Local. Complete on return. Errors: none; ""
 * for what is no class. */
const char *cw_call_class_word(cw_call_class call_class);

#ifdef __cplusplus
}
#endif
#endif
