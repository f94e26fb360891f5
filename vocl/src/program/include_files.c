/* Collects the files that a program's source includes, on the client side. The proxy that builds it
 * runs in another directory and often on another machine, where the same name may refer to another
 * file or to none. */
#include "program/replicated_program.h"

#include "wire/message.h"

#include "base/error.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FOUND = 1 << 16, MOST_BYTES = 256 << 20 };

/* A directory that is searched for included files. */
struct vocl_include_folder {
  char *path;
  char *place; /* its path below the proxy's folder for this build */
  char *given; /* as named in the options; NULL for the working directory */
};

/* A file, or a directory that must exist so that paths can lead through it. */
struct found_file {
  char *place;  /* path below the proxy's folder; for a file that is included by an absolute path,
                   "=" and that path */
  char *normal; /* `place` without "." and ".." */
  char *path;
  char *text; /* NULL for a directory */
  size_t bytes;
};

struct collector {
  struct vocl_includes *includes;
  struct found_file *found;
  size_t count, space, bytes;
  bool has_failed; /* out of memory, or too much was found */
};

static char *text_print(const char *format, ...) CWI_PRINTF(1, 2);
static char *text_print(const char *format, ...)
{
  char *text = NULL;
  va_list rest;
  va_start(rest, format);
  const int length = vasprintf(&text, format, rest);
  va_end(rest);
  return length >= 0 ? text : NULL;
}

/* Returns the path without "." and "..". Returns NULL if there is no memory, or if the path leads
 * above the root. */
static char *path_normal(const char *path)
{
  char *normal = malloc(strlen(path) + 2);
  size_t length = 0;
  for (const char *at = path; normal != NULL && *at != '\0';) {
    at += strspn(at, "/");
    const size_t step = strcspn(at, "/");
    if (step == 2 && memcmp(at, "..", 2) == 0) {
      if (length == 0) {
        free(normal);
        return NULL;
      }
      while (normal[--length] != '/')
        continue;
    } else if (step > 0 && !(step == 1 && *at == '.')) {
      normal[length++] = '/';
      memcpy(normal + length, at, step);
      length += step;
    }
    at += step;
  }
  if (normal != NULL)
    normal[length] = '\0';
  return normal;
}

/* Returns the place of a directory: its path, in which characters are escaped that would end the
 * value of an option. */
static char *folder_place(const char *path)
{
  char *place = malloc(3 * strlen(path) + 1);
  char *to = place;
  for (const unsigned char *at = (const unsigned char *)path; place != NULL && *at != '\0'; at++)
    if (*at <= ' ' || *at == 0x7f || strchr("\"'\\", *at) != NULL)
      to += sprintf(to, "%%%02x", *at);
    else
      *to++ = (char)*at;
  if (place != NULL)
    *to = '\0';
  return place;
}

/* --- files found --- */

/* Adds a file or directory. Takes ownership of `place` and `path`, either of which may be NULL
 * after a failed allocation. Returns true if it is new. */
static bool found_add(struct collector *c, char *place, char *path, bool is_folder)
{
  char *normal = place != NULL && !is_folder && *place == '/' ? path_normal(place) : NULL;
  const char *key = normal != NULL ? normal : place;
  bool is_new = place != NULL && path != NULL && key != NULL;
  c->has_failed = c->has_failed || !is_new;
  for (size_t i = 0; i < c->count && is_new; i++)
    is_new = strcmp(c->found[i].normal, key) != 0;
  if (is_new && c->count == c->space) {
    const size_t space = 2 * c->space + 16;
    struct found_file *found =
        space <= MOST_FOUND ? realloc(c->found, space * sizeof *found) : NULL;
    c->has_failed = c->has_failed || found == NULL;
    is_new = found != NULL;
    c->found = found != NULL ? found : c->found;
    c->space = found != NULL ? space : c->space;
  }
  if (is_new && normal == NULL)
    is_new = (normal = strdup(place)) != NULL;
  if (is_new) {
    c->found[c->count++] = (struct found_file){.place = place, .normal = normal, .path = path};
    return true;
  }
  free(normal);
  free(place);
  free(path);
  return false;
}

