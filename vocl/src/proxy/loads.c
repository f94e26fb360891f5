/* Samples the load of this proxy's sessions. In process 0 it also keeps the reports of all
 * proxies and chooses moves. */
#include "proxy/loads.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "proxy/balance.h"
#include "wire/device_list.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Interval of samples in nanoseconds, and the weight of the last one in the moving average. A
 * session is busy on a device if most of the last samples found unfinished commands, and idle
 * only if few did. */
enum { POLL_NANOSECONDS = 20000000 };
static const float NEW = 0.15F, WORKS = 0.7F, RESTS = 0.3F;

/* A program that has moved or has rejected a move. The program is recorded, not its session,
 * because a move makes new sessions. */
struct moved_program {
  struct moved_program *next;
  uint32_t client_proxy, process;
  double rests_to;
};

/* A session as its proxy has reported it. */
struct reported_session {
  struct reported_session *next;
  uint32_t number;
  struct vocl_control_load load;
  double since[VOCL_SERVICE_DEVICES];
};

static struct {
  bool is_on;
  double checked;
  /* used in process 0 only */
  struct vocl_balance_device *devices;
  uint32_t *numbers; /* numbers of the devices at their proxies */
  size_t device_count;
  struct reported_session *sessions;
  struct moved_program *moved;
  bool is_moving;
  double chooses_from; /* time before which no move is chosen, because reports may still describe
                          the state before the last move */
  struct moved_program moves; /* the program that was requested to move */
} loads;

/* --- Devices ---------------------------------------------------------------------------------- */

static bool are_equal(const struct vocl_facts *one, const struct vocl_facts *other)
{
  static const cl_device_info facts[] = {CL_DEVICE_NAME,
                                         CL_DEVICE_VENDOR,
                                         CL_DEVICE_VERSION,
                                         CL_DRIVER_VERSION,
                                         CL_DEVICE_OPENCL_C_VERSION,
                                         CL_DEVICE_EXTENSIONS,
                                         CL_DEVICE_MAX_COMPUTE_UNITS,
                                         CL_DEVICE_GLOBAL_MEM_SIZE};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const struct vocl_fact *mine = vocl_fact_find(one, facts[i]);
    const struct vocl_fact *its = vocl_fact_find(other, facts[i]);
    if (mine == NULL || its == NULL || mine->size != its->size ||
        (mine->size > 0 && memcmp(mine->value, its->value, mine->size) != 0))
      return false;
  }
  return true;
}

/* Reads the device list. The kind of a device is the index of the first device equal to it. */
static void learn_devices(const struct vocl_service_facts *facts)
{
  const size_t count = vocl_device_list_count(facts->device_list, facts->device_list_bytes);
  struct vocl_facts **all = calloc(count + 1, sizeof(void *));
  loads.devices = calloc(count + 1, sizeof *loads.devices);
  loads.numbers = calloc(count + 1, sizeof *loads.numbers);
  if (all == NULL || loads.devices == NULL || loads.numbers == NULL)
    cw_abort("cw-vocl: no memory for balancing", 1);
  for (size_t i = 0; i < count; i++) {
    struct vocl_device_list_entry entry;
    if (!vocl_device_list_read(facts->device_list, facts->device_list_bytes, i, &entry))
      cw_abort("cw-vocl: no memory for balancing", 1);
    all[i] = entry.facts;
    size_t kind = 0;
    while (!are_equal(all[kind], all[i]))
      kind++;
    loads.devices[i] = (struct vocl_balance_device){(uint32_t)kind, entry.proxy};
    loads.numbers[i] = entry.number;
  }
  loads.device_count = count;
  for (size_t i = 0; i < count; i++)
    vocl_facts_free(all[i]);
  free(all);
}

void vocl_loads_open(const struct vocl_service_facts *facts)
{
  loads.is_on = cwi_settings.vocl_balance != 0;
  if (loads.is_on && cw_process() == 0)
    learn_devices(facts);
}

