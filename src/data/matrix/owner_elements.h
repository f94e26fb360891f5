/* The elements that one owner has of a patch: the contents of a message. Sender and receiver walk
 * over the same patch in the same order, so a message needs to describe only the patch. */
#pragma once

#include "array_access/portion.h"

/* A walk over the holders that may have elements of a selection, each holder once. */
struct cwi_owners {
  cw_array array;
  int64_t first[CW_MAX_DIMENSIONS], last[CW_MAX_DIMENSIONS], block[CW_MAX_DIMENSIONS];
  int holder; /* the current holder */
  bool done;
};

/* The selections given to the following functions must have steps of 1 and must not be empty. */
void cwi_owners_begin(struct cwi_owners *owners, const struct cwi_selection *selection);
void cwi_owners_next(struct cwi_owners *owners);

/* cwi_owns returns true if a holder has elements of the selection; cwi_owned_bytes returns their
 * size. */
bool cwi_owns(const struct cwi_selection *selection, int holder);
size_t cwi_owned_bytes(const struct cwi_selection *selection, int holder);

/* Copies the elements from the buffer to contiguous memory. Errors: CW_MISUSE (no memory is so
 * large). */
CWI_CHECKED cw_error cwi_owned_pack(const struct cwi_selection *selection, int holder, char *buffer,
                                    char *elements);

/* Adds alpha * elements to the buffer. If `alpha` is NULL, it is 1. Errors: as cwi_owned_pack. */
CWI_CHECKED cw_error cwi_owned_add(const struct cwi_selection *selection, int holder, char *buffer,
                                   const char *elements, const void *alpha);

/* Move the elements of a selection that this process owns: cwi_owned_move from or to a buffer with
 * the strides of the selection, cwi_owned_move_packed from or to contiguous memory. Errors: as
 * cwi_start_transfer. */
CWI_CHECKED cw_error cwi_owned_move(const struct cwi_selection *selection, cw_operation operation,
                                    const void *alpha, char *buffer);
CWI_CHECKED cw_error cwi_owned_move_packed(const struct cwi_selection *selection,
                                           cw_operation operation, const void *alpha,
                                           char *elements);
