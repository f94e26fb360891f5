/* Handles of disk resident arrays: creating, opening, closing and deleting them. All calls are
 * collective over GA's default group. */
#include "ga/files/disk_array.h"
#include "ga/files/slot.h"

#include "base/stop_hooks.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"
#include "team/agreement.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* The handle of slot s is s - 5000. */
enum { SLOTS = CWI_PARIO_SLOTS, FIRST = -5000, REQUESTS = 5 };
static struct cwi_dra slots[SLOTS];
static bool requested[REQUESTS]; /* true until the program waits for the request or probes it */
static bool given[REQUESTS];     /* true if a call has returned the request before */
static bool runs;
static int default_files, default_procs; /* 0 means one file per node, and all processes of a
                                            node */

/* --- Start and end --- */

static cw_error dra_forget(void)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  runs = false;
  memset(requested, 0, sizeof requested);
  memset(given, 0, sizeof given);
  for (int slot = 0; slot < SLOTS; slot++)
    if (slots[slot].used) {
      cwi_first_note(&first, cwi_dra_close_files(&slots[slot]));
      slots[slot].used = false;
    }
  return cwi_first_return(&first);
}

static void dra_end(void)
{
  if (dra_forget() != CW_OK)
    (void)cwi_pario_fail(0, "the end", "%s", cwi_error_message());
}

cw_error cwi_dra_start(long arrays)
{
  static struct cwi_stop_hook end = {.run = dra_end};
  CWI_TRY(cwi_ga_running());
  if (arrays > SLOTS)
    return cwi_misuse("max_arrays is %ld; it may be 1 to %d, or 0 or less for the default", arrays,
                      SLOTS);
  cwi_stop_hook_add(&end);
  runs = true;
  return CW_OK;
}

cw_error cwi_dra_stop(void)
{
  cw_team team = NULL;
  CWI_TRY(cwi_dra_team(&team));
  CWI_TRY(cw_barrier(team));
  return cwi_team_agree(team, dra_forget());
}

cw_error cwi_dra_team(cw_team *team)
{
  CWI_TRY(cwi_ga_running());
  if (!runs)
    return cwi_misuse("DRA is not running: call dra_init first");
  return cwi_ga_team("the default group", cwi_ga_default(), team);
}

cw_error cwi_dra_find(long handle, struct cwi_dra **dra)
{
  const long slot = handle - FIRST;
  *dra = slot >= 0 && slot < SLOTS && slots[slot].used ? &slots[slot] : NULL;
  if (*dra != NULL)
    return CW_OK;
  const cw_error error =
      cwi_misuse("d_a is %ld, which is not an array on disk (was it closed?)", handle);
  if (error == CW_OK) /* never true; without this hint an analyzer assumes that *dra may be NULL */
    __builtin_unreachable();
  return error;
}

static bool slot_is_used(int slot)
{
  return slots[slot].used;
}

static cw_error free_slot(cw_team team, int *slot)
{
  CWI_TRY(cwi_pario_free_slot(team, SLOTS, slot_is_used, slot));
  return *slot < SLOTS ? CW_OK : cwi_misuse("%d arrays are open, the maximum", SLOTS);
}

/* --- Checks of arguments --- */

static cw_error check_type(int type, struct cwi_dra_shape *shape)
{
  cw_type native = CW_OPAQUE;
  shape->type = type;
  CWI_TRY(cwi_ga_type(&shape->type, &native, &shape->element));
  const int code = shape->type;
  if (code == C_INT || code == C_LONG || code == C_FLOAT || code == C_DBL || code == C_SCPL ||
      code == C_DCPL)
    return CW_OK;
  return cwi_misuse(
      "type is %d; arrays on disk are of int, long, float, double, or complex numbers", type);
}

static cw_error check_dims(const struct cwi_dra_options *call_arguments,
                           struct cwi_dra_shape *shape)
{
  int64_t left = INT64_MAX / 2 / (int64_t)shape->element;
  if (call_arguments->ndim < 1 || call_arguments->ndim > GA_MAX_DIM)
    return cwi_misuse("ndim is %d; it may be 1 to %d", call_arguments->ndim, GA_MAX_DIM);
  shape->ndim = call_arguments->ndim;
  for (int d = 0; d < call_arguments->ndim; d++) {
    char name[24];
    snprintf(name, sizeof name, "dims[%d]", d);
    if (call_arguments->dims[d] < 1 || call_arguments->dims[d] > left)
      return cwi_misuse("%s is %lld; it must be at least 1, and all dimensions together must make "
                        "less than 2^62 bytes",
                        call_arguments->fortran != NULL
                            ? call_arguments->fortran[call_arguments->ndim - 1 - d]
                            : name,
                        (long long)call_arguments->dims[d]);
    left /= call_arguments->dims[d];
    shape->dims[d] = call_arguments->dims[d];
    shape->request[d] = call_arguments->request != NULL ? call_arguments->request[d] : -1;
  }
  return CW_OK;
}

