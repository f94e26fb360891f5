/* Sites: the executor's functions for contexts whose devices are not all of one vendor of this
 * process. An object is what the program has made, kept at home; at each site where it is used it
 * has a copy, which is an executor's object.
 *
 * sites.h       the functions, as those of executor.h
 * dispatch.h    chooses between executors: for the client, and for copies
 * site.h        our objects: what is kept of each at home
 * operands.h    what a command reads and writes
 * sited.c       what all objects share: holders, copies
 * members.c     the objects of each context
 * gate.c        calls pass a context's gate, and a move closes it
 * made.c        makes objects, by sort
 * contexts.c    all contexts: for moves, fork, sessions that are over
 * places.c      contexts and their sites; queues, samplers
 * stored.c      buffers, sub-buffers, images
 * built.c       programs and their builds
 * includes.c    the files that programs include, collected for proxies
 * kernels.c     kernels and their arguments
 * asked.c       answers to questions
 * performed.c   commands as the program puts them into queues: they go, or are kept at home
 * mapped.c      maps become reads and writes of memory at home
 * held.c        commands that are kept at home
 * released.c    kept commands leave home
 * clerk.c       the thread that has them do so
 * operands.c    what each sort of command reads and writes
 * parts.c       parts of memory
 * uses.c        which commands use them
 * valid.c       where memory is valid
 * deliveries.c  what memory holds goes from site to site
 * issued.c      a command goes to the executor of its site
 * awaited.c     events: waiting, telling, the program's own
 * fits.c        does a device have all that another one has?
 * moved.c       devices that have moved
 * move.c        what is on a device goes on on another one
 * remade.c      what is there is made again
 *
 * "Site": where one executor's context can be: a vendor in this process, or one in the session with
 * a proxy. */
#ifndef CWI_SITES_SITES_H
#define CWI_SITES_SITES_H

#include "remote/remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of one context, at most. */
enum { CWI_CONTEXT_SITES = 15 };

/* Each object of ours begins with this one's address. Devices are never ours. */
extern const char cwi_sites_mark;

static inline bool cwi_is_sited(const void *object)
{
  return *(const void *const *)object == &cwi_sites_mark;
}

/* A call about an object passes its context's gate; it leaves when it returns. */
struct cwi_gate *cwi_sites_enter(const void *object);
void cwi_sites_leave(struct cwi_gate *gate);

/* As in executor.h, and so are the comments there. */
cl_int cwi_sites_make(const struct cwi_making *making, void **object);
void cwi_sites_drop(void *object);
cl_int cwi_sites_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count);
cl_int cwi_sites_clone_kernel(void *kernel, void **clone);
cl_int cwi_sites_tell_deleted(void *memory, cwi_memory_deleted function, void *data);
cl_int cwi_sites_build(const struct cwi_building *building);
cl_int cwi_sites_ask(const struct cwi_native_question *question, size_t size, void *value,
                     size_t *size_needed);
cl_int cwi_sites_ask_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                             cl_uint most, cl_image_format *formats, cl_uint *count);
cl_int cwi_sites_execute(struct cwi_command *command);
cl_int cwi_sites_set_argument(void *kernel, cl_uint index, size_t size, const void *value);
cl_int cwi_sites_flush(void *queue);
cl_int cwi_sites_finish(void *queue);
cl_int cwi_sites_wait(cl_uint count, void *const *events);
cl_int cwi_sites_set_user_event(void *event, cl_int status);
cl_int cwi_sites_tell_event(void *event, cl_int status, cwi_event_notice function, void *data);

#ifdef __cplusplus
}
#endif
#endif
