/* Looks at the sessions of this proxy, and in process 0 keeps what all have told. */
#include "proxy/loads.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "proxy/balance.h"
#include "wire/census.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds between looks, and how much the last one counts. A session is at work on a device if
 * it had unfinished commands in most of the last looks; to be at rest it must have had them in few.
 */
enum { LOOK_NANOSECONDS = 20000000 };
static const float NEW = 0.15F, WORKS = 0.7F, RESTS = 0.3F;

/* A program that was moved, or refused: its sessions change, it does not. */
struct moved_program {
  struct moved_program *next;
  uint32_t door, process;
  double rests_to;
};

/* A session, as its proxy has told it. */
struct told_session {
  struct told_session *next;
  uint32_t number;
  struct cwi_mail_load load;
  double since[CWI_SERVICE_DEVICES];
};

static struct {
  bool is_on;
  double looked;
  /* of process 0 */
  struct cwi_balance_device *devices;
  uint32_t *numbers; /* of the devices among their proxy's */
  size_t device_count;
  struct told_session *sessions;
  struct moved_program *moved;
  bool is_moving;
  double chooses_from; /* what was told before is of before a move: the next one would follow it */
  struct moved_program moves; /* the program that is asked */
} loads;

/* --- Devices ---------------------------------------------------------------------------------- */

static bool are_equal(const struct cwi_facts *one, const struct cwi_facts *other)
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
    const struct cwi_fact *mine = cwi_fact_find(one, facts[i]);
    const struct cwi_fact *its = cwi_fact_find(other, facts[i]);
    if (mine == NULL || its == NULL || mine->size != its->size ||
        memcmp(mine->value, its->value, mine->size) != 0)
      return false;
  }
  return true;
}

/* A kind is the first device of it. */
static void learn_devices(const struct cwi_service_facts *facts)
{
  const size_t count = cwi_census_count(facts->census, facts->census_bytes);
  struct cwi_facts **all = calloc(count + 1, sizeof(void *));
  loads.devices = calloc(count + 1, sizeof *loads.devices);
  loads.numbers = calloc(count + 1, sizeof *loads.numbers);
  if (all == NULL || loads.devices == NULL || loads.numbers == NULL)
    cw_abort("cw-vocl: no memory for balancing", 1);
  for (size_t i = 0; i < count; i++) {
    struct cwi_census_entry entry;
    if (!cwi_census_read(facts->census, facts->census_bytes, i, &entry))
      cw_abort("cw-vocl: no memory for balancing", 1);
    all[i] = entry.facts;
    size_t kind = 0;
    while (!are_equal(all[kind], all[i]))
      kind++;
    loads.devices[i] = (struct cwi_balance_device){(uint32_t)kind, entry.proxy};
    loads.numbers[i] = entry.number;
  }
  loads.device_count = count;
  for (size_t i = 0; i < count; i++)
    cwi_facts_free(all[i]);
  free(all);
}

void cwi_loads_open(const struct cwi_service_facts *facts)
{
  loads.is_on = cwi_settings.vocl_balance != 0;
  if (loads.is_on && cw_process() == 0)
    learn_devices(facts);
}

