/* Takes personal data out of texts for cw-info --report. */
#include "scrub.h"

#include <ctype.h>
#include <netdb.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 16 };

/* A word of this user or machine, and what is written in its place. */
struct secret {
  char text[256];
  const char *instead;
};

static struct secret secrets[MOST_WORDS];
static int secret_count;

/* Adds a word. Words that every Linux machine has tell nothing about this one. */
static void add_secret(const char *text, const char *instead)
{
  static const char *const common[] = {"", "/", "root", "localhost", "localdomain", "nobody"};
  if (text == NULL || strlen(text) >= sizeof secrets[0].text || secret_count == MOST_WORDS)
    return;
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    if (strcmp(text, common[i]) == 0)
      return;
  struct secret *secret = &secrets[secret_count++];
  snprintf(secret->text, sizeof secret->text, "%s", text);
  secret->instead = instead;
}

static void add_host(const char *name)
{
  char label[256];
  if (name == NULL)
    return;
  add_secret(name, "<host>");
  snprintf(label, sizeof label, "%.*s", (int)strcspn(name, "."), name);
  if (strcmp(label, name) != 0)
    add_secret(label, "<host>");
}

static void find_secrets(void)
{
  char host[256] = "";
  const struct passwd *user = getpwuid(getuid());
  if (user != NULL) {
    add_secret(user->pw_dir, "<home>");
    add_secret(user->pw_name, "<user>");
  }
  add_secret(getenv("HOME"), "<home>");
  add_secret(getenv("USER"), "<user>");
  add_secret(getenv("LOGNAME"), "<user>");
  add_secret(getenv("SUDO_USER"), "<user>");
  add_secret("/home", "<home>");
  if (gethostname(host, sizeof host - 1) == 0)
    add_host(host);
  add_host(getenv("HOSTNAME"));
}

static bool in_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Returns the length of the path at `text`. */
static size_t path_length(const char *text)
{
  return strcspn(text, " \t\n'\",;:()[]<>");
}

/* Returns the length of the secret word at `text`, or 0. A name must be a whole word, and a home
 * folder a whole directory; the path in it is part of the word. */
static size_t secret_at(const char *text, char before, const char **instead)
{
  for (int i = 0; i < secret_count; i++) {
    const size_t length = strlen(secrets[i].text);
    if (strncmp(text, secrets[i].text, length) != 0)
      continue;
    *instead = secrets[i].instead;
    if (text[0] == '/') {
      if (!in_word(before) && (text[length] == '/' || path_length(text) == length))
        return path_length(text);
    } else if (!in_word(before) && !in_word(text[length])) {
      return length;
    }
  }
  return 0;
}

/* Returns the length of the network address at `text`, or 0. An address is four numbers with dots,
 * or groups of hexadecimal digits with at least five colons or with two colons in sequence. */
static size_t address_at(const char *text, char before)
{
  const size_t four = strspn(text, "0123456789."), six = strspn(text, "0123456789abcdefABCDEF:.");
  size_t dots = 0, colons = 0;
  if (in_word(before) || before == '.' || before == ':')
    return 0;
  for (size_t i = 0; i + 1 < four; i++)
    dots += text[i] == '.' && isdigit((unsigned char)text[i + 1]);
  if (dots == 3 && isdigit((unsigned char)text[0]) && !in_word(text[four]))
    return four;
  for (size_t i = 0; i < six; i++)
    colons += text[i] == ':';
  const char *twice = strstr(text, "::");
  const bool shortened = twice != NULL && twice < text + six && six > 2;
  return (colons >= 5 || shortened) && !in_word(text[six]) ? six : 0;
}

void scrub(const char *text, FILE *out)
{
  if (secret_count == 0)
    find_secrets();
  for (char before = ' '; *text != '\0';) {
    const char *instead = "<address>";
    size_t length = secret_at(text, before, &instead);
    if (length == 0) {
      instead = "<address>";
      length = address_at(text, before);
    }
    if (length > 0)
      fputs(instead, out);
    else
      fputc(*text, out);
    text += length > 0 ? length : 1;
    before = text[-1];
  }
}
