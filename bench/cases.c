#include "cases.h"

enum sizes { EIGHT, POWERS, ROWS };
enum when { ALWAYS, BETWEEN_NODES };
enum demand { NOTHING, STORE, SHORT, COPY, ADD, PATCH, CREATE };

struct family {
  const char *name;
  enum bench_operation operation;
  enum sizes sizes;
  double scale;
  enum when when;
  bool fence;
  enum demand demand;
};

enum { KIB = 1024 };

/* The design's performance model. A short transfer costs its call and not its bytes: from which
 * size on a rate is demanded differs inside a node and between nodes. */
static const struct bench_target targets[][2] = {
    /*           direct                           window */
    [NOTHING] = {{BENCH_NONE, 0, 0}, {BENCH_NONE, 0, 0}},
    [STORE] = {{BENCH_NANOSECONDS, 15, 0}, {BENCH_NONE, 0, 0}},
    [SHORT] = {{BENCH_NANOSECONDS, 15, 0}, {BENCH_RATE, 0.8, 0}},
    [COPY] = {{BENCH_RATE, 0.95, 4 * KIB}, {BENCH_RATE, 0.9, 64 * KIB}},
    [ADD] = {{BENCH_RATE, 0.9, 4 * KIB}, {BENCH_RATE, 0.9, 64 * KIB}},
    [PATCH] = {{BENCH_RATE, 0.9, 0}, {BENCH_RATE, 0.8, 64 * KIB}},
    [CREATE] = {{BENCH_RATE, 0.5, 0}, {BENCH_NONE, 0, 0}},
};

static const struct family families[] = {
    {"put8", BENCH_PUT8, EIGHT, 1, ALWAYS, false, STORE},
    {"get8", BENCH_GET8, EIGHT, 1, ALWAYS, false, SHORT},
    {"fetch-add", BENCH_FETCH_ADD, EIGHT, 1, ALWAYS, false, SHORT},
    {"put", BENCH_PUT, POWERS, 1, ALWAYS, false, COPY},
    {"put-fence", BENCH_PUT, POWERS, 1, BETWEEN_NODES, true, COPY},
    {"get", BENCH_GET, POWERS, 1, ALWAYS, false, COPY},
    {"acc", BENCH_ACC, POWERS, 2, ALWAYS, false, ADD},
    {"acc-one", BENCH_ACC, POWERS, 1, ALWAYS, false, ADD},
    {"acc-fence", BENCH_ACC, POWERS, 2, BETWEEN_NODES, true, ADD},
    {"put-rows", BENCH_PUT_ROWS, ROWS, 1, ALWAYS, false, PATCH},
    {"put-rows-fence", BENCH_PUT_ROWS, ROWS, 1, BETWEEN_NODES, true, PATCH},
    {"get-rows", BENCH_GET_ROWS, ROWS, 1, ALWAYS, false, PATCH},
    {"acc-rows", BENCH_ACC_ROWS, ROWS, 2, ALWAYS, false, PATCH},
    {"acc-rows-fence", BENCH_ACC_ROWS, ROWS, 2, BETWEEN_NODES, true, PATCH},
    {"create-free", BENCH_CREATE_FREE, EIGHT, 1, ALWAYS, false, CREATE},
    {"barrier", BENCH_BARRIER, EIGHT, 1, ALWAYS, false, NOTHING},
    {"fence", BENCH_FENCE, EIGHT, 1, ALWAYS, false, NOTHING},
    {"lock-unlock", BENCH_LOCK, EIGHT, 1, ALWAYS, false, NOTHING},
};

static const size_t row_bytes[] = {8, 16, 64, 256, 1024, 4096};

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
                                    .process = 1},
                           .target = targets[family->demand][mode],
                           .collective = family->operation == BENCH_CREATE_FREE ||
                                         family->operation == BENCH_BARRIER};
  if (bench_bytes(&one.work) < one.target.from)
    one.target.measure = BENCH_NONE;
  return one;
}

/* 8 bytes, then 16 bytes to 16 MiB in powers of 4. */
static size_t next_power(size_t bytes)
{
  return bytes == 8 ? 16 : 4 * bytes;
}

size_t bench_cases(enum bench_mode mode, struct bench_case cases[BENCH_CASES_MAX])
{
  size_t count = 0;
  for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
    const struct family *family = &families[f];
    if (family->when == BETWEEN_NODES && mode == BENCH_DIRECT)
      continue;
    if (family->sizes == EIGHT)
      cases[count++] = make(family, mode, 8, 1);
    if (family->sizes == POWERS)
      for (size_t bytes = 8; bytes <= BENCH_LARGEST; bytes = next_power(bytes))
        cases[count++] = make(family, mode, bytes, 1);
    if (family->sizes == ROWS)
      for (size_t i = 0; i < sizeof row_bytes / sizeof row_bytes[0]; i++)
        cases[count++] = make(family, mode, row_bytes[i], BENCH_ROWS);
  }
  return count;
}