static cw_error check_mode(long mode)
{
  if (mode == CWI_PARIO_RW || mode == CWI_PARIO_W || mode == CWI_PARIO_R)
    return CW_OK;
  return cwi_misuse("mode is %ld; it may be DRA_RW (%d), DRA_W (%d) or DRA_R (%d)", mode,
                    CWI_PARIO_RW, CWI_PARIO_W, CWI_PARIO_R);
}

static cw_error check_path(const char *path, char *kept)
{
  const size_t length = strlen(path);
  if (length == 0 || length > CWI_DRA_PATH)
    return cwi_misuse("filename has %zu characters; it may have 1 to %d", length, CWI_DRA_PATH);
  memcpy(kept, path, length + 1);
  return CW_OK;
}

/* Keeps the name of the array. It is truncated at a newline, because a newline ends the name in the
 * description. */
static void keep_name(const char *name, struct cwi_dra_shape *shape)
{
  const size_t length = strcspn(name, "\n"), used = length < CWI_DRA_NAME ? length : CWI_DRA_NAME;
  memcpy(shape->name, name, used);
  shape->name[used] = '\0';
}

static int within(long value, int fallback, int most)
{
  const long chosen = value > 0 ? value : fallback;
  return chosen < most ? (int)chosen : most;
}

static cw_error check_request(const struct cwi_dra_options *call_arguments, struct cwi_dra *dra)
{
  struct cwi_dra_shape *shape = &dra->shape;
  CWI_TRY(check_type(call_arguments->type, shape));
  CWI_TRY(check_dims(call_arguments, shape));
  CWI_TRY(check_mode(call_arguments->mode));
  CWI_TRY(check_path(call_arguments->path, dra->given));
  if (call_arguments->mode == CWI_PARIO_R)
    return cwi_misuse("mode is DRA_R (%d): a new array has nothing to read", CWI_PARIO_R);
  dra->mode = (int)call_arguments->mode;
  keep_name(call_arguments->name, shape);
  return CW_OK;
}

/* --- Creating and opening --- */

/* Exchanges the file names. Processes may pass different names for the same array, for example on
 * local disks. The files of a node have the name that the first member on the node passed. The
 * description has the name of rank 0. */
static cw_error share_path(cw_team team, const struct cwi_dra_workers *workers, struct cwi_dra *dra)
{
  char(*all)[sizeof dra->given] = calloc((size_t)cw_team_size(team), sizeof *all);
  cw_error error =
      all != NULL ? CW_OK
                  : cwi_outside("no memory for the file names of %d processes", cw_team_size(team));
  error = cwi_team_agree(team, error);
  if (error == CW_OK)
    error = cw_allgather(team, dra->given, sizeof dra->given, all);
  if (error == CW_OK)
    memcpy(dra->path, all[workers->first], sizeof dra->path);
  free(all);
  return error;
}

static void keep_files(const struct cwi_dra_options *call_arguments,
                       const struct cwi_dra_workers *workers, struct cwi_dra_shape *shape)
{
  const int files = default_files > 0 ? default_files : workers->nodes;
  shape->files = within(call_arguments->files, files, CWI_DRA_FILES);
  if (shape->files > shape->dims[0])
    shape->files = (int)shape->dims[0];
  shape->procs = within(call_arguments->procs, default_procs, INT32_MAX);
}

static cw_error new_identity(cw_team team, uint64_t *identity)
{
  if (getrandom(identity, sizeof *identity, 0) != sizeof *identity)
    *identity = (uint64_t)time(NULL) << 32 | (uint64_t)getpid();
  return cw_broadcast(team, 0, identity, sizeof *identity);
}

static bool dra_first(cw_team team)
{
  return cw_team_rank(team) == 0;
}

/* Finds an existing array of the same name. If there is none, or its description cannot be read,
 * `old->shape.files` is 0. Files of an unreadable array remain unless the new array replaces
 * them. */
