/* Getting elements of a source that this process cannot load, part by part. */
#ifndef CWI_ARITHMETIC_OPERAND_FETCH_H
#define CWI_ARITHMETIC_OPERAND_FETCH_H

#include "arithmetic/operate.h"

/* Which indices of a source belong to the positions of a space. Not of reshaped ones. */
void cwi_source_ranges(const struct cwi_source *source, const struct cwi_space *space,
                       struct cwi_range *ranges);

/* Let a channel of the space move along the source's dimensions by these strides. */
void cwi_source_follow(const struct cwi_source *source, struct cwi_space *space, int channel,
                       const ptrdiff_t *strides);

/* Bytes of a buffer. */
size_t cwi_fetch_bytes(const struct cwi_operation *operation);

/* How large the parts of a space are, so that a buffer holds what each source has of one. counts:
 * [dimensions] receives positions. */
void cwi_fetch_partition(const struct cwi_operation *operation, const bool *fetched,
                         const struct cwi_space *space, int64_t *counts);

/* Start to get what belongs to a part into a buffer, and let its channel find it there. */
CWI_CHECKED cw_error cwi_fetch_start(const struct cwi_operation *operation, int channel,
                                     struct cwi_space *part, char *buffer, cw_handle *handle);

/* Start to get it into the target itself, if one transfer can do that. started: receives whether.
 */
CWI_CHECKED cw_error cwi_fetch_into_target(const struct cwi_operation *operation,
                                           const struct cwi_space *space, cw_handle *handle,
                                           bool *started);
#endif
