/* What members of a team tell each other when they have done something alone. */
#ifndef CWI_FILE_VERDICT_H
#define CWI_FILE_VERDICT_H

#include "base/check.h"
#include "team/agreed.h"
#include "team/team.h"

#include <causeway/array.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The error of the lowest rank that has one, with its sentence, on all members. Collective. mine:
 * how it went here. */
CWI_CHECKED cw_error cwi_verdict(cw_team team, cw_error mine);

/* The same; and where all is well: have all members the same `print`?
 * list: of what, to say which differs; given by all whose own error is CW_OK. */
CWI_CHECKED cw_error cwi_verdict_same(cw_team team, cw_error mine, uint64_t print,
                                      const struct cwi_agreed *list);

/* Synchronise the array's team, and have a verdict on that. Where MPI refuses it the members no
 * longer hear each other, and each one returns at once. Collective. */
CWI_CHECKED cw_error cwi_verdict_sync(cw_array array);

/* A number for a text, and for those before it. */
uint64_t cwi_print_text(uint64_t print, const char *text);

#ifdef __cplusplus
}
#endif
#endif
