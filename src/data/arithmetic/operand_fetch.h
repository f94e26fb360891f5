/* Gets elements of a source that this process cannot load, part by part. */
#pragma once

#include "arithmetic/operate.h"

/* Computes the indices of a source that correspond to the positions of a space. The source must not
 * be reshaped. */
void cwi_source_ranges(const struct cwi_source *source, const struct cwi_space *space,
                       struct cwi_range *ranges);

/* Sets the strides of a channel of the space. strides: those of the source's dimensions. */
void cwi_source_follow(const struct cwi_source *source, struct cwi_space *space, int channel,
                       const ptrdiff_t *strides);

/* Returns the size of a buffer in bytes. */
size_t cwi_fetch_bytes(const struct cwi_operation *operation);

/* Computes the size of the parts into which a space is divided, so that the elements of one part of
 * any fetched source fit into a buffer. counts: [dimensions] receives the numbers of positions. */
void cwi_fetch_partition(const struct cwi_operation *operation, const bool *fetched,
                         const struct cwi_space *space, int64_t *counts);

/* Starts to get the elements of a part into a buffer, and sets the channel of the part to the
 * buffer. */
CWI_CHECKED cw_error cwi_fetch_start(const struct cwi_operation *operation, int channel,
                                     struct cwi_space *part, char *buffer, cw_handle *handle);

/* Starts to get the elements into the target itself, if one transfer can do that. Sets *started to
 * true if it has done so, otherwise to false. */
CWI_CHECKED cw_error cwi_fetch_into_target(const struct cwi_operation *operation,
                                           const struct cwi_space *space, cw_handle *handle,
                                           bool *started);
