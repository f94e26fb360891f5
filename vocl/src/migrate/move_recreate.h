/* Middle and end of a move. The replicas on a device are made again with another device. At first
 * they exist beside the old replicas, and then replace them. */
#pragma once

#include "command/command_submit.h"

/* A context that has the device, and its objects. */
struct vocl_move_context {
  struct vocl_replicated_context *context;
  struct vocl_replicated **members;
  size_t count;
  uint32_t leaving;  /* bit mask of the locations that move */
  bool is_closed;    /* it is frozen */
  bool has_contents; /* range tracking was begun by the move */
};

/* A device as the program knows it, whose work is done by the device from which the move starts. */
struct vocl_move_device {
  struct vocl_move_context *in;
  struct vocl_device_binding *device;
  uint32_t location; /* location before the move */
  uint32_t spare;    /* location of the new replicas, and after the commit of the old ones */
  bool is_alone;     /* it is alone at its location and keeps it; otherwise it gets a new one */
  bool is_away;
  struct vocl_replicated_queue *transfer_queue; /* new queue for transfers of the devices that stay,
                                                   if the device that moves takes theirs along */
};

struct vocl_device_move {
  const struct vocl_found_device *from, *to;
  struct vocl_move_report *report;
  double until; /* time at which all waits end */
  struct vocl_replicated_context **all;
  size_t all_count;
  struct vocl_move_context *contexts;
  size_t context_count;
  struct vocl_move_device *devices;
  size_t device_count;
};

/* Stores the message in the report and returns `code`, a value of errno. */
int vocl_move_report_error(const struct vocl_device_move *move, int code, const char *message);
/* Stores the message with OpenCL's code in the report and returns EIO. */
int vocl_move_report_code(const struct vocl_device_move *move, const char *message, cl_int code);
void vocl_move_sleep(void);
/* Executes a command and waits for it until the move's time is over. Returns 0, or a value of
 * errno after storing one of the two messages. */
int vocl_move_execute(const struct vocl_device_move *move, const struct vocl_command *given,
                      const char *rejected, const char *late);

/* Returns true if unfinished commands of other devices may need the data at the location. */
bool vocl_move_needs_source(const struct vocl_move_device *each);
/* Recreates everything at the spare location; nothing has changed for the program. Returns 0, or
 * a value of errno. */
int vocl_move_recreate(const struct vocl_device_move *move, struct vocl_move_device *each);
/* Replaces the old replicas by the new ones. Cannot fail. */
void vocl_move_commit(const struct vocl_device_move *move, struct vocl_move_device *each);
/* Drops the old replicas after a commit, or the new ones after a failure. */
void vocl_move_clean_up(const struct vocl_device_move *move, struct vocl_move_device *each);
