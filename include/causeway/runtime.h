/* Causeway: start, stop, process numbers.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_RUNTIME_H
#define CAUSEWAY_RUNTIME_H

#include <causeway/built_for.h>
#include <causeway/error.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts Causeway on the processes of `comm`; they become the world team, in the order of `comm`.
 *
 * comm: an intracommunicator; it is duplicated and may be freed afterwards.
 * Collective over comm. MPI must be initialised and not finalised. Calls are counted: a second
 * cw_init only counts (its comm is ignored) and each needs its own cw_finalize.
 * A program may call it again after cw_finalize, with any communicator. With CW_SERVER=rank, server
 * ranks never return from the first cw_init. Then a later comm must have the same processes in the
 * same order, with or without the server ranks; these serve again, and leave when the processes
 * call MPI_Finalize.
 * Complete on return: all processes of the world have started.
 * Thread level: call from the main thread. In jobs of several nodes start MPI with
 * MPI_THREAD_MULTIPLE, which the servers' threads need (or set ranks aside with CW_SERVER=rank).
 * Errors: CW_MISUSE (MPI is not initialised; another thread than the main one; a setting out of
 * range or not the same in all processes; MPI is not the one that the library is built for; the
 * launcher of another MPI has started several processes, so that each would be a world of its own,
 * unless CW_ALONE=1 permits this; the server ranks of an earlier cw_init wait for other processes
 * than those of comm), CW_OUTSIDE (MPI or the operating system failed). */
CW_CHECKED cw_error cw_init(MPI_Comm comm);

/* Undoes one cw_init; the last one completes all operations, frees every region, mutex set and team
 * that is left, and stops Causeway. cw_init may follow again. MPI is not finalised.
 *
 * Collective over the world. Thread level: main thread. Errors: CW_OUTSIDE; CW_MISUSE (this process
 * is in a phase of tasks, or another thread than the main one calls: nothing happens); CW_MISUSE or
 * CW_OUTSIDE if the last operations failed at their targets: Causeway has stopped nevertheless, on
 * all members. Without a cw_init in force it does nothing and returns CW_OK. If a program has not
 * called cw_finalize, MPI_Finalize does; but if a server's thread runs, MPI_Finalize ends the job
 * with an error message. */
CW_CHECKED cw_error cw_finalize(void);

/* Returns true while Causeway runs. Local. Errors: none. */
bool cw_initialized(void);

/* Return my rank in the world team, and its number of processes; -1 and 0 while Causeway does not
 * run. Local. Errors: none. */
int cw_process(void);
int cw_processes(void);

/* cw_process_node returns the node of a process (world rank; nodes are 0, 1, ..., numbered by
 * lowest process), or -1 for a process outside the world. cw_nodes returns the number of nodes.
 * Processes of one node share memory: transfers between them are loads and stores. Local. Errors:
 * none. */
int cw_process_node(int process);
int cw_nodes(void);

/* Lets communication progress: call it from time to time in a long loop that makes no other call.
 * Where processes outnumber the cores, calls that follow each other within 20 us yield the core, as
 * do all calls that test without success (cw_test, cw_notify_test, cw_mutex_trylock ...). Local.
 * Errors: none; a failure of MPI ends the job. */
void cw_progress(void);

/* Writes the report of cw-info to `out`: version, MPI library, nodes, route and why, and, if
 * `settings`, every setting with its value and where it came from. Local. Errors: CW_MISUSE (NULL).
 */
CW_CHECKED cw_error cw_report(FILE *out, bool settings);

/* Stores the value of a setting that is in force: that of the environment, or the default. It is a
 * text as in cw_report, such as "1", "64k" or "server".
 *
 * name: such as "CW_CHECK"; docs/reference/settings.md lists them. size: of `value`, in bytes.
 * Local. Errors: CW_MISUSE (NULL; not running; no such setting; `value` is too small). */
CW_CHECKED cw_error cw_setting(const char *name, char *value, size_t size);

/* Prints a message with the process number to standard error and ends the whole job with `status`.
 * Systems keep only the low 8 bits of a status; if these are 0 (0, 256, 512 ...), the status is 1.
 * Works before cw_init and after cw_finalize. Does not return. Local. Errors: none. */
void cw_abort(const char *sentence, int status);

/* Returns the version of this library: "major.minor.patch". Local. Errors: none. */
const char *cw_version(void);

#ifdef __cplusplus
}
#endif
#endif
