/* Put, get and accumulate of patches by all calls; fields of records. */
#include "differ.h"

#include <stdlib.h>
#include <string.h>

enum shape { ANY, STRIDED, PERIODIC };

typedef struct way {
  const char *name;
  enum shape shape;
  void (*put)(int g, box *b);
  void (*get)(int g, box *b);
  void (*acc)(int g, box *b, void *alpha);
} way;

typedef struct wide {
  int64_t lo[DIMS], hi[DIMS], ld[DIMS], skip[DIMS];
} wide;

static wide widen(const box *b)
{
  wide w;

  for (int d = 0; d < DIMS; d++) {
    bool used = d < b->of->ndim;
    w.lo[d] = used ? b->lo[d] : 0;
    w.hi[d] = used ? b->hi[d] : 0;
    w.skip[d] = used ? b->skip[d] : 1;
    w.ld[d] = b->ld[d];
  }
  return w;
}

#define WAY(prefix, call)                                                                          \
  static void prefix##_put(int g, box *b)                                                          \
  {                                                                                                \
    NGA_##call##put(g, b->lo, b->hi, b->buffer, b->ld);                                            \
  }                                                                                                \
  static void prefix##_get(int g, box *b)                                                          \
  {                                                                                                \
    NGA_##call##get(g, b->lo, b->hi, b->buffer, b->ld);                                            \
  }                                                                                                \
  static void prefix##_acc(int g, box *b, void *alpha)                                             \
  {                                                                                                \
    NGA_##call##acc(g, b->lo, b->hi, b->buffer, b->ld, alpha);                                     \
  }

#define NGA_put NGA_Put
#define NGA_get NGA_Get
#define NGA_acc NGA_Acc
WAY(plain, )
WAY(periodic, Periodic_)

#define WIDE(prefix, put64, get64, acc64)                                                          \
  static void prefix##_put(int g, box *b)                                                          \
  {                                                                                                \
    wide w = widen(b);                                                                             \
    put64(g, w.lo, w.hi, b->buffer, w.ld);                                                         \
  }                                                                                                \
  static void prefix##_get(int g, box *b)                                                          \
  {                                                                                                \
    wide w = widen(b);                                                                             \
    get64(g, w.lo, w.hi, b->buffer, w.ld);                                                         \
  }                                                                                                \
  static void prefix##_acc(int g, box *b, void *alpha)                                             \
  {                                                                                                \
    wide w = widen(b);                                                                             \
    acc64(g, w.lo, w.hi, b->buffer, w.ld, alpha);                                                  \
  }
WIDE(wide, NGA_Put64, NGA_Get64, NGA_Acc64)
WIDE(wide_periodic, NGA_Periodic_put64, NGA_Periodic_get64, NGA_Periodic_acc64)

static void strided_put(int g, box *b)
{
  NGA_Strided_put(g, b->lo, b->hi, b->skip, b->buffer, b->ld);
}

static void strided_get(int g, box *b)
{
  NGA_Strided_get(g, b->lo, b->hi, b->skip, b->buffer, b->ld);
}

static void strided_acc(int g, box *b, void *alpha)
{
  NGA_Strided_acc(g, b->lo, b->hi, b->skip, b->buffer, b->ld, alpha);
}

static void wide_strided_put(int g, box *b)
{
  wide w = widen(b);
  NGA_Strided_put64(g, w.lo, w.hi, w.skip, b->buffer, w.ld);
}

static void wide_strided_get(int g, box *b)
{
  wide w = widen(b);
  NGA_Strided_get64(g, w.lo, w.hi, w.skip, b->buffer, w.ld);
}

static void wide_strided_acc(int g, box *b, void *alpha)
{
  wide w = widen(b);
  NGA_Strided_acc64(g, w.lo, w.hi, w.skip, b->buffer, w.ld, alpha);
}

static void waiting_put(int g, box *b)
{
  ga_nbhdl_t h;
  NGA_NbPut(g, b->lo, b->hi, b->buffer, b->ld, &h);
  NGA_NbWait(&h);
}

static void waiting_get(int g, box *b)
{
  ga_nbhdl_t h;
  NGA_NbGet(g, b->lo, b->hi, b->buffer, b->ld, &h);
  while (!NGA_NbTest(&h)) {
  }
}

static void waiting_acc(int g, box *b, void *alpha)
{
  ga_nbhdl_t h;
  NGA_NbAcc(g, b->lo, b->hi, b->buffer, b->ld, alpha, &h);
  NGA_NbWait(&h);
}

