/* Functions that Python needs in addition to the calls of causeway.h: those that name types of MPI,
 * and short ways for frequent calls. */
#include "patch.h"

#include <causeway.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t causeway_python_process; /* PID of the process that has started MPI, not that of a
                                         child that it has forked */

/* Called by exit, after Python has ended: stops Causeway and MPI. A status other than 0 ends the
 * job, because the other processes may wait for this one. */
static void causeway_python_exit(int status, void *unused)
{
  char message[64];
  int stopped = 0;
  (void)unused;
  if (getpid() != causeway_python_process)
    return;
  causeway_python_process = 0; /* cw_abort may call exit */
  if (status != 0 && cw_processes() > 1) {
    snprintf(message, sizeof message, "ended with status %d", status);
    cw_abort(message, status);
  }
  if (cw_finalize() != CW_OK)
    fprintf(stderr, "%s\n", cw_error_message());
  MPI_Finalized(&stopped);
  if (!stopped)
    MPI_Finalize();
}

/* Settings that Python programs need, unless the user gives others. At their end objects are left
 * as a rule, which CW_CHECK need not list. Expressions make and free temporary arrays all the time,
 * whose memory would cost a page fault for each page if the system had got it back. */
static const struct {
  const char *name, *value;
} causeway_python_settings[] = {{"CW_LEAKS", "0"}, {"CW_PUNCH_SIZE", "1G"}};

enum {
  CAUSEWAY_PYTHON_SETTINGS = sizeof causeway_python_settings / sizeof causeway_python_settings[0]
};

/* Starts Causeway with these settings. Programs that this one starts do not inherit them. */
static cw_error causeway_python_init(MPI_Comm comm)
{
  bool given[CAUSEWAY_PYTHON_SETTINGS];
  for (int i = 0; i < CAUSEWAY_PYTHON_SETTINGS; i++) {
    given[i] = getenv(causeway_python_settings[i].name) != NULL;
    if (!given[i])
      setenv(causeway_python_settings[i].name, causeway_python_settings[i].value, 1);
  }
  const cw_error error = cw_init(comm);
  for (int i = 0; i < CAUSEWAY_PYTHON_SETTINGS; i++)
    if (!given[i])
      unsetenv(causeway_python_settings[i].name);
  return error;
}

/* Starts MPI, unless it runs, and Causeway on the processes of *comm, an MPI_Comm; if comm is NULL,
 * on those of MPI_COMM_WORLD. *started_mpi receives whether MPI was started here: exit then stops
 * both. */
