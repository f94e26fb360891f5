/* Takes a sample of all processes of a job, and lists the jobs on this node. */
#include "cw-top.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool top_is_same(const struct top_job *a, const struct top_job *b)
{
  return a->number == b->number && strcmp(a->machine, b->machine) == 0;
}

bool top_is_of(const struct top_job *job, const struct cwi_status *status_page)
{
  return status_page->job == job->number && strcmp(status_page->job_machine, job->machine) == 0;
}

/* --- A sample --------------------------------------------------------------------------------- */

static int file_before(const struct top_sample *before, int pid)
{
  const struct top_process *rows = before != NULL ? before->processes.rows : NULL;
  for (size_t i = 0; before != NULL && i < before->processes.count; i++)
    if (rows[i].pid == pid)
      return rows[i].file;
  return -1;
}

static int compare_processes(const void *a, const void *b)
{
  const struct top_process *one = a, *other = b;
  const unsigned mine = (unsigned)one->status_page.process,
                 its = (unsigned)other->status_page.process;
  if (mine != its) /* the -1 of a server rank becomes the largest number */
    return mine > its ? 1 : -1;
  return one->status_page.node != other->status_page.node
             ? one->status_page.node - other->status_page.node
             : one->pid - other->pid;
}

static bool read_process(const struct top_job *job, struct top_process *process)
{
  struct top_kernel server;
  if (top_read_process(process->pid, &process->file, &process->status_page) != TOP_SHOWN ||
      !top_is_of(job, &process->status_page) || !top_kernel_read(process->pid, 0, &process->kernel))
    return false;
  top_counts_read(process->pid, &process->status_page, &process->counts);
  if (process->status_page.server_thread != 0 &&
      top_kernel_read(process->pid, process->status_page.server_thread, &server))
    process->server_seconds = server.seconds;
  return true;
}

/* Reads how much memory of a node is handed out and resident. All processes of the node have the
 * same memory file, so any of them will do. */
static void read_node(const struct top_process *process, struct top_node *node)
{
  struct stat status;
  const int file = process->status_page.memory_file >= 0
                       ? top_open(process->pid, process->status_page.memory_file)
                       : -1;
  if (file < 0)
    return;
  node->known = fstat(file, &status) == 0 &&
                pread(file, &node->handed_out, sizeof node->handed_out,
                      (off_t)process->status_page.handed_out) == (ssize_t)sizeof node->handed_out;
  node->resident = (uint64_t)status.st_blocks * 512;
  close(file);
}

static struct top_node *node_of(struct top_sample *sample, int number)
{
  struct top_node *nodes = sample->nodes.rows;
  for (size_t i = 0; i < sample->nodes.count; i++)
    if (nodes[i].number == number)
      return &nodes[i];
  struct top_node *node = top_add(&sample->nodes, sizeof *node);
  node->number = number;
  return node;
}

static void read_nodes(struct top_sample *sample)
{
  const struct top_process *rows = sample->processes.rows;
  for (size_t i = 0; i < sample->processes.count; i++) {
    struct top_node *node = node_of(sample, rows[i].status_page.node);
    if (!node->known)
      read_node(&rows[i], node);
  }
}

void top_sample_take(const struct top_job *job, const struct top_sample *before,
                     struct top_sample *sample)
{
  struct top_list pids = top_kernel_pids();
  memset(sample, 0, sizeof *sample);
  sample->when = top_now();
  for (size_t i = 0; i < pids.count; i++) {
    struct top_process process = {.pid = ((int *)pids.rows)[i]};
    process.file = file_before(before, process.pid);
    if (read_process(job, &process))
      *(struct top_process *)top_add(&sample->processes, sizeof process) = process;
  }
  free(pids.rows);
  if (sample->processes.count > 0)
    qsort(sample->processes.rows, sample->processes.count, sizeof(struct top_process),
          compare_processes);
  read_nodes(sample);
}

void top_sample_free(struct top_sample *sample)
{
  struct top_process *rows = sample->processes.rows;
  for (size_t i = 0; i < sample->processes.count; i++)
    top_counts_free(&rows[i].counts);
  free(rows);
  free(sample->nodes.rows);
  memset(sample, 0, sizeof *sample);
}

/* --- The list --------------------------------------------------------------------------------- */

static struct top_choice *choice_of(struct top_list *jobs, const struct cwi_status *status_page)
{
  struct top_choice *rows = jobs->rows;
  for (size_t i = 0; i < jobs->count; i++)
    if (top_is_of(&rows[i].job, status_page))
      return &rows[i];
  struct top_choice *choice = top_add(jobs, sizeof *choice);
  choice->job.number = status_page->job;
  memcpy(choice->job.machine, status_page->job_machine, sizeof choice->job.machine);
  return choice;
}

static void add_process(struct top_list *jobs, int pid, const struct cwi_status *status_page)
{
  struct top_kernel kernel;
  const struct top_process process = {.pid = pid, .status_page = *status_page};
  const double now = top_now();
  if (!top_kernel_read(pid, 0, &kernel))
    return;
  struct top_choice *choice = choice_of(jobs, status_page);
  if (choice->here++ == 0) {
    choice->processes = status_page->processes;
    choice->nodes = status_page->nodes;
    choice->seconds = now - status_page->began;
    memcpy(choice->program, kernel.name, sizeof choice->program);
  }
  choice->waiting += top_wait_of(&process, now) != NULL;
}

/* Returns true if process `above` is `pid` or one of its ancestors. */
static bool is_below(int pid, int above)
{
  enum { MOST_STEPS = 100 };
  struct top_kernel kernel;
  for (int i = 0; i < MOST_STEPS && pid > 0; i++) {
    if (pid == above)
      return true;
    if (!top_kernel_read(pid, 0, &kernel))
      return false;
    pid = kernel.parent;
  }
  return false;
}

struct top_list top_jobs(int below)
{
  struct top_list jobs = {0}, pids = top_kernel_pids();
  for (size_t i = 0; i < pids.count; i++) {
    const int pid = ((int *)pids.rows)[i];
    struct cwi_status status_page;
    int file = -1;
    if ((below == 0 ? top_kernel_user(pid) == (long)geteuid() : is_below(pid, below)) &&
        top_read_process(pid, &file, &status_page) == TOP_SHOWN)
      add_process(&jobs, pid, &status_page);
  }
  free(pids.rows);
  return jobs;
}
