/* A move's middle and end: what is on a device is made again with another one, at first beside the
 * old, and takes its places. */
#ifndef VOCL_MIGRATE_MOVE_RECREATE_H
#define VOCL_MIGRATE_MOVE_RECREATE_H

#include "replica/replicated.h"

/* A context that has the device, and what there is in it. */
struct vocl_move_context {
  struct vocl_replicated_context *context;
  struct vocl_replicated **members;
  size_t count;
  uint32_t leaving;  /* locations that move, as bits */
  bool is_closed;    /* its gate */
  bool has_contents; /* so that its memory can be delivered, or will have to be */
};

/* A device of such a context that does its work by the one that is left. */
struct vocl_move_device {
  struct vocl_move_context *in;
  struct vocl_device_binding *device;
  uint32_t location; /* before */
  uint32_t spare;    /* where the new replicas are, and then the old ones */
  bool is_alone;     /* at its location, which it takes with it; else it gets one of its own */
  bool is_away;
  struct vocl_replicated_queue
      *transfer_queue; /* for those that stay at the location, if it takes theirs along */
};

struct vocl_device_move {
  const struct vocl_found_device *from, *to;
  struct vocl_move_report *report;
  double until; /* waiting ends */
  struct vocl_replicated_context **all;
  size_t all_count;
  struct vocl_move_context *contexts;
  size_t context_count;
  struct vocl_move_device *devices;
  size_t device_count;
};

/* The report's sentence; the value of errno, which is returned. */
int vocl_move_report_error(const struct vocl_device_move *move, int code, const char *sentence);
/* The same with OpenCL's code; EIO. */
int vocl_move_report_code(const struct vocl_device_move *move, const char *sentence, cl_int code);
void vocl_move_sleep(void);
/* Give the command to a device, and wait for its end as long as the move may. Returns 0, or a value
 * of errno with one of these sentences. */
int vocl_move_execute(const struct vocl_device_move *move, const struct vocl_command *given,
                      const char *rejected, const char *late);

/* Might others that have to do something yet need what is lost with a location? */
bool vocl_move_needs_source(const struct vocl_move_device *each);
/* Make all again; nothing has changed for the program. Returns 0, or a value of errno. */
int vocl_move_recreate(const struct vocl_device_move *move, struct vocl_move_device *each);
/* It takes the places; nothing can go wrong any more. */
void vocl_move_commit(const struct vocl_device_move *move, struct vocl_move_device *each);
/* The old go, or those that did not take their places. */
void vocl_move_clean_up(const struct vocl_device_move *move, struct vocl_move_device *each);
#endif