static cw_error find_old(cw_team team, const struct cwi_dra *dra, struct cwi_dra *old)
{
  *old = (struct cwi_dra){0};
  memcpy(old->path, dra->path, sizeof old->path);
  if (dra_first(team) && access(cwi_dra_info_path(dra->path).at, F_OK) == 0 &&
      cwi_dra_info_read(dra->path, &old->shape) != CW_OK) {
    (void)cwi_pario_fail(0, "dra_create", "%s; some of its files may remain", cwi_error_message());
    old->shape = (struct cwi_dra_shape){0};
  }
  return cw_broadcast(team, 0, &old->shape, sizeof old->shape);
}

/* Writes all new files, and then renames them to their final names. The description comes last,
 * because the array exists when its description exists. *begun becomes true if files may have been
 * renamed. */
static cw_error dra_place(cw_team team, const struct cwi_dra_workers *workers, struct cwi_dra *dra,
                          bool *begun)
{
  struct cwi_dra_new made = {0};
  cw_error error = cwi_dra_make_beside(workers, dra, dra_first(team), &made);
  error = cwi_team_agree(team, error);
  *begun = error == CW_OK;
  if (error == CW_OK)
    error = cwi_team_agree(team, cwi_dra_store(&made, false));
  if (error == CW_OK)
    error = cwi_team_agree(team, cwi_dra_open_files(workers, dra));
  if (error == CW_OK)
    error = cwi_team_agree(team, cwi_dra_store(&made, true));
  cwi_dra_drop(&made, error != CW_OK);
  if (error == CW_OK)
    return CW_OK;
  /* A member that receives the error may end the job, so all members delete their files first. */
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  cwi_first_note(&first, cw_barrier(team));
  return cwi_first_return(&first);
}

/* Cleans up after a failed creation. If a part of the older array has been lost, deletes the rest
 * of it. */
static cw_error dra_give_up(cw_team team, const struct cwi_dra_workers *workers,
                            const struct cwi_dra *old, cw_error error)
{
  struct cwi_first_error first;
  long broken = old->shape.files > 0 && cwi_dra_is_broken(workers, old, dra_first(team));
  cwi_first_begin(&first, error);
  cwi_first_note(&first, cw_allreduce(team, CW_LONG, CW_MAXIMUM, 1, &broken));
  if (broken && dra_first(team))
    cwi_first_note(&first, cwi_dra_info_delete(old));
  if (broken)
    cwi_dra_delete_old(workers, NULL, old);
  return cwi_first_return(&first);
}

static cw_error dra_make(cw_team team, const struct cwi_dra_workers *workers, struct cwi_dra *dra)
{
  struct cwi_dra old;
  CWI_TRY(find_old(team, dra, &old));
  CWI_TRY(new_identity(team, &dra->shape.identity));
  bool begun = false;
  const cw_error error = dra_place(team, workers, dra, &begun);
  if (error != CW_OK)
    return begun ? dra_give_up(team, workers, &old, error) : error;
  cwi_dra_delete_old(workers, dra, &old);
  return CW_OK;
}

/* Stores the array in a slot if there was no error. Otherwise closes its files. */
static cw_error dra_enter(cw_team team, struct cwi_dra *dra, cw_error error, int *handle)
{
  struct cwi_first_error first;
  int slot = 0;
  cwi_first_begin(&first, error);
  if (error == CW_OK)
    cwi_first_note(&first, free_slot(team, &slot));
  if (first.error != CW_OK) {
    cwi_first_note(&first, cwi_dra_close_files(dra));
    return cwi_first_return(&first);
  }
  dra->used = true;
  slots[slot] = *dra;
  *handle = slot + FIRST;
  return CW_OK;
}

cw_error cwi_dra_create(const struct cwi_dra_options *call_arguments, int *handle)
{
  cw_team team = NULL;
  struct cwi_dra dra = {0};
  struct cwi_dra_workers workers;
  CWI_TRY(cwi_dra_team(&team));
  CWI_TRY(check_request(call_arguments, &dra));
  const int files = within(call_arguments->files, default_files, INT_MAX);
  const int procs = within(call_arguments->procs, default_procs, INT_MAX);
  const struct cwi_argument list[] = {
      cwi_argument_int("type", &call_arguments->type),
      cwi_argument_int("ndim", &call_arguments->ndim),
      cwi_argument_indices("dims", call_arguments->dims, (size_t)call_arguments->ndim),
      cwi_argument_indices("mode", &call_arguments->mode, 1),
      cwi_argument_int("numfiles", &files),
      cwi_argument_int("numioprocs", &procs),
      CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(team, list));
  CWI_TRY(cwi_team_agree(team, cwi_dra_workers_of(team, &workers)));
  CWI_TRY(share_path(team, &workers, &dra));
  keep_files(call_arguments, &workers, &dra.shape);
  return dra_enter(team, &dra, dra_make(team, &workers, &dra), handle);
}

