/* The existing arrays: how they are created, their contents, and their part of the log. */
#include "differ.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIVE = 12 };

const char *const layout_names[LAYOUTS] = {"plain",  "chunked", "irregular",       "restricted",
                                           "ghosts", "cyclic",  "cyclic on a grid"};

static array *alive[ALIVE];
static int names;

bool is_cyclic(const array *a)
{
  return a->layout == CYCLIC || a->layout == GRID;
}

bool is_block(const array *a)
{
  return !is_cyclic(a);
}

bool is_matrix(const array *a)
{
  return a->ndim == 2;
}

/* GA 5.8.2 frees the list of a restricted array twice if the array has a duplicate. */
bool has_twins(const array *a)
{
  return a->layout != RESTRICTED;
}

bool has_ghosts(const array *a)
{
  return a->layout == GHOSTS;
}

/* Draws extents of any number of dimensions, with at most some hundred elements. */
void draw_shape(int *ndim, int *dims)
{
  static const int numbers[] = {1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7};
  static const int longest[DIMS] = {300, 24, 9, 6, 4, 3, 3};

  *ndim = numbers[draw((int)(sizeof numbers / sizeof *numbers))];
  for (int d = 0; d < *ndim; d++)
    dims[d] = chance(15) ? 1 + draw(longest[*ndim - 1])
                         : longest[*ndim - 1] - draw(longest[*ndim - 1] / 2);
}

/* Distributes `parts` over the dimensions: the product is `parts` if `exactly`, else at most that.
 * No dimension gets more than its extent. */
static void draw_grid(const array *a, int parts, bool exactly, int *grid)
{
  for (int d = 0; d < a->ndim; d++)
    grid[d] = 1;
  for (int factor = 2; parts > 1; factor++)
    while (parts % factor == 0) {
      int d = draw_layout(a->ndim);

      parts /= factor;
      if (exactly || grid[d] * factor <= a->dims[d])
        grid[d] *= factor;
    }
}

/* Draws the first indices of the blocks. */
static void draw_map(const array *a, const int *grid, int *map)
{
  for (int d = 0; d < a->ndim; d++) {
    map[0] = 0;
    for (int b = 1; b < grid[d]; b++) {
      int first = map[b - 1] + 1, last = a->dims[d] - (grid[d] - b);

      map[b] = last > first ? first + draw_layout(last - first + 1) : first;
    }
    map += grid[d];
  }
}

static void set_irregular(array *a)
{
  int grid[DIMS], *map;

  draw_grid(a, 1 + draw_layout(run.processes), false, grid);
  map = take((size_t)(DIMS * (run.processes + 1)), sizeof *map);
  draw_map(a, grid, map);
  GA_Set_irreg_distr(a->handle, map, grid);
  own_ints("grid", a->ndim, grid);
  free(map);
}

static void set_cyclic(array *a)
{
  for (int d = 0; d < a->ndim; d++) {
    int most = a->layout == CYCLIC ? a->dims[d] : a->dims[d] / ACTORS;

    a->blocks[d] = 1 + draw(most < 5 ? most : 5);
  }
  if (a->layout == CYCLIC && a->blocks[0] * ACTORS > a->dims[0])
    for (int d = 0; d < a->ndim; d++)
      a->blocks[d] = 1;
  log_ints("blocks", a->ndim, a->blocks);
  if (a->layout == CYCLIC) {
    GA_Set_block_cyclic(a->handle, a->blocks);
    return;
  }
  draw_grid(a, run.processes, true, a->grid);
  own_ints("grid", a->ndim, a->grid);
  GA_Set_block_cyclic_proc_grid(a->handle, a->blocks, a->grid);
}

static void set_layout(array *a)
{
  int chunk[DIMS], list[64], first, last;

  switch (a->layout) {
  case CHUNKED:
    for (int d = 0; d < a->ndim; d++)
      chunk[d] = chance(60) ? 1 + draw(a->dims[d]) : -1;
    log_ints("chunk", a->ndim, chunk);
    GA_Set_chunk(a->handle, chunk);
    break;
  case RESTRICTED:
    first = draw_layout(run.processes);
    last = first + draw_layout(run.processes - first);
    own(" restricted to %d to %d", first, last);
    for (int p = first; p <= last; p++)
      list[p - first] = p;
    if (draw_layout(2))
      GA_Set_restricted(a->handle, list, last - first + 1);
    else
      GA_Set_restricted_range(a->handle, first, last);
    break;
  case GHOSTS:
    log_ints("ghosts", a->ndim, a->width);
    GA_Set_ghosts(a->handle, a->width);
    break;
  case IRREGULAR:
    set_irregular(a);
    break;
  case CYCLIC:
  case GRID:
    set_cyclic(a);
    break;
  default:
    break;
  }
}

