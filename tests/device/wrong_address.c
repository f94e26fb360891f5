/* A server that rejects an address of device memory must not wait for a thread, because one that
 * holds the bookkeeping lock may be waiting for that server. */
#include "kit/native.h"

#include "mpi/mpi_threads.h"
#include "region/region.h"

#include <causeway/device.h>

#include <pthread.h>

enum { BYTES = 4096 };

static void *address;
static int rejected;

/* Rejects an address as the server's thread does. */
static void *reject_address(void *unused)
{
  KIT_MISUSE("remote is |device", cwi_address_misuse(kit_me(), address, sizeof(int64_t)));
  __atomic_store_n(&rejected, 1, __ATOMIC_RELEASE);
  return unused;
}

static void test_rejection(bool locked)
{
  pthread_t other;
  rejected = 0;
  if (locked)
    cwi_threads_lock();
  kit_check(pthread_create(&other, NULL, reject_address, NULL) == 0, "a thread");
  kit_await(&rejected, 1);
  kit_check(__atomic_load_n(&rejected, __ATOMIC_ACQUIRE) != 0, "it waits, %d", locked);
  if (locked)
    cwi_threads_unlock();
  pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
  cw_device device = NULL;
  cw_region region = NULL;
  void *slices[1] = {NULL};
  kit_start_native(&argc, &argv, "device_wrong_address");
  kit_need_threads();
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, BYTES, &region, slices));
  address = slices[0];
  test_rejection(false);
  test_rejection(true);
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
