/* A random program of OpenCL 1.2 calls, whose log is the same wherever its device is.
 *
 * random.c          the program: its steps, what it has under way, when it settles
 * random_memory.c   buffers, parts of buffers, and commands on them
 * random_image.c    images and commands on them
 * random_launch.c   programs, kernels, their arguments and launches
 * random_wrong.c    calls with wrong arguments
 *
 * The program has no races by design. A command waits for all earlier commands that write what it
 * uses, or that use what it writes. It does so by events, by the order of its queue, or by a
 * barrier, as the specification requires. */
#pragma once

#include "vocl.h"

#include <pthread.h>
#include <stdio.h>

enum { QUEUES = 3, MEMORIES = 10, KERNELS = 7, COMMANDS = 160, USER_EVENTS = 16 };

/* A command that may be in progress. */
struct command {
  cl_event event; /* NULL if the program requested none */
  int queue;
};

/* Commands that use a buffer and its parts. */
struct past {
  int writer; /* number of a command, or -1 */
  int readers[COMMANDS];
  int reader_count;
  bool mapped;
};

struct memory {
  cl_mem handle; /* NULL if the place is free */
  struct past *past;
  size_t size;
  size_t part;          /* a part's offset in its buffer */
  size_t width, height; /* of an image, whose pixels have 4 bytes */
  bool is_image, is_part;
  bool kernels_read, kernels_write, hosts_use;
  char *host;   /* of CL_MEM_USE_HOST_PTR */
  char *mapped; /* the part that is still mapped, or NULL */
};

/* The result of a nonblocking read, or an expected callback. */
struct expected {
  void *bytes;
  size_t size;
  long step;
};

struct random_queue {
  cl_command_queue handle;
  bool in_order, profiling;
  int barrier; /* commands up to this one are done before any that comes */
};

/* A thread that sets user events. */
struct setter {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t change;
  cl_event user_events[USER_EVENTS];
  int count;
  bool end;
};

enum { DEVICES = 2 };

struct random_program {
  uint64_t state;
  long step;
  char *text;
  size_t length;
  FILE *log;
  cl_device_id device, devices[DEVICES]; /* device: the first */
  cl_uint device_count;
  cl_context context;
  struct random_queue queues[QUEUES];
  struct memory memories[MEMORIES];
  cl_program program;
  cl_kernel kernels[KERNELS];
  struct command commands[COMMANDS];
  int command_count;
  struct expected reads[COMMANDS];
  int read_count;
  cl_event held[USER_EVENTS]; /* user events that the setter does not have yet */
  int held_count;
  cl_event opened[COMMANDS]; /* user events that commands may name */
  int opened_count;
  struct setter setter;
  int callbacks_due, callbacks; /* the second is counted by other threads */
  void *short_lived[2 * COMMANDS], *long_lived[1000];
  int short_count, long_count;
};

/* Returns a random number in 0 .. count - 1. */
size_t draw(struct random_program *run, size_t count);
bool chance(struct random_program *run, int percent);
/* Returns a random number in 0 .. most, mostly a small one. */
size_t draw_size(struct random_program *run, size_t most);

/* Writes a line of the log: the call and its code. */
void log_call(struct random_program *run, cl_int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
uint64_t sum_of(const void *bytes, size_t size);

/* Return memory with random contents, which is freed when no command is in progress, or at the end.
 */
char *short_memory(struct random_program *run, size_t size);
char *long_memory(struct random_program *run, size_t size);

/* The memory that a command uses, and its arguments. */
struct use {
  struct memory *memory;
  bool writes;
};
struct ordered {
  struct random_queue *queue;
  cl_uint count;
  cl_event waits[COMMANDS + USER_EVENTS];
  cl_event event;
  cl_event *wanted;      /* &event, or NULL */
  const cl_event *given; /* waits, or NULL */
  cl_bool blocking;
  struct use uses[4];
  int use_count;
};
/* Chooses a queue and the events to wait for. `uses` ends with an entry without memory. */
void order_begin(struct random_program *run, struct ordered *ordered, const struct use *uses);
/* Records that the command was enqueued, or rejected. */
void order_end(struct random_program *run, struct ordered *ordered, cl_int code);

/* Called before the program blocks. Lets the setter set the user events for which the program could
 * wait. */
void let_go(struct random_program *run);
/* Waits for all commands in progress, and logs their results. */
void settle(struct random_program *run);

/* Returns a memory object that is not mapped, or NULL if there is none. */
struct memory *any_buffer(struct random_program *run);
struct memory *any_image(struct random_program *run);
struct memory *free_place(struct random_program *run);
void forget_memory(struct random_program *run, struct memory *memory);
/* Rows of mapped memory, which are read, perhaps changed, and unmapped now or later. */
struct mapped {
  cl_map_flags flags;
  char *place;
  size_t row, rows, pitch;
};
void use_mapped(struct random_program *run, struct memory *memory, const struct mapped *mapped);
void unmap(struct random_program *run, struct memory *memory);
/* Records the result that a read must have. */
void expect_read(struct random_program *run, const struct ordered *ordered, cl_int code,
                 void *bytes, size_t size);

void buffer_steps(struct random_program *run);
void image_steps(struct random_program *run);
void launch_steps(struct random_program *run);
void wrong_steps(struct random_program *run);
void kernels_begin(struct random_program *run);
void kernels_end(struct random_program *run);
