/* What one owner has of a patch: the elements of a message. Who sends them and who receives them
 * walk over the same patch, in the same order: a message needs to say no more than which it is. */
#ifndef CWI_MATRIX_OWNER_ELEMENTS_H
#define CWI_MATRIX_OWNER_ELEMENTS_H

#include "array_access/portion.h"

/* Who may have something of a selection, each holder once. */
struct cwi_owners {
  cw_array array;
  int64_t first[CW_MAX_DIMENSIONS], last[CW_MAX_DIMENSIONS], block[CW_MAX_DIMENSIONS];
  int holder; /* the present one */
  bool done;
};

/* From here on selections have steps of 1, and are not empty. */
void cwi_owners_begin(struct cwi_owners *owners, const struct cwi_selection *selection);
void cwi_owners_next(struct cwi_owners *owners);

/* Has a holder any of a selection, and how many bytes? */
bool cwi_owns(const struct cwi_selection *selection, int holder);
size_t cwi_owned_bytes(const struct cwi_selection *selection, int holder);

/* Copy them from the buffer, one behind the other. Errors: CW_MISUSE (no memory is so large). */
CWI_CHECKED cw_error cwi_owned_pack(const struct cwi_selection *selection, int holder, char *buffer,
                                    char *elements);

/* buffer += alpha * elements, for those; alpha NULL: 1. Errors as above. */
CWI_CHECKED cw_error cwi_owned_add(const struct cwi_selection *selection, int holder, char *buffer,
                                   const char *elements, const void *alpha);

/* Move what this process has of a selection, from or to a buffer or elements as above. strides of
 * the selection count only for a buffer. Errors as cwi_start_transfer. */
CWI_CHECKED cw_error cwi_owned_move(const struct cwi_selection *selection, cw_operation operation,
                                    const void *alpha, char *buffer);
CWI_CHECKED cw_error cwi_owned_move_packed(const struct cwi_selection *selection,
                                           cw_operation operation, const void *alpha,
                                           char *elements);
#endif
