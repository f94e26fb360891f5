/* Partial profiles of a job that has died. Crash reporters have no MPI, so they exchange them as
 * files, also between machines. */
#include "report/partial_profile.h"

#include "base/clock.h"
#include "output/atomic_file.h"
#include "report/crash_reporter.h"
#include "summary/packed_summary.h"
#include "wait/waiter.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = PATH_MAX + CWI_TEMPORARY_NAME + 16 };

static void name_part(const struct cwi_partial_profiles *parts, int process, char *name)
{
  snprintf(name, NAME, "%s/%d", parts->folder, process);
}

static bool is_there(const struct cwi_partial_profiles *parts, int process)
{
  char name[NAME];
  name_part(parts, process, name);
  return access(name, F_OK) == 0;
}

bool cwi_partial_profiles_begin(const struct cwi_partial_profiles *parts)
{
  return mkdir(parts->folder, 0777) == 0 || errno == EEXIST;
}

/* Renames the complete file, so that readers never see half of it. Does not create the folder
 * again: if it is missing, process 0 has removed it. */
bool cwi_partial_profile_write(const struct cwi_partial_profiles *parts,
                               const struct cwi_summary *summary, void (*more)(FILE *out))
{
  struct cwi_atomic_file file = {.out = NULL};
  char name[NAME];
  uint64_t bytes = 0;
  int code = ENOMEM;
  char *packed_summary = cwi_summary_pack(summary, &bytes);
  name_part(parts, parts->process, name);
  if (packed_summary != NULL)
    code = cwi_atomic_file_open(&file, name, parts->unique);
  if (code == 0) {
    fwrite(&bytes, sizeof bytes, 1, file.out);
    fwrite(packed_summary, 1, bytes, file.out);
    more(file.out);
    code = cwi_atomic_file_close(&file);
  }
  free(packed_summary);
  if (code != 0)
    rmdir(parts->folder); /* fails unless it is empty */
  errno = code;
  return code == 0;
}

/* --- Which reporter writes -------------------------------------------------------------------- */

/* The processes of a job do not all die at the same time, because launchers first request that they
 * end. */
enum { WAIT_SECONDS = 5, MOST_WAIT_SECONDS = 15 };

/* Returns true if the parts of all processes exist. *first is the first one that was missing. */
static bool are_there(const struct cwi_partial_profiles *parts, int *first)
{
  while (*first < parts->processes && is_there(parts, *first))
    ++*first;
  return *first == parts->processes;
}

/* Returns the number of bytes of the parts that are being written, plus one for each; 0 if there
 * are none. */
static uint64_t bytes_coming(const struct cwi_partial_profiles *parts)
{
  static const char half[] = ".partial";
  uint64_t bytes = 0;
  struct stat file;
  DIR *entries = opendir(parts->folder);
  if (entries == NULL)
    return 0;
  for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    const size_t length = strlen(entry->d_name), end = sizeof half - 1;
    if (length > end && strcmp(entry->d_name + length - end, half) == 0 &&
        fstatat(dirfd(entries), entry->d_name, &file, 0) == 0)
      bytes += 1 + (uint64_t)file.st_size;
  }
  closedir(entries);
  return bytes;
}

/* Returns true if no process below mine has left a part. */
static bool am_first(const struct cwi_partial_profiles *parts)
{
  int process = 0;
  while (process < parts->process && !is_there(parts, process))
    process++;
  return process == parts->process;
}

bool cwi_partial_profiles_await(const struct cwi_partial_profiles *parts)
{
  /* Process 0 polls often; the others poll rarely in order not to burden the file system. */
  const long nap = parts->process == 0 ? 10000000 : 200000000;
  const double begin = cwi_now();
  double late = begin + WAIT_SECONDS;
  uint64_t seen = 0;
  for (int first = 0;; cwi_nap(nap)) {
    if (parts->process == 0 && are_there(parts, &first))
      return true;
    if (!is_there(parts, parts->process))
      return false;
    if (cwi_now() >= late && am_first(parts)) {
      const uint64_t coming = bytes_coming(parts);
      if (coming == 0 || coming == seen)
        return true;
      seen = coming;
      late = cwi_now() + WAIT_SECONDS;
      cwi_crash_reporter_extend();
    } else if (cwi_now() - begin >= MOST_WAIT_SECONDS && !am_first(parts)) {
      return false;
    }
  }
}

/* --- Reading them ----------------------------------------------------------------------------- */

/* Opens the part of `process` at its summary and sets *bytes to the size of the summary. Returns
 * NULL if there is no part, or if the file is damaged: it has fewer bytes than its summary. */
static FILE *part_open(const struct cwi_partial_profiles *parts, int process, uint64_t *bytes)
{
  struct stat file;
  char name[NAME];
  name_part(parts, process, name);
  FILE *in = fopen(name, "re");
  if (in == NULL)
    return NULL;
  if (fstat(fileno(in), &file) == 0 && fread(bytes, sizeof *bytes, 1, in) == 1 &&
      *bytes <= (uint64_t)file.st_size)
    return in;
  fclose(in);
  return NULL;
}

static void add_part(const struct cwi_partial_profiles *parts, int process,
                     struct cwi_summary *summary)
{
  uint64_t bytes = 0;
  FILE *in = part_open(parts, process, &bytes);
  if (in == NULL)
    return;
  char *packed_summary = malloc(bytes + 1);
  if (packed_summary == NULL)
    summary->incomplete = true;
  else if (fread(packed_summary, 1, bytes, in) == bytes) {
    packed_summary[bytes] = '\0'; /* ends the texts of a damaged part */
    cwi_summary_unpack(summary, packed_summary, bytes);
  }
  free(packed_summary);
  fclose(in);
}

FILE *cwi_partial_profile_open(const struct cwi_partial_profiles *parts, int process)
{
  uint64_t bytes = 0;
  FILE *in = part_open(parts, process, &bytes);
  if (in == NULL || fseek(in, (long)bytes, SEEK_CUR) == 0)
    return in;
  fclose(in);
  return NULL;
}

void cwi_partial_profiles_add(const struct cwi_partial_profiles *parts, struct cwi_summary *summary)
{
  for (int process = 0; process < parts->processes; process++)
    if (process != parts->process)
      add_part(parts, process, summary);
}

void cwi_partial_profiles_remove(const struct cwi_partial_profiles *parts)
{
  DIR *entries = opendir(parts->folder);
  if (entries == NULL)
    return;
  for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
    unlinkat(dirfd(entries), entry->d_name, 0);
  closedir(entries);
  rmdir(parts->folder);
}