static cw_error dra_load(cw_team team, const struct cwi_dra_workers *workers, struct cwi_dra *dra)
{
  const cw_error read = dra_first(team) ? cwi_dra_info_read(dra->path, &dra->shape) : CW_OK;
  CWI_TRY(cwi_team_agree(team, read));
  CWI_TRY(cw_broadcast(team, 0, &dra->shape, sizeof dra->shape));
  return cwi_team_agree(team, cwi_dra_open_files(workers, dra));
}

static cw_error dra_open(const char *path, long mode, int *handle)
{
  cw_team team = NULL;
  struct cwi_dra dra = {0};
  struct cwi_dra_workers workers;
  const struct cwi_argument list[] = {cwi_argument_indices("mode", &mode, 1), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_dra_team(&team));
  CWI_TRY(cwi_ga_agreed(team, list));
  CWI_TRY(check_mode(mode));
  CWI_TRY(check_path(path, dra.given));
  CWI_TRY(cwi_team_agree(team, cwi_dra_workers_of(team, &workers)));
  CWI_TRY(share_path(team, &workers, &dra));
  dra.mode = (int)mode;
  return dra_enter(team, &dra, dra_load(team, &workers, &dra), handle);
}

cw_error cwi_dra_open_or_report(const char *call, const char *path, long mode, int *handle,
                                bool *found)
{
  cw_team team = NULL;
  const cw_error error = dra_open(path, mode, handle);
  *found = error == CW_OK;
  if (error != CW_OUTSIDE)
    return error;
  CWI_TRY(cwi_dra_team(&team));
  if (dra_first(team))
    (void)cwi_pario_fail(-1, call, "%s", cwi_error_message());
  return CW_OK;
}

/* --- Closing and deleting --- */

cw_error cwi_dra_close(long handle, bool deletes)
{
  cw_team team = NULL;
  struct cwi_dra *dra = NULL;
  struct cwi_dra_workers workers;
  const struct cwi_argument list[] = {cwi_argument_indices("d_a", &handle, 1), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_dra_team(&team));
  CWI_TRY(cwi_dra_find(handle, &dra));
  CWI_TRY(cwi_ga_agreed(team, list));
  CWI_TRY(cwi_team_agree(team, cwi_dra_workers_of(team, &workers)));
  const cw_error closed = cwi_dra_close_files(dra);
  dra->used = false;
  CWI_TRY(cwi_team_agree(team, deletes ? CW_OK : closed));
  if (!deletes)
    return CW_OK;
  CWI_TRY(cwi_team_agree(team, dra_first(team) ? cwi_dra_info_delete(dra) : CW_OK));
  return cwi_team_agree(team, cwi_dra_delete_files(&workers, dra));
}

/* --- Requests: their work is complete when they are returned --- */

cw_error cwi_dra_request(int *request)
{
  *request = 0;
  while (*request < REQUESTS && requested[*request])
    ++*request;
  if (*request == REQUESTS)
    return cwi_misuse("%d requests are outstanding, the maximum: call dra_wait", REQUESTS);
  requested[*request] = given[*request] = true;
  return CW_OK;
}

cw_error cwi_dra_wait(long request)
{
  if (request == CWI_DRA_NO_REQUEST)
    return CW_OK;
  if (request < 0 || request >= REQUESTS || !given[request])
    return cwi_misuse("request is %ld, which no call has returned", request);
  requested[request] = false;
  return CW_OK;
}

/* --- Configuration and printing --- */

void cwi_dra_configure(long files, long procs)
{
  default_files = within(files, 0, CWI_DRA_FILES);
  default_procs = within(procs, 0, INT32_MAX);
}

cw_error cwi_dra_print(long handle)
{
  cw_team team = NULL;
  struct cwi_dra *dra = NULL;
  CWI_TRY(cwi_dra_team(&team));
  CWI_TRY(cwi_dra_find(handle, &dra));
  if (!dra_first(team))
    return CW_OK;
  const struct cwi_dra_shape *shape = &dra->shape;
  printf("array '%s' on disk, '%s': type %d, mode %d, dimensions", shape->name, dra->path,
         shape->type, dra->mode);
  for (int d = 0; d < shape->ndim; d++)
    printf(" %lld", (long long)shape->dims[d]);
  printf(", files %d, processes of a node on each %d\n", shape->files, shape->procs);
  fflush(stdout);
  return CW_OK;
}
