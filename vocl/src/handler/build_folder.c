/* The folder in which a program with included files is built. It contains the files of the
 * program's machine and nothing else, so that the compiler finds the same files as on that
 * machine. */
#include "handler/handler.h"

#include "base/file_write.h"
#include "base/hash.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 16, TRIES = 64, PATH_SPACE = 512 };

struct folder {
  char path[PATH_SPACE];
  int lock; /* descriptor of the folder; it holds a lock (flock) while a build uses the folder */
  int back; /* descriptor of the previous working directory */
  bool is_one_only; /* the working directory is shared by all threads of the process, because
                       unshare(CLONE_FS) failed */
};

struct archive_entry {
  const char *name;
  size_t length;
  const char *bytes;
  size_t size;
};

/* Held while a build changes the working directory of the whole process. */
static pthread_mutex_t one_only = PTHREAD_MUTEX_INITIALIZER;

/* Returns the prefix of the names of all such folders. The names appear in build options, so a
 * TMPDIR with characters that are special there is not used. */
static const char *folder_beginning(void)
{
  static char beginning[PATH_SPACE / 2];
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  const char *set = getenv("TMPDIR");
  if (beginning[0] == '\0')
    snprintf(beginning, sizeof beginning, "%s/cw-vocl-include-",
             set != NULL && set[0] == '/' && strlen(set) < PATH_SPACE / 4 &&
                     strpbrk(set, " \t\r\n\"'\\") == NULL
                 ? set
                 : "/tmp");
  pthread_mutex_unlock(&lock);
  return beginning;
}

/* --- the archive --- */

/* Returns true if the path stays below the folder. */
static bool path_is_inside(const struct archive_entry *entry)
{
  const char *at = entry->name, *end = entry->name + entry->length;
  for (long depth = 0; at < end; at++) {
    const char *stop = memchr(at, '/', (size_t)(end - at));
    const size_t step = (size_t)((stop != NULL ? stop : end) - at);
    if (step == 2 && memcmp(at, "..", 2) == 0 && --depth < 0)
      return false;
    depth += step > 0 && !(step == 2 && memcmp(at, "..", 2) == 0) && !(step == 1 && *at == '.');
    at += step;
  }
  return *entry->name == '/' && memchr(entry->name, '\0', entry->length) == NULL;
}

/* Reads the next entry of an archive. Returns false at its end, or where it is malformed. */
static bool entry_next(const char **at, const char *end, struct archive_entry *entry)
{
  const char *stop = memchr(*at, '\n', (size_t)(end - *at));
  char *after = NULL;
  if (stop == NULL || stop == *at || stop - *at > PATH_MAX || stop[1] < '0' || stop[1] > '9')
    return false;
  *entry = (struct archive_entry){.name = *at, .length = (size_t)(stop - *at)};
  entry->size = strtoul(stop + 1, &after, 10);
  if (*after != '\n' || entry->size > (size_t)(end - after - 1))
    return false;
  entry->bytes = after + 1;
  *at = entry->bytes + entry->size;
  return *entry->name == '=' || path_is_inside(entry);
}

/* --- the folder --- */

static int entry_remove(const char *path, const struct stat *is, int type, struct FTW *where)
{
  (void)is;
  (void)type;
  if (where->level > 0)
    remove(path);
  return 0;
}

/* Creates and locks the folder, unless another build uses it. Removes files that a dead proxy left
 * in it. */
static bool folder_take(struct folder *folder)
{
  struct stat is, named;
  if (mkdir(folder->path, S_IRWXU) != 0 && errno != EEXIST)
    return false;
  folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder->lock < 0)
    return false;
  if (fstat(folder->lock, &is) == 0 && is.st_uid == geteuid() && (is.st_mode & 077) == 0 &&
      flock(folder->lock, LOCK_EX | LOCK_NB) == 0 && lstat(folder->path, &named) == 0 &&
      named.st_ino == is.st_ino) {
    nftw(folder->path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
    return true;
  }
  close(folder->lock);
  return false;
}

/* Takes a folder whose name depends only on the files. The name appears in the build options, and
 * vendors look up cached builds by options and source. */
static bool folder_begin(struct folder *folder, const char *archive)
{
  uint64_t hash = cwi_hash_text(CWI_HASH_EMPTY, archive);
  for (int i = 0; i < TRIES; i++, hash = cwi_hash_add(hash, 1)) {
    snprintf(folder->path, sizeof folder->path, "%s%016llx", folder_beginning(),
             (unsigned long long)hash);
    if (folder_take(folder))
      return true;
  }
  return false;
}

static void folder_end(struct folder *folder)
{
  nftw(folder->path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
  rmdir(folder->path);
  close(folder->lock);
}

/* Creates each directory that the path passes through, so that the path is valid even if it
 * contains "..". */
static void way_make(const struct folder *folder, char *path)
{
  for (char *at = strchr(path + strlen(folder->path) + 1, '/'); at != NULL;
       at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(path, S_IRWXU);
    *at = '/';
  }
}

static bool entry_write(const struct folder *folder, const struct archive_entry *entry)
{
  char path[PATH_SPACE + PATH_MAX + 2];
  snprintf(path, sizeof path, "%s%.*s", folder->path, (int)entry->length, entry->name);
  way_make(folder, path);
  if (entry->name[entry->length - 1] == '/')
    return true;
  const int file =
      open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0)
    return false;
  const int code = cwi_write_at(file, entry->bytes, entry->size, 0);
  close(file);
  errno = code;
  return code == 0;
}

