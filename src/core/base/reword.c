/* Translates messages of native calls into the terms of a binding. */
#include "base/reword.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 1024 };

/* A message that is being translated. */
struct rewording {
  const char *whole, *at; /* the recorded message, and the position up to which it is read */
  char text[MESSAGE];     /* the translation */
  size_t used;
  bool quoted;
};

static void reword_begin(struct rewording *work, const char *message)
{
  work->whole = work->at = message;
  work->used = 0;
  work->quoted = false;
}

static void reword_add(struct rewording *work, const char *text, size_t length)
{
  const size_t space = sizeof work->text - 1 - work->used;
  const size_t fits = length < space ? length : space;
  memcpy(work->text + work->used, text, fits);
  work->used += fits;
}

static void reword_end(struct rewording *work)
{
  work->text[work->used] = '\0';
  cwi_error_message_replace(work->text);
}

static bool is_of_word(char letter)
{
  return isalnum((unsigned char)letter) || letter == '_';
}

/* Returns true if a word may be replaced here. Text in quotes comes from the program and is not
 * changed. The apostrophe of "isn't" opens no quotes. */
static bool is_begin(struct rewording *work)
{
  const bool inside = work->at > work->whole && is_of_word(work->at[-1]);
  if (*work->at == '\'' && (work->quoted || !inside))
    work->quoted = !work->quoted;
  return !work->quoted && !inside;
}

static bool is_at(const struct rewording *work, const char *word, size_t length)
{
  return strncmp(work->at, word, length) == 0 && !is_of_word(work->at[length]);
}

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static bool follows(const struct rewording *work, const char *word)
{
  const size_t length = strlen(word);
  return (size_t)(work->at - work->whole) >= length &&
         strncmp(work->at - length, word, length) == 0;
}

/* Returns the part of the message that follows the names of native calls. */
static const char *behind_calls(const char *message)
{
  while (begins(message, "cw_")) {
    const char *colon = message + strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (!begins(colon, ": "))
      return message;
    message = colon + 2;
  }
  return message;
}

/* Returns true if the word is an argument that follows "of", as in "of b has", "that of a 2 x 2"
 * and "(the patch of mask)". The nouns in "of array 'x'" and "of process 1" are not arguments. */
static bool is_owner(const struct rewording *work, const char *next)
{
  if (!follows(work, " of "))
    return false;
  return *next == '\0' || *next == ',' || *next == ')' || *next == ';' ||
         (follows(work, "that of ") && *next == ' ' && isdigit((unsigned char)next[1]));
}

/* Returns true if the word is the first one of a text like "lo of a has to be the same". */
static bool is_part(const char *next)
{
  if (!begins(next, " of "))
    return false;
  next += 4;
  while (is_of_word(*next))
    next++;
  return begins(next, " has to be ");
}

/* Returns true if the word at this position is the name of an argument. "a" is also an article, and
 * "to" a preposition. */
static bool is_argument(const struct rewording *work, size_t length)
{
  static const char *const verbs[] = {" is ", " has ", " makes ", "[", ", array '"};
  static const char *const articles[] = {"the ", "a ", "an ", "all ", "no ", "its ", "each "};
  const char *next = work->at + length;
  for (size_t i = 0; i < sizeof articles / sizeof articles[0]; i++)
    if (follows(work, articles[i]) && !follows(work, "of a "))
      return false;
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
    if (begins(next, verbs[i]))
      return true;
  if (work->at == behind_calls(work->whole) && (begins(next, " and ") || begins(next, " 0x")))
    return true;
  return (follows(work, " and ") && begins(next, " are ")) || is_owner(work, next) || is_part(next);
}

/* Looks for the word at this position in `names`, a list of pairs like "native is theirs". Stores
 * the binding's name in *name and returns the text of the message after the word. Returns NULL if
 * the word is in no pair. */
static const char *find_name(const struct rewording *work, const char *names, const char **name,
                             size_t *length)
{
  for (const char *pair = names; pair != NULL; pair = strstr(pair, ", ")) {
    pair += begins(pair, ", ") ? 2 : 0;
    const size_t word = strcspn(pair, " ");
    *name = pair + word + strlen(" is ");
    *length = strcspn(*name, ",");
    if (is_at(work, pair, word) && is_argument(work, word))
      return work->at + word;
  }
  return NULL;
}

cw_error cwi_reword(cw_error error, const char *names)
{
  struct rewording work;
  reword_begin(&work, cwi_error_message());
  while (*work.at != '\0') {
    const char *name = NULL;
    size_t length = 0;
    const char *behind = is_begin(&work) ? find_name(&work, names, &name, &length) : NULL;
    reword_add(&work, behind != NULL ? name : work.at, behind != NULL ? length : 1);
    work.at = behind != NULL ? behind : work.at + 1;
  }
  reword_end(&work);
  return error;
}

cw_error cwi_reword_number(cw_error error, const char *word, const char *name, size_t first)
{
  const size_t length = strlen(word);
  struct rewording work;
  reword_begin(&work, cwi_error_message());
  while (*work.at != '\0') {
    if (is_begin(&work) && is_at(&work, word, length) && work.at[length] == ' ' &&
        isdigit((unsigned char)work.at[length + 1])) {
      char place[64], *behind = NULL;
      const unsigned long long number = strtoull(work.at + length + 1, &behind, 10);
      snprintf(place, sizeof place, "%s[%llu]", name, number + first);
      reword_add(&work, place, strlen(place));
      work.at = behind;
    } else {
      reword_add(&work, work.at++, 1);
    }
  }
  reword_end(&work);
  return error;
}

/* Terms that all bindings share. */
static const char *const shared[][2] = {{"different teams", "different groups"},
                                        {"the team has ranks", "the group has ranks"},
                                        {"CW_SUM", "\"+\""},
                                        {"CW_PRODUCT", "\"*\""},
                                        {"CW_MINIMUM", "\"min\""},
                                        {"CW_MAXIMUM", "\"max\""},
                                        {"CW_ABSOLUTE_MINIMUM", "\"absmin\""},
                                        {"CW_ABSOLUTE_MAXIMUM", "\"absmax\""},
                                        {NULL, NULL}};

/* Returns the phrase that begins at this position, or NULL if there is none. */
static const char *const *find_phrase(const struct rewording *work, const char *const (*phrases)[2])
{
  for (; (*phrases)[0] != NULL; phrases++)
    if (is_at(work, (*phrases)[0], strlen((*phrases)[0])))
      return *phrases;
  return NULL;
}

static void reword_phrases(const char *message, const char *const (*phrases)[2])
{
  struct rewording work;
  reword_begin(&work, message);
  while (*work.at != '\0') {
    /* is_begin is called once for each character, because it keeps track of quotes */
    const bool here = is_begin(&work);
    const char *const *pair = here ? find_phrase(&work, phrases) : NULL;
    if (here && pair == NULL)
      pair = find_phrase(&work, shared);
    reword_add(&work, pair != NULL ? pair[1] : work.at, pair != NULL ? strlen(pair[1]) : 1);
    work.at += pair != NULL ? strlen(pair[0]) : 1;
  }
  reword_end(&work);
}

/* A message that does not begin with a native call comes from the binding itself and already has
 * the binding's names of arguments. */
cw_error cwi_failed_in_binding(const char *call, const struct cwi_binding_terms *terms,
                               cw_error error)
{
  const char *message = cwi_error_message(), *behind = behind_calls(message);
  if (behind != message)
    error = cwi_reword(error, terms->arguments);
  reword_phrases(behind_calls(cwi_error_message()), terms->phrases);
  return cwi_in_call(call, error);
}