static const way ways[] = {
    {"plain", ANY, plain_put, plain_get, plain_acc},
    {"64", ANY, wide_put, wide_get, wide_acc},
    {"nonblocking", ANY, waiting_put, waiting_get, waiting_acc},
    {"periodic", PERIODIC, periodic_put, periodic_get, periodic_acc},
    {"periodic64", PERIODIC, wide_periodic_put, wide_periodic_get, wide_periodic_acc},
    {"strided", STRIDED, strided_put, strided_get, strided_acc},
    {"strided64", STRIDED, wide_strided_put, wide_strided_get, wide_strided_acc},
};

static bool accumulates(const array *a)
{
  return a->type->adds;
}

/* GA 5.8.2 takes periodic and strided patches of cyclic arrays from wrong processes, and a wrong
   offset into the caller's buffer where such a patch crosses a block boundary in any dimension but
   the last two (tests/interfaces/ga_peer/patches.c). */
static bool wraps(const array *a)
{
  return a->ndim <= 2 && is_block(a);
}

static bool accumulates_wrapped(const array *a)
{
  return accumulates(a) && wraps(a);
}

/* In groups GA 5.8.2 sends periodic and strided patches to wrong processes. */
static const way *draw_way(void)
{
  const way *w;

  do
    w = &ways[draw((int)(sizeof ways / sizeof *ways))];
  while (run.grouped && w->shape != ANY);
  log_text(" %s", w->name);
  return w;
}

static array *draw_array(const way *w, bool accumulate)
{
  array *a;

  if (w->shape != ANY)
    a = array_any(accumulate ? accumulates_wrapped : wraps);
  else
    a = array_any(accumulate ? accumulates : NULL);
  log_text(" %s", a->name);
  return a;
}

/* Draws one patch for each actor. Periodic ones are all shifted by the same distance, so disjoint
 * patches stay disjoint. */
static void draw_boxes(const way *w, const array *a, bool disjoint, box boxes[ACTORS])
{
  int shift[DIMS] = {0}, skip[DIMS];

  for (int d = 0; d < a->ndim; d++)
    if (w->shape == PERIODIC)
      shift[d] = draw(2 * a->dims[d]) - a->dims[d];
  for (int actor = 0; actor < ACTORS; actor++) {
    box b;

    box_draw(&b, a, disjoint ? actor : 0, disjoint ? ACTORS : 1);
    for (int d = 0; d < a->ndim; d++) {
      skip[d] = w->shape == STRIDED ? 1 + draw(3) : 1;
      b.lo[d] += shift[d];
      b.hi[d] += shift[d];
    }
    box_set(&boxes[actor], a, b.lo, b.hi, skip, draw(3));
    box_free(&b);
    if (!box_empty(&boxes[actor]))
      log_box(&boxes[actor]);
  }
}

static void free_boxes(box boxes[ACTORS])
{
  for (int actor = 0; actor < ACTORS; actor++)
    box_free(&boxes[actor]);
}

/* Draws mostly small ranges, sometimes one that fills the type. */
static int draw_range(const kind *type)
{
  double wide_range = type->limit / 64;

  if (chance(80))
    return 9;
  return wide_range > 1e9 ? 1000000000 : (int)wide_range;
}

static void put(void)
{
  const way *w = draw_way();
  array *a = draw_array(w, false);
  box boxes[ACTORS];
  int range = draw_range(a->type);

  draw_boxes(w, a, true, boxes);
  for (int actor = 0; actor < ACTORS; actor++) {
    uint64_t stamp = (uint64_t)draw(1 << 30);

    box_random(&boxes[actor], range, stamp);
    if (acts(actor) && !box_empty(&boxes[actor]))
      w->put(a->handle, &boxes[actor]);
  }
  if (a->bound < 1.5 * range)
    a->bound = 1.5 * range;
  free_boxes(boxes);
  array_log(a);
}

static void get(void)
{
  const way *w = draw_way();
  array *a = draw_array(w, false);
  box boxes[ACTORS];

  draw_boxes(w, a, false, boxes);
  for (int actor = 0; actor < ACTORS; actor++)
    if (acts(actor) && !box_empty(&boxes[actor])) {
      uint64_t h;

      w->get(a->handle, &boxes[actor]);
      h = box_digest(&boxes[actor]);
      own(" actor %d got %016llx", actor, (unsigned long long)h);
      share(h + (uint64_t)actor);
    }
  free_boxes(boxes);
  GA_Sync();
}

