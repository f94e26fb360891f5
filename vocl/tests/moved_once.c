/* Balancing does not use reports from before a move: a program's old session may be reported as
 * active, and its new one not yet, while the proxies' messages are late. Process 0's part of
 * balancing (vocl/src/proxy/loads.c) with a clock of its own, and two devices. */
#include "kit/kit.h"

#include "base/clock.h"
#include "base/settings.h"
#include "proxy/balance.h"
#include "proxy/loads.h"
#include "wire/device_list.h"

#include <stdlib.h>

enum { FIRST = 1, SECOND = 2, MOVED = 3 }; /* sessions */

static double now;
static int requests; /* number of requested moves */
static uint32_t requested_session;

/* --- What loads.c calls --- */

const char cw_built_for_mpich[1] = "", cw_built_for_openmpi[1] = "";

double cwi_now(void)
{
  return now;
}

int cw_process(void)
{
  return 0;
}

void cw_abort(const char *message, int code)
{
  fprintf(stderr, "%s\n", message);
  exit(code);
}

void vocl_control_send(int process, const struct vocl_control_message *load)
{
  (void)process;
  (void)load;
}

struct vocl_proxy_session *vocl_proxy_sessions_first(void)
{
  return NULL;
}

void vocl_proxy_move_request(uint32_t session, const struct vocl_move_devices *move,
                             uint32_t request, vocl_move_reply_function *replied)
{
  (void)request;
  (void)replied;
  requests++;
  requested_session = session;
  kit_check(move->device[0] == 0 && move->target[0] == 1, "session %u goes from proxy %u to %u",
            session, move->device[0], move->target[0]);
}

size_t vocl_device_list_count(const void *list, size_t bytes)
{
  (void)list;
  (void)bytes;
  return 2;
}

bool vocl_device_list_read(const void *list, size_t bytes, size_t i,
                           struct vocl_device_list_entry *device)
{
  (void)list;
  (void)bytes;
  *device = (struct vocl_device_list_entry){.proxy = (uint32_t)i, .facts = NULL};
  return true;
}

const struct vocl_fact *vocl_fact_find(const struct vocl_facts *facts, cl_device_info name)
{
  static const struct vocl_fact same = {0};
  (void)facts;
  (void)name;
  return &same;
}

void vocl_facts_free(struct vocl_facts *facts)
{
  (void)facts;
}

/* --- The test --- */

/* Reports a session at a proxy's device. If `uses` is false, it has ended. */
static void report_load(uint32_t session, uint32_t process, uint32_t proxy, bool uses, bool is_busy)
{
  struct vocl_control_message load = {.kind = VOCL_CONTROL_LOAD, .number = session};
  load.of.load = (struct vocl_control_load){.proxy = proxy,
                                            .process = process,
                                            .used = uses ? 1 : 0,
                                            .busy = is_busy ? 1 : 0,
                                            .bytes = process};
  vocl_loads_receive(&load);
}

static void poll_for(double seconds)
{
  for (const double end = now + seconds; now < end; now += 0.01)
    vocl_loads_poll(vocl_loads_move_replied);
}

static void begin(void)
{
  static const struct vocl_service_facts facts = {0};
  requests = 0;
  now += 1000; /* the pauses after the moves of earlier cases (VOCL_BALANCE_REST) are over */
  vocl_loads_open(&facts);
  report_load(FIRST, 10, 0, true, true);
  report_load(SECOND, 20, 0, true, true);
  poll_for(VOCL_BALANCE_SETTLED - 0.1);
  kit_check(requests == 0, "a program is moved before its work counts");
  poll_for(0.3);
  kit_check(requests == 1 && requested_session == FIRST, "%d moves, of session %u", requests,
            requested_session);
}

/* Moves the first program, and delivers the messages about its sessions `seconds` late. */
static void late_by(double seconds)
{
  const struct vocl_control_move_reply moved = {0};
  begin();
  vocl_loads_move_replied(VOCL_LOADS_REQUEST, 0, &moved);
  poll_for(seconds);
  report_load(FIRST, 10, 0, false, false);
  report_load(MOVED, 10, 1, true, false);
  poll_for(0.2);
  report_load(MOVED, 10, 1, true, true);
  poll_for(3 * VOCL_BALANCE_REST);
  kit_check(requests == 1, "mails that come %.1f s late: %d moves", seconds, requests);
  vocl_loads_close();
}

/* After a rejected move nothing changes, and the other program receives a request. */
static void test_rejected(void)
{
  const struct vocl_control_move_reply moved = {0};
  begin();
  vocl_loads_move_replied(VOCL_LOADS_REQUEST, 1, &moved);
  poll_for(3 * VOCL_BALANCE_SETTLED);
  kit_check(requests == 2 && requested_session == SECOND, "%d moves, the last one of session %u",
            requests, requested_session);
  vocl_loads_close();
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "vocl_moved_once");
  cwi_settings.vocl_balance = 1;
  for (double late = 0; late < 2 * VOCL_BALANCE_SETTLED; late += 0.1)
    late_by(late);
  test_rejected();
  return kit_finish();
}
