/* Creates and fills the status page of a process, which cw-top reads. */
#include "wait/status_page.h"

#include "base/error.h"
#include "base/file_write.h"
#include "base/log.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int status_file = -1;

static bool status_make(void)
{
  status_file = memfd_create(CWI_STATUS_FILE, MFD_CLOEXEC);
  if (status_file < 0 || (errno = cwi_file_resize(status_file, sizeof *cwi_status_page)) != 0)
    return false;
  void *got = mmap(cwi_status_page, sizeof *cwi_status_page, PROT_READ | PROT_WRITE,
                   MAP_SHARED | (cwi_status_page != NULL ? MAP_FIXED : 0), status_file, 0);
  if (got == MAP_FAILED)
    return false;
  cwi_status_page = got;
  return true;
}

static void status_close(void)
{
  if (status_file >= 0)
    close(status_file);
  status_file = -1;
}

void cwi_status_start(const struct cwi_status *shown)
{
  if (!status_make()) {
    cwi_log(CWI_LOG_DEBUG, "cw-top will not see this process: %s", cwi_system_error(errno));
    status_close();
    return;
  }
  *cwi_status_page = *shown;
  cwi_status_page->version = CWI_STATUS_VERSION;
  cwi_status_page->bytes = sizeof *cwi_status_page;
  cwi_status_page->pid = (int32_t)getpid();
  cwi_status_page->profile_file = -1;
  cwi_status_page->server_thread = 0;
  __atomic_store_n(&cwi_status_page->magic, CWI_STATUS_MAGIC, __ATOMIC_RELEASE);
}

void cwi_status_stop(void)
{
  if (cwi_status_page != NULL)
    __atomic_store_n(&cwi_status_page->magic, 0, __ATOMIC_RELEASE);
  status_close();
}

void cwi_status_profile(int file, uint64_t layout)
{
  if (cwi_status_page == NULL)
    return;
  cwi_status_page->profile_layout = layout;
  __atomic_store_n(&cwi_status_page->profile_file, file, __ATOMIC_RELEASE);
}

void cwi_status_server(void)
{
  if (cwi_status_page != NULL)
    __atomic_store_n(&cwi_status_page->server_thread, (int32_t)syscall(SYS_gettid),
                     __ATOMIC_RELEASE);
}
