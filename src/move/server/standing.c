/* Missions of the server under way, and lines of parcels behind them. */
#include "server/standing.h"

#include "mpi/call.h"
#include "server/async.h"

#include <stdlib.h>
#include <string.h>

static void *standing_take_memory(size_t bytes)
{
  void *memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL)
    cwi_abort("the server has no memory for requests that wait for an agent", 1);
  return memory;
}

/* --- Missions --------------------------------------------------------------------------------- */

struct under_way {
  struct cwi_mission *mission;
  cwi_mission_done done;
  void *context;
  bool ended;
  struct under_way *next;
};

static struct under_way *missions; /* the youngest first */
static int mission_count;

void cwi_missions_add(struct cwi_mission *mission, cwi_mission_done done, void *context)
{
  struct under_way *under_way = standing_take_memory(sizeof *under_way);
  *under_way = (struct under_way){mission, done, context, false, missions};
  missions = under_way;
  mission_count++;
}

int cwi_missions_count(void)
{
  return mission_count;
}

void cwi_missions_advance(void)
{
  for (struct under_way *each = missions; each != NULL; each = each->next)
    each->ended = each->ended || each->mission->advance(each->mission);
}

/* Who is told may add missions: those come first, and are not looked at in this turn. */
bool cwi_missions_turn(void)
{
  cwi_missions_advance();
  struct under_way *ended = NULL, **last = &ended;
  for (struct under_way **link = &missions; *link != NULL;) {
    struct under_way *under_way = *link;
    if (!under_way->ended) {
      link = &under_way->next;
      continue;
    }
    *link = under_way->next;
    under_way->next = NULL;
    *last = under_way;
    last = &under_way->next;
    mission_count--;
  }
  const bool some = ended != NULL;
  while (ended != NULL) {
    struct under_way *under_way = ended;
    ended = under_way->next;
    under_way->done(under_way->context, under_way->mission->end(under_way->mission));
    free(under_way);
  }
  return some;
}

/* --- Lines ------------------------------------------------------------------------------------ */

struct in_line {
  struct cwi_line_parcel parcel;
  struct in_line *next;
};

struct line {
  int origin;
  size_t copied; /* bytes */
  struct in_line *first, *last;
  struct line *next;
};

static struct line *lines;

char *cwi_line_copy(const char *data, size_t bytes)
{
  char *copy = standing_take_memory(bytes);
  memcpy(copy, data, bytes);
  return copy;
}

static struct line **find_line(int origin)
{
  struct line **link = &lines;
  while (*link != NULL && (*link)->origin != origin)
    link = &(*link)->next;
  return link;
}

void cwi_line_open(int origin)
{
  struct line *line = standing_take_memory(sizeof *line);
  *line = (struct line){.origin = origin, .next = lines};
  lines = line;
}

static struct cwi_line_parcel keep(struct line *line, struct cwi_request_buffer *buffer,
                                   const struct cwi_parcel *parcel)
{
  const char *data = (const char *)parcel;
  if (parcel->bytes > CWI_LINE_MOST - line->copied) {
    buffer->parts++;
    return (struct cwi_line_parcel){(char *)(uintptr_t)data, parcel->bytes, buffer};
  }
  line->copied += parcel->bytes;
  return (struct cwi_line_parcel){cwi_line_copy(data, parcel->bytes), parcel->bytes, NULL};
}

bool cwi_line_join(int origin, struct cwi_request_buffer *buffer, const struct cwi_parcel *parcel)
{
  struct line *line = *find_line(origin);
  if (CWI_LIKELY(line == NULL))
    return false;
  struct in_line *last = standing_take_memory(sizeof *last);
  *last = (struct in_line){keep(line, buffer, parcel), NULL};
  if (line->first == NULL)
    line->first = last;
  else
    line->last->next = last;
  line->last = last;
  return true;
}

bool cwi_line_next(int origin, struct cwi_line_parcel *next)
{
  struct line **link = find_line(origin), *line = *link;
  CWI_ASSERT(line != NULL);
  struct in_line *first = line->first;
  if (first == NULL) {
    *link = line->next;
    free(line);
    return false;
  }
  *next = first->parcel;
  line->first = first->next;
  line->copied -= next->buffer == NULL ? next->bytes : 0;
  free(first);
  return true;
}
