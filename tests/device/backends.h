/* Tests that every back end must pass, run for one of them on one process. backends.c has the list.
 * */
#pragma once

#include "kit/native.h"

#include "device/backend.h"

/* The tested back end, its device, and the device's properties. */
extern const struct cwi_backend *back;
extern void *device;
extern cw_device_facts facts;

/* Waits for all commands in the queue. */
void backends_finish(enum cwi_device_queue queue);

/* Write and read contiguous bytes and wait. */
void backends_write(void *memory, size_t offset, const void *bytes, size_t count);
void backends_read(void *memory, size_t offset, void *bytes, size_t count);

/* Fills memory with random bytes. */
void backends_random(void *bytes, size_t count);

void test_queues(void);
void test_launches(void);
void test_own_kernels(long rounds);
