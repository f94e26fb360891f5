/* Parts of a program whose device is moved while it runs.
 *
 * moving.c        what the program repeats
 * moving_calls.c  callbacks that make calls
 * moving_hold.c   objects that exist during a move, and objects that prevent it */
#pragma once

#include "vocl.h"

enum { NUMBERS = 1 << 14, BYTES = NUMBERS * (int)sizeof(cl_uint), WIDTH = 64, HEIGHT = 48 };

extern cl_device_id migrant_devices[2]; /* equal if there is only one device */
extern cl_uint migrant_device_count;

/* Objects of a thread. */
struct world {
  cl_context context;
  cl_command_queue queue, next; /* in order; of the device in use, and of the next one */
  cl_command_queue other;       /* of the last device */
  cl_program program;
  cl_kernel step_kernel, add, paint;
  cl_mem a, b, part, image;
  cl_uint model_a[NUMBERS], model_b[NUMBERS], got[NUMBERS];
  cl_uint painted;
  unsigned callbacks, wanted;
};

/* Prints the line that the program has begun, once. */
void migrant_print_begun(void);
/* Chooses the devices: "0", or "0+1". */
void migrant_choose(const char *numbers);
/* Return true if the program is to continue: its input has not ended within that time, or fewer
 * than `rounds` rounds are done. */
bool migrant_input_is_open(int milliseconds);
bool migrant_continues(long round, long rounds);

void migrant_world_begin(struct world *w);
void migrant_world_end(struct world *w);
cl_command_queue migrant_queue(struct world *w, cl_device_id on, cl_command_queue_properties flags);
cl_kernel migrant_kernel(struct world *w, const char *name);
void migrant_set(cl_kernel kernel, cl_uint index, size_t size, const void *value);
void migrant_launch(cl_command_queue on, cl_kernel kernel, size_t items, cl_event *event);
/* Launches the kernel with one work item. */
void migrant_launch_spin(cl_command_queue on, cl_kernel spin, cl_event *event);
/* Checks that the read numbers equal the model's. */
void migrant_compare(const struct world *w, const cl_uint *model, const char *what, long round);
/* Rotates all numbers of `a`, or half of them. */
void migrant_step_numbers(struct world *w, cl_uint b, bool half);
/* Makes later commands go to the other device, ordered after the earlier ones. */
void migrant_step_over(struct world *w);

void migrant_calls(long rounds);
void migrant_replies(long rounds);
void migrant_hold(const char *what);
