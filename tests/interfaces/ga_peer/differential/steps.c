/* Largest steps within bounds; random contents; properties. */
#include "differ.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns numbers whose quotients are exact. */
static double values(uint64_t stamp, size_t index, bool imaginary)
{
  return imaginary ? 0 : 8 * (double)(1 + mix(stamp + index) % 9);
}

static double changes(uint64_t stamp, size_t index, bool imaginary)
{
  uint64_t x = mix(stamp + index);

  return imaginary ? 0 : (double)(1 << (x % 3)) * (x & 64 ? -1 : 1);
}

static double lower(uint64_t stamp, size_t index, bool imaginary)
{
  return imaginary ? 0 : -8 * (double)(mix(stamp + index) % 9);
}

static double upper(uint64_t stamp, size_t index, bool imaginary)
{
  return imaginary ? 0 : 80 + 8 * (double)(mix(stamp + index) % 9);
}

static void log_step(const array *a, const char *what, number step)
{
  double re, im;

  load(a->type, &step, 0, &re, &im);
  log_text(" %s %.9g", what, re);
}

static bool has_steps(const array *a)
{
  return !a->type->is_complex && a->type->code != C_LONGLONG && is_block(a) && !has_ghosts(a) &&
         has_twins(a);
}

/* GA 5.8.2 returns 0 for patches, because its internal array of steps has zeros outside them. */
static void step_max(void)
{
  array *a = array_any(has_steps), *b = array_twin(a);
  number step;

  memset(&step, 0, sizeof step);
  log_text(" %s %s", a->name, b->name);
  array_fill(a, values, 72);
  array_fill(b, changes, 4);
  GA_Step_max(a->handle, b->handle, &step);
  log_step(a, "step", step);
  array_log(a);
  array_log(b);
}

static void step_bound_info(void)
{
  array *a = array_any(has_steps), *b = array_twin(a), *low = array_twin(a), *high = array_twin(a);
  bool patch = chance(50);
  number least, wolfe, most;
  box part;

  box_draw(&part, a, 0, 1);
  memset(&least, 0, sizeof least);
  memset(&wolfe, 0, sizeof wolfe);
  memset(&most, 0, sizeof most);
  log_text(" %s %s %s %s", a->name, b->name, low->name, high->name);
  array_fill(a, values, 72);
  array_fill(b, changes, 4);
  array_fill(low, lower, 72);
  array_fill(high, upper, 160);
  if (patch) {
    log_box(&part);
    GA_Step_bound_info_patch(a->handle, part.lo, part.hi, b->handle, part.lo, part.hi, low->handle,
                             part.lo, part.hi, high->handle, part.lo, part.hi, &least, &wolfe,
                             &most);
  } else {
    GA_Step_bound_info(a->handle, b->handle, low->handle, high->handle, &least, &wolfe, &most);
  }
  if (!patch) {
    log_step(a, "boundmin", least);
    log_step(a, "wolfemin", wolfe);
  }
  log_step(a, "boundmax", most);
  box_free(&part);
  array_log(a);
  array_log(low);
}

/* Each library has its own random numbers: only properties of any twenty numbers are checked. */
static bool is_real(const array *a)
{
  int count = 1;

  for (int d = 0; d < a->ndim; d++)
    count *= a->dims[d];
  return (a->type->code == C_DBL || a->type->code == C_FLOAT) && count > 20;
}

static void randomize(void)
{
  array *a = array_any(is_real);
  number most;
  double *found, least = INFINITY, greatest = -INFINITY, sum = 0;

  memset(&most, 0, sizeof most);
  store(a->type, &most, 0, 4, 0);
  log_text(" %s", a->name);
  GA_Randomize(a->handle, &most);
  found = array_read(a);
  for (size_t n = 0; n < a->count; n++) {
    least = fmin(least, found[n]);
    greatest = fmax(greatest, found[n]);
    sum += found[n] / (double)a->count;
  }
  log_text(" %s, %s, %s", least >= 0 && greatest <= 4 ? "within" : "outside",
           least < greatest ? "different" : "all the same",
           sum > 0.5 && sum < 3.5 ? "even" : "uneven");
  free(found);
  array_refresh(a, 9);
  array_log(a);
}

static bool may_be_read_only(const array *a)
{
  return a->layout == PLAIN || a->layout == CHUNKED;
}

/* An array that is only read for a while. GA 5.8.2 keeps "read_cache" set, and reads past the end
 * of irregular blocks. */
static void property(void)
{
  static char name[] = "read_only";
  array *a = array_any(may_be_read_only);

  log_text(" %s %s", a->name, name);
  GA_Sync();
  GA_Set_property(a->handle, name);
  for (int actor = 0; actor < ACTORS; actor++) {
    box b;

    box_draw(&b, a, 0, 1);
    log_box(&b);
    if (acts(actor)) {
      NGA_Get(a->handle, b.lo, b.hi, b.buffer, b.ld);
      share(box_digest(&b));
    }
    box_free(&b);
  }
  GA_Sync();
  GA_Unset_property(a->handle);
  array_log(a);
}

const operation step_operations[] = {
    {"step_max", "steps", 3, false, step_max},
    {"step_bound_info", "steps", 3, false, step_bound_info},
    {"randomize", "whole", 2, false, randomize},
    {"property", "property", 2, true, property},
    {NULL, NULL, 0, false, NULL},
};
