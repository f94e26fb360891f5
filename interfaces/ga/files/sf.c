/* Shared files: each member of a group reads and writes any part of a file at any time. Creating a
 * shared file keeps the contents of an existing file. Asynchronous calls are complete when they
 * return. */
#include "ga/files/pario.h"
#include "ga/files/slot.h"

#include "base/stop_hooks.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sf_file {
  char *path; /* NULL if the slot is free */
  int file;   /* -1 if it is closed */
};

/* The handle of slot s is s - 3000. */
enum { SLOTS = 100, FIRST = -3000 };
static struct sf_file slots[SLOTS];

/* --- Collective steps --- */

/* Finds the team of the calls that create or destroy files: the default group. */
static cw_error sf_team(cw_team *team)
{
  CWI_TRY(cwi_ga_running());
  return cwi_ga_team("the default group", cwi_ga_default(), team);
}

/* Replaces *code by the least code of all members, which is the worst one. */
static cw_error sf_agree(cw_team team, int *code)
{
  long worst = *code;
  CWI_TRY(cw_allreduce(team, CW_LONG, CW_MINIMUM, 1, &worst));
  *code = (int)worst;
  return CW_OK;
}

static bool sf_slot_is_used(int slot)
{
  return slots[slot].path != NULL;
}

static cw_error sf_free_slot(cw_team team, int *slot)
{
  CWI_TRY(cwi_pario_free_slot(team, SLOTS, sf_slot_is_used, slot));
  return *slot < SLOTS ? CW_OK : cwi_misuse("%d shared files exist, the maximum", SLOTS);
}

/* --- Files --- */

static cw_error sf_find(long handle, struct sf_file **shared)
{
  const long slot = handle - FIRST;
  *shared = slot >= 0 && slot < SLOTS && slots[slot].path != NULL ? &slots[slot] : NULL;
  return *shared != NULL
             ? CW_OK
             : cwi_misuse("handle is %ld, which is not a shared file (was it destroyed?)", handle);
}

static int sf_not_open(const char *call, const char *path)
{
  return cwi_pario_fail(CWI_PARIO_OPEN, call, "shared file '%s' cannot be opened: %s", path,
                        cwi_pario_reason(errno));
}

static int sf_open(const char *call, struct sf_file *shared, int flags)
{
  shared->file = cwi_pario_open(shared->path, flags);
  return shared->file >= 0 ? CWI_PARIO_GOOD : sf_not_open(call, shared->path);
}

static int sf_close(const char *call, struct sf_file *shared)
{
  const int file = shared->file;
  shared->file = -1;
  if (file < 0 || close(file) == 0)
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(CWI_PARIO_WRITE, call, "shared file '%s' cannot be closed: %s",
                        shared->path, cwi_pario_reason(errno));
}

static void sf_forget(struct sf_file *shared)
{
  free(shared->path);
  shared->path = NULL;
}

/* --- Creating and destroying --- */

static cw_error sf_path(const char *name, long suffix, char *path)
{
  if (name[0] == '\0')
    return cwi_misuse("fname is empty");
  const int length = snprintf(path, CWI_PARIO_PATH, "%s.%ld", name, suffix);
  if (length < 0 || (size_t)length >= CWI_PARIO_PATH)
    return cwi_misuse("fname has %zu characters; it may have at most %zu", strlen(name),
                      CWI_PARIO_PATH - 32);
  return CW_OK;
}

/* Opens or creates the file. *made becomes true if this process created it. */
static int sf_make(const char *call, const char *path, struct sf_file *shared, bool *made)
{
  shared->path = strdup(path);
  if (shared->path == NULL)
    return cwi_pario_fail(CWI_PARIO_MEMORY, call, "no memory for the name of shared file '%s'",
                          path);
  shared->file = cwi_pario_make(path, made);
  return shared->file >= 0 ? CWI_PARIO_GOOD : sf_not_open(call, path);
}

/* Undoes the creation after it failed on a member. A file that existed before is kept. */
static void sf_unmake(const char *call, struct sf_file *shared, bool made)
{
  if (shared->path == NULL)
    return;
  (void)sf_close(call, shared);
  if (made && unlink(shared->path) != 0)
    (void)cwi_pario_fail(0, call, "shared file '%s' cannot be deleted: %s", shared->path,
                         cwi_pario_reason(errno));
  sf_forget(shared);
}

/* Closes all files when Causeway stops. They are not deleted. */
static void sf_end(void)
{
  for (int slot = 0; slot < SLOTS; slot++)
    if (slots[slot].path != NULL) {
      (void)sf_close("the end", &slots[slot]);
      sf_forget(&slots[slot]);
    }
}