/* Adds the directory of a file at `place`, so that a path with ".." can lead through it. */
static void found_add_way(struct collector *c, const char *place)
{
  char *way = strdup(place);
  if (way != NULL)
    strrchr(way, '/')[1] = '\0';
  found_add(c, way, strdup(""), true);
}

/* Reads a file up to its first null byte. Returns NULL if it cannot be read. */
static char *file_read(const char *path, size_t *bytes)
{
  FILE *file = fopen(path, "re");
  char *text = NULL;
  size_t space = 0;
  if (file == NULL)
    return NULL;
  const ssize_t length = getdelim(&text, &space, '\0', file);
  *bytes = length > 0 ? strnlen(text, (size_t)length) : 0;
  const bool is_read = feof(file) != 0 || length > 0;
  fclose(file);
  if (length > 0)
    return text;
  free(text);
  return is_read ? strdup("") : NULL;
}

/* Searches for the file `name` in a directory, and adds it if it exists. If `folder` is NULL, the
 * name is an absolute path. */
static void search(struct collector *c, const char *folder, const char *folder_at, const char *name)
{
  char *path = folder != NULL ? text_print("%s/%s", folder, name) : strdup(name);
  char *place = folder != NULL ? text_print("%s/%s", folder_at, name) : text_print("=%s", name);
  char *normal = folder != NULL && place != NULL ? path_normal(place) : NULL;
  struct stat is;
  if (path == NULL || place == NULL || stat(path, &is) != 0 || !S_ISREG(is.st_mode) ||
      (folder != NULL && normal == NULL)) {
    free(path);
    free(place);
    free(normal);
    return;
  }
  if (normal != NULL && strcmp(normal, place) != 0)
    found_add_way(c, place);
  free(normal);
  if (!found_add(c, place, path, false))
    return;
  struct found_file *file = &c->found[c->count - 1];
  file->text = file_read(file->path, &file->bytes);
  if (file->text == NULL) { /* a native compiler could not read it either */
    free(file->place);
    free(file->normal);
    free(file->path);
    c->count--;
    return;
  }
  c->bytes += file->bytes;
  c->has_failed = c->has_failed || c->bytes > MOST_BYTES;
}

/* --- included names --- */

static void search_everywhere(struct collector *c, const struct found_file *from, const char *name)
{
  if (*name == '/') {
    search(c, NULL, NULL, name);
    return;
  }
  if (from != NULL) { /* relative to the file that includes it */
    char *folder = strdup(from->path);
    char *place = strdup(from->place);
    if (folder != NULL && place != NULL && *place == '/') {
      *strrchr(folder, '/') = '\0';
      *strrchr(place, '/') = '\0';
      search(c, folder, place, name);
    }
    free(folder);
    free(place);
  }
  for (size_t i = 0; i < c->includes->count; i++)
    search(c, c->includes->folders[i].path, c->includes->folders[i].place, name);
}

/* Searches for every name in quotes or angle brackets. That finds includes, names defined by
 * macros, and __has_include. */
static void scan_names(struct collector *c, size_t from, const char *at, const char *end)
{
  char name[PATH_MAX];
  for (; at < end && !c->has_failed; at++) {
    if (*at != '"' && *at != '<')
      continue;
    const char *stop = memchr(at + 1, *at == '"' ? '"' : '>', (size_t)(end - at - 1));
    const size_t length = stop != NULL ? (size_t)(stop - at - 1) : 0;
    if (length == 0 || length >= sizeof name || memchr(at + 1, '\n', length) != NULL)
      continue;
    memcpy(name, at + 1, length);
    name[length] = '\0';
    search_everywhere(c,
                      from < c->count ? &(struct found_file){c->found[from].place, NULL,
                                                             c->found[from].path, NULL, 0}
                                      : NULL,
                      name);
    at = *at == '"' ? stop : at;
  }
}