/* Avoids layouts that GA 5.8.2 does not support: tiled arrays (scatter writes outside, sums are
 * wrong), blocks on a grid that leaves a process without one (it transfers negative counts), and
 * cyclic arrays in groups (it accesses the wrong processes). Ghosts may not be wider than a block.
 */
static layout settle(layout wanted, int ndim, const int *dims)
{
  bool grid = wanted == GRID;
  int count = 1;

  if (run.grouped && (grid || wanted == CYCLIC))
    return PLAIN;
  for (int d = 0; d < ndim; d++) {
    count *= dims[d];
    if (grid && dims[d] < ACTORS)
      wanted = CYCLIC;
    if (wanted == GHOSTS && dims[d] < 2 * ACTORS)
      wanted = PLAIN;
  }
  return wanted == CYCLIC && count < ACTORS ? PLAIN : wanted;
}

static array **free_place(void)
{
  for (int i = 0; i < ALIVE; i++)
    if (!alive[i])
      return &alive[i];
  for (;;) { /* operations pin fewer arrays than exist */
    int i = draw(ALIVE);

    if (!alive[i]->pinned) {
      array_destroy(alive[i]);
      return &alive[i];
    }
  }
}

static array *array_start(const kind *type, int ndim, const int *dims)
{
  array *a = take(1, sizeof *a);

  *a = (array){.ndim = ndim, .type = type, .count = 1, .pinned = true};
  for (int d = 0; d < ndim; d++) {
    a->dims[d] = dims[d];
    a->count *= (size_t)dims[d];
  }
  snprintf(a->name, sizeof a->name, "a%d", names++);
  return a;
}

/* Uses the calls that create in one step. */
static void create_at_once(array *a)
{
  if (run.grouped && chance(50))
    a->handle =
        NGA_Create_config(a->type->code, a->ndim, a->dims, a->name, NULL, GA_Pgroup_get_default());
  else
    a->handle = NGA_Create(a->type->code, a->ndim, a->dims, a->name, NULL);
}

static void create_in_steps(array *a)
{
  a->handle = GA_Create_handle();
  GA_Set_data(a->handle, a->ndim, a->dims, a->type->code);
  GA_Set_array_name(a->handle, a->name);
  set_layout(a);
  if (!GA_Allocate(a->handle))
    a->handle = 0;
}

array *array_create(const kind *type, int ndim, const int *dims, layout kind_of)
{
  array *a, **place = free_place();

  *place = a = array_start(type, ndim, dims);
  a->layout = kind_of = settle(kind_of, ndim, dims);
  for (int d = 0; has_ghosts(a) && d < ndim; d++)
    a->width[d] = 1 + draw(2);
  log_text(" {create %s %s", a->name, type->name);
  log_ints(layout_names[kind_of], ndim, dims);
  if (kind_of == PLAIN)
    create_at_once(a);
  else
    create_in_steps(a);
  if (!a->handle)
    log_text(" FAILED");
  log_text("}");
  array_refresh(a, 9);
  return a;
}

array *array_twin(const array *a)
{
  array *twin, **place = free_place();

  *place = twin = array_start(a->type, a->ndim, a->dims);
  twin->layout = a->layout;
  twin->twin = true;
  memcpy(twin->width, a->width, sizeof twin->width);
  memcpy(twin->blocks, a->blocks, sizeof twin->blocks);
  memcpy(twin->grid, a->grid, sizeof twin->grid);
  log_text(" {duplicate %s as %s}", a->name, twin->name);
  twin->handle = GA_Duplicate(a->handle, twin->name);
  array_refresh(twin, 9);
  return twin;
}

void array_destroy(array *a)
{
  for (int i = 0; i < ALIVE; i++)
    if (alive[i] == a)
      alive[i] = NULL;
  log_text(" {destroy %s}", a->name);
  GA_Destroy(a->handle);
  free(a);
}

