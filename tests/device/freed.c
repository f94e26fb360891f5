/* A process that has no region with slices on devices, but knows the address of one from another
 * process. Lists of host memory and device memory work for it as for members. When it puts to a
 * slice that is being freed, the memory is released only when the owner's agent has finished: the
 * fake CUDA driver reports at the end whether memory was freed in use. Two processes. */
#include "device/fake_cuda/control.h"
#include "kit/native.h"

#include <causeway/device.h>

#include <pthread.h>
#include <unistd.h>

enum { BYTES = 4000 };

static int64_t *hosts[2]; /* slices of process 1 in a region of host memory */

/* Lists both kinds of memory, with host memory first and with device memory first. */
static void try_lists(int64_t *slice)
{
  for (int round = 0; round < 2; round++) {
    int64_t mine[] = {10 + round, 20 + round}, got[] = {0, 0};
    void *const from[] = {&mine[0], &mine[1]}, *const to[] = {&got[0], &got[1]};
    void *const there[] = {round == 0 ? hosts[1] : slice, round == 0 ? slice : hosts[1]};
    const cw_vector put = {from, there, 2, sizeof mine[0]}, get = {to, there, 2, sizeof mine[0]};
    cw_transfer transfer = cw_vectors(CW_PUT, &put, 1, 1);
    KIT_OK(cw_transfer_run(&transfer));
    KIT_OK(cw_fence(1));
    transfer = cw_vectors(CW_GET, &get, 1, 1);
    KIT_OK(cw_transfer_run(&transfer));
    kit_check_bytes(got, mine, sizeof got, "a list of host memory and device memory");
  }
}

static void *let_go(void *unused)
{
  enum { MICROSECONDS = 100000 };
  usleep(MICROSECONDS); /* by then the slice is being freed; otherwise the test proves less */
  fake_cuda_hold(false);
  return unused;
}

static void free_in_use(cw_team alone)
{
  cw_device device = NULL;
  cw_region region = NULL;
  void *slice = NULL;
  pthread_t thread;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_CUDA}, &device));
  KIT_MUST(cw_region_create_on(alone, device, BYTES, &region, &slice));
  MPI_Send(&slice, sizeof slice, MPI_BYTE, 0, 0, kit_comm());
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, kit_comm(), MPI_STATUS_IGNORE);
  fake_cuda_count_anew();
  fake_cuda_hold(true);
  MPI_Send(NULL, 0, MPI_BYTE, 0, 0, kit_comm());
  while (fake_cuda_count("cuMemcpyHtoDAsync_v2") == 0)
    usleep(1000);
  pthread_create(&thread, NULL, let_go, NULL);
  KIT_OK(cw_region_free(alone, &region));
  pthread_join(thread, NULL);
  KIT_OK(cw_device_close(&device));
}

static cw_error complete(cw_error error)
{
  return error != CW_OK ? error : cw_fence(1);
}

/* Puts from a process that is not a member. */
static void put_into_it(void)
{
  char bytes[BYTES] = {0};
  void *slice = NULL;
  MPI_Recv(&slice, sizeof slice, MPI_BYTE, 1, 0, kit_comm(), MPI_STATUS_IGNORE);
  try_lists(slice);
  MPI_Send(NULL, 0, MPI_BYTE, 1, 0, kit_comm());
  MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, kit_comm(), MPI_STATUS_IGNORE);
  KIT_OK(cw_put(bytes, slice, BYTES, 1));
  KIT_OK(cw_fence(1));
  KIT_MISUSE("never allocated, or freed already", complete(cw_put(bytes, slice, BYTES, 1)));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_freed");
  kit_hang_guard();
  cw_team alone = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), kit_me(), 0, &alone));
  cw_region region = NULL;
  void **at = NULL;
  kit_make_region(sizeof(int64_t), &region, &at);
  hosts[1] = at[1];
  if (kit_me() == 0)
    put_into_it();
  else
    free_in_use(alone);
  kit_free_region(&region, at);
  KIT_OK(cw_team_free(&alone));
  return kit_finish_native();
}
