/* Errors of the program: one sentence, kept until process 0 prints it.
 *
 * Input is read by process 0 and broadcast, so all processes parse the same text, meet the same
 * error and leave together. A function that can fail returns false after it called error_set.
 */
#ifndef SCF_ERROR_H
#define SCF_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/** Keeps the sentence; returns false always, so that a caller can `return error_set(...)`. */
bool error_set(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The sentence kept by the last error_set, or an empty string. */
const char *error_text(void);

/** Zeroed memory for `count` items of `size` bytes; ends the job when there is none. */
void *memory_allocate(size_t count, size_t size) __attribute__((returns_nonnull));

#endif
