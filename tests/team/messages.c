/* Making teams does not interfere with the program's messages: those that wait on the parent's
 * communicator, also with the tag of the creation, and those for a posted receive with wildcards.
 */
#include "kit/native.h"

#include <mpi.h>

static cw_error create_all(cw_team parent, int tag, cw_team *team)
{
  int ranks[16];
  const int size = cw_team_size(parent);
  for (int i = 0; i < size; i++)
    ranks[i] = size - 1 - i;
  return cw_team_create(parent, (size_t)size, ranks, tag, team);
}

static cw_error split(cw_team parent, int tag, cw_team *team)
{
  return cw_team_split(parent, tag, 0, team);
}

static cw_error dup(cw_team parent, int tag, cw_team *team)
{
  (void)tag;
  return cw_team_dup(parent, team);
}

static const struct way {
  const char *name;
  cw_error (*make)(cw_team parent, int tag, cw_team *team);
} ways[] = {{"cw_team_create", create_all}, {"cw_team_split", split}, {"cw_team_dup", dup}};

/* The message is sent before the creation and received after it. */
static void test_waiting(cw_team parent, const struct way *way, int tag)
{
  enum { MESSAGES = 4 };
  MPI_Comm comm = cw_team_comm(parent);
  const int size = cw_team_size(parent), rank = cw_team_rank(parent);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[MESSAGES];
  long sent[MESSAGES], got = -1;
  cw_team team = NULL;
  kit_about("messages of tag %d that wait during %s", tag, way->name);
  for (int i = 0; i < MESSAGES; i++) {
    sent[i] = 1000 + 10 * rank + i;
    MPI_Isend(&sent[i], 1, MPI_LONG, next, tag, comm, &requests[i]);
  }
  KIT_MUST(way->make(parent, tag, &team));
  for (int i = 0; i < MESSAGES; i++) {
    MPI_Recv(&got, 1, MPI_LONG, before, tag, comm, MPI_STATUS_IGNORE);
    kit_check_long(got, 1000 + 10 * before + i, "my neighbour's message");
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  KIT_OK(cw_barrier(team));
  KIT_OK(cw_team_free(&team));
}

/* A receive with wildcards is posted before the creation. */
static void test_wildcard(cw_team parent, const struct way *way, int tag)
{
  MPI_Comm comm = cw_team_comm(parent);
  const int size = cw_team_size(parent), rank = cw_team_rank(parent);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const long sent = 5000 + rank;
  long got[64] = {0};
  MPI_Request request;
  MPI_Status status;
  cw_team team = NULL;
  kit_about("a receive of anything posted before %s, tag %d", way->name, tag);
  MPI_Irecv(got, 64, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  KIT_MUST(way->make(parent, tag, &team));
  kit_barrier();
  MPI_Send(&sent, 1, MPI_LONG, next, 77, comm);
  MPI_Wait(&request, &status);
  kit_check_long(status.MPI_SOURCE, before, "source of the message");
  kit_check_long(status.MPI_TAG, 77, "tag of the message");
  kit_check_long(got[0], 5000 + before, "my neighbour's message");
  KIT_OK(cw_barrier(team));
  KIT_OK(cw_team_free(&team));
}

static void test_parent(cw_team parent)
{
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
    for (int tag = 0; tag < 3; tag++) {
      test_waiting(parent, &ways[i], tag);
      test_wildcard(parent, &ways[i], tag);
    }
}

int main(int argc, char **argv)
{
  cw_team copy = NULL;
  kit_start_native(&argc, &argv, "team messages");
  kit_hang_guard();
  test_parent(cw_team_world());
  KIT_MUST(cw_team_dup(cw_team_world(), &copy));
  test_parent(copy);
  KIT_OK(cw_team_free(&copy));
  return kit_finish_native();
}
