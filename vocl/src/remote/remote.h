/* Remote: the executor's functions for devices that a proxy has. They say by messages what is to be
 * done, and answer at home what is known there. What is certain at home goes without an answer;
 * what is doubtful waits for the vendor's verdict.
 *
 * remote.h      the functions, as those of executor.h
 * stub.h         our objects: what is kept of each at home
 * remote_session.h     sessions, and how their threads speak and wait
 *
 * A session's lock keeps all its objects. Callbacks of the program are called without it, by the
 * session's listener.
 *
 * host_layout.c          data as it lies in a program's memory
 * remote_connect.c       opens sessions; fork
 * remote_devices.c       the devices of proxies that a program sees
 * remote_move_request.c  a proxy asks the program to move what it has on a device
 * remote_publish.c       what goes to the proxy without waiting
 * remote_receive.c       hears what the proxy says; the listener thread; waiting
 * remote_send.c          messages, questions and data that go to the proxy
 * remote_session.c       a session: numbers of objects, how it is over */
#ifndef VOCL_REMOTE_REMOTE_H
#define VOCL_REMOTE_REMOTE_H

#include "executor/executor.h"

/* Each object of ours begins with this one's address. */
extern const char vocl_remote_tag;

/* The devices of proxies, in the order of the census; the first call asks for it. Devices of one
 * vendor, here a session's, can be in one context. */
size_t vocl_remote_devices(const struct vocl_found_device **devices);

/* A device of the census: its proxy, and its number there. */
struct vocl_device_name {
  uint32_t proxy, number;
};

/* Any device of the census, shown or not; NULL: there is none. */
const struct vocl_found_device *vocl_remote_device_find(struct vocl_device_name name);

/* Moves all that the program has on a device to another one. Returns 0, or a value of errno, and
 * then nothing has changed. Called in a thread of its own, at most once at a time for a session. */
struct vocl_move_report {
  uint64_t bytes; /* of memory that was moved */
  char text[256]; /* a sentence, without its full stop */
};
typedef int vocl_device_mover(struct vocl_device_name from, struct vocl_device_name to,
                              struct vocl_move_report *report);
/* Who does it when a proxy asks. */
void vocl_remote_set_mover(vocl_device_mover *mover);

/* The devices that this process reaches itself; none if its proxy is to do all. */
size_t vocl_local_devices(const struct vocl_found_device **devices);

/* The session of an object is over: for ever. */
bool vocl_remote_is_lost(const void *object);
/* Is a command of its objects certainly right? */
bool vocl_remote_cannot_fail(const struct vocl_command *command);
/* Before a fork, sessions wait until no thread is in the midst of anything. Whoever holds other
 * locks then, and locks a session meanwhile, prepares after this: who prepares last is asked first.
 */
void vocl_remote_prepare_fork(void);
/* Called by its listener when a session is over, if it is set before there is one. */
extern void (*vocl_remote_lost_callback)(void);

/* The rest is as in executor.h, and so are the comments there. */
struct vocl_facts *vocl_remote_describe(void *device);
cl_int vocl_remote_make(const struct vocl_making *making, void **object);
void vocl_remote_drop(enum vocl_sort sort, void *object);
cl_int vocl_remote_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count);
cl_int vocl_remote_make_sub_devices(void *device, const cl_device_partition_property *properties,
                                    cl_uint most, void **devices, cl_uint *count);
cl_int vocl_remote_on_deleted(void *memory, vocl_memory_callback function, void *data);
cl_int vocl_remote_build(const struct vocl_building *building);
cl_int vocl_remote_query(const struct vocl_query *query, size_t size, void *value,
                         size_t *size_needed);
cl_int vocl_remote_query_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                                 cl_uint most, cl_image_format *formats, cl_uint *count);
cl_int vocl_remote_execute(struct vocl_command *command);
cl_int vocl_remote_set_argument(void *kernel, cl_uint index, size_t size, const void *value);
cl_int vocl_remote_flush(void *queue);
cl_int vocl_remote_finish(void *queue);
cl_int vocl_remote_wait(cl_uint count, void *const *events);
cl_int vocl_remote_on_event(void *event, cl_int status, vocl_event_function function, void *data);
#endif
