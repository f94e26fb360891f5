/* Writes an OTF2 archive into a folder beside its name and then renames its parts. Readers begin at
 * NAME.otf2, so the old one is removed first and the new one is renamed last. */
#include "output/atomic_archive.h"

#include "wait/waiter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char anchor_ending[] = ".otf2";

enum { LONGEST = 2 * PATH_MAX };

/* Returns true if `name` is one that OTF2's library gives to a file of events or of definitions of
 * one location. */
static bool is_of_events(const char *name)
{
  const size_t digits = strspn(name, "0123456789");
  return digits > 0 && (strcmp(name + digits, ".evt") == 0 || strcmp(name + digits, ".def") == 0);
}

/* Returns 0 if `folder` does not exist or holds only files of events. Otherwise returns errno. */
static int holds_events(const char *folder)
{
  int code = 0;
  DIR *entries = opendir(folder);
  if (entries == NULL)
    return errno == ENOENT ? 0 : errno;
  for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
        !is_of_events(entry->d_name))
      code = ENOTEMPTY;
  closedir(entries);
  return code;
}

/* Removes the files of events and their folder. If the folder also holds files of the program, all
 * of them stay. Returns 0 or errno. */
static int remove_events(const char *folder)
{
  const int code = holds_events(folder);
  DIR *entries = code == 0 ? opendir(folder) : NULL;
  if (entries == NULL)
    return code;
  for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
    if (is_of_events(entry->d_name))
      unlinkat(dirfd(entries), entry->d_name, 0);
  closedir(entries);
  return rmdir(folder) == 0 ? 0 : errno;
}

static void name_part(const struct cwi_atomic_archive *archive, const char *folder,
                      const char *ending, char *part)
{
  snprintf(part, LONGEST, "%s/%s%s", folder, archive->name, ending);
}

/* Fills in the names of `archive` from `name`, which ends in .otf2. Returns 0 or errno. */
static int archive_name(struct cwi_atomic_archive *archive, const char *name, const char *unique)
{
  const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
  const size_t length = strlen(base) - strlen(anchor_ending);
  if (length == 0)
    return EINVAL;
  if (length >= sizeof archive->name || strlen(name) >= PATH_MAX - 1 || strlen(base) > NAME_MAX)
    return ENAMETOOLONG;
  snprintf(archive->folder, sizeof archive->folder, "%.*s", slash != NULL ? (int)(slash - name) : 1,
           slash != NULL ? name : ".");
  snprintf(archive->name, sizeof archive->name, "%.*s", (int)length, base);
  return cwi_temporary_name(archive->beside, sizeof archive->beside, name, unique, "partial");
}

static void remove_beside(const struct cwi_atomic_archive *archive)
{
  static const char *const endings[] = {anchor_ending, ".def"};
  char part[LONGEST];
  name_part(archive, archive->beside, "", part);
  remove_events(part);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    name_part(archive, archive->beside, endings[i], part);
    unlink(part);
  }
  rmdir(archive->beside);
}

void cwi_atomic_archive_drop(struct cwi_atomic_archive *archive)
{
  remove_beside(archive);
  cwi_write_signals_restore(&archive->signals);
}

void cwi_atomic_archive_drop_of(const char *name, const char *unique)
{
  struct cwi_atomic_archive archive;
  if (archive_name(&archive, name, unique) == 0)
    remove_beside(&archive);
}

int cwi_atomic_archive_open(struct cwi_atomic_archive *archive, const char *name,
                            const char *unique)
{
  int code = archive_name(archive, name, unique);
  if (code == 0 && mkdir(archive->beside, 0777) != 0)
    code = errno;
  if (code == 0)
    cwi_write_signals_block(&archive->signals);
  return code;
}

/* Returns 0 if the place of the archive is empty or holds an archive: its folder has only files of
 * events, and there is no file of definitions without the anchor file (NAME.otf2). Otherwise
 * returns errno. */
static int check_place(const struct cwi_atomic_archive *archive)
{
  char anchor[LONGEST], part[LONGEST];
  name_part(archive, archive->folder, anchor_ending, anchor);
  name_part(archive, archive->folder, ".def", part);
  if (access(anchor, F_OK) != 0 && access(part, F_OK) == 0)
    return EEXIST;
  name_part(archive, archive->folder, "", part);
  return holds_events(part);
}

int cwi_atomic_archive_try(const char *name, const char *unique)
{
  struct cwi_atomic_archive archive;
  int code = archive_name(&archive, name, unique);
  if (code == 0 && mkdir(archive.beside, 0777) != 0)
    code = errno;
  if (code != 0)
    return code;
  rmdir(archive.beside);
  return check_place(&archive);
}

/* Locks the folder so that the parts of this archive do not mix with those of another job that
 * writes an archive of the same name now. The kernel releases the lock when the process ends. Some
 * file systems have no locks, and another program may hold this lock for long: after two seconds
 * the archive is renamed without a lock. Returns a descriptor to close, or -1. */
static int lock_place(const struct cwi_atomic_archive *archive)
{
  enum { TRIES = 200, NAP_NANOSECONDS = 10000000 };
  const int folder =
      open(archive->folder[0] != '\0' ? archive->folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; folder >= 0 && i < TRIES; i++) {
    if (flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      break;
    cwi_nap(NAP_NANOSECONDS);
  }
  return folder;
}

/* Replaces the archive at the final place by the new one. Returns 0 or errno. If something else
 * than an archive is there, changes nothing. */
static int take_place(const struct cwi_atomic_archive *archive)
{
  static const char *const endings[] = {"", ".def", anchor_ending};
  char from[LONGEST], to[LONGEST];
  int code = check_place(archive);
  if (code != 0)
    return code;
  name_part(archive, archive->folder, anchor_ending, to);
  if (unlink(to) != 0 && errno != ENOENT)
    return errno;
  name_part(archive, archive->folder, "", to);
  code = remove_events(to);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && code == 0; i++) {
    name_part(archive, archive->beside, endings[i], from);
    name_part(archive, archive->folder, endings[i], to);
    code = rename(from, to) == 0 ? 0 : errno;
  }
  return code;
}

int cwi_atomic_archive_close(struct cwi_atomic_archive *archive)
{
  const int folder = lock_place(archive);
  const int code = take_place(archive);
  if (folder >= 0)
    close(folder);
  cwi_atomic_archive_drop(archive);
  return code;
}
