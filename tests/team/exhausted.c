/* MPI runs out of communicators: every member gets CW_OUTSIDE, nothing is lost, and the library
 * continues to work. Argument: number of communicators of teams after which MPI fails. 0 means
 * MPI's own limit, where it is low enough to reach (MPICH). */
#include "kit/native.h"
#include "mpi/mpi_library.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

/* --- An MPI with few communicators ------------------------------------------------------------ */

static long limit, alive;
static bool counting;

static int fail_on(MPI_Comm comm)
{
  PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

static bool is_full(void)
{
  return counting && limit > 0 && alive >= limit;
}

static int counted(int code)
{
  alive += counting && code == MPI_SUCCESS;
  return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
  return is_full() ? fail_on(comm) : counted(PMPI_Comm_dup(comm, copy));
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
  return is_full() ? fail_on(comm) : counted(PMPI_Comm_split(comm, color, key, part));
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *part)
{
  return is_full() ? fail_on(comm) : counted(PMPI_Comm_create_group(comm, group, tag, part));
}

int MPI_Comm_free(MPI_Comm *comm)
{
  alive -= counting;
  return PMPI_Comm_free(comm);
}

/* ---------------------------------------------------------------------------------------------- */

static cw_team teams[MOST];

static cw_error make(int way, cw_team *team)
{
  int ranks[16];
  const int size = kit_processes();
  for (int i = 0; i < size; i++)
    ranks[i] = i;
  if (way == 0)
    return cw_team_dup(cw_team_world(), team);
  if (way == 1)
    return cw_team_split(cw_team_world(), 0, 0, team);
  return cw_team_create(cw_team_world(), (size_t)size, ranks, 0, team);
}

static const char *const names[] = {"cw_team_dup", "cw_team_split", "cw_team_create"};

/* The world and the last team work while there are no communicators. */
static void check_works(cw_team team)
{
  cw_region region = NULL;
  void *addresses[16];
  long got = -1;
  const int next = (kit_me() + 1) % kit_processes();
  const long sent = 10 + kit_me();
  KIT_MUST(cw_region_create(team, sizeof sent, &region, addresses));
  KIT_OK(cw_put(&sent, addresses[next], sizeof sent, next));
  KIT_OK(cw_get(&got, addresses[next], sizeof got, next));
  kit_check_long(got, sent, "value put to my neighbour");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(team, &region));
}

/* Checks the number of teams that can be made. */
static int make_until_failure(int way)
{
  int made = 0;
  cw_error error = CW_OK;
  kit_about("%s until MPI refuses", names[way]);
  while (made < MOST && (error = make(way, &teams[made])) == CW_OK)
    made++;
  if (!kit_check(made > 0 && made < MOST, "made %d teams", made))
    return made;
  kit_check(error == CW_OUTSIDE, "the last gave %d: %s", (int)error, cw_error_message());
  kit_check(strstr(cw_error_message(), names[way]) != NULL, "the sentence does not name the call");
  kit_check(teams[made] == NULL, "there is a team");
  int all[2] = {made, -made};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_MAX, kit_comm());
  kit_check(all[0] == -all[1], "between %d and %d teams on the members", -all[1], all[0]);
  return made;
}

static void free_all(int made)
{
  for (int i = 0; i < made; i++)
    KIT_OK(cw_team_free(&teams[i]));
  kit_barrier();
}

int main(int argc, char **argv)
{
  int first = 0;
  kit_start_native(&argc, &argv, "exhausted");
  limit = argc > 1 ? atol(argv[1]) : 0;
  if (limit == 0 && strcmp(cwi_mpi_library()->name, "MPICH") != 0) {
    KIT_MUST(cw_finalize());
    kit_skip("this MPI has too many communicators to use them up");
  }
  kit_hang_guard();
  counting = true;
  for (int way = 0; way < 3; way++) {
    const int made = make_until_failure(way);
    first = way == 0 ? made : first;
    kit_check_long(made, first, "number of teams");
    if (limit > 0)
      check_works(teams[made - 1]);
    free_all(made);
  }
  counting = false;
  kit_about("afterwards");
  cw_team team = NULL;
  KIT_MUST(make(2, &team));
  check_works(team);
  KIT_OK(cw_team_free(&team));
  return kit_finish_native();
}
