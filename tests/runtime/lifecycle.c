/* Start and stop: counted, repeated, with remaining objects. */
#include "kit/native.h"

#include "region/region.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_running(int processes)
{
  kit_check(cw_initialized(), "Causeway does not run");
  kit_check_long(cw_process(), kit_me(), "my process");
  kit_check_long(cw_processes(), processes, "processes");
  kit_check(cw_process_node(kit_me()) >= 0 && cw_process_node(kit_me()) < cw_nodes(),
            "my node is %d of %d", cw_process_node(kit_me()), cw_nodes());
  kit_check_long(cw_process_node(processes), -1, "node of a process that is none");
}

/* Values of settings: of the environment, defaults, and texts of a given size. */
static void check_settings(void)
{
  const char *route = getenv("CW_ROUTE");
  char value[32] = "";
  KIT_OK(cw_setting("CW_ROUTE", value, sizeof value));
  kit_check(strcmp(value, route != NULL ? route : "auto") == 0, "CW_ROUTE is %s", value);
  KIT_OK(cw_setting("CW_TIMELINE_EVENTS", value, sizeof "65536"));
  kit_check(strcmp(value, "65536") == 0, "CW_TIMELINE_EVENTS is %s", value);
  kit_check(CW_MAY_FAIL(cw_setting("CW_TIMELINE_EVENTS", value, strlen("65536"))) == CW_MISUSE,
            "a value without space for its end is accepted");
}

/* cw_finalize frees whatever the program leaves: regions, mutexes, teams, pending operations. */
static void leave_things(void)
{
  cw_team team = NULL, half = NULL;
  cw_region region = NULL;
  cw_mutexes mutexes = NULL;
  static const int sent = 7;
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, 0, &half));
  KIT_MUST(cw_region_create(cw_team_world(), 100, &region, NULL));
  KIT_MUST(cw_region_create(half, 5000000, &region, NULL));
  KIT_MUST(cw_region_create(team, kit_me() == 0 ? 0 : 70000, &region, NULL));
  KIT_MUST(cw_region_create(team, 100000, &region, NULL));
  KIT_MUST(cw_mutexes_create(team, 1, &mutexes));
  KIT_MUST(cw_mutexes_create(half, 2, &mutexes));
  const int next = (kit_me() + 1) % kit_processes();
  const cw_transfer put = cw_contiguous(CW_PUT, (void *)(uintptr_t)&sent,
                                        cw_region_address(region, next), sizeof sent, next);
  KIT_OK(cw_transfer_start(&put, NULL));
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "lifecycle");
  for (int round = 0; round < 3; round++) {
    MPI_Comm comm = MPI_COMM_NULL;
    kit_about("round %d", round);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    KIT_MUST(cw_init(comm));
    MPI_Comm_free(&comm);
    check_running(kit_processes());
    check_settings();
    KIT_OK(cw_init(MPI_COMM_WORLD));
    KIT_OK(cw_finalize());
    check_running(kit_processes());
    leave_things();
    KIT_OK(cw_finalize());
    kit_check(!cw_initialized(), "Causeway runs after the last cw_finalize");
    kit_check_long((long)cwi_regions_alive(), 0, "number of living regions");
  }
  /* Some processes only; the others do not take part. */
  MPI_Comm some = MPI_COMM_NULL;
  kit_about("all processes but the last");
  const bool inside = kit_processes() == 1 || kit_me() < kit_processes() - 1;
  MPI_Comm_split(MPI_COMM_WORLD, inside ? 0 : MPI_UNDEFINED, 0, &some);
  if (inside) {
    KIT_MUST(cw_init(some));
    check_running(kit_processes() > 1 ? kit_processes() - 1 : 1);
    KIT_OK(cw_barrier(cw_team_world()));
    KIT_OK(cw_finalize());
    MPI_Comm_free(&some);
  }
  return kit_finish();
}
