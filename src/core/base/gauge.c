/* The page that a process shows to cw-top, and the waits of its threads on it. */
#include "base/gauge.h"

#include "base/check.h"
#include "base/log.h"
#include "base/machine.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A wait that the thread has left for so long, in seconds, begins anew; its texts are written again
 * after so long. */
static const double GAP_SECONDS = 1, REWRITE_SECONDS = 0.25;

/* Once mapped it stays, so that a thread that waits always finds it; a later world's file comes to
 * the same address. NULL: nothing was ever shown. */
static struct cwi_gauge *gauge;
static int gauge_file = -1;

static __thread __attribute__((tls_model("initial-exec"))) struct cwi_gauge_wait *mine;

/* --- The page --------------------------------------------------------------------------------- */

static bool gauge_make(void)
{
  errno = EFBIG; /* the kernel's own answer would be a signal */
  if (cwi_machine_file_limit() < sizeof *gauge)
    return false;
  gauge_file = memfd_create(CWI_GAUGE_FILE, MFD_CLOEXEC);
  if (gauge_file < 0 || ftruncate(gauge_file, sizeof *gauge) != 0)
    return false;
  void *got = mmap(gauge, sizeof *gauge, PROT_READ | PROT_WRITE,
                   MAP_SHARED | (gauge != NULL ? MAP_FIXED : 0), gauge_file, 0);
  if (got == MAP_FAILED)
    return false;
  gauge = got;
  return true;
}

static void gauge_close(void)
{
  if (gauge_file >= 0)
    close(gauge_file);
  gauge_file = -1;
}

void cwi_gauge_start(const struct cwi_gauge *shown)
{
  if (!gauge_make()) {
    cwi_log(CWI_LOG_DEBUG, "cw-top will not see this process: %s", cwi_reason(errno));
    gauge_close();
    return;
  }
  *gauge = *shown;
  gauge->version = CWI_GAUGE_VERSION;
  gauge->bytes = sizeof *gauge;
  gauge->pid = (int32_t)getpid();
  gauge->profile_file = -1;
  gauge->server_thread = 0;
  __atomic_store_n(&gauge->magic, CWI_GAUGE_MAGIC, __ATOMIC_RELEASE);
}

void cwi_gauge_stop(void)
{
  if (gauge != NULL)
    __atomic_store_n(&gauge->magic, 0, __ATOMIC_RELEASE);
  gauge_close();
}

void cwi_gauge_profile(int file, uint64_t layout)
{
  if (gauge == NULL)
    return;
  gauge->profile_layout = layout;
  __atomic_store_n(&gauge->profile_file, file, __ATOMIC_RELEASE);
}

static int32_t thread_number(void)
{
  return (int32_t)syscall(SYS_gettid);
}

void cwi_gauge_server(void)
{
  if (gauge != NULL)
    __atomic_store_n(&gauge->server_thread, thread_number(), __ATOMIC_RELEASE);
}

/* --- Waits ------------------------------------------------------------------------------------ */

/* A free place, or one of a thread that has ended in a wait. NULL: too many threads wait. */
static struct cwi_gauge_wait *place_take(int32_t me, double now)
{
  for (int i = 0; i < CWI_GAUGE_WAITS; i++) {
    struct cwi_gauge_wait *wait = &gauge->waits[i];
    int32_t seen = __atomic_load_n(&wait->thread, __ATOMIC_RELAXED);
    const bool free = seen == 0 || now - wait->looked > 2 * CWI_GAUGE_STALE_SECONDS;
    if (free && __atomic_compare_exchange_n(&wait->thread, &seen, me, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
      return wait;
  }
  return NULL;
}

/* What a reader finds between the two changes of the version it does not take. */
static void wait_begin_writing(struct cwi_gauge_wait *wait)
{
  __atomic_store_n(&wait->version, wait->version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void wait_end_writing(struct cwi_gauge_wait *wait)
{
  __atomic_store_n(&wait->version, wait->version + 1, __ATOMIC_RELEASE);
}

static void place_begin(struct cwi_gauge_wait *wait, double since, double now)
{
  wait_begin_writing(wait);
  wait->since = since;
  wait->looked = now;
  wait->written = 0;
  wait->call[0] = wait->whom[0] = '\0';
  wait_end_writing(wait);
}

bool cwi_gauge_waits(double since, double now)
{
  if (gauge == NULL)
    return false;
  const int32_t me = thread_number();
  if (mine == NULL || __atomic_load_n(&mine->thread, __ATOMIC_RELAXED) != me) {
    mine = place_take(me, now);
    if (mine != NULL)
      place_begin(mine, since, now);
  }
  if (mine == NULL)
    return false;
  if (now - mine->looked > GAP_SECONDS)
    place_begin(mine, now, now);
  __atomic_store(&mine->looked, &now, __ATOMIC_RELAXED);
  return now - mine->written >= REWRITE_SECONDS;
}

void cwi_gauge_wait_write(const char *call, const char *whom, double now)
{
  if (mine == NULL)
    return;
  wait_begin_writing(mine);
  mine->written = now;
  snprintf(mine->call, sizeof mine->call, "%s", call);
  snprintf(mine->whom, sizeof mine->whom, "%s", whom);
  wait_end_writing(mine);
}

void cwi_gauge_wait_end(void)
{
  if (mine != NULL)
    __atomic_store_n(&mine->thread, 0, __ATOMIC_RELEASE);
  mine = NULL;
}