/* Scans the lines with a '#' and their continuation lines. `from` is the index of the file in
 * the list, or SIZE_MAX for the program's own source. */
static void scan_text(struct collector *c, size_t from, const char *text)
{
  for (const char *at = strchr(text, '#'); at != NULL; at = strchr(at, '#')) {
    const char *end = at;
    do {
      end += *end == '\n';
      end += strcspn(end, "\n");
    } while (*end == '\n' && (end[-1] == '\\' || (end[-1] == '\r' && end[-2] == '\\')));
    scan_names(c, from, at, end);
    at = end;
  }
}

/* --- options --- */

/* Adds a directory. Takes ownership of `given`. Returns the place, or NULL if there is no
 * memory. */
static const char *folder_add(struct vocl_includes *includes, const char *path, char *given)
{
  struct vocl_include_folder *folders =
      realloc(includes->folders, (includes->count + 1) * sizeof *folders);
  char *real = path != NULL ? realpath(path, NULL) : NULL;
  char *whole = real != NULL ? real : path != NULL ? strdup(path) : NULL;
  char *place = whole != NULL ? folder_place(whole) : NULL;
  if (folders != NULL)
    includes->folders = folders;
  if (folders != NULL && place != NULL) {
    folders[includes->count++] = (struct vocl_include_folder){whole, place, given};
    return place;
  }
  free(whole);
  free(place);
  free(given);
  return NULL;
}

/* Returns the length of an option that names a directory, or 0 if the text does not begin with such
 * an option. */
