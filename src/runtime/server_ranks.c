/* Server ranks after cw_finalize. The program's processes may start Causeway again, but server
 * ranks never return from their first cw_init. They wait for a message from the first process:
 * either the processes start again, or MPI ends. */
#include "runtime/runtime.h"

#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdlib.h>

enum word { END, AGAIN };
enum { TAG = 1 };

static MPI_Comm server_ranks = MPI_COMM_NULL; /* processes and server ranks of the first start */
static int first;                             /* rank in server_ranks of the process that sends the
                                                 message */
static int *servers, count;                   /* the server ranks in it, and their number */

/* Keeps a communicator of all processes and server ranks, because cwi_world is about to end. */
static cw_error server_ranks_store(void)
{
  servers = malloc((size_t)cwi_world.nodes * sizeof *servers);
  if (servers == NULL)
    cwi_abort("no memory to remember the server ranks", 1); /* they would wait for ever */
  count = cwi_world.nodes;
  for (int node = 0; node < count; node++)
    servers[node] = cwi_world.server_of[node];
  first = cwi_world.rank_of[0];
  CWI_TRY(cwi_mpi_duplicate(cwi_world.all_comm, &server_ranks));
  return CWI_MPI(MPI_Comm_set_errhandler(server_ranks, MPI_ERRORS_RETURN));
}

cw_error cwi_server_ranks_begin(void)
{
  int ranks = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.all_comm, &ranks)));
  return server_ranks == MPI_COMM_NULL && ranks > cwi_world.processes ? server_ranks_store()
                                                                      : CW_OK;
}

/* Sends `word` to all server ranks. Only the first process sends it; in the others this does
 * nothing. */
static cw_error give_word(int word)
{
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(server_ranks, &rank)));
  for (int i = 0; rank == first && i < count; i++)
    CWI_TRY(CWI_MPI(MPI_Send(&word, 1, MPI_INT, servers[i], TAG, server_ranks)));
  return CW_OK;
}

/* Sets *fits if `given` has the same processes in the same order as `all`, with or without the
 * server ranks, and *within if it contains a server rank. */
static cw_error server_ranks_compare(MPI_Group given, MPI_Group all, bool *fits, bool *within)
{
  int whole = MPI_UNEQUAL, without = MPI_UNEQUAL, shared = 0;
  MPI_Group processes = MPI_GROUP_NULL, ranks = MPI_GROUP_NULL, both = MPI_GROUP_NULL;
  CWI_TRY(CWI_MPI(MPI_Group_excl(all, count, servers, &processes)));
  CWI_TRY(CWI_MPI(MPI_Group_incl(all, count, servers, &ranks)));
  CWI_TRY(CWI_MPI(MPI_Group_intersection(given, ranks, &both)));
  CWI_TRY(CWI_MPI(MPI_Group_size(both, &shared)));
  CWI_TRY(CWI_MPI(MPI_Group_compare(given, all, &whole)));
  CWI_TRY(CWI_MPI(MPI_Group_compare(given, processes, &without)));
  *fits = whole == MPI_IDENT || without == MPI_IDENT;
  *within = shared > 0;
  if (both != MPI_GROUP_EMPTY)
    CWI_TRY(CWI_MPI(MPI_Group_free(&both)));
  CWI_TRY(CWI_MPI(MPI_Group_free(&ranks)));
  return CWI_MPI(MPI_Group_free(&processes));
}

cw_error cwi_server_ranks_call(MPI_Comm *comm, bool *alone)
{
  bool fits = false;
  int ranks = 0;
  MPI_Group given = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  *alone = false;
  if (server_ranks == MPI_COMM_NULL)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Comm_size(server_ranks, &ranks)));
  CWI_TRY(CWI_MPI(MPI_Comm_group(*comm, &given)));
  CWI_TRY(CWI_MPI(MPI_Comm_group(server_ranks, &all)));
  CWI_TRY(server_ranks_compare(given, all, &fits, alone));
  CWI_TRY(CWI_MPI(MPI_Group_free(&given)));
  CWI_TRY(CWI_MPI(MPI_Group_free(&all)));
  if (!fits)
    return cwi_misuse(
        "comm does not have the same processes as in the first cw_init: with CW_SERVER=rank a "
        "later comm must have the same %d ranks, or these without the %d server ranks",
        ranks, count);
  *comm = server_ranks;
  return give_word(AGAIN);
}

cw_error cwi_server_ranks_end(void)
{
  return server_ranks != MPI_COMM_NULL ? give_word(END) : CW_OK;
}

cw_error cwi_server_ranks_wait(MPI_Comm *comm, bool *again)
{
  int word = END;
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(CWI_MPI(MPI_Irecv(&word, 1, MPI_INT, first, TAG, server_ranks, &request)));
  CWI_TRY(cwi_mpi_wait(&request));
  *comm = server_ranks;
  *again = word == AGAIN;
  return CW_OK;
}
