/* A device of another node that makes no progress delays its origin and no other process: that
 * origin's requests wait for it in order, while requests of others, and those to the owner's
 * private memory, are served. This may last longer than CW_SERVER_TIMEOUT, 3 seconds, which is for
 * servers that do not answer. Uses the fake CUDA driver, which delays its copies until the test
 * releases them. Two nodes of two processes; the last process is the owner. */
#include "device/fake_cuda/control.h"
#include "view/handle_kit.h"

#include <causeway/device.h>

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* PUTS: less than the number of messages that the server copies for one origin
 * (CWI_DEFERRED_QUEUE_MOST); beyond it an origin may have to wait for its own server. Four times
 * PUTS is more than that and all credits. */
enum { ORIGIN, OTHER, NEIGHBOUR, OWNER, PROCESSES, WORDS = 1000, RUN = 1000, PUTS = 3000 };
enum { LONG = 5 /* LONG: seconds, longer than CW_SERVER_TIMEOUT */ };

static cw_device device;
static cw_region device_region, host_region;
static void *slices[PROCESSES], **hosts;

/* Data in the owner's host memory. */
struct held {
  int64_t counter, others[WORDS];
  char rows[PUTS][RUN];
};

static struct held *there;

static int64_t *fill(int64_t *words, int64_t first)
{
  for (int i = 0; i < WORDS; i++)
    words[i] = first + i;
  return words;
}

static void send_signal(int process)
{
  MPI_Send(NULL, 0, MPI_BYTE, process, 0, kit_comm());
}

static void receive_signal(int process)
{
  MPI_Recv(NULL, 0, MPI_BYTE, process, 0, kit_comm(), MPI_STATUS_IGNORE);
}

/* From now on copies to the owner's device are requested but do not begin. */
static void hold(void)
{
  fake_cuda_count_anew();
  fake_cuda_hold(true);
}

static void await_copy(void)
{
  while (fake_cuda_count("cuMemcpyHtoDAsync_v2") == 0)
    usleep(1000);
}

static void check_words(const void *address, int64_t first, const char *what)
{
  int64_t want[WORDS], got[WORDS] = {0};
  KIT_OK(cw_get(got, address, sizeof got, OWNER));
  kit_check_bytes(got, fill(want, first), sizeof got, what);
}

/* Another process completes all kinds of operations while the owner's device or agent is blocked.
 * */
static void other_continues(int64_t first)
{
  int64_t words[WORDS];
  KIT_OK(cw_put(fill(words, first), there->others, sizeof words, OWNER));
  KIT_OK(cw_fence(OWNER));
  check_words(there->others, first, "what another origin has put meanwhile");
}

/* --- A device --------------------------------------------------------------------------------- */

static void origin_of_device(void)
{
  int64_t words[WORDS];
  char row[RUN];
  KIT_OK(cw_put(fill(words, 10), slices[OWNER], sizeof words, OWNER));
  KIT_OK(cw_notify(&there->counter, 1, OWNER));
  for (int i = 0; i < PUTS; i++) {
    memset(row, i % 100, sizeof row);
    KIT_OK(cw_put(row, there->rows[i], sizeof row, OWNER));
  }
  send_signal(OWNER);
  KIT_OK(cw_fence(OWNER));
  check_words(slices[OWNER], 10, "what the origin has put to the device");
}

static void owner_of_device(struct held *mine)
{
  int64_t seen = -1;
  await_copy();
  send_signal(OTHER);
  receive_signal(OTHER);
  receive_signal(ORIGIN);
  kit_check_long(__atomic_load_n(&mine->counter, __ATOMIC_ACQUIRE), 0,
                 "the notification behind data that has not arrived");
  kit_check_long(mine->rows[PUTS - 1][0], 0, "a row behind the notification");
  fake_cuda_hold(false);
  KIT_OK(cw_notify_wait(&mine->counter, 1, &seen));
  check_words(slices[OWNER], 10, "on the device, when the notification is here");
}

