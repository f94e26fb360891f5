/* Counts the ways to place N queens on a board of N x N so that no queen attacks another. A task is
 * a board whose first rows are filled. It adds a task for each free place in the next row. From row
 * 3 on a task searches alone, so that it is large enough to be worth moving. Processes without
 * tasks steal from others; the program does not distribute the work. */
#include <causeway.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS_OF_TASKS = 3, MOST = 14 };

/* Masks of attacked places; bit i is column i of the next row. */
struct board {
  uint32_t columns, left, right; /* attacked along a column and along the two diagonals */
  int32_t row;
};

struct search {
  int queens;
  int64_t found; /* by the tasks of this process */
};

static uint32_t free_places(const struct search *search, const struct board *board)
{
  return ((1u << search->queens) - 1) & ~(board->columns | board->left | board->right);
}

static struct board with_queen(const struct board *board, uint32_t place)
{
  return (struct board){board->columns | place, (board->left | place) << 1,
                        (board->right | place) >> 1, board->row + 1};
}

static int64_t count(const struct search *search, const struct board *board)
{
  int64_t found = board->row == search->queens;
  for (uint32_t places = free_places(search, board); places != 0; places &= places - 1) {
    const struct board next = with_queen(board, places & -places);
    found += count(search, &next);
  }
  return found;
}

/* The function of the task class. It runs on the process that has the task. */
static cw_error extend(const cw_task *task, void *argument)
{
  struct search *search = argument; /* that of this process, also for a stolen task */
  const struct board *board = task->body;
  if (board->row >= ROWS_OF_TASKS) {
    search->found += count(search, board);
    return CW_OK;
  }
  for (uint32_t places = free_places(search, board); places != 0; places &= places - 1) {
    const struct board next = with_queen(board, places & -places);
    CW_MUST(cw_tasks_add(task->pool, task->number, &next, sizeof next));
  }
  return CW_OK;
}

int main(int argc, char **argv)
{
  static const int64_t right[MOST + 1] = {1,  1,   0,   0,    2,     10,    4,     40,
                                          92, 352, 724, 2680, 14200, 73712, 365596};
  struct search search = {.queens = argc > 1 ? atoi(argv[1]) : 12};
  int level = 0, board = 0; /* board: number of the task class */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  if (search.queens < 1 || search.queens > MOST)
    cw_abort("the number of queens may be 1 to 14", 1);

  cw_tasks pool = NULL;
  CW_MUST(
      cw_tasks_create(cw_team_world(), &(cw_tasks_options){.body = sizeof(struct board)}, &pool));
  CW_MUST(cw_tasks_register(pool, "board", extend, &search, &board));
  if (cw_process() == 0) /* the first task, from which all others follow */
    CW_MUST(cw_tasks_add(pool, board, &(struct board){0}, sizeof(struct board)));
  CW_MUST(cw_tasks_process(pool)); /* returns when no task is left on any process */

  cw_tasks_counts counts;
  CW_MUST(cw_tasks_statistics(pool, &counts));
  printf("process %d ran %ld tasks, and has stolen %ld\n", cw_process(), (long)counts.executed,
         (long)(counts.near_stolen + counts.far_stolen));
  CW_MUST(cw_tasks_free(&pool));
  int64_t found = search.found;
  CW_MUST(cw_allreduce(cw_team_world(), CW_TYPE_OF(&found), CW_SUM, 1, &found));
  if (cw_process() == 0)
    printf("%d queens: %ld ways\n", search.queens, (long)found);
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return found == right[search.queens] ? 0 : 1;
}
