/* GA's groups of processes: teams with numbers, which may differ between processes. Processes that
 * are not members also know a group and its members. */
#include "ga/group/group.h"
#include "ga/base/binding.h"

#include "armci/inner_calls.h"
#include "team/world.h"
#include "wait/object_table.h"

#include <stdlib.h>
#include <string.h>

/* A group; the world has no entry. */
struct group {
  cw_team team; /* NULL if this process is not a member */
  int size;
  int *process; /* [size] world ranks, in the order of the group */
};

/* Number of the group in the first slot of the table, as in GA. A destroyed group is never read,
 * and its number is reused only after many other numbers. */
enum { FIRST_GROUP = 2 };
static struct cwi_objects groups = CWI_OBJECTS(struct group);
static struct group mirror; /* the processes of this node; process is NULL if GA is not running */
static int default_group = CWI_GA_WORLD;

static struct group *entry_of(int group)
{
  if (group == CWI_GA_MIRROR)
    return mirror.process != NULL ? &mirror : NULL;
  return group >= FIRST_GROUP ? cwi_object_numbered(&groups, (uint32_t)(group - FIRST_GROUP))
                              : NULL;
}

static cw_error no_group(const char *what, int group)
{
  CWI_TRY(cwi_ga_running());
  return cwi_misuse("%s is %d, which is not a group; it may be -1 (the world), or a group that "
                    "GA_Pgroup_create or a similar call returned",
                    what, group);
}

cw_error cwi_ga_group_there(const char *what, int group)
{
  CWI_TRY(cwi_ga_running());
  return group == CWI_GA_WORLD || entry_of(group) != NULL ? CW_OK : no_group(what, group);
}

/* Looks up a group. *entry receives NULL for the world. In GA any negative number means the world.
 * Only the calls that set an array's group are stricter. */
static cw_error find_group(const char *what, int group, const struct group **entry)
{
  CWI_TRY(cwi_ga_running());
  *entry = entry_of(group);
  return group < 0 || *entry != NULL ? CW_OK : no_group(what, group);
}

cw_error cwi_ga_team(const char *what, int group, cw_team *team)
{
  *team = cw_team_world();
  if (CWI_LIKELY(group < 0))
    return CWI_LIKELY(*team != NULL) ? CW_OK : cwi_ga_running();
  const struct group *entry = entry_of(group);
  if (entry == NULL)
    return no_group(what, group);
  *team = entry->team;
  if (*team != NULL)
    return CW_OK;
  return cwi_misuse("%s is %d, a group of which this process is not a member", what, group);
}

cw_error cwi_ga_group_of(cw_team team, int *group)
{
  *group = CWI_GA_WORLD;
  if (cwi_team_same_members(team, cw_team_world()))
    return CW_OK;
  for (struct group *entry = NULL; (entry = cwi_object_next(&groups, entry)) != NULL;) {
    *group = (int)cwi_object_number(entry) + FIRST_GROUP;
    if (entry->team != NULL && cwi_team_same_members(team, entry->team))
      return CW_OK;
  }
  return cwi_misuse("the %d processes of the array are not a group of GA, or are in another order: "
                    "make the group first, for example with GA_Pgroup_create",
                    cw_team_size(team));
}

/* --- Coming and going --- */

/* Adds a group to the table. The function takes ownership of the list of processes, even after an
 * error. */
static cw_error ga_group_add(cw_team team, int size, int *process, int *group)
{
  struct group *entry = cwi_object_make(&groups);
  if (entry == NULL) {
    free(process);
    return cwi_outside("no memory for a group");
  }
  *entry = (struct group){team, size, process};
  *group = (int)cwi_object_number(entry) + FIRST_GROUP;
  return CW_OK;
}

/* Discards a group. The caller frees the team. */
static void ga_group_discard(struct group *entry)
{
  free(entry->process);
  cwi_object_end(&groups, entry);
}

