#include "cases.h"

enum sizes { EIGHT, POWERS, ROWS };
enum demand { NOTHING, STORE, SHORT, COPY, ADD, PATCH, CREATE, BEAT };

/* Sets of benchmark modes. */
enum {
  DIRECT = 1 << BENCH_DIRECT,
  WINDOW = 1 << BENCH_WINDOW,
  SERVER = 1 << BENCH_SERVER,
  BUSY = 1 << BENCH_BUSY,
  OLD = DIRECT | WINDOW,
  SERVED = SERVER | BUSY,
  ALWAYS = OLD | SERVED
};

struct family {
  const char *name;
  enum bench_operation operation;
  enum sizes sizes;
  double scale;
  unsigned modes;
  bool fence;
  bool singly; /* measure round trips one by one, in the modes in which servers answer */
  enum demand demand;
};

enum { KIB = 1024, MIB = 1024 * KIB };

/* The targets of the design's performance model. A short transfer is limited by the cost of its
 * call, not by its bytes, so the size from which on a rate is required differs inside a node and
 * between nodes. Where a server answers, the limit of rows is a contiguous transfer of the same
 * bytes. A target that computes may take three times as long as one that waits. */
static const struct bench_target targets[][4] = {
    /*           direct, window, server, busy */
    [NOTHING] = {{BENCH_NONE, 0, 0, 0},
                 {BENCH_NONE, 0, 0, 0},
                 {BENCH_NONE, 0, 0, 0},
                 {BENCH_RATE, 1. / 3, 0, 1}},
    [STORE] = {{BENCH_NANOSECONDS, 15, 0, 0},
               {BENCH_NONE, 0, 0, 0},
               {BENCH_NONE, 0, 0, 0},
               {BENCH_RATE, 1. / 3, 0, 1}},
    [SHORT] = {{BENCH_NANOSECONDS, 15, 0, 0},
               {BENCH_RATE, 0.8, 0, 0},
               {BENCH_RATE, 0.8, 0, 1},
               {BENCH_RATE, 1. / 3, 0, 1}},
    [COPY] = {{BENCH_RATE, 0.95, 4 * KIB, 0},
              {BENCH_RATE, 0.9, 64 * KIB, 0},
              {BENCH_RATE, 0.9, 64 * KIB, 1},
              {BENCH_RATE, 1. / 3, 0, 1}},
    [ADD] = {{BENCH_RATE, 0.9, 4 * KIB, 0},
             {BENCH_RATE, 0.9, 64 * KIB, 0},
             {BENCH_RATE, 0.9, 64 * KIB, 1},
             {BENCH_RATE, 1. / 3, 0, 1}},
    [PATCH] = {{BENCH_RATE, 0.9, 0, 0},
               {BENCH_RATE, 0.8, 64 * KIB, 0},
               {BENCH_RATE, 0.8, 0, 5},
               {BENCH_RATE, 1. / 3, 0, 1}},
    [CREATE] = {{BENCH_RATE, 0.5, 0, 0},
                {BENCH_NONE, 0, 0, 0},
                {BENCH_NONE, 0, 0, 0},
                {BENCH_NONE, 0, 0, 0}},
    [BEAT] = {{BENCH_NONE, 0, 0, 0},
              {BENCH_NONE, 0, 0, 0},
              {BENCH_NONE, 0, 0, 1},
              {BENCH_RATE, 1. / 3, 0, 1}},
};

