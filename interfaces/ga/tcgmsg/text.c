/* TCGMSG's helper functions for text and bytes. GA's library has them, although no header declares
 * them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int str_len(const char *text);
int str_match(const char *word, char **list, int count);
unsigned char CheckByte(const unsigned char *bytes, long count);

int str_len(const char *text)
{
  return (int)strlen(text);
}

/* Returns the index of the list entry that equals the word, or else of the only entry that begins
 * with it. Returns -1 if there is no such entry, and -2 if there are several. */
int str_match(const char *word, char **list, int count)
{
  int found = -1;
  for (int i = 0; i < count; i++) {
    if (strcmp(word, list[i]) == 0)
      return i;
    if (strncmp(word, list[i], strlen(word)) == 0)
      found = found == -1 ? i : -2;
  }
  return found;
}

/* Returns a checksum of the bytes. It is their sum, reduced in two steps: first the bits above the
 * lowest 16 are added to these 16, then the bits above the lowest 8 are added to these 8. */
unsigned char CheckByte(const unsigned char *bytes, long count)
{
  uint64_t sum = 0;
  for (long i = 0; i < count; i++)
    sum += bytes[i];
  sum = (sum & 0xffff) + (sum >> 16);
  return (unsigned char)((sum & 0xff) + (sum >> 8));
}
