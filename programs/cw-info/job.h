/* Runs a command as a job of its own, with a time limit, and stores its output. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct job {
  pid_t leader;
  int output; /* read end of a pipe; all processes of the job write to it */
  size_t length;
  char text[16384]; /* output; what does not fit is left out */
  bool ended, late;
  int status;
};

/* Starts a job: the shell executes `line` with the arguments $0, $1 ...; the list ends with NULL.
 * The job gets a process group of its own, so that a signal at the time limit ends all of it.
 * Returns false if no process could be started. */
bool job_start(struct job *job, const char *line, const char *const *arguments);

/* Waits for the end of a job. After `limit` seconds ends it, and sets `late`. */
void job_await(struct job *job, double limit);

/* Describes the end of a job that did not succeed. */
void job_explain(const struct job *job, double limit, char *why, size_t size);
