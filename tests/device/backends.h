/* What every back end must do: asked of one, on one process. backends.c has the list. */
#ifndef BACKENDS_H
#define BACKENDS_H

#include "kit/native.h"

#include "device/backend.h"

/* The one that is asked, its device, and what is known of that. */
extern const struct cwi_backend *back;
extern void *device;
extern cw_device_facts facts;

/* Wait for what the queue holds. */
void backends_finish(enum cwi_device_queue queue);

/* Contiguous bytes there and back again, waited for. */
void backends_write(void *memory, size_t offset, const void *bytes, size_t count);
void backends_read(void *memory, size_t offset, void *bytes, size_t count);

/* Fill with random bytes. */
void backends_random(void *bytes, size_t count);

void test_queues(void);
void test_launches(void);
void test_own_kernels(long rounds);

#endif
