/* Segments of lists for the kernels: selects those of one launch, and writes their table.
 *
 * device_agent.c       requests to the agents of node peers
 * device_arithmetic.c  the library's own kernels on slices of this process
 * device_region.c      regions with slices on devices
 * device_transfer.c    transfers between host memory and a slice, or within a device
 * segment_list.c       selects the segments of a launch and writes their table */
#pragma once

#include "device/device.h"

/* A position in a list. */
struct cwi_segments {
  const cw_vector *vector, *end;
  size_t segment;
  const struct cwi_device_slice *imported; /* the imported slice that contains the remote side; NULL
                                              if the remote side is in this process's slices */
};

static inline struct cwi_segments cwi_segments(const struct cwi_shape *shape,
                                               const struct cwi_device_slice *imported)
{
  return (struct cwi_segments){shape->vectors, shape->vectors + shape->vector_count, 0, imported};
}

/* Consecutive segments of a list whose remote sides are in one slice. One launch moves them. */
struct cwi_device_list {
  struct cwi_segments first;
  size_t segments, bytes;
  size_t run;    /* length of the longest segment */
  size_t grain;  /* greatest power of 2 that divides all lengths */
  bool ragged;   /* the lengths differ */
  bool together; /* the local sides are contiguous */
  char *local;   /* local address of the first segment */
  const struct cwi_device_slice *remote,
      *mine; /* slices of the two sides; `mine` is NULL if the local side is on the host */
};

/* Checks that the remote sides of all segments are in this process's slices. The list may be a part
 * of a longer one. `vector` and `segment` are its position in the longer list, for the error
 * message. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_list_check(const struct cwi_shape *shape, size_t vector,
                                           size_t segment);

/* Selects the next segments that one launch can move, stores them in *list, and advances *at.
 * list->segments is 0 if none are left. If `on_device`, the local sides are also in slices. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_list_next(struct cwi_segments *at, bool on_device,
                                          struct cwi_device_list *list);

/* Copy the local sides to or from list->bytes contiguous bytes. */
void cwi_device_list_pack(const struct cwi_device_list *list, char *packed);
void cwi_device_list_unpack(const struct cwi_device_list *list, const char *packed);

/* Writes the table, at most CWI_BATCH_SEGMENT bytes for each segment. Returns its length in
 * bytes. */
size_t cwi_device_list_table(const struct cwi_device_list *list, uint64_t *table);

/* Fills in *work, and the layout of the two sides in *remote and *local, but not their memories and
 * offsets. */
void cwi_device_list_work(const struct cwi_device_list *list, const uint64_t *table,
                          struct cwi_kernel_place *remote, struct cwi_kernel_place *local,
                          struct cwi_kernel_work *work);

/* Returns false only if no two remote segments overlap. May return true for segments that do not
 * overlap. */
bool cwi_device_list_overlaps(const struct cwi_device_list *list, const uint64_t *table);
