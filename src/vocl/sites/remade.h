/* A move's middle and end: what is on a device is made again with another one, at first beside the
 * old, and takes its places. */
#ifndef CWI_SITES_REMADE_H
#define CWI_SITES_REMADE_H

#include "sites/site.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A context that has the device, and what there is in it. */
struct cwi_moving_context {
  struct cwi_sited_context *context;
  struct cwi_sited **members;
  size_t count;
  uint32_t leaving;  /* sites that move, as bits */
  bool is_closed;    /* its gate */
  bool has_contents; /* so that its memory can be delivered, or will have to be */
};

/* A device of such a context that does its work by the one that is left. */
struct cwi_moving_device {
  struct cwi_moving_context *in;
  struct cwi_site_device *device;
  uint32_t site; /* before */
  uint32_t away; /* where the new copies are, and then the old ones */
  bool is_alone; /* at its site, which it takes with it; else it gets one of its own */
  bool is_away;
  struct cwi_sited_queue *courier; /* for those that stay at the site, if it takes theirs along */
};

struct cwi_move {
  const struct cwi_found_device *from, *to;
  struct cwi_move_report *report;
  double until; /* waiting ends */
  struct cwi_sited_context **all;
  size_t all_count;
  struct cwi_moving_context *contexts;
  size_t context_count;
  struct cwi_moving_device *devices;
  size_t device_count;
};

/* The report's sentence; the value of errno, which is returned. */
int cwi_move_say(const struct cwi_move *move, int code, const char *sentence);
/* The same with OpenCL's code; EIO. */
int cwi_move_say_code(const struct cwi_move *move, const char *sentence, cl_int code);
void cwi_move_nap(void);
/* Give the command to a device, and wait for its end as long as the move may. Returns 0, or a value
 * of errno with one of these sentences. */
int cwi_move_perform(const struct cwi_move *move, const struct cwi_command *given,
                     const char *refused, const char *late);

/* Might others that have to do something yet need what is lost with a site? */
bool cwi_moving_is_needed(const struct cwi_moving_device *each);
/* Make all again; nothing has changed for the program. Returns 0, or a value of errno. */
int cwi_moving_make(const struct cwi_move *move, struct cwi_moving_device *each);
/* It takes the places; nothing can go wrong any more. */
void cwi_moving_settle(const struct cwi_move *move, struct cwi_moving_device *each);
/* The old go, or those that did not take their places. */
void cwi_moving_clear(const struct cwi_move *move, struct cwi_moving_device *each);

#ifdef __cplusplus
}
#endif
#endif
