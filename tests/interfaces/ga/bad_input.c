/* Every bad argument of GA's calls at every moment: before GA_Initialize, while GA runs, after
 * GA_Terminate, and in a second life. Each ends the job with a message that names the call and the
 * argument; here cw_abort returns. The tables are the .def files. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>

#include <limits.h>

static struct bad_axis negatives, not_positive, processes, groups, handles, types, dimensions,
    nodes, addresses;
static int freed_group = 1, node_count = 1, bare, shaped, last_handle;
static int shape[2] = {10, 10}, zeros[2], ones[2] = {1, 1}, map[3] = {0, 5, 0}, blocks[2] = {2, 1};
static int mine[1], twice[2];
static int number;
static long words[8];
static char text[8] = "+", wrong[8] = "!";

#define N ((int)bad)

/* Creates arrays until the call would end the job. */
static int take_handles(void)
{
  for (int i = 0; i < 40000; i++)
    last_handle = GA_Create_handle();
  return last_handle;
}

static bool give_back_handles(void)
{
  for (int handle = last_handle; handle > shaped; handle--)
    if (handle != 0)
      GA_Destroy(handle);
  return GA_Create_handle() != 0;
}

static void add_values(void)
{
  bad_add_negatives(&negatives);
  not_positive = negatives;
  bad_add(&not_positive, "0", 0);
  bad_add(&types, "0", 0);
  bad_add(&types, "before the first", MT_FIRST - 1);
  bad_add(&types, "behind the last", MT_LAST + 1);
  bad_add(&types, "INT_MAX", INT_MAX);
  dimensions = not_positive;
  bad_add(&dimensions, "GA_MAX_DIM + 1", GA_MAX_DIM + 1);
  bad_add(&dimensions, "INT_MAX", INT_MAX);
  bad_add(&addresses, "8", 8);
  bad_add_address(&addresses, "private memory", words);
}

static void begin_axes(void)
{
  processes.count = nodes.count = groups.count = handles.count = 0;
  bad_add_numbers(&processes, kit_processes());
  bad_add_numbers(&nodes, node_count);
  bad_add(&groups, "INT_MAX", INT_MAX);
  bad_add(&groups, "a destroyed group", freed_group);
  bad_add(&handles, "0", 0);
  bad_add(&handles, "1", 1);
  bad_add(&handles, "INT_MIN", INT_MIN);
  bad_add(&handles, "INT_MAX", INT_MAX);
  bad_add(&handles, "a handle that is not used", -900);
}

static void make_objects(void)
{
  GA_Initialize();
  node_count = GA_Cluster_nnodes();
  mine[0] = twice[0] = twice[1] = GA_Nodeid();
  freed_group = GA_Pgroup_duplicate(GA_Pgroup_get_world());
  GA_Pgroup_destroy(freed_group);
  (void)GA_Pgroup_self(); /* does not get its number */
  bare = GA_Create_handle();
  shaped = GA_Create_handle();
  GA_Set_data(shaped, 2, shape, C_DBL);
}

static const struct bad_program program = {.name = "cwga.bad_input",
                                           .manner = BAD_ENDS,
                                           .outside_mpi = true,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = GA_Terminate};

#define BAD_RUNNING "interfaces/ga/bad_input.def"
#define BAD_IDLE "interfaces/ga/not_running.def"
#include "kit/bad_program.inc"