cw_error cwi_ga_groups_start(void)
{
  const size_t bytes = (size_t)cwi_world.node_processes * sizeof(int);
  default_group = CWI_GA_WORLD;
  mirror = (struct group){NULL, cwi_world.node_processes, malloc(bytes)};
  if (mirror.process == NULL)
    return cwi_outside("no memory for a list of %d processes", cwi_world.node_processes);
  memcpy(mirror.process, cwi_world.peers, bytes);
  return cw_team_create(cw_team_world(), (size_t)mirror.size, mirror.process, 0, &mirror.team);
}

/* Returns the group whose team has the lowest id, or NULL. The processes may have different numbers
 * for a group. They free the groups in the order of the teams' ids, which is the same on all
 * processes. */
static struct group *least_group(void)
{
  struct group *least = mirror.team != NULL ? &mirror : NULL;
  for (struct group *entry = NULL; (entry = cwi_object_next(&groups, entry)) != NULL;)
    if (entry->team != NULL && (least == NULL || entry->team->id < least->team->id))
      least = entry;
  return least;
}

cw_error cwi_ga_mirror_free(void)
{
  return mirror.team != NULL ? cw_team_free(&mirror.team) : CW_OK;
}

cw_error cwi_ga_groups_free(void)
{
  for (struct group *least = NULL; (least = least_group()) != NULL;) {
    CWI_TRY(cwi_armci_forget_team(least->team));
    CWI_TRY(cw_team_free(&least->team));
  }
  return CW_OK;
}

/* Clears the table of groups. Causeway frees the remaining teams when it stops. */
void cwi_ga_groups_stop(void)
{
  for (struct group *entry = NULL; (entry = cwi_object_next(&groups, NULL)) != NULL;)
    ga_group_discard(entry);
  free(mirror.process);
  mirror = (struct group){NULL, 0, NULL};
  default_group = CWI_GA_WORLD;
}

/* --- Making groups --- */

/* Makes a group for an existing team. `ranks` has the ranks of its processes in the team `of`. NULL
 * means the ranks 0 to size - 1. */
static cw_error add_team(cw_team team, cw_team of, int size, const int *ranks, int *group)
{
  int *process = malloc((size_t)size * sizeof *process);
  if (process == NULL)
    return cwi_outside("no memory for a list of %d processes", size);
  for (int i = 0; i < size; i++)
    process[i] = cw_team_process(of, ranks != NULL ? ranks[i] : i);
  return ga_group_add(team, size, process, group);
}

/* Makes a group of these ranks of the team `of`. The ranks are in ascending order. Collective over
 * the new group. */
static cw_error ga_group_make(cw_team of, int size, const int *ranks, int *group)
{
  cw_team team = NULL;
  const cw_error error = cw_team_create(of, (size_t)size, ranks, 0, &team);
  CWI_TRY(cwi_ga_known_as(error, "members is count, ranks is list, parent is the default group"));
  return add_team(team, of, size, ranks, group);
}

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Makes a group without members. All processes know it, and it has no team. */
static cw_error make_empty(int *group)
{
  int *none = malloc(sizeof *none);
  return none != NULL ? ga_group_add(NULL, 0, none, group) : cwi_outside("no memory for a group");
}

static cw_error ga_group_create(const int *list, int count, int *group)
{
  cw_team of = NULL;
  CWI_TRY(cwi_ga_team("the default group", default_group, &of));
  if (count < 0)
    return cwi_misuse("count is %d; it must not be negative", count);
  const struct cwi_argument agreed[] = {cwi_argument_int("count", &count), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(of, agreed));
  if (count == 0)
    return make_empty(group);
  CWI_TRY(cwi_check_not_null("list", list));
  for (int i = 0; i < count; i++) /* in the program's order */
    if (list[i] < 0 || list[i] >= cw_team_size(of))
      return cwi_misuse("list[%d] is %d; the default group has the processes 0 to %d", i, list[i],
                        cw_team_size(of) - 1);
  int *ranks = malloc((size_t)count * sizeof *ranks);
  if (ranks == NULL)
    return cwi_outside("no memory for a list of %d processes", count);
  memcpy(ranks, list, (size_t)count * sizeof *ranks);
  qsort(ranks, (size_t)count, sizeof *ranks, ascending);
  const cw_error error = ga_group_make(of, count, ranks, group);
  free(ranks);
  return error;
}

