/* Segments of lists, for the kernels: which go in one launch, and the table that says where each
 * of them begins.
 *
 * device_agent.c       requests to the agents of node peers
 * device_arithmetic.c  the library's own kernels on slices of mine
 * device_region.c      regions with slices on devices
 * device_transfer.c    a transfer between host memory and a slice of mine, or within a device
 * segment_list.c       segments of lists: which go together, and their table */
#ifndef CWI_DEVICE_TRANSFER_SEGMENT_LIST_H
#define CWI_DEVICE_TRANSFER_SEGMENT_LIST_H

#include "device/device.h"

/* A position in a list. */
struct cwi_segments {
  const cw_vector *vector, *end;
  size_t segment;
  const struct cwi_device_slice *imported; /* that has the remote side; NULL: slices of mine have */
};

static inline struct cwi_segments cwi_segments(const struct cwi_shape *shape,
                                               const struct cwi_device_slice *imported)
{
  return (struct cwi_segments){shape->vectors, shape->vectors + shape->vector_count, 0, imported};
}

/* Segments behind each other in a list, whose remote side lies in one slice. */
struct cwi_device_list {
  struct cwi_segments first;
  size_t segments, bytes;
  size_t run;    /* of the longest */
  size_t grain;  /* all lengths are multiples of this power of 2 */
  bool ragged;   /* lengths differ */
  bool together; /* on the local side they lie one behind the other */
  char *local;   /* the first */
  const struct cwi_device_slice *remote, *mine; /* mine: of the local side; NULL: on the host */
};

/* Are all segments in slices of mine? Those before are not counted in what the error says: segments
 * of the first vector, and vectors. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_list_check(const struct cwi_shape *shape, size_t vector,
                                           size_t segment);

/* The next ones, as many as may go together; none: segments is 0. on_device: so is the local side.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_list_next(struct cwi_segments *at, bool on_device,
                                          struct cwi_device_list *list);

/* The local side <-> list->bytes bytes. */
void cwi_device_list_pack(const struct cwi_device_list *list, char *packed);
void cwi_device_list_unpack(const struct cwi_device_list *list, const char *packed);

/* Write the table, at most CWI_BATCH_SEGMENT bytes for each segment. Returns its bytes. */
size_t cwi_device_list_table(const struct cwi_device_list *list, uint64_t *table);

/* What kernels have to know of it, beside memories and offsets. */
void cwi_device_list_work(const struct cwi_device_list *list, const uint64_t *table,
                          struct cwi_kernel_place *remote, struct cwi_kernel_place *local,
                          struct cwi_kernel_work *work);

/* May remote segments have a byte in common? Never says no when the answer is yes. */
bool cwi_device_list_overlaps(const struct cwi_device_list *list, const uint64_t *table);
#endif
