/* The worker of a device. It keeps several tasks in progress and never blocks on one of them. */
#pragma once

#include "device_task/plan.h"

struct cwi_accelerator;
struct cwi_worker;

/* Allocates memory on the pool's device, if there is one and MPI allows a thread to drive it.
 * Errors: CW_MISUSE (no device), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_accelerator_open(cw_tasks pool);
void cwi_accelerator_close(struct cwi_accelerator *accelerator);

/* Runs tasks until the phase is over. Called in the worker's thread. */
void cwi_accelerator_work(struct cwi_worker *worker);

/* Drops the cached constant patches, because their arrays may change after the phase. */
void cwi_accelerator_forget(struct cwi_accelerator *accelerator);

/* Returns true if all patches of a task fit into the device memory together. */
bool cwi_accelerator_has_space(const struct cwi_accelerator *accelerator,
                               const struct cwi_needs *needs);
