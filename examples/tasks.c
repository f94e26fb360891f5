/* A queue of tasks in the memory of each process. A sender puts a task into a slot and then sets
 * the slot's flag. The view is ordered, so a process that sees the flag also sees the task, without
 * a flush between the two. A fetch-and-add distributes the slots. Each task adds two smaller ones
 * on other processes. */
#include <causeway.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1024, DEPTH = 7, ROOTS = 2 };

struct task {
  int64_t depth, seed;
};

struct queue {
  int64_t dealt; /* number of slots taken so far */
  int64_t done;  /* tasks finished by all processes; used on process 0 only */
  int64_t flags[SLOTS];
  struct task tasks[SLOTS];
};

static void push(cw_view view, struct queue *queue, int process, struct task task)
{
  static const int64_t one = 1;
  int64_t slot = 0;
  CW_MUST(cw_fetch_add_int64(&queue->dealt, 1, process, &slot));
  if (slot >= SLOTS)
    cw_abort("the queue is full", 1);
  CW_MUST(cw_view_put(view, &task, &queue->tasks[slot], sizeof task, process));
  CW_MUST(cw_view_put(view, &one, &queue->flags[slot], sizeof one, process));
  CW_MUST(cw_view_flush_local(
      view, process)); /* `task` and `one` must have been read before this function returns */
}

int main(int argc, char **argv)
{
  const int64_t one = 1, wanted = (int64_t)ROOTS * ((2 << DEPTH) - 1);
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), all = cw_processes();

  cw_region region = NULL;
  cw_view plain = NULL, view = NULL;
  void **queues = malloc((size_t)all * sizeof(void *));
  CW_MUST(cw_region_create(cw_team_world(), sizeof(struct queue), &region, queues));
  struct queue *mine = queues[me], *first = queues[0];
  for (int slot = 0; slot < SLOTS; slot++)
    mine->flags[slot] = 0;
  mine->dealt = mine->done = 0;
  CW_MUST(cw_view_of(region, &plain));
  CW_MUST(cw_view_dup(plain, &(cw_view_settings){.ordered = true}, &view));
  CW_MUST(cw_barrier(cw_team_world()));

  if (me == 0)
    for (int64_t root = 0; root < ROOTS; root++)
      push(view, first, 0, (struct task){DEPTH, root});

  int64_t ran = 0, done = 0;
  while (done < wanted) {
    int64_t ready = 0;
    CW_MUST(cw_get(&ready, &mine->flags[ran], sizeof ready, me));
    if (ready) {
      const struct task task = mine->tasks[ran++];
      for (int64_t child = 0; child < 2 && task.depth > 0; child++) {
        const struct task smaller = {task.depth - 1, task.seed * 2 + child + 1};
        const int process = (int)((uint64_t)smaller.seed * 2654435761u % (unsigned)all);
        push(view, queues[process], process, smaller);
      }
      CW_MUST(cw_view_fetch_op(view, CW_INT64, CW_SUM, &one, &first->done, 0, NULL));
    } else { /* nothing to do: check if all tasks are finished */
      CW_MUST(cw_fetch_add_int64(&first->done, 0, 0, &done));
    }
    cw_progress();
  }

  CW_MUST(cw_view_flush_all(view));
  CW_MUST(cw_barrier(cw_team_world()));
  int64_t mine_and_others = ran;
  CW_MUST(cw_allreduce(cw_team_world(), CW_TYPE_OF(&mine_and_others), CW_SUM, 1, &mine_and_others));
  if (me == 0)
    printf("%d processes ran %ld tasks, this one %ld\n", all, (long)mine_and_others, (long)ran);
  CW_MUST(cw_view_free(&view));
  CW_MUST(cw_view_free(&plain));
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(queues);
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return mine_and_others == wanted ? 0 : 1;
}