void arrays_end_operation(void)
{
  for (int i = 0; i < ALIVE; i++)
    if (alive[i])
      alive[i]->pinned = false;
}

void arrays_log_all(void)
{
  for (int i = 0; i < ALIVE; i++)
    if (alive[i])
      array_log(alive[i]);
}

void arrays_end_round(void)
{
  for (int i = 0; i < ALIVE; i++)
    if (alive[i])
      array_destroy(alive[i]);
  names = 0;
}

unsigned layouts_allowed = ~0u;

static layout draw_kind_of_layout(bool any)
{
  static const layout often[] = {PLAIN,     PLAIN,      CHUNKED, CHUNKED, IRREGULAR,
                                 IRREGULAR, RESTRICTED, GHOSTS,  CYCLIC,  GRID};
  layout l = often[draw((int)(sizeof often / sizeof *often))];

  return any || layouts_allowed >> l & 1 ? l : PLAIN;
}

array *array_new(const kind *type, int ndim, const int *dims)
{
  return array_create(type, ndim, dims, draw_kind_of_layout(false));
}

static bool same_shape(const array *a, const array *b)
{
  return a->type == b->type && a->ndim == b->ndim &&
         memcmp(a->dims, b->dims, (size_t)a->ndim * sizeof *a->dims) == 0;
}

/* GA 5.8.2 adds and multiplies wrongly where one array has ghosts or is cyclic and another is not.
 */
static bool is_special(const array *a)
{
  return has_ghosts(a) || is_cyclic(a);
}

static bool works_with(const array *a, const array *b)
{
  if (!is_special(a) && !is_special(b))
    return same_shape(a, b);
  return same_shape(a, b) && a->layout == b->layout &&
         memcmp(a->width, b->width, sizeof a->width) == 0 &&
         memcmp(a->blocks, b->blocks, sizeof a->blocks) == 0 &&
         memcmp(a->grid, b->grid, sizeof a->grid) == 0;
}

static array *like(const array *a, bool (*suits)(const array *, const array *))
{
  array *found[ALIVE];
  int count = 0;

  for (int i = 0; i < ALIVE; i++)
    if (alive[i] && alive[i] != a && suits(alive[i], a) && !alive[i]->pinned)
      found[count++] = alive[i];
  if (count == 0 || chance(15)) {
    layout l = draw_kind_of_layout(false);

    if (suits == works_with && is_special(a))
      return array_twin(a);
    if (suits == works_with && (l == GHOSTS || l == CYCLIC || l == GRID))
      l = PLAIN;
    return array_create(a->type, a->ndim, a->dims, l);
  }
  found[0] = found[draw(count)];
  found[0]->pinned = true;
  return found[0];
}

array *array_like(const array *a)
{
  return like(a, works_with);
}

array *array_of_shape(const array *a)
{
  return like(a, same_shape);
}

array *array_any(fits_fn *fits)
{
  array *found[ALIVE];
  int count = 0;

  for (int i = 0; i < ALIVE; i++)
    if (alive[i] && !alive[i]->pinned && (!fits || fits(alive[i])))
      found[count++] = alive[i];
  if (count > 0 && !chance(10)) {
    found[0] = found[draw(count)];
    found[0]->pinned = true;
    return found[0];
  }
  for (int tries = 0;; tries++) {
    /* drawn until it fits: the test array is never created */
    array test = {.ndim = 0};

    test.type = &kinds[draw(KINDS)];
    draw_shape(&test.ndim, test.dims);
    test.layout = draw_kind_of_layout(tries > 1000); /* none of the allowed layouts may fit */
    test.layout = settle(test.layout, test.ndim, test.dims);
    if (!fits || fits(&test))
      return array_create(test.type, test.ndim, test.dims, test.layout);
  }
}

void array_fill(array *a, value_fn *value, double bound)
{
  box b;
  uint64_t stamp = (uint64_t)draw(1 << 30);
  int writer = draw(ACTORS);

  a->bound = bound;
  GA_Sync();
  if (acts(writer)) {
    box_whole(&b, a);
    for (size_t n = 0; n < b.count; n++)
      store(a->type, b.buffer, n, value(stamp, n, false), value(stamp, n, true));
    NGA_Put(a->handle, b.lo, b.hi, b.buffer, b.ld);
    box_free(&b);
  }
  GA_Sync();
}

