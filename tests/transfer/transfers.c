/* Random transfers of every kind against a model: operation x completion x shape x type, in a
 * random order, on small and large slices of the world and of a smaller team.
 *
 *   transfers random [rounds [percent]]   the product of the axes, or a random part of it
 *   transfers device [rounds [percent]]   the same; slices and local buffers lie on devices, too
 *   transfers order  [rounds [percent]]   blocking, on few bytes, no fence: put, accumulate, get
 *   transfers shared [rounds [percent]]   all processes accumulate to the same bytes */
#include "kit/native.h"
#include "transfer/operations.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { AREAS = 3 };

struct mode {
  const char *name;
  size_t part_bytes[AREAS];
  int completions; /* only the first ones */
  int shared;      /* accumulates of a hundred that go to the shared part */
  bool cycles;     /* put, accumulate, get on one part instead of a random one each time */
};

static const struct mode modes[] = {
    {"random", {96, 16384, 2000}, COMPLETIONS, 25, false},
    {"device", {96, 16384, 2000}, COMPLETIONS, 25, false},
    {"order", {48, 64, 128}, BLOCKING + 1, 0, true},
    {"shared", {96, 16384, 64}, COMPLETIONS, 100, false},
};

static struct model_area areas[AREAS];

/* Makes the team of this process's parity, in reverse order. */
static cw_team half_team(void)
{
  cw_team team = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, -kit_me(), &team));
  return team;
}

static void run_one(const struct mode *mode, struct model_part *part, int operation, int number)
{
  const struct request request = {.operation = (cw_operation)operation,
                                  .completion = (enum completion)(number % mode->completions),
                                  .shape = number / mode->completions % PLAN_SHAPES,
                                  .scale = operation == CW_ACCUMULATE ? kit_own(MODEL_SCALES) : 0};
  const int kinds = operation == CW_ACCUMULATE ? CW_TYPES : MODEL_KINDS;
  const int kind = number / (mode->completions * PLAN_SHAPES) % kinds;
  if (!part->shared && (part->kind != kind && (!mode->cycles || operation == CW_PUT))) {
    operations_complete(part);
    model_change_kind(part, kind);
  }
  if (operation == CW_ACCUMULATE && part->kind == MODEL_BYTES)
    return;
  operations_issue(part, &request);
}

static struct model_part *choose_part(const struct mode *mode, int operation)
{
  struct model_area *area = &areas[kit_own(AREAS)];
  const int target = kit_own(area->members);
  if (operation == CW_ACCUMULATE && kit_own(100) < mode->shared)
    return &area->shared[target];
  return &area->own[target];
}

/* Tries every combination of the axes once, in a random order, or the first
 * `percent` of them.
 */
static void run_round(const struct mode *mode, int percent)
{
  const int combinations = mode->completions * PLAN_SHAPES * MODEL_KINDS * 3;
  int *order = kit_alloc((size_t)combinations, sizeof *order);
  for (int i = 0; i < combinations; i++) {
    const int other = kit_own(i + 1);
    order[i] = order[other];
    order[other] = i;
  }
  struct model_part *part = NULL;
  static const int cycle[] = {CW_PUT, CW_ACCUMULATE, CW_GET};
  for (int i = 0; i < combinations * percent / 100; i++) {
    const int operation = mode->cycles          ? cycle[i % 3]
                          : mode->shared == 100 ? CW_ACCUMULATE
                                                : order[i] % 3;
    if (!mode->cycles || operation == CW_PUT)
      part = choose_part(mode, operation);
    run_one(mode, part, operation, order[i] / 3);
  }
  free(order);
  operations_complete(NULL);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "transfers");
  const struct mode *mode = &modes[0];
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
    if (strcmp(argv[1], modes[i].name) == 0)
      mode = &modes[i];
  const int percent = argc > 3 ? atoi(argv[3]) : 100;
  long left = kit_rounds(NULL, (argc > 2 ? atol(argv[2]) : 1) * percent); /* hundredths of rounds */
  cw_team half = half_team();
  cw_device device = NULL;
  if (strcmp(mode->name, "device") == 0)
    KIT_MUST(cw_device_open(NULL, &device));
  model_use_device(device);
  operations_begin();
  for (; left > 0; left -= percent) {
    for (int i = 0; i < AREAS; i++)
      model_begin(&areas[i], i, i == 2 ? half : cw_team_world(), mode->part_bytes[i]);
    run_round(mode, left < percent ? (int)left : percent);
    KIT_OK(cw_barrier(cw_team_world()));
    for (int i = 0; i < AREAS; i++) {
      model_compare(&areas[i]);
      model_end(&areas[i]);
    }
  }
  operations_end();
  KIT_OK(cw_device_close(&device));
  KIT_OK(cw_team_free(&half));
  return kit_finish_native();
}
