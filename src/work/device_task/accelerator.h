/* The worker of a device: it keeps some tasks under way there, and waits for none alone. */
#ifndef CWI_DEVICE_TASK_ACCELERATOR_H
#define CWI_DEVICE_TASK_ACCELERATOR_H

#include "device_task/plan.h"

struct cwi_accelerator;
struct cwi_worker;

/* Take the memory of the pool's device, where there is one that a thread may drive. Errors:
 * CW_MISUSE (no device), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_accelerator_open(cw_tasks pool);
void cwi_accelerator_close(struct cwi_accelerator *accelerator);

/* Run tasks until the phase is over. In the worker's thread. */
void cwi_accelerator_work(struct cwi_worker *worker);

/* Constant patches are constant no longer. */
void cwi_accelerator_forget(struct cwi_accelerator *accelerator);

/* Could all patches of a task lie on the device at a time? */
bool cwi_accelerator_has_room(const struct cwi_accelerator *accelerator,
                              const struct cwi_needs *needs);
#endif
