/* The page that a process shows to cw-top: its file, and what there is of the process on it. */
#include "base/gauge.h"

#include "base/check.h"
#include "base/log.h"
#include "base/write.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int gauge_file = -1;

static bool gauge_make(void)
{
  gauge_file = memfd_create(CWI_GAUGE_FILE, MFD_CLOEXEC);
  if (gauge_file < 0 || (errno = cwi_file_resize(gauge_file, sizeof *cwi_gauge_page)) != 0)
    return false;
  void *got = mmap(cwi_gauge_page, sizeof *cwi_gauge_page, PROT_READ | PROT_WRITE,
                   MAP_SHARED | (cwi_gauge_page != NULL ? MAP_FIXED : 0), gauge_file, 0);
  if (got == MAP_FAILED)
    return false;
  cwi_gauge_page = got;
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
  *cwi_gauge_page = *shown;
  cwi_gauge_page->version = CWI_GAUGE_VERSION;
  cwi_gauge_page->bytes = sizeof *cwi_gauge_page;
  cwi_gauge_page->pid = (int32_t)getpid();
  cwi_gauge_page->profile_file = -1;
  cwi_gauge_page->server_thread = 0;
  __atomic_store_n(&cwi_gauge_page->magic, CWI_GAUGE_MAGIC, __ATOMIC_RELEASE);
}

void cwi_gauge_stop(void)
{
  if (cwi_gauge_page != NULL)
    __atomic_store_n(&cwi_gauge_page->magic, 0, __ATOMIC_RELEASE);
  gauge_close();
}

void cwi_gauge_profile(int file, uint64_t layout)
{
  if (cwi_gauge_page == NULL)
    return;
  cwi_gauge_page->profile_layout = layout;
  __atomic_store_n(&cwi_gauge_page->profile_file, file, __ATOMIC_RELEASE);
}

void cwi_gauge_server(void)
{
  if (cwi_gauge_page != NULL)
    __atomic_store_n(&cwi_gauge_page->server_thread, (int32_t)syscall(SYS_gettid),
                     __ATOMIC_RELEASE);
}
