/* Functions that Python needs in addition to the calls of causeway.h: those that name types of MPI. */
#include <causeway.h>
#include <mpi.h>
#include <string.h>

/* Starts MPI, unless it runs, and Causeway on the processes of *comm, an MPI_Comm; if comm is NULL, on those of
 * MPI_COMM_WORLD. *started_mpi receives whether MPI was started here. */
static cw_error causeway_python_start(const void *comm, bool *started_mpi)
{
  int runs = 0, provided = 0;
  *started_mpi = false;
  MPI_Initialized(&runs);
  if (!runs && MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
    return CW_OUTSIDE;
  *started_mpi = !runs;
  return cw_init(comm != NULL ? *(const MPI_Comm *)comm : MPI_COMM_WORLD);
}

/* Stops Causeway, and MPI if stop_mpi. */
static cw_error causeway_python_stop(bool stop_mpi)
{
  int stopped = 0;
  const cw_error error = cw_finalize();
  MPI_Finalized(&stopped);
  if (stop_mpi && !stopped)
    MPI_Finalize();
  return error;
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

/* Gets or puts one element of an array of `dimensions` extents; negative indices count from the end. The calls take an
 * index only once, because its conversion from Python takes longer than the transfer. */
static void causeway_python_place(int dimensions, const int64_t *extents, const int64_t *index, int64_t *place)
{
  for (int d = 0; d < dimensions; d++)
    place[d] = index[d] < 0 ? index[d] + extents[d] : index[d];
}

static cw_error causeway_python_get_element(cw_array array, int dimensions, const int64_t *extents, const int64_t *index,
                                            void *element)
{
  int64_t place[CW_MAX_DIMENSIONS];
  causeway_python_place(dimensions, extents, index, place);
  return cw_array_get(array, place, place, element, NULL);
}

static cw_error causeway_python_put_element(cw_array array, int dimensions, const int64_t *extents, const int64_t *index,
                                            const void *element)
{
  int64_t place[CW_MAX_DIMENSIONS];
  causeway_python_place(dimensions, extents, index, place);
  return cw_array_put(array, place, place, element, NULL);
}

/* Moves a patch of an array; the arguments are fields of cw_patch. If handle is NULL, waits until the buffer may be used;
 * otherwise only starts the transfer. */
static cw_error causeway_python_move(cw_array array, cw_operation operation, const int64_t *lo, const int64_t *hi,
                                     const int64_t *skip, void *buffer, const int64_t *strides, const void *scale,
                                     cw_handle *handle)
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
