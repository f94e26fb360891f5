/* Does a device have all that another one has? What a program was told of a device stays true.
 *
 * device_compare.c   does a device have all that another one has?
 * device_move.c      what is on a device goes on on another one
 * move_execute.c     commands that a move gives to a device and waits for, and the errors that it
 *                    reports
 * move_recreate.c    what is there is made again
 * replicated_make.c  makes objects, by sort */
#ifndef VOCL_MIGRATE_DEVICE_COMPARE_H
#define VOCL_MIGRATE_DEVICE_COMPARE_H

#include "executor/executor.h"

    /* NULL: it has; else what it lacks, for a sentence: "it has less memory". */
    const char *vocl_device_lacks(const struct vocl_facts *given, const struct vocl_facts *other);

/* Is it the same product with the same driver, so that a binary of one is one of the other? */
bool vocl_device_is_same_product(const struct vocl_facts *given, const struct vocl_facts *other);
#endif