cw_error cwi_sf_create(const char *call, const char *name, const long *suffix, int *handle,
                       int *code)
{
  static struct cwi_stop_hook end = {.run = sf_end};
  char path[CWI_PARIO_PATH];
  bool made = false;
  cw_team team = NULL;
  int slot = 0;
  const struct cwi_argument list[] = {cwi_argument_text("fname", name),
                                      cwi_argument_indices("suffix", suffix, 1), CWI_ARGUMENTS_END};
  CWI_TRY(sf_team(&team));
  CWI_TRY(cwi_ga_agreed(team, list));
  CWI_TRY(sf_free_slot(team, &slot));
  cwi_stop_hook_add(&end);
  CWI_TRY(sf_path(name, suffix != NULL ? *suffix : slot, path));
  *code = sf_make(call, path, &slots[slot], &made);
  CWI_TRY(sf_agree(team, code));
  *handle = *code == CWI_PARIO_GOOD ? slot + FIRST : 0;
  if (*code != CWI_PARIO_GOOD)
    sf_unmake(call, &slots[slot], made);
  return CW_OK;
}

/* Destroys a shared file. Every member deletes the file, because the processes may share a folder,
 * or each may have its own. */
cw_error cwi_sf_destroy(const char *call, long handle, int *code)
{
  cw_team team = NULL;
  struct sf_file *shared = NULL;
  const struct cwi_argument list[] = {cwi_argument_indices("sf_handle", &handle, 1),
                                      CWI_ARGUMENTS_END};
  CWI_TRY(sf_team(&team));
  CWI_TRY(sf_find(handle, &shared));
  CWI_TRY(cwi_ga_agreed(team, list));
  *code = sf_close(call, shared);
  CWI_TRY(cw_barrier(team));
  if (unlink(shared->path) != 0 && errno != ENOENT)
    *code = cwi_pario_fail(CWI_PARIO_OPEN, call, "shared file '%s' cannot be deleted: %s",
                           shared->path, cwi_pario_reason(errno));
  sf_forget(shared);
  return sf_agree(team, code);
}

/* --- Calls of one process --- */

cw_error cwi_sf_open(const char *call, long handle, int *code)
{
  struct sf_file *shared = NULL;
  CWI_TRY(sf_find(handle, &shared));
  *code = shared->file >= 0 ? CWI_PARIO_GOOD : sf_open(call, shared, O_RDWR | O_CREAT);
  return CW_OK;
}

cw_error cwi_sf_close(const char *call, long handle, int *code)
{
  struct sf_file *shared = NULL;
  CWI_TRY(sf_find(handle, &shared));
  *code = sf_close(call, shared);
  return CW_OK;
}

cw_error cwi_sf_read_only(const char *call, long handle, int *code)
{
  struct sf_file *shared = NULL;
  CWI_TRY(sf_find(handle, &shared));
  *code = sf_close(call, shared);
  if (*code == CWI_PARIO_GOOD)
    *code = sf_open(call, shared, O_RDONLY);
  return CW_OK;
}

/* Synchronises a file to the disk. Some file systems do not support fsync, which is no error. */
cw_error cwi_sf_sync(const char *call, long handle, int *code)
{
  struct sf_file *shared = NULL;
  CWI_TRY(sf_find(handle, &shared));
  *code = CWI_PARIO_GOOD;
  if (shared->file >= 0 && fsync(shared->file) != 0 && errno != EINVAL && errno != ENOTSUP)
    *code = cwi_pario_fail(CWI_PARIO_WRITE, call, "shared file '%s' cannot be written to disk: %s",
                           shared->path, cwi_pario_reason(errno));
  return CW_OK;
}

static int sf_move(const char *call, const struct sf_file *shared, bool writes,
                   const struct cwi_pario_run *run)
{
  size_t got = run->bytes;
  const int error =
      writes ? cwi_pario_write(shared->file, run) : cwi_pario_read(shared->file, run, &got);
  if (error != 0)
    return cwi_pario_fail(writes ? CWI_PARIO_WRITE : CWI_PARIO_READ, call,
                          "%zu bytes at offset %lld of shared file '%s' cannot be %s: %s",
                          run->bytes, (long long)run->offset, shared->path,
                          writes ? "written" : "read", cwi_pario_reason(error));
  if (got == run->bytes)
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(
      CWI_PARIO_END, call,
      "%zu bytes at offset %lld are to be read; shared file '%s' ends after %zu of them",
      run->bytes, (long long)run->offset, shared->path, got);
}

cw_error cwi_sf_move(const char *call, long handle, const struct cwi_pario_request *call_arguments,
                     int *code)
{
  static const struct cwi_pario_rejections codes = {CWI_PARIO_SEEK, CWI_PARIO_WRITE,
                                                    CWI_PARIO_READ};
  struct sf_file *shared = NULL;
  struct cwi_pario_run run = {0};
  CWI_TRY(sf_find(handle, &shared));
  *code = shared->file >= 0
              ? cwi_pario_result(call, shared->path, call_arguments, &codes, &run)
              : cwi_pario_fail(CWI_PARIO_SEEK, call,
                               "shared file '%s' is closed on this process: call sf_open first",
                               shared->path);
  if (*code == CWI_PARIO_GOOD)
    *code = sf_move(call, shared, call_arguments->writes, &run);
  return CW_OK;
}

int cwi_sf_wait(const char *call, long request)
{
  if (CWI_LIKELY(request == CWI_PARIO_DONE))
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(
      CWI_PARIO_REQUEST, call,
      "the request is %ld, which no call has returned; calls that succeed return %d", request,
      CWI_PARIO_DONE);
}