static int refresh_range;

static double refreshed(uint64_t stamp, size_t index, bool imaginary)
{
  uint64_t x = mix(stamp + 2 * index + imaginary);

  return (double)(x % (uint64_t)(2 * refresh_range + 1)) - refresh_range;
}

void array_refresh(array *a, int range)
{
  refresh_range = range;
  array_fill(a, refreshed, 1.5 * range);
}

void array_allow_growth(array *a, double more)
{
  if (a->bound + more > a->type->limit) {
    log_text(" {refresh %s}", a->name);
    array_refresh(a, 9);
  }
  a->bound += more;
}

/* Writes the values of this process's block in memory to the log. */
static void own_block(const array *a)
{
  int lo[DIMS], hi[DIMS], ld[DIMS] = {0};
  void *values;
  box b;
  uint64_t h = 0;

  NGA_Distribution(a->handle, run.me, lo, hi);
  for (int d = 0; d < a->ndim; d++)
    if (lo[d] < 0 || hi[d] < lo[d])
      return;
  NGA_Access(a->handle, lo, hi, &values, ld);
  box_set(&b, a, lo, hi, NULL, 0);
  memcpy(b.ld, ld, sizeof ld);
  for (size_t n = 0; n < b.count; n++)
    h = digest(h, a->type, values, box_spot(&b, n));
  NGA_Release(a->handle, lo, hi);
  own(" own %s", a->name);
  for (int d = 0; d < a->ndim; d++)
    own("%s%d:%d", d ? "," : "[", lo[d], hi[d]);
  own("] %016llx", (unsigned long long)h);
  box_free(&b);
}

static void print_values(const array *a, const void *values)
{
  double re, im;

  for (size_t n = 0; n < a->count; n++) {
    load(a->type, values, n, &re, &im);
    log_text(a->type->is_complex ? " %.17g%+.17gi" : " %.17g", re + 0.0, im + 0.0); /* no -0 */
  }
}

static void get_whole(box *b, const array *a)
{
  double re, im;

  box_whole(b, a);
  GA_Sync();
  NGA_Get(a->handle, b->lo, b->hi, b->buffer, b->ld);
  load(a->type, b->buffer, 0, &re, &im);
  spoil(&re);
  store(a->type, b->buffer, 0, re, im);
}

void array_log(const array *a)
{
  box b;
  double re, im;

  get_whole(&b, a);
  log_text(" | %s:", a->name);
  if (run.verbose)
    print_values(a, b.buffer);
  for (size_t n = 0; !run.verbose && n < 3 && n < a->count; n++) {
    load(a->type, b.buffer, n, &re, &im);
    log_text(a->type->is_complex ? " %.9g%+.9gi" : " %.9g", re + 0.0, im + 0.0);
  }
  log_text(" # %016llx", (unsigned long long)box_digest(&b));
  box_free(&b);
  if (is_block(a))
    own_block(a);
  GA_Sync(); /* no process may write again while others still read */
}

/* Writes the first values, and sums of all with random weights. */
void array_log_near(const array *a, double error)
{
  box b;
  double re, im;

  get_whole(&b, a);
  log_text(" | %s:", a->name);
  for (size_t n = 0; n < (run.verbose ? a->count : 3) && n < a->count; n++) {
    load(a->type, b.buffer, n, &re, &im);
    log_near(re, error * (1 + fabs(re)));
    if (a->type->is_complex)
      log_near(im, error * (1 + fabs(im)));
  }
  log_text(" #");
  for (uint64_t s = 0; s < 3; s++) {
    double sum = 0, size = 1;

    for (size_t n = 0; n < a->count; n++) {
      double weight = (double)(mix(s * 1000003 + n) % 1000) / 1000 + 0.1;
      load(a->type, b.buffer, n, &re, &im);
      sum += weight * (re + 1.7 * im);
      size += fabs(re) + 1.7 * fabs(im);
    }
    log_near(sum, error * size);
  }
  box_free(&b);
  GA_Sync();
}

double *array_read(const array *a)
{
  box b;
  double *values = take(a->count, sizeof *values), im;

  get_whole(&b, a);
  for (size_t n = 0; n < a->count; n++)
    load(a->type, b.buffer, n, &values[n], &im);
  box_free(&b);
  GA_Sync();
  return values;
}
