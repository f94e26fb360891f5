/* Compares devices. A move needs a device that has everything that the old one has, so that the
 * facts that a program has queried stay true.
 *
 * device_compare.c   compares the facts of devices
 * device_move.c      moves what a program has on a device to another one
 * move_execute.c     commands that a move executes and waits for, and the errors that it reports
 * move_recreate.c    makes the objects again on the new device
 * replicated_make.c  makes objects, by sort */
#pragma once

#include "executor/executor.h"

/* Returns NULL if `other` has everything that `given` has, otherwise what it lacks, as part
 * of a message: "it has less memory". */
const char *vocl_device_lacks(const struct vocl_facts *given, const struct vocl_facts *other);

/* Returns true if it is the same product with the same driver, so that both accept the same
 * binaries. */
bool vocl_device_is_same_product(const struct vocl_facts *given, const struct vocl_facts *other);
