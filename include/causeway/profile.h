/* Causeway: phases of a program, for its profile (CW_PROFILE) and its timeline (CW_TIMELINE), and
 * tools that are called when a call begins and ends: docs/reference/profile.md.
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

/* Begins a phase of the program on this thread, which lasts until cw_profile_end. The profile then
 * has the number of times that the phase ran, its seconds on each process, and the seconds in each
 * of Causeway's calls within it. The timeline shows it, and tools are called.
 *
 * name: a copy is taken, of at most CW_MAX_PHASE bytes. A phase may begin in another one: "step",
 * "step/fock". Each thread has phases of its own; the profile adds up those of one name. Without a
 * profile, timeline or tool, and while Causeway does not run, nothing happens. Local. Complete on
 * return. Errors: CW_MISUSE (name is NULL or empty; 64 phases are open; in a tool), CW_OUTSIDE (no
 * memory). The phase is then ignored, together with its cw_profile_end. */
cw_error cw_profile_begin(const char *name);

/* Ends the phase that this thread has begun last. A phase that is not ended lasts until the thread
 * or Causeway ends. Local. Complete on return. Errors: CW_MISUSE (this thread is in no phase;
 * nothing happens). */
cw_error cw_profile_end(void);

/* Begin and end a phase in Fortran, in all libraries and for both sizes of INTEGER:
 *
 *     call cw_profile_begin('step')
 *     call cw_profile_end
 *
 * Blanks at the end of the name do not count. Errors of cw_profile_begin and cw_profile_end are
 * warnings here; with CW_ERRORS=fatal they end the job. Local. Complete on return. Errors: none is
 * returned. */
void cw_profile_begin_(const char *name, size_t length);
void cw_profile_end_(void);

/* Classes of calls that do the same kind of work. Tasks and phases of the program are classes, too.
 */
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
  const void *place; /* the return address in the program; for a task its function; NULL for a
                        phase, and if it is not known */
  const char *name;  /* name of a phase, or of the object of the call's first operation: "array
                        'fock', CW_DOUBLE, 210 x 210"; NULL if there is none */
  int target;        /* the process to which its operations went, or one of the two above */
  size_t bytes;      /* of its operations */
  const char *call;  /* the name of the call: "ARMCI_PutS", "NGA_Acc", "nga_acc", "cw_array_get";
                        NULL for a task or phase, and if it is not known */
} cw_profile_call;

/* A tool, whose functions are called when calls begin and end. Either may be NULL. */
typedef struct cw_profile_tool {
  void (*begin)(const cw_profile_call *call, void *context);
  void (*end)(const cw_profile_call *call, void *context);
  void *context;
} cw_profile_tool;

/* Registers a tool. Its functions run for each call of the program to Causeway, ARMCI or Global
 * Arrays, on the calling thread, from the next cw_init (ARMCI_Init, GA_Initialize) until the
 * process ends.
 *
 * tool: a copy is taken; at most 8 are registered. Calls that Causeway makes itself are not
 * reported. Calls to begin and end are nested on each thread, but a phase may end in another task
 * than it began in. Several threads may be in a tool at once. A tool may make calls of Causeway
 * that neither move data nor wait; these are not reported. It may not begin or end a phase. Local.
 * Complete on return. Errors: CW_MISUSE (tool is NULL, or has no function; 8 are registered). */
cw_error cw_profile_register(const cw_profile_tool *tool);

/* Returns the name of a class in profiles: "put", "gather/scatter". Local. Complete on return.
 * Errors: none; returns "" for a nonexistent class. */
const char *cw_call_class_word(cw_call_class call_class);

#ifdef __cplusplus
}
#endif
#endif