int GA_Pgroup_create(int list[], int count)
{
  int group = CWI_GA_WORLD;
  (void)CWI_GA_WAITS(ga_group_create(list, count, &group));
  return group;
}

/* Makes a group of the ranks first to first + size - 1 of the team. */
static cw_error make_range(cw_team of, int first, int size, int *group)
{
  int *ranks = malloc((size_t)size * sizeof *ranks);
  if (ranks == NULL)
    return cwi_outside("no memory for a list of %d processes", size);
  for (int i = 0; i < size; i++)
    ranks[i] = first + i;
  const cw_error error = ga_group_make(of, size, ranks, group);
  free(ranks);
  return error;
}

/* Splits a group into parts of the same size, as GA does; only the last part may be smaller. There
 * may be fewer parts than requested, because no part is empty. 0 parts count as one. */
static cw_error ga_group_split(int whole, int parts, int *group)
{
  cw_team of = NULL;
  CWI_TRY(cwi_ga_team("group", whole, &of));
  const int size = cw_team_size(of);
  if (parts < 0)
    return cwi_misuse("groups is %d; it must not be negative", parts);
  const struct cwi_argument agreed[] = {cwi_argument_int("groups", &parts), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(of, agreed));
  const int width = parts == 0 ? size : (size - 1) / parts + 1;
  const int first = cw_team_rank(of) / width * width;
  return make_range(of, first, first + width <= size ? width : size - first, group);
}

int GA_Pgroup_split(int whole, int parts)
{
  int group = CWI_GA_WORLD;
  (void)CWI_GA_WAITS(ga_group_split(whole, parts, &group));
  return group;
}

static cw_error split_irregular(int whole, int color, int *group)
{
  cw_team of = NULL, team = NULL;
  CWI_TRY(cwi_ga_team("group", whole, &of));
  CWI_TRY(cwi_check_not_negative("color", color));
  CWI_TRY(cw_team_split(of, color, 0, &team));
  return add_team(team, team, cw_team_size(team), NULL, group);
}

int GA_Pgroup_split_irreg(int whole, int color)
{
  int group = CWI_GA_WORLD;
  (void)CWI_GA_WAITS(split_irregular(whole, color, &group));
  return group;
}

static cw_error ga_group_duplicate(int whole, int *group)
{
  cw_team of = NULL, team = NULL;
  CWI_TRY(cwi_ga_team("group", whole, &of));
  CWI_TRY(cw_team_dup(of, &team));
  return add_team(team, team, cw_team_size(team), NULL, group);
}

int GA_Pgroup_duplicate(int whole)
{
  int group = CWI_GA_WORLD;
  (void)CWI_GA_WAITS(ga_group_duplicate(whole, &group));
  return group;
}

static cw_error self(int *group)
{
  CWI_TRY(cwi_ga_running());
  return make_range(cw_team_world(), cw_process(), 1, group);
}

int GA_Pgroup_self(void)
{
  int group = CWI_GA_WORLD;
  (void)CWI_GA(self(&group));
  return group;
}

/* Destroys a group. Its team lives as long as arrays of the group exist. If the program destroys
 * the default group, it must set another one before its next collective call. */
static cw_error ga_group_destroy(int group, bool *destroyed)
{
  CWI_TRY(cwi_ga_running());
  *destroyed = false;
  if (group == CWI_GA_WORLD || group == CWI_GA_MIRROR)
    return cwi_misuse("group is %d; the world and the mirror group cannot be destroyed", group);
  struct group *entry = entry_of(group);
  if (entry == NULL)
    return CW_OK;
  cw_team team = entry->team;
  ga_group_discard(entry);
  *destroyed = true;
  if (team == NULL)
    return CW_OK;
  CWI_TRY(cwi_armci_forget_team(team));
  return cw_team_free(&team);
}

/* Returns 1, or 0 if there is no such group. */
int GA_Pgroup_destroy(int group)
{
  bool destroyed = false;
  return CWI_GA(ga_group_destroy(group, &destroyed)) == 0 && destroyed;
}

/* --- Queries --- */

int cwi_ga_default(void)
{
  return default_group;
}

