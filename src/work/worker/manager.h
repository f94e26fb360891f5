/* Surviving pools on several nodes. All tasks are at process 0, the home of such teams
 * (team/home.h), in the private memory of a thread that is called the manager. The workers of all
 * members send it requests, each with a whole transaction: the tasks that a task has added and its
 * effects. The manager applies the transaction and gives the worker its next task. It has a copy of
 * each task that runs, and gives it to another worker if the process of the first one fails.
 *
 * manager.c           the manager
 * manager_requests.c  the requests of workers */
#pragma once

#include "base/error.h"
#include "worker/robust_queue.h"
#include "worker/task_queue.h"

#include <causeway/task.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cwi_manager_kind {
  CWI_MANAGER_PART = 0,   /* a part of the data of the next request */
  CWI_MANAGER_ADD = 1,    /* adds the tasks in the data */
  CWI_MANAGER_COMMIT = 2, /* commits the transaction in the data; the task continues */
  CWI_MANAGER_TAKE = 3, /* commits, ends the task if the worker runs one, and demands another one */
  CWI_MANAGER_CLEAR = 4 /* drops the tasks of this member */
};

/* An entry of a transaction. Its data follow, rounded up to 16 bytes. */
struct cwi_manager_entry {
  uint64_t to;     /* of an effect: offset in the zone of the process's node */
  uint64_t bytes;  /* of the data */
  int32_t process; /* of an effect, or one of the constants below */
  int32_t type, reduction;
  uint32_t padding;
};
enum {
  CWI_MANAGER_TASK = -1, /* the data are the slot of a task that is added */
  CWI_MANAGER_BODY = -2  /* the data are the slot that replaces the running task */
};

static inline size_t cwi_manager_entry_bytes(const struct cwi_manager_entry *entry)
{
  return sizeof *entry + (((size_t)entry->bytes + 15) & ~(size_t)15);
}

/* The box of a worker in the slice of process 0. */
enum { CWI_MANAGER_PART_BYTES = 16384 };
struct cwi_manager_request {
  int64_t posted; /* number of requests, incremented by notifications */
  int64_t padding[7];
  struct cwi_manager_request_head {
    uint32_t kind; /* enum cwi_manager_kind */
    uint32_t phase;
    uint64_t bytes;
  } head;
  int64_t padding2[6];
  char data[CWI_MANAGER_PART_BYTES];
};

/* The answer to a worker, in the slice of its process. The slot of the task follows. */
enum { CWI_MANAGER_MESSAGE = 448 };
struct cwi_manager_answer {
  int64_t answered; /* number of answers, incremented by notifications */
  int64_t padding[7];
  struct cwi_manager_answer_head {
    int32_t error; /* cw_error of the effects; the message is then valid */
    int32_t from;  /* process to whose queue the task was added, or -1 if there is no task */
    uint64_t dropped;
    uint64_t padding[2];
  } head;
  char message[CWI_MANAGER_MESSAGE];
};

/* The side of a worker. */
struct cwi_manager_client {
  struct cwi_manager_request *request; /* at process 0 */
  struct cwi_manager_answer *answer;
  int64_t requests;
  char *data; /* the present transaction */
  size_t used, capacity;
  uint64_t added;   /* tasks in it */
  double next_look; /* when to find out again if other workers have no tasks */
};

struct cwi_manager;
struct cwi_manager_pool {
  int boxes; /* of each member: its threads, and one for threads that run no task */
  struct cwi_manager_client *clients; /* [boxes] */
  struct cwi_manager *manager;        /* only at process 0 */
};

/* Return the addresses of parts of slices: the request and the answer of a box, and a word at
 * process 0 that is not 0 if workers have no tasks. */
struct cwi_manager_request *cwi_manager_request(const struct cwi_tasks *pool, int rank, int box);
struct cwi_manager_answer *cwi_manager_answer(const struct cwi_tasks *pool, int rank, int box);
uint64_t *cwi_manager_hungry(const struct cwi_tasks *pool);

/* The steps of a pool's creation. cwi_manager_pool_set_up starts the manager. cwi_manager_pool_stop
 * ends the manager, after which no member may send requests; cwi_manager_pool_discard does so, too,
 * and frees private memory. Errors: CW_OUTSIDE (memory, a thread). */
CWI_CHECKED cw_error cwi_manager_pool_take_memory(cw_tasks pool);
size_t cwi_manager_pool_slice_bytes(const struct cwi_tasks *pool);
CWI_CHECKED cw_error cwi_manager_pool_set_up(cw_tasks pool);
void cwi_manager_pool_stop(cw_tasks pool);
void cwi_manager_pool_discard(cw_tasks pool);

/* --- Requests ----------------------------------------------------------------------------------*/

/* Add a task or an effect on memory of a process to the present transaction. Return false if there
 * is no memory. cwi_manager_drop drops the transaction. */
bool cwi_manager_add(struct cwi_manager_client *client, struct cwi_slot_head head,
                     const void *body);
bool cwi_manager_log(struct cwi_manager_client *client, const struct cwi_robust_effect *effect,
                     int process);
void cwi_manager_drop(struct cwi_manager_client *client);

/* cwi_manager_publish commits tasks that were added while no task runs. cwi_manager_continue
 * commits the transaction of the running task, whose body becomes this one, and returns the error
 * of the effects. */
void cwi_manager_publish(struct cwi_manager_client *client);
CWI_CHECKED cw_error cwi_manager_continue(struct cwi_manager_client *client, const void *body,
                                          uint32_t bytes);

/* Commits the transaction, ends the running task if there is one, and waits for the next task of
 * the phase. *from receives the process to whose queue it was added, or -1 if the phase is over;
 * `body` receives the address of its body, which is valid until the next call. Returns the error of
 * the effects. */
CWI_CHECKED cw_error cwi_manager_take(struct cwi_manager_client *client, uint32_t phase, int *from,
                                      struct cwi_slot_head *head, const void **body);

/* Drops the tasks that wait in the queue of this member and returns their number. */
uint64_t cwi_manager_clear(struct cwi_manager_client *client);

/* Returns true if other workers have no tasks. Looks at most once in a millisecond, and returns
 * false in between. */
bool cwi_manager_wanted(cw_tasks pool, struct cwi_manager_client *client);
