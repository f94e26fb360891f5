/* Parts of the profile of a job that has died. Witnesses have no MPI: files are what they share,
 * also with those of other machines. */
#include "report/parts.h"

#include "base/clock.h"
#include "report/parcel.h"
#include "report/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME = PATH_MAX + 128 };

static void name_part(const struct cwi_parts *parts, int process, char *name)
{
  snprintf(name, NAME, "%s/%d", parts->folder, process);
}

static bool is_there(const struct cwi_parts *parts, int process)
{
  char name[NAME];
  name_part(parts, process, name);
  return access(name, F_OK) == 0;
}

/* Who sees it sees all of it. */
bool cwi_part_leave(const struct cwi_parts *parts, const struct cwi_summary *summary)
{
  struct cwi_whole_file file = {.out = NULL};
  char name[NAME];
  size_t bytes = 0;
  int code = ENOMEM;
  if (mkdir(parts->folder, 0777) != 0 && errno != EEXIST)
    return false;
  char *parcel = cwi_parcel_make(summary, &bytes);
  name_part(parts, parts->process, name);
  if (parcel != NULL)
    code = cwi_whole_file_open(&file, name);
  if (code == 0) {
    fwrite(parcel, 1, bytes, file.out);
    code = cwi_whole_file_close(&file);
  }
  free(parcel);
  if (code != 0)
    rmdir(parts->folder); /* if it is empty */
  errno = code;
  return code == 0;
}

/* --- Whose turn it is ------------------------------------------------------------------------- */

/* The processes of a job do not die at once: launchers first ask them to end. */
enum { PATIENCE = 5, MOST_PATIENCE = 15 }; /* seconds */

static bool are_there(const struct cwi_parts *parts, int *first)
{
  while (*first < parts->processes && is_there(parts, *first))
    ++*first;
  return *first == parts->processes;
}

static bool am_first(const struct cwi_parts *parts)
{
  int process = 0;
  while (process < parts->process && !is_there(parts, process))
    process++;
  return process == parts->process;
}

bool cwi_parts_await(const struct cwi_parts *parts)
{
  /* Process 0 is quick; the others must not keep a file system busy. */
  const struct timespec nap = {.tv_nsec = parts->process == 0 ? 10000000 : 200000000};
  const double begin = cwi_now();
  for (int first = 0; cwi_now() - begin < MOST_PATIENCE; nanosleep(&nap, NULL)) {
    const bool late = cwi_now() - begin >= PATIENCE;
    if (parts->process == 0 && (late || are_there(parts, &first)))
      return true;
    if (!is_there(parts, parts->process))
      return false;
    if (late && am_first(parts))
      return true;
  }
  return false;
}

/* --- What is in them -------------------------------------------------------------------------- */

static void add_part(const char *name, struct cwi_summary *summary)
{
  struct stat file;
  FILE *in = fopen(name, "r");
  if (in == NULL)
    return;
  const size_t bytes = fstat(fileno(in), &file) == 0 ? (size_t)file.st_size : 0;
  char *parcel = malloc(bytes + 1);
  if (parcel == NULL)
    summary->incomplete = true;
  else if (fread(parcel, 1, bytes, in) == bytes) {
    parcel[bytes] = '\0'; /* texts of a damaged one end, too */
    cwi_parcel_add(summary, parcel, bytes);
  }
  free(parcel);
  fclose(in);
}

void cwi_parts_add(const struct cwi_parts *parts, struct cwi_summary *summary)
{
  for (int process = 0; process < parts->processes; process++) {
    char name[NAME];
    name_part(parts, process, name);
    if (process != parts->process)
      add_part(name, summary);
  }
}

void cwi_parts_remove(const struct cwi_parts *parts)
{
  for (int process = 0; process < parts->processes; process++) {
    char name[NAME];
    name_part(parts, process, name);
    unlink(name);
  }
  rmdir(parts->folder);
}