int GA_Pgroup_get_default(void)
{
  return default_group;
}

int GA_Pgroup_get_world(void)
{
  return CWI_GA_WORLD;
}

int GA_Pgroup_get_mirror(void)
{
  return CWI_GA_MIRROR;
}

/* Sets the default group. This process need not be a member. If it is not, it may query the number
 * of processes, and its own number is -1. */
static cw_error set_default(int group)
{
  const struct group *entry = NULL;
  CWI_TRY(find_group("group", group, &entry));
  cw_team team = entry == NULL ? cw_team_world() : entry->team;
  if (team != NULL)
    CWI_TRY(cwi_armci_default_is(team));
  default_group = entry == NULL ? CWI_GA_WORLD : group;
  return CW_OK;
}

void GA_Pgroup_set_default(int group)
{
  (void)CWI_GA(set_default(group));
}

static int size_of(const char *call, int group)
{
  const struct group *entry = NULL;
  if (cwi_ga_result(call, find_group("group", group, &entry)) != 0)
    return 0;
  return entry == NULL ? cw_processes() : entry->size;
}

/* Returns this process's number in the group, or -1 if it is not a member. */
static int rank_of(const char *call, int group)
{
  const struct group *entry = NULL;
  if (cwi_ga_result(call, find_group("group", group, &entry)) != 0)
    return -1;
  if (entry == NULL)
    return cw_process();
  for (int rank = 0; rank < entry->size; rank++)
    if (entry->process[rank] == cw_process())
      return rank;
  return -1;
}

int GA_Pgroup_nnodes(int group)
{
  return size_of(__func__, group);
}

int GA_Get_pgroup_size(int group)
{
  return size_of(__func__, group);
}

int GA_Nnodes(void)
{
  return size_of(__func__, default_group);
}

int GA_Pgroup_nodeid(int group)
{
  return rank_of(__func__, group);
}

int GA_Nodeid(void)
{
  return rank_of(__func__, default_group);
}

static cw_error absolute(int group, int rank, int *process)
{
  const struct group *entry = NULL;
  CWI_TRY(find_group("group", group, &entry));
  const int size = entry == NULL ? cw_processes() : entry->size;
  if (rank < 0 || rank >= size)
    return cwi_misuse("rank is %d; the group has processes 0 to %d", rank, size - 1);
  *process = entry == NULL ? rank : entry->process[rank];
  return CW_OK;
}

int GA_Pgroup_absolute_id(int group, int rank)
{
  int process = -1;
  (void)CWI_GA(absolute(group, rank, &process));
  return process;
}

/* --- Communicators --- */

static MPI_Comm comm_of(const char *call, int group)
{
  cw_team team = NULL;
  return cwi_ga_result(call, cwi_ga_team("pgroup", group, &team)) == 0 ? cw_team_comm(team)
                                                                       : MPI_COMM_NULL;
}

MPI_Comm GA_MPI_Comm(void)
{
  return comm_of(__func__, CWI_GA_WORLD);
}

MPI_Comm GA_MPI_Comm_pgroup(int pgroup)
{
  return comm_of(__func__, pgroup);
}

MPI_Comm GA_MPI_Comm_pgroup_default(void)
{
  return comm_of(__func__, default_group);
}

CWI_GA_NGA(Pgroup_create);
CWI_GA_NGA(Pgroup_split);
CWI_GA_NGA(Pgroup_split_irreg);
CWI_GA_NGA(Pgroup_duplicate);
CWI_GA_NGA(Pgroup_self);
CWI_GA_NGA(Pgroup_destroy);
CWI_GA_NGA(Pgroup_get_default);
CWI_GA_NGA(Pgroup_get_world);
CWI_GA_NGA(Pgroup_get_mirror);
CWI_GA_NGA(Pgroup_set_default);
CWI_GA_NGA(Pgroup_nnodes);
CWI_GA_NGA(Get_pgroup_size);
CWI_GA_NGA(Pgroup_nodeid);
CWI_GA_NGA(Pgroup_absolute_id);
CWI_GA_NGA(Nodeid);
CWI_GA_NGA(Nnodes);