static cw_error causeway_python_start(const void *comm, bool *started_mpi)
{
  int runs = 0, provided = 0;
  *started_mpi = false;
  MPI_Initialized(&runs);
  if (!runs && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
    cw_abort("MPI_Init_thread has failed", 1);
  const cw_error error =
      causeway_python_init(comm != NULL ? *(const MPI_Comm *)comm : MPI_COMM_WORLD);
  if (!runs && error != CW_OK)
    MPI_Finalize();
  if (runs || error != CW_OK)
    return error;
  *started_mpi = true;
  causeway_python_process = getpid();
  on_exit(causeway_python_exit, NULL);
  return CW_OK;
}

/* Ends the job with a message and a status. */
static void causeway_python_abort(const char *message, int status)
{
  causeway_python_process = 0;
  cw_abort(message, status);
}

static int causeway_python_stack;            /* file with the Python stack, innermost line first */
static char causeway_python_package[1024];   /* how the lines of this package begin */
static char causeway_python_interrupted[64]; /* text before the line that is printed */

/* Called for SIGINT after faulthandler has written the stack: prints the innermost line that is not
 * one of this package, and ends the process by the signal. Makes only calls that signal handlers
 * may make. */
static void causeway_python_interrupt(int number)
{
  char text[16384];
  const ssize_t bytes = pread(causeway_python_stack, text, sizeof text - 1, 0);
  text[bytes > 0 ? bytes : 0] = '\0';
  const char *line = strstr(text, "  File ");
  while (line != NULL &&
         strncmp(line, causeway_python_package, strlen(causeway_python_package)) == 0)
    line = strstr(line + 1, "  File ");
  char shown[512];
  const size_t length = strlen(causeway_python_interrupted);
  size_t shown_bytes = line != NULL ? strcspn(line + 2, "\n") : 0;
  if (length + shown_bytes + 1 > sizeof shown)
    shown_bytes = sizeof shown - length - 1;
  memcpy(shown, causeway_python_interrupted, length);
  if (line != NULL)
    memcpy(shown + length, line + 2, shown_bytes);
  shown[length + shown_bytes] = '\n';
  const ssize_t written = write(STDERR_FILENO, shown, length + shown_bytes + 1);
  (void)written;
  signal(number, SIG_DFL);
  raise(number);
}

/* Makes SIGINT print one line and end this process. faulthandler, which must be registered
 * afterwards, writes the stack to the file `stack`. package: folder of this package. */
static void causeway_python_end_by_interrupt(int stack, const char *package)
{
  causeway_python_stack = stack;
  snprintf(causeway_python_package, sizeof causeway_python_package, "  File \"%s/", package);
  snprintf(causeway_python_interrupted, sizeof causeway_python_interrupted,
           "causeway[%d]: interrupted at ", cw_process());
  signal(SIGINT, causeway_python_interrupt);
}

/* Stores the team's communicator, an MPI_Comm, at comm, and returns its size in bytes. */
static int causeway_python_team_comm(cw_team team, void *comm)
{
  const MPI_Comm its = cw_team_comm(team);
  if (comm != NULL)
    memcpy(comm, &its, sizeof its);
  return (int)sizeof its;
}

/* Returns the description of the MPI library. */
static const char *causeway_python_mpi(void)
{
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

/* Shape of a transfer: fields of cw_transfer. Python passes the addresses as numbers. */
typedef struct causeway_python_shape {
  uintptr_t local;
  uintptr_t remote;
  size_t bytes;
  int levels;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t local_strides[CW_MAX_LEVELS];
  ptrdiff_t remote_strides[CW_MAX_LEVELS];
} causeway_python_shape;

/* Runs a transfer if wait is true. Otherwise starts it, through the view if there is one; handle
 * may be NULL. type, reduction and scale are those of an accumulate. */
static cw_error causeway_python_transfer(cw_operation operation, int process,
                                         const causeway_python_shape *shape, cw_type type,
                                         cw_reduction reduction, const void *scale, cw_view view,
                                         bool wait, cw_handle *handle)
{
  cw_transfer transfer =
      cw_strided(operation, (void *)shape->local, shape->local_strides, (void *)shape->remote,
                 shape->remote_strides, shape->bytes, shape->counts, shape->levels, process);
  transfer.type = type;
  transfer.reduction = reduction;
  transfer.scale = scale;
  if (wait)
    return cw_transfer_run(&transfer);
  return view != NULL ? cw_view_start(view, &transfer, handle)
                      : cw_transfer_start(&transfer, handle);
}

/* Returns the colour of a process that becomes no member of a team that is split off. */
static int causeway_python_undefined(void)
{
  return MPI_UNDEFINED;
}

/* Moves a patch of an array; the arguments are fields of cw_patch. If handle is NULL, waits until
 * the buffer may be used; otherwise only starts the transfer. */
static cw_error causeway_python_move(cw_array array, cw_operation operation, const int64_t *lo,
                                     const int64_t *hi, const int64_t *skip, void *buffer,
                                     const int64_t *strides, const void *scale, cw_handle *handle)
{
  const cw_patch patch = {.operation = operation,
                          .lo = lo,
                          .hi = hi,
                          .skip = skip,
                          .buffer = buffer,
                          .strides = strides,
                          .scale = scale};
  return handle != NULL ? cw_array_start(array, &patch, handle) : cw_array_transfer(array, &patch);
}

/* Moves `count` patches of an array, which differ only in their index along `axis`, and waits until
 * the buffer may be used. lo and hi are changed. Patch i begins i * step bytes into the buffer. */
static cw_error causeway_python_move_rows(cw_array array, cw_operation operation, int axis,
                                          size_t count, const int64_t *indices, int64_t *lo,
                                          int64_t *hi, const int64_t *skip, void *buffer,
                                          const int64_t *strides, size_t step, const void *scale)
{
  cw_handle handle = {0, 0};
  cw_error error = CW_OK;
  for (size_t i = 0; i < count && error == CW_OK; i++) {
    lo[axis] = hi[axis] = indices[i];
    error = causeway_python_move(array, operation, lo, hi, skip, (char *)buffer + i * step, strides,
                                 scale, &handle);
  }
  const cw_error waited = cw_wait(&handle);
  return error != CW_OK ? error : waited;
}

/* Returns 1 if two arrays have the same distribution, 0 if they do not or do not exist. */
static int causeway_python_same_distribution(cw_array a, cw_array b)
{
  bool same = false;
  return cw_array_same_distribution(a, b, &same) == CW_OK && same;
}

/* Finds the least number of all members, which pass 0 or more; `fence` completes the transfers of
 * this process before. Returns the least number, or minus an error code. Collective over team. */
static int causeway_python_least(cw_team team, int number, bool fence)
{
  const cw_error fenced = fence ? cw_fence_all() : CW_OK;
  const cw_error reduced = cw_allreduce(team, CW_INT, CW_MINIMUM, 1, &number);
  return fenced != CW_OK ? -(int)fenced : reduced != CW_OK ? -(int)reduced : number;
}