void vocl_loads_close(void)
{
  while (loads.sessions != NULL) {
    struct reported_session *session = loads.sessions;
    loads.sessions = session->next;
    free(session);
  }
  while (loads.moved != NULL) {
    struct moved_program *program = loads.moved;
    loads.moved = program->next;
    free(program);
  }
  free(loads.devices);
  free(loads.numbers);
}

/* --- Load of this proxy's sessions
 * ----------------------------------------------------------------- */

static void send_load(const struct vocl_control_message *message)
{
  if (cw_process() == 0)
    vocl_loads_receive(message);
  else
    vocl_control_send(0, message);
}

/* Samples a session and reports it if its state has changed. */
static void check_session(struct vocl_proxy_session *session)
{
  struct vocl_proxy_load *load = &session->load;
  const uint64_t before = load->sent.busy, used_before = load->sent.used;
  load->sent.used = 0;
  for (size_t i = 0; i < VOCL_SERVICE_DEVICES; i++) {
    const struct vocl_service_load *now = &session->counts.loads[i];
    const uint64_t bit = (uint64_t)1 << i;
    const bool is_at_work = __atomic_load_n(&now->unfinished, __ATOMIC_RELAXED) > 0;
    load->shares[i] += NEW * ((is_at_work ? 1 : 0) - load->shares[i]);
    if (__atomic_load_n(&now->queues, __ATOMIC_RELAXED) > 0)
      load->sent.used |= bit;
    if (load->shares[i] > WORKS)
      load->sent.busy |= bit;
    if (load->shares[i] < RESTS)
      load->sent.busy &= ~bit;
  }
  if (load->sent.busy == before && load->sent.used == used_before)
    return;
  load->sent.client_proxy = (uint32_t)session->from;
  load->sent.proxy = (uint32_t)session->to;
  load->sent.process = session->process;
  load->sent.bytes = __atomic_load_n(&session->counts.device_bytes, __ATOMIC_RELAXED);
  struct vocl_control_message message = {.kind = VOCL_CONTROL_LOAD, .number = session->number};
  message.of.load = load->sent;
  send_load(&message);
}

/* Samples all sessions that this proxy serves and returns true if there are any. A session that
 * is ending has no queues, which check_session reports. */
static bool check_all(void)
{
  bool any = false;
  for (struct vocl_proxy_session *session = vocl_proxy_sessions_first(); session != NULL;
       session = session->next) {
    if (session->to != cw_process())
      continue;
    any = true;
    check_session(session);
  }
  return any;
}

void vocl_loads_end(const struct vocl_proxy_session *session)
{
  if (!loads.is_on || session->load.sent.used == 0)
    return;
  struct vocl_control_message message = {.kind = VOCL_CONTROL_LOAD, .number = session->number};
  send_load(&message);
}

/* --- State of process 0
 * ---------------------------------------------------------------------------- */

void vocl_loads_receive(const struct vocl_control_message *message)
{
  struct reported_session **place = &loads.sessions;
  const double now = cwi_now();
  while (*place != NULL && (*place)->number != message->number)
    place = &(*place)->next;
  struct reported_session *session = *place;
  if (session != NULL && message->of.load.used == 0) {
    *place = session->next;
    free(session);
    return;
  }
  if (session == NULL)
    session = *place = calloc(1, sizeof *session);
  if (session == NULL || message->of.load.used == 0)
    return; /* without memory, an unknown session is not balanced */
  session->number = message->number;
  for (size_t i = 0; i < VOCL_SERVICE_DEVICES; i++)
    if (((session->load.busy ^ message->of.load.busy) >> i & 1) != 0)
      session->since[i] = now;
  session->load = message->of.load;
}

static double rests_to(const struct vocl_control_load *load)
{
  for (const struct moved_program *each = loads.moved; each != NULL; each = each->next)
    if (each->client_proxy == load->client_proxy && each->process == load->process)
      return each->rests_to;
  return 0;
}

/* Records the end of a program's rest, and forgets programs whose rest is over. */
static void program_rests(uint32_t client_proxy, uint32_t process, double until)
{
  const double now = cwi_now();
  for (struct moved_program **place = &loads.moved; *place != NULL;) {
    struct moved_program *each = *place;
    if (each->rests_to > now && (each->client_proxy != client_proxy || each->process != process)) {
      place = &each->next;
      continue;
    }
    *place = each->next;
    free(each);
  }
  struct moved_program *program = malloc(sizeof *program);
  if (program == NULL)
    return;
  *program = (struct moved_program){loads.moved, client_proxy, process, until};
  loads.moved = program;
}