static const struct family families[] = {
    {"put8", BENCH_PUT8, EIGHT, 1, OLD, false, false, STORE},
    {"put8-fence", BENCH_PUT8, EIGHT, 1, SERVED, true, true, SHORT},
    {"put8-fence-mean", BENCH_PUT8, EIGHT, 1, SERVED, true, false, NOTHING},
    {"get8", BENCH_GET8, EIGHT, 1, ALWAYS, false, true, SHORT},
    {"get8-mean", BENCH_GET8, EIGHT, 1, SERVED, false, false, NOTHING},
    {"fetch-add", BENCH_FETCH_ADD, EIGHT, 1, ALWAYS, false, true, SHORT},
    {"fetch-add-mean", BENCH_FETCH_ADD, EIGHT, 1, SERVED, false, false, NOTHING},
    {"put", BENCH_PUT, POWERS, 1, ALWAYS, false, false, COPY},
    {"put-fence", BENCH_PUT, POWERS, 1, WINDOW, true, false, COPY},
    {"get", BENCH_GET, POWERS, 1, ALWAYS, false, false, COPY},
    {"acc", BENCH_ACC, POWERS, 2, ALWAYS, false, false, ADD},
    {"acc-one", BENCH_ACC, POWERS, 1, OLD, false, false, ADD},
    {"acc-fence", BENCH_ACC, POWERS, 2, WINDOW, true, false, ADD},
    {"put-rows", BENCH_PUT_ROWS, ROWS, 1, ALWAYS, false, false, PATCH},
    {"put-rows-fence", BENCH_PUT_ROWS, ROWS, 1, WINDOW, true, false, PATCH},
    {"get-rows", BENCH_GET_ROWS, ROWS, 1, ALWAYS, false, false, PATCH},
    {"acc-rows", BENCH_ACC_ROWS, ROWS, 2, ALWAYS, false, false, PATCH},
    {"acc-rows-fence", BENCH_ACC_ROWS, ROWS, 2, WINDOW, true, false, PATCH},
    {"create-free", BENCH_CREATE_FREE, EIGHT, 1, OLD, false, false, CREATE},
    {"barrier", BENCH_BARRIER, EIGHT, 1, OLD | SERVER, false, true, BEAT},
    {"fence", BENCH_FENCE, EIGHT, 1, OLD, false, false, NOTHING},
    {"lock-unlock", BENCH_LOCK, EIGHT, 1, ALWAYS, false, true, BEAT},
};

/* Sizes in bytes, ended by zero: first for transfers inside a node and through windows, then for
 * those that a server answers. */
static const size_t powers[][13] = {
    {8, 16, 64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 0},
    {8, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 0},
};
static const size_t row_bytes[][7] = {{8, 16, 64, 256, 1024, 4096, 0}, {64, 512, 4096, 0}};

size_t bench_bytes(const struct bench_work *work)
{
  return work->bytes * work->rows;
}

static struct bench_case make(const struct family *family, enum bench_mode mode, size_t bytes,
                              size_t rows)
{
  struct bench_case one = {.name = family->name,
                           .work = {.operation = family->operation,
                                    .bytes = bytes,
                                    .rows = rows,
                                    .scale = family->scale,
                                    .fence = family->fence,
                                    .singly = family->singly && (SERVED & 1U << mode) != 0,
                                    .process = 1},
                           .target = targets[family->demand][mode],
                           .collective = family->operation == BENCH_CREATE_FREE ||
                                         family->operation == BENCH_BARRIER};
  if (bench_bytes(&one.work) < one.target.from)
    one.target.measure = BENCH_NONE;
  return one;
}

static size_t add(const struct family *family, enum bench_mode mode, const size_t *sizes,
                  size_t rows, struct bench_case *cases)
{
  size_t count = 0;
  for (; sizes[count] != 0; count++)
    cases[count] = make(family, mode, sizes[count], rows);
  return count;
}

size_t bench_cases(enum bench_mode mode, struct bench_case cases[BENCH_CASES_MAX])
{
  static const size_t eight[] = {8, 0};
  const int served = mode == BENCH_SERVER || mode == BENCH_BUSY;
  size_t count = 0;
  for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
    const struct family *family = &families[f];
    if ((family->modes & 1U << mode) == 0)
      continue;
    const size_t *sizes = family->sizes == EIGHT    ? eight
                          : family->sizes == POWERS ? powers[served]
                                                    : row_bytes[served];
    count += add(family, mode, sizes, family->sizes == ROWS ? BENCH_ROWS : 1, &cases[count]);
  }
  return count;
}
