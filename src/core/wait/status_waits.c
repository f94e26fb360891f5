/* Waits of threads on the status page of their process. */
#include "wait/status_page.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Interval after which the texts are written again. */
static const double REWRITE_SECONDS = 0.25;

struct cwi_status *cwi_status_page;

static __thread __attribute__((tls_model("initial-exec"))) struct cwi_status_wait *mine;

static double set_polled(const struct cwi_status_wait *wait)
{
  double last_poll = 0;
  __atomic_load(&wait->last_poll, &last_poll, __ATOMIC_RELAXED);
  return last_poll;
}

/* Takes a free place, or that of a thread that has ended during a wait. Returns NULL if too many
 * threads wait. */
static struct cwi_status_wait *place_take(int32_t me, double now)
{
  for (int i = 0; i < CWI_STATUS_WAITS; i++) {
    struct cwi_status_wait *wait = &cwi_status_page->waits[i];
    int32_t seen = __atomic_load_n(&wait->thread, __ATOMIC_RELAXED);
    const bool free = seen == 0 || now - set_polled(wait) > 2 * CWI_STATUS_STALE_SECONDS;
    if (free && __atomic_compare_exchange_n(&wait->thread, &seen, me, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
      return wait;
  }
  return NULL;
}

/* A reader discards what it reads while the version is odd or changes. */
static void wait_begin_writing(struct cwi_status_wait *wait)
{
  __atomic_store_n(&wait->version, wait->version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void wait_end_writing(struct cwi_status_wait *wait)
{
  __atomic_store_n(&wait->version, wait->version + 1, __ATOMIC_RELEASE);
}

static void place_begin(struct cwi_status_wait *wait, double since, double now)
{
  wait_begin_writing(wait);
  wait->since = since;
  __atomic_store(&wait->last_poll, &now, __ATOMIC_RELAXED);
  wait->written = 0;
  wait->call[0] = wait->whom[0] = '\0';
  wait_end_writing(wait);
}

bool cwi_status_waits(double since, double now)
{
  if (cwi_status_page == NULL)
    return false;
  const int32_t me = (int32_t)syscall(SYS_gettid);
  if (mine == NULL || __atomic_load_n(&mine->thread, __ATOMIC_RELAXED) != me) {
    mine = place_take(me, now);
    if (mine != NULL)
      mine->since = 0;
  }
  if (mine == NULL)
    return false;
  if (mine->since != since)
    place_begin(mine, since, now);
  __atomic_store(&mine->last_poll, &now, __ATOMIC_RELAXED);
  return now - mine->written >= REWRITE_SECONDS;
}

void cwi_status_wait_write(const char *call, const char *whom, double now)
{
  if (mine == NULL)
    return;
  wait_begin_writing(mine);
  mine->written = now;
  snprintf(mine->call, sizeof mine->call, "%s", call);
  snprintf(mine->whom, sizeof mine->whom, "%s", whom);
  wait_end_writing(mine);
}

void cwi_status_wait_end(void)
{
  if (mine != NULL)
    __atomic_store_n(&mine->thread, 0, __ATOMIC_RELEASE);
  mine = NULL;
}
