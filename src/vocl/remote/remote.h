/* Remote: the executor's functions for devices that a proxy has. They say by messages what is to be
 * done, and answer at home what is known there. What is certain at home goes without an answer;
 * what is doubtful waits for the vendor's verdict.
 *
 * remote.h      the functions, as those of executor.h
 * far.h         our objects: what is kept of each at home
 * session.h     sessions, and how their threads speak and wait
 * shown.c       the devices of proxies that a program sees
 * session.c     a session: numbers of objects, how it is over
 * publish.c     what goes to the proxy without waiting
 * listen.c      hears what the proxy says; the listener thread; waiting
 * wanted.c      a proxy asks the program to move what it has on a device
 * say.c         messages, questions and data that go to the proxy
 * opened.c      opens sessions; fork
 * making.c      messages that make objects
 * create.c      makes objects and lets go of them
 * storage.c     buffers, sub-buffers, images
 * compile.c     builds, and kernels of programs
 * parameters.c  what a kernel says of itself, and its arguments
 * recall.c      answers to questions, at home where they are known
 * layout.c      data as it lies in a program's memory
 * check.c       is a command certain?
 * submit.c      says commands, sends their data
 * perform.c     performs commands: says them
 * done.c        events: what a program asks of them and is told
 *
 * A session's lock keeps all its objects. Callbacks of the program are called without it, by the
 * session's listener. */
#ifndef CWI_REMOTE_REMOTE_H
#define CWI_REMOTE_REMOTE_H

#include "executor/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each object of ours begins with this one's address. */
extern const char cwi_remote_mark;

/* The devices of proxies, in the order of the census; the first call asks for it. Devices of one
 * vendor, here a session's, can be in one context. */
size_t cwi_remote_devices(const struct cwi_found_device **devices);

/* A device of the census: its proxy, and its number there. */
struct cwi_device_name {
  uint32_t proxy, number;
};

/* Any device of the census, shown or not; NULL: there is none. */
const struct cwi_found_device *cwi_remote_device(struct cwi_device_name name);

/* Moves all that the program has on a device to another one. Returns 0, or a value of errno, and
 * then nothing has changed. Called in a thread of its own, at most once at a time for a session. */
struct cwi_move_report {
  uint64_t bytes; /* of memory that was moved */
  char text[256]; /* a sentence, without its full stop */
};
typedef int cwi_device_mover(struct cwi_device_name from, struct cwi_device_name to,
                             struct cwi_move_report *report);
/* Who does it when a proxy asks. */
void cwi_remote_set_mover(cwi_device_mover *mover);

/* The devices that this process reaches itself; none if its proxy is to do all. */
size_t cwi_executor_devices(const struct cwi_found_device **devices);

/* The session of an object is over: for ever. */
bool cwi_remote_is_over(const void *object);
/* Is a command of its objects certainly right? */
bool cwi_remote_is_certain(const struct cwi_command *command);
/* Before a fork, sessions wait until no thread is in the midst of anything. Whoever holds other
 * locks then, and locks a session meanwhile, prepares after this: who prepares last is asked first.
 */
void cwi_remote_prepare_fork(void);
/* Called by its listener when a session is over, if it is set before there is one. */
extern void (*cwi_remote_over_notice)(void);

/* The rest is as in executor.h, and so are the comments there. */
struct cwi_facts *cwi_remote_describe(void *device);
cl_int cwi_remote_make(const struct cwi_making *making, void **object);
void cwi_remote_drop(enum cwi_sort sort, void *object);
cl_int cwi_remote_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count);
cl_int cwi_remote_make_sub_devices(void *device, const cl_device_partition_property *properties,
                                   cl_uint most, void **devices, cl_uint *count);
cl_int cwi_remote_tell_deleted(void *memory, cwi_memory_deleted function, void *data);
cl_int cwi_remote_build(const struct cwi_building *building);
cl_int cwi_remote_ask(const struct cwi_native_question *question, size_t size, void *value,
                      size_t *size_needed);
cl_int cwi_remote_ask_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                              cl_uint most, cl_image_format *formats, cl_uint *count);
cl_int cwi_remote_execute(struct cwi_command *command);
cl_int cwi_remote_set_argument(void *kernel, cl_uint index, size_t size, const void *value);
cl_int cwi_remote_flush(void *queue);
cl_int cwi_remote_finish(void *queue);
cl_int cwi_remote_wait(cl_uint count, void *const *events);
cl_int cwi_remote_tell_event(void *event, cl_int status, cwi_event_notice function, void *data);

#ifdef __cplusplus
}
#endif
#endif
