/* Remote devices: the executor's functions for devices of a proxy. They send messages to the proxy,
 * and answer on the client side if the answer is known there. A call that cannot fail does not wait
 * for a reply. Any other call waits for the vendor's result.
 *
 * remote.h          the functions, as in executor.h
 * stub.h            stubs: what the client side keeps of each object
 * remote_session.h  sessions, and how their threads communicate and wait
 *
 * A session's lock protects all its objects. The session's listener thread makes the callbacks
 * of the program, without the lock.
 *
 * host_layout.c          layout of data in a program's memory
 * remote_connect.c       opens sessions; fork
 * remote_devices.c       the devices of proxies that a program sees
 * remote_move_request.c  requests of a proxy to move what the program has on a device
 * remote_publish.c       sends messages without waiting for space
 * remote_receive.c       messages of the proxy; the listener thread; waiting
 * remote_send.c          messages, requests and data to the proxy
 * remote_session.c       a session: numbers of objects, and its end */
#pragma once

#include "executor/executor.h"

/* The address of this tag is the first field of each stub and identifies remote objects. */
extern const char vocl_remote_tag;

/* Returns the devices of proxies, in the order of the device list. The first call requests the list
 * from the proxy. Devices of one vendor at one proxy have the same vendor number and can share a
 * context. */
size_t vocl_remote_devices(const struct vocl_found_device **devices);

/* Name of a device in the device list: its proxy, and its number there. */
struct vocl_device_name {
  uint32_t proxy, number;
};

/* Returns the device with this name, even if it is not shown to the program, or NULL if the list
 * has no such device. */
const struct vocl_found_device *vocl_remote_device_find(struct vocl_device_name name);

/* Moves everything that the program has on a device to another one. Returns 0, or a value of errno,
 * in which case nothing has changed. The function is called in a separate thread, at most once at a
 * time per session. */
struct vocl_move_report {
  uint64_t bytes; /* bytes of memory that were moved */
  char text[256]; /* a message without its full stop */
};
typedef int vocl_device_mover(struct vocl_device_name from, struct vocl_device_name to,
                              struct vocl_move_report *report);
/* Sets the function that handles move requests of proxies. */
void vocl_remote_set_mover(vocl_device_mover *mover);

/* Returns the devices that this process accesses itself, or none if its proxy must execute
 * everything. */
size_t vocl_local_devices(const struct vocl_found_device **devices);

/* Returns true if the session of the object is over. Once true, it stays true. */
bool vocl_remote_is_lost(const void *object);
/* Returns true if the vendor will certainly accept the command. */
bool vocl_remote_cannot_fail(const struct vocl_command *command);
/* Registers the fork handlers. Before a fork they take the locks of all sessions, so that no
 * thread is inside a critical section. A module that locks a session while it holds a lock of
 * its own must register its handlers after this call, because prepare handlers run in reverse
 * order. */
void vocl_remote_prepare_fork(void);
/* Called by the listener when its session is over. Must be set before the first session is
 * opened. */
extern void (*vocl_remote_lost_callback)(void);

/* The other functions correspond to those of executor.h, which has their comments. */
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
