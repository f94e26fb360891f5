/* Scan, pack, unpack and enumerate: vectors of the same distribution, with a mask of any type. */
#include "differ.h"

#include <string.h>

static double bits(uint64_t stamp, size_t index, bool imaginary)
{
  return mix(stamp + 2 * index + imaginary) % 4 == 0;
}

typedef struct vectors {
  array *from, *to, *mask;
  int lo, hi;
} vectors;

/* All three have the same distribution, as GA requires. */
static void draw_vectors(vectors *v)
{
  static const int types[] = {INT, LONG, FLOAT, DOUBLE};
  const kind *type = &kinds[types[draw(4)]];
  int length = 10 + draw(200);

  v->from = array_create(type, 1, &length, PLAIN);
  v->to = array_create(type, 1, &length, PLAIN);
  v->mask = array_create(&kinds[draw(KINDS)], 1, &length, PLAIN);
  array_fill(v->mask, bits, 1);
  v->lo = draw(length);
  v->hi = v->lo + draw(length - v->lo);
  log_text(" %d:%d", v->lo, v->hi);
}

static void end_vectors(vectors *v)
{
  array_log(v->to);
  array_destroy(v->from);
  array_destroy(v->to);
  array_destroy(v->mask);
}

static void scan_copy(void)
{
  vectors v;

  draw_vectors(&v);
  GA_Scan_copy(v.from->handle, v.to->handle, v.mask->handle, v.lo, v.hi);
  end_vectors(&v);
}

static void scan_add(void)
{
  vectors v;
  int exclusive = draw(2);

  draw_vectors(&v);
  log_text(" exclusive %d", exclusive);
  GA_Scan_add(v.from->handle, v.to->handle, v.mask->handle, v.lo, v.hi, exclusive);
  end_vectors(&v);
}

static void pack(void)
{
  vectors v;
  int count = -1;
  bool unpack = chance(50);

  draw_vectors(&v);
  log_text(" %s", unpack ? "unpack" : "pack");
  if (unpack)
    GA_Unpack(v.from->handle, v.to->handle, v.mask->handle, v.lo, v.hi, &count);
  else
    GA_Pack(v.from->handle, v.to->handle, v.mask->handle, v.lo, v.hi, &count);
  log_text(" %d", count);
  end_vectors(&v);
}

static bool is_vector(const array *a)
{
  return a->ndim == 1 && a->type->adds && is_block(a);
}

static void patch_enum(void)
{
  array *a = array_any(is_vector);
  number start = draw_number(a->type, 100), step = draw_number(a->type, 5);
  int lo = draw(a->dims[0]), hi = lo + draw(a->dims[0] - lo);

  log_text(" %s %d:%d", a->name, lo, hi);
  log_number(a->type, start);
  log_number(a->type, step);
  GA_Patch_enum(a->handle, lo, hi, &start, &step);
  if (a->bound < 100 + 10 * 300)
    a->bound = 100 + 10 * 300;
  array_log(a);
}

const operation scan_operations[] = {
    {"scan_copy", "scan", 2, false, scan_copy},
    {"scan_add", "scan", 2, false, scan_add},
    {"pack", "scan", 2, false, pack},
    {"patch_enum", "scan", 2, false, patch_enum},
    {NULL, NULL, 0, false, NULL},
};