/* Returns true if this machine has the same file. */
static bool entry_is_here(const struct archive_entry *entry)
{
  char path[PATH_MAX + 1];
  snprintf(path, sizeof path, "%.*s", (int)entry->length - 1, entry->name + 1);
  FILE *file = fopen(path, "re");
  size_t at = 0;
  int byte = 0;
  if (file == NULL)
    return false;
  while ((byte = fgetc(file)) != EOF && at < entry->size && byte == (unsigned char)entry->bytes[at])
    at++;
  fclose(file);
  return at == entry->size && (byte == EOF || byte == '\0');
}

/* Writes the files of the archive. Sets `working` to the working directory: the folder, followed
 * by the name of the first entry. Sets *is_other if a file that must exist here differs. */
static cl_int folder_fill(const struct folder *folder, const char *archive, char *working,
                          bool *is_other)
{
  const char *at = archive, *end = archive + strlen(archive);
  struct archive_entry entry;
  while (at < end) {
    const bool is_first = at == archive;
    if (!entry_next(&at, end, &entry))
      return CL_INVALID_VALUE;
    if (is_first)
      snprintf(working, PATH_SPACE + PATH_MAX + 2, "%s%.*s", folder->path, (int)entry.length,
               entry.name);
    if (*entry.name == '=' && !entry_is_here(&entry))
      *is_other = true;
    else if (*entry.name != '=' && !entry_write(folder, &entry))
      return CL_OUT_OF_RESOURCES;
  }
  return CL_SUCCESS;
}

/* --- builds in the folder --- */

static char *options_here(const struct folder *folder, const char *options)
{
  char *here = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&here, &bytes);
  if (out == NULL)
    return NULL;
  for (; *options != '\0'; options++)
    if (*options == VOCL_INCLUDES_FOLDER)
      fputs(folder->path, out);
    else
      fputc(*options, out);
  if (fclose(out) == 0)
    return here;
  free(here);
  return NULL;
}

/* Changes the working directory of this thread only, if unshare() is permitted (some containers
 * forbid it). Otherwise changes that of the process, for one build at a time. */
static bool folder_enter(struct folder *folder, const char *working)
{
  folder->is_one_only = unshare(CLONE_FS) != 0;
  if (folder->is_one_only)
    pthread_mutex_lock(&one_only);
  folder->back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder->back >= 0 && chdir(working) == 0)
    return true;
  if (folder->back >= 0)
    close(folder->back);
  if (folder->is_one_only)
    pthread_mutex_unlock(&one_only);
  return false;
}

static void folder_leave(struct folder *folder)
{
  if (fchdir(folder->back) != 0)
    cwi_log(CWI_LOG_WARNING, "the working folder before a build cannot be entered again: %s",
            strerror(errno));
  close(folder->back);
  if (folder->is_one_only)
    pthread_mutex_unlock(&one_only);
}

static cl_int build_in(struct folder *folder, struct vocl_building *native, const char *archive,
                       bool *is_other)
{
  static const cl_int failures[] = {CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE,
                                    CL_LINK_PROGRAM_FAILURE};
  char working[PATH_SPACE + PATH_MAX + 2];
  const char *given = native->options;
  cl_int code = folder_fill(folder, archive, working, is_other);
  if (code != CL_SUCCESS || *is_other)
    return *is_other ? failures[native->step] : code;
  char *options = options_here(folder, given != NULL ? given : "");
  if (options == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  code = CL_OUT_OF_RESOURCES;
  if (folder_enter(folder, working)) {
    native->options = options;
    code = vocl_native_build(native);
    native->options = given;
    folder_leave(folder);
  }
  free(options);
  return code;
}

cl_int vocl_service_build_in_folder(struct vocl_building *native, void *archive, bool *is_other)
{
  const struct vocl_query query = {
      .about = VOCL_ABOUT_PROGRAM, .object = archive, .what = CL_PROGRAM_SOURCE};
  struct folder folder = {.lock = -1};
  size_t bytes = 0;
  cl_int code = vocl_native_query(&query, 0, NULL, &bytes);
  char *text = code == CL_SUCCESS ? calloc(1, bytes + 1) : NULL;
  if (code == CL_SUCCESS)
    code = text != NULL ? vocl_native_query(&query, bytes, text, NULL) : CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS && *text == '\0')
    code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS && !folder_begin(&folder, text))
    code = CL_OUT_OF_RESOURCES;
  if (code == CL_SUCCESS) {
    code = build_in(&folder, native, text, is_other);
    folder_end(&folder);
  }
  free(text);
  return code;
}

size_t vocl_service_folder_mask(char *text)
{
  const char *beginning = folder_beginning();
  const size_t length = strlen(beginning);
  char *to = text;
  for (const char *at = text; *at != '\0';)
    if (strncmp(at, beginning, length) == 0 && strspn(at + length, "0123456789abcdef") == DIGITS) {
      *to++ = VOCL_INCLUDES_FOLDER;
      at += length + DIGITS;
    } else {
      *to++ = *at++;
    }
  *to = '\0';
  return (size_t)(to - text);
}
