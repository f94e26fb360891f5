/* Distributes tasks by a shared counter. A process that has finished a task draws the next number.
 * The most expensive tasks come first and the last ones are short, so that all processes finish
 * together. */
#include "error.h"
#include "work.h"

#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

struct counter {
  const struct work_list *list;
  int array; /* handle of a global array of one long */
};

static void *counter_create(const struct work_list *list)
{
  struct counter *counter = memory_allocate(1, sizeof *counter);
  int one = 1, any = -1;
  counter->list = list;
  counter->array = NGA_Create(C_LONG, 1, &one, (char *)"task counter", &any);
  if (!counter->array)
    GA_Error((char *)"scf: no memory for the task counter", 1);
  return counter;
}

static long task_draw(const struct counter *counter, double *seconds)
{
  int first = 0;
  double start = GA_Wtime();
  long task = NGA_Read_inc(counter->array, &first, 1);
  *seconds += GA_Wtime() - start;
  return task;
}

static void counter_run(void *work, struct work_cost *cost)
{
  const struct counter *counter = work;
  const struct work_list *list = counter->list;
  double start = GA_Wtime();
  GA_Zero(counter->array);
  *cost = (struct work_cost){.draw = GA_Wtime() - start};
  long task;
  while ((task = task_draw(counter, &cost->draw)) < list->count)
    list->run(list->context, task);
}

static void counter_destroy(void *work)
{
  struct counter *counter = work;
  GA_Destroy(counter->array);
  free(counter);
}

const struct work_source work_counter = {"counter", counter_create, counter_run, counter_destroy};
