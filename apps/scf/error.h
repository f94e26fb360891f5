/* Errors of the program. A message is kept until process 0 prints it.
 *
 * Input is read by process 0 and broadcast, so all processes parse the same text, find the same
 * error and stop together. A function that can fail calls error_set and returns false. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Stores a message. Always returns false, so that a caller can `return error_set(...)`. */
bool error_set(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Returns the message of the last error_set, or an empty string. */
const char *error_text(void);

/** Allocates zeroed memory for `count` items of `size` bytes. Ends the job if there is none. */
void *memory_allocate(size_t count, size_t size) __attribute__((returns_nonnull));
