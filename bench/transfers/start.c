/* Measures what a start costs. A job starts, meets at barriers, makes an array, puts a block of it
 * at the next process, frees it, and ends. It runs with MPI alone (a window instead of an array),
 * with Causeway, or as a program on Global Arrays. Prints one row: seconds, processor time and
 * memory of a process.
 *
 *   start mpi|causeway|ga [BLOCK]    any number of processes; BLOCK: doubles for each, default 1024
 *
 * bench/transfers/start.sh runs it on more and more processes. */
#include "start.h"

#include "../program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARRIERS = 10 };

/* The cost of a step on one process. All members are doubles, so that one reduction adds them. */
struct cost {
  double wall;     /* elapsed seconds */
  double cpu;      /* CPU seconds in user and kernel mode */
  double share;    /* KiB of memory, where shared pages are divided by the number of their users */
  double resident; /* KiB of peak resident memory */
};

enum step { MPI_BEGIN, BEGIN, BARRIER, ARRAY, END, MPI_END, STEPS };

static struct cost costs[STEPS];
static int nodes;

/* Returns the number that follows `word` in a kernel file about this process; 0 if there is none.
 * */
static double kibibytes(const char *file, const char *word)
{
  char line[256];
  double found = 0;
  FILE *lines = fopen(file, "r");
  if (lines == NULL)
    return 0;
  while (fgets(line, sizeof line, lines) != NULL)
    if (strncmp(line, word, strlen(word)) == 0)
      found = atof(line + strlen(word));
  fclose(lines);
  return found;
}

static struct cost begin_step(void)
{
  return (struct cost){.wall = seconds(CLOCK_MONOTONIC), .cpu = seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static void end_step(enum step step, struct cost began)
{
  costs[step].wall = seconds(CLOCK_MONOTONIC) - began.wall;
  costs[step].cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - began.cpu;
}

/* Measures the memory of a step. Processes wait for each other, so that shares are stable
 * meanwhile. */
static void weigh(enum step step)
{
  MPI_Barrier(MPI_COMM_WORLD);
  costs[step].share = kibibytes("/proc/self/smaps_rollup", "Pss:");
  costs[step].resident = kibibytes("/proc/self/status", "VmHWM:");
  MPI_Barrier(MPI_COMM_WORLD);
}

static void run(const struct start_side *side, int block)
{
  struct cost began = begin_step();
  side->begin();
  side->barrier();
  end_step(BEGIN, began);
  weigh(BEGIN);
  side->barrier(); /* a process that spins in MPI's barrier would keep the others from the cores */
  began = begin_step();
  for (int i = 0; i < BARRIERS; i++)
    side->barrier();
  end_step(BARRIER, began);
  began = begin_step();
  side->array(block);
  end_step(ARRAY, began);
  weigh(ARRAY);
  side->barrier();
  nodes = side->nodes();
  began = begin_step();
  side->end();
  end_step(END, began);
}

static void print_row(const char *name, int processes, const struct cost *sum,
                      const struct cost *most)
{
  const double each = 1.0 / processes;
  printf("| %d | %d | %s | %.2f | %.2f | %.2f | %.1f | %.2f | %.2f | %.0f | %.0f | %.1f | %.1f | "
         "%.1f | %.1f |\n",
         processes, nodes, name, costs[MPI_BEGIN].wall, costs[BEGIN].wall,
         1e3 * costs[BARRIER].wall / BARRIERS, 1e3 * costs[ARRAY].wall, costs[END].wall,
         costs[MPI_END].wall, 1e3 * each * sum[MPI_BEGIN].cpu, 1e3 * each * sum[BEGIN].cpu,
         1e3 * each * sum[BARRIER].cpu / BARRIERS, each * sum[MPI_BEGIN].share / 1024,
         each * sum[ARRAY].share / 1024, most[ARRAY].resident / 1024);
}

int main(int argc, char **argv)
{
  static const struct start_side *const sides[] = {&start_mpi, &start_causeway, &start_ga};
  const struct start_side *side = NULL;
  struct cost sum[STEPS], most[STEPS], began = begin_step();
  int provided = 0, process = 0, processes = 0;
  for (size_t i = 0; argc > 1 && i < sizeof sides / sizeof sides[0]; i++)
    if (strcmp(argv[1], sides[i]->name) == 0)
      side = sides[i];
  if (side == NULL) {
    fprintf(stderr, "usage: start mpi|causeway|ga [BLOCK]\n");
    return 2;
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Barrier(MPI_COMM_WORLD);
  end_step(MPI_BEGIN, began);
  weigh(MPI_BEGIN);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  run(side, argc > 2 ? atoi(argv[2]) : 1024);
  enum { NUMBERS = STEPS * (sizeof(struct cost) / sizeof(double)) };
  MPI_Reduce((double *)costs, (double *)sum, NUMBERS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce((double *)costs, (double *)most, NUMBERS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  began = begin_step();
  MPI_Finalize();
  end_step(MPI_END, began);
  if (process == 0)
    print_row(side->name, processes, sum, most);
  return 0;
}