static size_t device_find(uint32_t proxy, uint32_t number)
{
  size_t i = 0;
  while (i < loads.device_count && (loads.devices[i].proxy != proxy || loads.numbers[i] != number))
    i++;
  return i;
}

static size_t count_uses(void)
{
  size_t count = 0;
  for (const struct reported_session *session = loads.sessions; session != NULL;
       session = session->next)
    count += (size_t)__builtin_popcountll(session->load.used);
  return count;
}

/* Stores the uses of all sessions, and in `owner` the session of each. */
static size_t write_uses(struct vocl_balance_use *uses, const struct reported_session **owner)
{
  size_t count = 0;
  for (const struct reported_session *session = loads.sessions; session != NULL;
       session = session->next)
    for (uint32_t i = 0; i < VOCL_SERVICE_DEVICES; i++) {
      const struct vocl_control_load *load = &session->load;
      const size_t device = device_find(load->proxy, i);
      if ((load->used >> i & 1) == 0 || device == loads.device_count)
        continue;
      owner[count] = session;
      uses[count++] = (struct vocl_balance_use){.device = device,
                                                .client_proxy = load->client_proxy,
                                                .is_busy = (load->busy >> i & 1) != 0,
                                                .since = session->since[i],
                                                .rests_to = rests_to(load),
                                                .bytes = load->bytes};
    }
  return count;
}

static void request_move(const struct reported_session *session, size_t device, size_t target,
                         vocl_move_reply_function *reply)
{
  const struct vocl_move_devices move = {{loads.devices[device].proxy, loads.numbers[device]},
                                         {loads.devices[target].proxy, loads.numbers[target]}};
  loads.is_moving = true;
  loads.moves = (struct moved_program){NULL, session->load.client_proxy, session->load.process, 0};
  cwi_log(CWI_LOG_INFO, "balancing: session %u is to move from %u.%u to %u.%u", session->number,
          move.device[0], move.device[1], move.target[0], move.target[1]);
  vocl_proxy_move_request(session->number, &move, VOCL_LOADS_REQUEST, reply);
}

void vocl_loads_move_replied(uint32_t request, int code,
                             const struct vocl_control_move_reply *moved)
{
  (void)request;
  cwi_log(CWI_LOG_INFO, "balancing: %s", moved->text);
  loads.is_moving = false;
  loads.chooses_from = cwi_now() + 2 * VOCL_BALANCE_SETTLED;
  program_rests(loads.moves.client_proxy, loads.moves.process,
                cwi_now() + (code == 0 ? VOCL_BALANCE_REST : VOCL_BALANCE_REJECTED));
}

static void choose_move(double now, vocl_move_reply_function *reply)
{
  const size_t most = count_uses();
  struct vocl_balance_use *uses = calloc(most + 1, sizeof *uses);
  const struct reported_session **owner = calloc(most + 1, sizeof(void *));
  size_t use = 0, target = 0;
  if (uses != NULL && owner != NULL) {
    const struct vocl_balance balance = {loads.devices, loads.device_count, uses,
                                         write_uses(uses, owner)};
    if (vocl_balance_choose(&balance, now, &use, &target))
      request_move(owner[use], uses[use].device, target, reply);
  }
  free(uses);
  free(owner);
}

long vocl_loads_poll(vocl_move_reply_function *reply)
{
  const double now = cwi_now();
  if (!loads.is_on)
    return LONG_MAX;
  if (now - loads.checked < POLL_NANOSECONDS * 1e-9)
    return POLL_NANOSECONDS;
  loads.checked = now;
  const bool any = check_all();
  if (loads.sessions != NULL && !loads.is_moving && now >= loads.chooses_from)
    choose_move(now, reply);
  return any || loads.sessions != NULL ? POLL_NANOSECONDS : LONG_MAX;
}