void cwi_loads_close(void)
{
  while (loads.sessions != NULL) {
    struct told_session *session = loads.sessions;
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

/* --- What a proxy sees ------------------------------------------------------------------------ */

static void tell_load(const struct cwi_mail *mail)
{
  if (cw_process() == 0)
    cwi_loads_hear(mail);
  else
    cwi_post_send(0, mail);
}

/* Has what the session is at work on changed since it was told? */
static void look_at(struct cwi_proxy_session *session)
{
  struct cwi_proxy_load *load = &session->load;
  const uint64_t before = load->told.busy, used_before = load->told.used;
  load->told.used = 0;
  for (size_t i = 0; i < CWI_SERVICE_DEVICES; i++) {
    const struct cwi_service_load *now = &session->counts.loads[i];
    const uint64_t bit = (uint64_t)1 << i;
    const bool is_at_work = __atomic_load_n(&now->unfinished, __ATOMIC_RELAXED) > 0;
    load->shares[i] += NEW * ((is_at_work ? 1 : 0) - load->shares[i]);
    if (__atomic_load_n(&now->queues, __ATOMIC_RELAXED) > 0)
      load->told.used |= bit;
    if (load->shares[i] > WORKS)
      load->told.busy |= bit;
    if (load->shares[i] < RESTS)
      load->told.busy &= ~bit;
  }
  if (load->told.busy == before && load->told.used == used_before)
    return;
  load->told.door = (uint32_t)session->from;
  load->told.proxy = (uint32_t)session->to;
  load->told.process = session->process;
  load->told.bytes = __atomic_load_n(&session->counts.device_bytes, __ATOMIC_RELAXED);
  struct cwi_mail mail = {.kind = CWI_MAIL_LOAD, .number = session->number};
  mail.of.load = load->told;
  tell_load(&mail);
}

/* One that has ended has no queues: look_at tells it. */
static bool look_at_all(void)
{
  bool any = false;
  for (struct cwi_proxy_session *session = cwi_sessions_first(); session != NULL;
       session = session->next) {
    if (session->to != cw_process())
      continue;
    any = true;
    look_at(session);
  }
  return any;
}

void cwi_loads_end(const struct cwi_proxy_session *session)
{
  if (!loads.is_on || session->load.told.used == 0)
    return;
  struct cwi_mail mail = {.kind = CWI_MAIL_LOAD, .number = session->number};
  tell_load(&mail);
}

/* --- What process 0 knows --------------------------------------------------------------------- */

void cwi_loads_hear(const struct cwi_mail *mail)
{
  struct told_session **place = &loads.sessions;
  const double now = cwi_now();
  while (*place != NULL && (*place)->number != mail->number)
    place = &(*place)->next;
  struct told_session *session = *place;
  if (session != NULL && mail->of.load.used == 0) {
    *place = session->next;
    free(session);
    return;
  }
  if (session == NULL)
    session = *place = calloc(1, sizeof *session);
  if (session == NULL || mail->of.load.used == 0)
    return; /* one that nobody knows is not balanced */
  session->number = mail->number;
  for (size_t i = 0; i < CWI_SERVICE_DEVICES; i++)
    if (((session->load.busy ^ mail->of.load.busy) >> i & 1) != 0)
      session->since[i] = now;
  session->load = mail->of.load;
}

static double rests_to(const struct cwi_mail_load *load)
{
  for (const struct moved_program *each = loads.moved; each != NULL; each = each->next)
    if (each->door == load->door && each->process == load->process)
      return each->rests_to;
  return 0;
}

/* Of those whose rest is over nothing needs to be known. */
static void program_rests(uint32_t door, uint32_t process, double until)
{
  const double now = cwi_now();
  for (struct moved_program **place = &loads.moved; *place != NULL;) {
    struct moved_program *each = *place;
    if (each->rests_to > now && (each->door != door || each->process != process)) {
      place = &each->next;
      continue;
    }
    *place = each->next;
    free(each);
  }
  struct moved_program *program = malloc(sizeof *program);
  if (program == NULL)
    return;
  *program = (struct moved_program){loads.moved, door, process, until};
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
  for (const struct told_session *session = loads.sessions; session != NULL;
       session = session->next)
    count += (size_t)__builtin_popcountll(session->load.used);
  return count;
}

/* The uses of all sessions, and whose they are. */
static size_t write_uses(struct cwi_balance_use *uses, const struct told_session **whose)
{
  size_t count = 0;
  for (const struct told_session *session = loads.sessions; session != NULL;
       session = session->next)
    for (uint32_t i = 0; i < CWI_SERVICE_DEVICES; i++) {
      const struct cwi_mail_load *load = &session->load;
      const size_t device = device_find(load->proxy, i);
      if ((load->used >> i & 1) == 0 || device == loads.device_count)
        continue;
      whose[count] = session;
      uses[count++] = (struct cwi_balance_use){.device = device,
                                               .door = load->door,
                                               .is_busy = (load->busy >> i & 1) != 0,
                                               .since = session->since[i],
                                               .rests_to = rests_to(load),
                                               .bytes = load->bytes};
    }
  return count;
}

static void ask_to_move(const struct told_session *session, size_t device, size_t target,
                        cwi_moving_told *told)
{
  const struct cwi_move_wish move = {{loads.devices[device].proxy, loads.numbers[device]},
                                     {loads.devices[target].proxy, loads.numbers[target]}};
  loads.is_moving = true;
  loads.moves = (struct moved_program){NULL, session->load.door, session->load.process, 0};
  cwi_log(CWI_LOG_INFO, "balancing: session %u is asked to go from %u.%u to %u.%u", session->number,
          move.device[0], move.device[1], move.target[0], move.target[1]);
  cwi_moving_ask(session->number, &move, CWI_LOADS_REQUEST, told);
}

void cwi_loads_moved(uint32_t request, int code, const struct cwi_mail_moved *moved)
{
  (void)request;
  cwi_log(CWI_LOG_INFO, "balancing: %s", moved->text);
  loads.is_moving = false;
  loads.chooses_from = cwi_now() + 2 * CWI_BALANCE_SETTLED;
  program_rests(loads.moves.door, loads.moves.process,
                cwi_now() + (code == 0 ? CWI_BALANCE_REST : CWI_BALANCE_REFUSED));
}

static void choose_move(double now, cwi_moving_told *told)
{
  const size_t most = count_uses();
  struct cwi_balance_use *uses = calloc(most + 1, sizeof *uses);
  const struct told_session **whose = calloc(most + 1, sizeof(void *));
  size_t use = 0, target = 0;
  if (uses != NULL && whose != NULL) {
    const struct cwi_balance balance = {loads.devices, loads.device_count, uses,
                                        write_uses(uses, whose)};
    if (cwi_balance_choose(&balance, now, &use, &target))
      ask_to_move(whose[use], uses[use].device, target, told);
  }
  free(uses);
  free(whose);
}

long cwi_loads_turn(cwi_moving_told *told)
{
  const double now = cwi_now();
  if (!loads.is_on)
    return LONG_MAX;
  if (now - loads.looked < LOOK_NANOSECONDS * 1e-9)
    return LOOK_NANOSECONDS;
  loads.looked = now;
  const bool any = look_at_all();
  if (loads.sessions != NULL && !loads.is_moving && now >= loads.chooses_from)
    choose_move(now, told);
  return any || loads.sessions != NULL ? LOOK_NANOSECONDS : LONG_MAX;
}