static size_t folder_option(const char *at)
{
  static const char *const options[] = {"-isystem", "-iquote", "-idirafter", "-I"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (strncmp(at, options[i], strlen(options[i])) == 0)
      return strlen(options[i]);
  return 0;
}

/* Writes the options with the directories replaced by their places. Returns false if there is no
 * memory. */
static bool options_place(struct vocl_includes *includes, FILE *out, const char *at)
{
  static const char blanks[] = " \t\r\n";
  while (*at != '\0') {
    const size_t between = strspn(at, blanks);
    const size_t option = folder_option(at + between);
    size_t head = between + option;
    if (option > 0)
      head += strspn(at + head, blanks);
    const char quote = option > 0 && (at[head] == '"' || at[head] == '\'') ? at[head] : '\0';
    head += quote != '\0';
    const size_t length = strcspn(at + head, quote != '\0' ? (char[]){quote, '\0'} : blanks);
    fwrite(at, 1, head, out);
    at += head;
    if (option > 0 && length > 0) {
      char *given = strndup(at, length);
      char *path = given == NULL   ? NULL
                   : *given == '/' ? strdup(given)
                                   : text_print("%s/%s", includes->folders[0].path, given);
      const char *place = folder_add(includes, path, given);
      free(path);
      if (place == NULL)
        return false;
      fprintf(out, "%c%s", VOCL_INCLUDES_FOLDER, place);
    } else {
      fwrite(at, 1, length, out);
    }
    at += length;
  }
  return true;
}

/* --- collection --- */

void vocl_includes_unref(struct vocl_includes *includes)
{
  if (includes == NULL)
    return;
  for (size_t i = 0; i < includes->count; i++) {
    free(includes->folders[i].path);
    free(includes->folders[i].place);
    free(includes->folders[i].given);
  }
  free(includes->folders);
  free(includes->options);
  free(includes->archive);
  free(includes);
}

/* Writes the archive: all directories, the working directory first, then the files found. */
static bool archive_write(struct collector *c)
{
  size_t bytes = 0;
  FILE *out = open_memstream(&c->includes->archive, &bytes);
  if (out == NULL)
    return false;
  for (size_t i = 0; i < c->includes->count; i++)
    fprintf(out, "%s/\n0\n", c->includes->folders[i].place);
  for (size_t i = 0; i < c->count; i++) {
    const struct found_file *found = &c->found[i];
    if (strchr(found->place, '\n') != NULL)
      continue;
    fprintf(out, "%s\n%zu\n", found->place, found->bytes);
    fwrite(found->text != NULL ? found->text : "", 1, found->bytes, out);
  }
  return fclose(out) == 0;
}

static bool collect(struct collector *c, const struct vocl_building *b, const char *const *texts,
                    size_t text_count)
{
  struct vocl_includes *includes = c->includes;
  size_t bytes = 0;
  char *here = getcwd(NULL, 0);
  const char *place = folder_add(includes, here != NULL ? here : "/", NULL);
  FILE *out = place != NULL ? open_memstream(&includes->options, &bytes) : NULL;
  free(here);
  if (out == NULL)
    return false;
  const char *options = b->options != NULL ? b->options : "";
  const bool is_placed = options_place(includes, out, options);
  if (fclose(out) != 0 || !is_placed)
    return false;
  scan_names(c, SIZE_MAX, options, options + strlen(options));
  for (size_t i = 0; i < text_count; i++)
    scan_text(c, SIZE_MAX, texts[i]);
  for (size_t i = 0; i < c->count && !c->has_failed; i++)
    if (c->found[i].text != NULL)
      scan_text(c, i, c->found[i].text);
  return !c->has_failed && archive_write(c);
}

bool vocl_includes_collect(const struct vocl_building *b, const char *const *texts,
                           size_t text_count, struct vocl_includes **includes)
{
  bool has_any = false;
  *includes = NULL;
  for (size_t i = 0; i < text_count; i++)
    has_any = has_any || strstr(texts[i], "include") != NULL;
  if (!has_any)
    return true;
  struct collector c = {.includes = calloc(1, sizeof **includes)};
  const bool is_whole = c.includes != NULL && collect(&c, b, texts, text_count);
  for (size_t i = 0; i < c.count; i++) {
    free(c.found[i].place);
    free(c.found[i].normal);
    free(c.found[i].path);
    free(c.found[i].text);
  }
  free(c.found);
  if (is_whole) {
    *includes = c.includes;
    return true;
  }
  vocl_includes_unref(c.includes);
  return false;
}

/* --- text from the proxy --- */

/* Returns the directory whose place is the longest one with which `text` begins, or NULL. */
static const struct vocl_include_folder *folder_at(const struct vocl_includes *includes,
                                                   const char *text, size_t *length)
{
  const struct vocl_include_folder *best = NULL;
  *length = 0;
  for (size_t i = 0; i < includes->count; i++) {
    const struct vocl_include_folder *each = &includes->folders[i];
    const size_t bytes = strlen(each->place);
    if (each->given != NULL && bytes > *length && strncmp(text, each->place, bytes) == 0 &&
        (text[bytes] == '\0' || strchr("/ \t\r\n\"':,;)", text[bytes]) != NULL)) {
      best = each;
      *length = bytes;
    }
  }
  return best;
}

char *vocl_includes_as_given(const struct vocl_includes *includes, const char *text)
{
  char *given = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&given, &bytes);
  if (out == NULL)
    return NULL;
  while (*text != '\0') {
    const size_t plain = strcspn(text, (char[]){VOCL_INCLUDES_FOLDER, '\0'});
    fwrite(text, 1, plain, out);
    text += plain;
    if (*text == '\0')
      break;
    size_t length = 0;
    const struct vocl_include_folder *folder = folder_at(includes, ++text, &length);
    if (folder == NULL)
      continue;
    fputs(folder->given, out);
    const size_t of_given = strlen(folder->given);
    text += length + (text[length] == '/' && folder->given[of_given - 1] == '/');
  }
  if (fclose(out) == 0)
    return given;
  free(given);
  return NULL;
}
