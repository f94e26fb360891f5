/* Parts of what a job that has died had counted. Witnesses have no MPI: files are what they share,
 * also with those of other machines. */
#include "report/parts.h"

#include "base/clock.h"
#include "report/parcel.h"
#include "report/whole_file.h"
#include "report/witness.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME = PATH_MAX + CWI_BESIDE + 16 };

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

bool cwi_parts_begin(const struct cwi_parts *parts)
{
  return mkdir(parts->folder, 0777) == 0 || errno == EEXIST;
}

/* Who sees it sees all of it. The folder is not made again: process 0 has taken it away, then. */
bool cwi_part_leave(const struct cwi_parts *parts, const struct cwi_summary *summary,
                    void (*more)(FILE *out))
{
  struct cwi_whole_file file = {.out = NULL};
  char name[NAME];
  uint64_t bytes = 0;
  int code = ENOMEM;
  char *parcel = cwi_parcel_make(summary, &bytes);
  name_part(parts, parts->process, name);
  if (parcel != NULL)
    code = cwi_whole_file_open(&file, name, parts->unique);
  if (code == 0) {
    fwrite(&bytes, sizeof bytes, 1, file.out);
    fwrite(parcel, 1, bytes, file.out);
    more(file.out);
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

/* Bytes of parts that are being written, and one for each; 0: there are none. */
static uint64_t bytes_coming(const struct cwi_parts *parts)
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
  double late = begin + PATIENCE;
  uint64_t came = 0;
  for (int first = 0;; nanosleep(&nap, NULL)) {
    if (parts->process == 0 && are_there(parts, &first))
      return true;
    if (!is_there(parts, parts->process))
      return false;
    if (cwi_now() >= late && am_first(parts)) {
      const uint64_t coming = bytes_coming(parts);
      if (coming == 0 || coming == came)
        return true;
      came = coming;
      late = cwi_now() + PATIENCE;
      cwi_witness_go_on();
    } else if (cwi_now() - begin >= MOST_PATIENCE && !am_first(parts)) {
      return false;
    }
  }
}

/* --- What is in them -------------------------------------------------------------------------- */

/* At the summary, of so many bytes; NULL: there is none. A damaged one has fewer than it says. */
static FILE *part_open(const struct cwi_parts *parts, int process, uint64_t *bytes)
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

static void add_part(const struct cwi_parts *parts, int process, struct cwi_summary *summary)
{
  uint64_t bytes = 0;
  FILE *in = part_open(parts, process, &bytes);
  if (in == NULL)
    return;
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

FILE *cwi_part_open(const struct cwi_parts *parts, int process)
{
  uint64_t bytes = 0;
  FILE *in = part_open(parts, process, &bytes);
  if (in == NULL || fseek(in, (long)bytes, SEEK_CUR) == 0)
    return in;
  fclose(in);
  return NULL;
}

void cwi_parts_add(const struct cwi_parts *parts, struct cwi_summary *summary)
{
  for (int process = 0; process < parts->processes; process++)
    if (process != parts->process)
      add_part(parts, process, summary);
}

void cwi_parts_remove(const struct cwi_parts *parts)
{
  DIR *entries = opendir(parts->folder);
  if (entries == NULL)
    return;
  for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
    unlinkat(dirfd(entries), entry->d_name, 0);
  closedir(entries);
  rmdir(parts->folder);
}
