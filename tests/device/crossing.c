/* Long transfers to and from devices of other nodes, made by all processes at once. Each process
 * waits for the server of another node, and holds resources that the server of its own node must
 * not need. Usage: device_crossing [rounds] */
#include "kit/native.h"

#include <causeway/device.h>

#include <stdlib.h>

enum { MOST = 16, WORDS = 1 << 15 };

static int64_t words[WORDS], got[WORDS];

/* Long transfers are in flight while short ones wait for credits. */
static void try_credits(char *there, char *host, int next)
{
  enum { LONGS = 20, SHORTS = 40, BYTES = 8192 };
  cw_handle handle = {0};
  for (size_t i = 0; i < LONGS; i++) {
    KIT_OK(cw_transfer_start(&(cw_transfer){.operation = i % 2 == 0 ? CW_GET : CW_PUT,
                                            .local = i % 2 == 0 ? (void *)got : (void *)words,
                                            .remote = there + i % 2 * BYTES,
                                            .bytes = BYTES,
                                            .process = next},
                             &handle));
    for (size_t k = 0; k < SHORTS; k++)
      KIT_OK(cw_put(words, host, 1000, next));
  }
  KIT_OK(cw_wait(&handle));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "device_crossing");
  kit_hang_guard();
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 100);
  const int me = kit_me(), processes = kit_processes();
  const int next = (me + 1) % processes;
  cw_device device = NULL;
  cw_region region = NULL, on_host = NULL;
  void *slices[MOST], *hosts[MOST];
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, sizeof words, &region, slices));
  KIT_MUST(cw_region_create(cw_team_world(), 1000, &on_host, hosts));
  for (long round = 0; round < rounds; round++) {
    try_credits(slices[next], hosts[next], next);
    for (int i = 0; i < WORDS; i++)
      words[i] = round * 1000 + i + me;
    KIT_OK(cw_put(words, slices[next], sizeof words, next));
    for (int i = 0; i < 5; i++)
      KIT_OK(cw_get(got, slices[next], sizeof got, next));
    kit_check_bytes(got, words, sizeof got, "what was put");
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &on_host));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
