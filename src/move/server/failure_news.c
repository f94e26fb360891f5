/* Exchange of failures between servers, in liveness queries. */
#include "server/failure_news.h"

#include "link/link.h"
#include "mpi/mpi_progress.h"
#include "team/team_memory.h"
#include "team/world.h"
#include "wait/failures.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 64 };
_Static_assert(CWI_ARRIVAL_MOST / BITS < CWI_NEWS_MOST, "a job that survives has more processes");

static uint64_t known[CWI_NEWS_MOST];
static int known_count;    /* failures in `known` */
static int stored;         /* those of them that have been reported to my node's processes */
static unsigned collected; /* value of cwi_failures_count when they were collected */
/* [links] failures that the neighbour knows from me, or I from it; NULL if the job does not survive
 * failures */
static int *exchanged;

void cwi_news_start(void)
{
  memset(known, 0, sizeof known);
  known_count = stored = 0;
  collected = 0;
  if (!cwi_survives())
    return;
  exchanged = calloc((size_t)cwi_links.count + 1, sizeof *exchanged);
  if (exchanged == NULL)
    cwi_abort("the server has no memory for its links", 1);
}

void cwi_news_stop(void)
{
  free(exchanged);
  exchanged = NULL;
}

static size_t words_of_job(void)
{
  return cwi_survives() ? (size_t)(cwi_world.processes - 1) / BITS + 1 : 0;
}

static bool knows(int process)
{
  return (known[process / BITS] >> process % BITS & 1) != 0;
}

static void learn(int process)
{
  known_count += !knows(process);
  known[process / BITS] |= (uint64_t)1 << process % BITS;
}

/* Learns the failures that this process has recorded. */
static void learn_recorded(void)
{
  for (int process = 0; process < cwi_world.processes; process++)
    if (cwi_has_failed(process))
      learn(process);
}

bool cwi_news_exchanges(int link)
{
  return cwi_world.node == 0 || cwi_links.neighbours[link] == 0;
}

/* Stores the known failures for the processes of my node, once these have memory for them. */
static void store_reports(void)
{
  bool can = true;
  for (int process = 0; process < cwi_world.processes && can; process++)
    if (knows(process))
      can = cwi_failure_report(process, CWI_REPORTED_FAILED);
  if (can)
    stored = known_count;
}

bool cwi_news_collect(void)
{
  if (exchanged == NULL)
    return false; /* the job does not survive failures; only tests note some then */
  const unsigned count = cwi_failures_count();
  if (count != collected)
    learn_recorded();
  collected = count;
  if (stored != known_count)
    store_reports();
  bool lack = false;
  for (int link = 0; known_count > 0 && link < cwi_links.count && !lack; link++)
    lack = cwi_news_lack(link);
  return lack;
}

bool cwi_news_lack(int link)
{
  return exchanged[link] != known_count && cwi_news_exchanges(link) &&
         !cwi_node_is_lost(cwi_links.neighbours[link]);
}

size_t cwi_news_write(uint64_t words[CWI_NEWS_MOST])
{
  const size_t count = words_of_job();
  memcpy(words, known, count * sizeof *words);
  return count;
}

size_t cwi_news_write_last(uint64_t words[CWI_NEWS_MOST], int failed)
{
  learn_recorded();
  learn(failed);
  return cwi_news_write(words);
}

void cwi_news_sent(int link)
{
  if (exchanged != NULL)
    exchanged[link] = known_count;
}

/* If both know the same failures, the neighbour needs no message. */
void cwi_news_received(int link, const uint64_t *words, size_t count)
{
  if (exchanged == NULL || count != words_of_job())
    return;
  for (int process = 0; process < cwi_world.processes; process++)
    if ((words[process / BITS] >> process % BITS & 1) != 0)
      learn(process);
  if (memcmp(words, known, count * sizeof *words) == 0)
    exchanged[link] = known_count;
}