static void accumulate(void)
{
  const way *w = draw_way();
  array *a = draw_array(w, true);
  box boxes[ACTORS];

  array_allow_growth(a, ACTORS * 3 * 9 * 2);
  draw_boxes(w, a, false, boxes);
  for (int actor = 0; actor < ACTORS; actor++) {
    number alpha = draw_number(a->type, 3);

    log_number(a->type, alpha);
    box_random(&boxes[actor], 9, (uint64_t)draw(1 << 30));
    if (acts(actor))
      w->acc(a->handle, &boxes[actor], &alpha);
  }
  free_boxes(boxes);
  array_log(a);
}

/* Starts many operations at once, and waits for them in another order. */
static void flood(void)
{
  enum { EACH = 20 };
  array *a = array_any(accumulates);
  bool acc = chance(50), backwards = chance(50);
  box boxes[EACH];
  ga_nbhdl_t handles[EACH];
  number alpha = draw_number(a->type, 2);

  log_text(" %s %s %s", acc ? "NbAcc" : "NbGet", a->name, backwards ? "backwards" : "in order");
  array_allow_growth(a, ACTORS * EACH * 9 * 2 * 2);
  for (int actor = 0; actor < ACTORS; actor++) {
    for (int i = 0; i < EACH; i++) {
      box_draw(&boxes[i], a, 0, 1);
      box_random(&boxes[i], acc ? 9 : 0, (uint64_t)(i + actor));
      if (!acts(actor))
        continue;
      if (acc)
        NGA_NbAcc(a->handle, boxes[i].lo, boxes[i].hi, boxes[i].buffer, boxes[i].ld, &alpha,
                  &handles[i]);
      else
        NGA_NbGet(a->handle, boxes[i].lo, boxes[i].hi, boxes[i].buffer, boxes[i].ld, &handles[i]);
    }
    for (int i = 0; i < EACH && acts(actor); i++)
      NGA_NbWait(&handles[backwards ? EACH - 1 - i : i]);
    for (int i = 0; i < EACH; i++) {
      if (acts(actor) && !acc)
        share(box_digest(&boxes[i]) + (uint64_t)(actor * EACH + i));
      box_free(&boxes[i]);
    }
  }
  GA_Sync();
  array_log(a);
}

typedef struct record {
  double weight;
  int id[3];
  char tag[4];
} record;

/* Elements of the caller's own type, and single fields of them. */
static void fields(void)
{
  int type = NGA_Register_type(sizeof(record)), count = 8 + draw(40), g, lo = 0, hi = count - 1;
  int ld = count, from = draw(count), to = from + draw(count - from);
  record *all = take((size_t)count, sizeof *all);
  int(*ids)[3] = take((size_t)count, sizeof *ids);
  uint64_t h = 0;

  log_text(" %d records, ids %d to %d", count, from, to);
  for (int i = 0; i < count; i++) {
    all[i].weight = i + 0.25;
    all[i].tag[1] = (char)('a' + i % 26);
    for (int k = 0; k < 3; k++)
      ids[i][k] = 1000 + 10 * i + k;
  }
  g = NGA_Create(type, 1, &count, (char[]){"records"}, NULL);
  if (acts(1))
    NGA_Put(g, &lo, &hi, all, &ld);
  GA_Sync();
  if (acts(2))
    NGA_Put_field(g, &from, &to, (int)offsetof(record, id), (int)sizeof *ids, ids, &ld);
  GA_Sync();
  memset(all, 0, (size_t)count * sizeof *all);
  memset(ids, 0, (size_t)count * sizeof *ids);
  NGA_Get(g, &lo, &hi, all, &ld);
  NGA_Get_field(g, &lo, &hi, (int)offsetof(record, id), (int)sizeof *ids, ids, &ld);
  for (int i = 0; i < count; i++) {
    h = mix(h + (uint64_t)(all[i].weight * 4) + (uint64_t)all[i].tag[1] * 100000);
    for (int k = 0; k < 3; k++)
      h = mix(h + (uint64_t)all[i].id[k] * 100000 + (uint64_t)ids[i][k]);
  }
  log_text(" # %016llx", (unsigned long long)h);
  GA_Sync();
  GA_Destroy(g);
  NGA_Deregister_type(type);
  free(all);
  free(ids);
}

const operation transfer_operations[] = {
    {"put", "transfer", 12, false, put},
    {"get", "transfer", 8, false, get},
    {"accumulate", "transfer", 10, false, accumulate},
    {"flood", "nonblocking", 3, false, flood},
    {"fields", "records", 1, false, fields},
    {NULL, NULL, 0, false, NULL},
};