static void test_device(struct held *mine)
{
  kit_about("a device that is held");
  if (kit_me() == OWNER)
    hold();
  kit_barrier();
  if (kit_me() == ORIGIN)
    origin_of_device();
  if (kit_me() == OWNER)
    owner_of_device(mine);
  if (kit_me() == OTHER) {
    receive_signal(OWNER);
    other_continues(20);
    send_signal(OWNER);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  for (int i = 0; kit_me() == OWNER && i < PUTS; i++)
    if (!kit_check_long(mine->rows[i][RUN - 1], i % 100, "a row that was put"))
      break;
}

/* --- Private memory --------------------------------------------------------------------------- */

/* Adds to all words of the owner's private memory. The server of its node holds a lock meanwhile
 * and waits for the agent. */
static void add_words(const struct cwi_memory_handle *memory, int64_t more)
{
  int64_t words[WORDS];
  for (int i = 0; i < WORDS; i++)
    words[i] = more;
  cw_transfer add = cw_contiguous(CW_ACCUMULATE, words, memory->address, sizeof words, 0);
  add.type = CW_LONG;
  KIT_OK(run(memory, add));
}

static void origin_of_private(const struct cwi_memory_handle *memory)
{
  int64_t words[WORDS], got[WORDS] = {0};
  receive_signal(OWNER);
  KIT_OK(move(CW_PUT, memory, fill(words, 40), 0, sizeof words));
  add_words(memory, 100);
  KIT_OK(cw_fence(OWNER));
  KIT_OK(move(CW_GET, memory, got, 0, sizeof got));
  kit_check_bytes(got, fill(words, 140), sizeof words, "private memory, put and added to");
  send_signal(OTHER);
}

/* The agent that copies private memory is not the one that waits for the device. */
static void test_memory_handle(void)
{
  int64_t words[WORDS], private[WORDS] = {0};
  handle_name given = {{0}}, all[PROCESSES];
  kit_about("private memory, while a device is held");
  KIT_OK(cw_memory_handle_create(private, sizeof private, &given));
  share_names(&given, all);
  if (kit_me() == OWNER)
    hold();
  kit_barrier();
  if (kit_me() == NEIGHBOUR) /* waits until its data is there, and so does the device's agent */
    KIT_OK(cw_put(fill(words, 30), slices[OWNER], sizeof words, OWNER));
  if (kit_me() == ORIGIN) {
    const struct cwi_memory_handle memory = resolved(&all[OWNER]);
    origin_of_private(&memory);
  }
  if (kit_me() == OTHER) {
    receive_signal(ORIGIN);
    other_continues(50);
    send_signal(OWNER);
  }
  if (kit_me() == OWNER) {
    await_copy();
    send_signal(ORIGIN);
    receive_signal(OTHER);
    fake_cuda_hold(false);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == OWNER)
    kit_check_bytes(private, fill(words, 140), sizeof words, "my private memory");
  KIT_OK(cw_memory_handle_release(&given));
}

/* --- Longer than CW_SERVER_TIMEOUT ------------------------------------------------------------ */

/* First a missing answer and then missing credits keep the origin waiting, even one that does not
 * use the device. */
static void wait_for_device(bool for_credits)
{
  int64_t words[WORDS];
  char row[RUN] = {0};
  if (kit_me() == ORIGIN) {
    KIT_OK(cw_put(fill(words, 60), slices[OWNER], sizeof words, OWNER));
    for (int i = 0; for_credits && i < 4 * PUTS; i++) /* more than the server copies */
      KIT_OK(cw_put(row, there->rows[i % PUTS], sizeof row, OWNER));
    check_words(slices[OWNER], 60, "on the device, after long");
  }
  if (kit_me() == OTHER && for_credits) {
    sleep(1);
    check_words(there->others, 50, "in the owner's memory, after long");
  }
  if (kit_me() == OWNER) {
    await_copy();
    sleep(LONG);
    fake_cuda_hold(false);
  }
}

static void test_long_hold(void)
{
  for (int for_credits = 0; for_credits < 2; for_credits++) {
    kit_about("a device that is held for long, %d", for_credits);
    if (kit_me() == OWNER)
      hold();
    kit_barrier();
    wait_for_device(for_credits);
    KIT_OK(cw_barrier(cw_team_world()));
  }
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_aside");
  kit_need_threads();
  kit_hang_guard();
  const int64_t zeros[WORDS] = {0};
  struct held *mine = kit_make_region(sizeof *mine, &host_region, &hosts);
  there = hosts[OWNER];
  if (kit_me() == OWNER)
    KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_CUDA}, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, sizeof zeros, &device_region, slices));
  KIT_OK(cw_put(zeros, slices[kit_me()], sizeof zeros, kit_me()));
  KIT_OK(cw_barrier(cw_team_world()));
  test_device(mine);
  test_memory_handle();
  test_long_hold();
  KIT_OK(cw_region_free(cw_team_world(), &device_region));
  kit_free_region(&host_region, hosts);
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
