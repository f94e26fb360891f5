/* Disk resident arrays against a plain copy: random types, dimensions and numbers of files; whole
 * arrays and sections, transposed and in other shapes; reopened arrays; an array that is too large
 * for 32 bits; many arrays; requests in any order; groups. */
#include "kit/kit.h"

#include <dra.h>
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIMENSIONS = 7, MOST = 400000 };

static const int types[] = {C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};
static const size_t sizes[] = {sizeof(int),    sizeof(long),          sizeof(float),
                               sizeof(double), sizeof(SingleComplex), sizeof(DoubleComplex)};

/* Indices of a section of an array. */
struct section {
  int ndim;
  int lo[DIMENSIONS], hi[DIMENSIONS];
};

static int kind; /* of the elements of this round */
static int ndim; /* of the array on disk */
static int dims[DIMENSIONS];
static long model[MOST]; /* what it should hold */
static char elements[MOST * sizeof(DoubleComplex)];
static char path[64];
static int disk, next_value;

static long volume(const struct section *section)
{
  long elements_in = 1;
  for (int d = 0; d < section->ndim; d++)
    elements_in *= section->hi[d] - section->lo[d] + 1;
  return elements_in;
}

/* --- Elements --- */

static void put_element(long at, long value)
{
  char *to = elements + (size_t)at * sizes[kind];
  memset(to, 0, sizes[kind]);
  const int as_int = (int)value;
  const float as_float[] = {(float)value, (float)-value};
  const double as_double[] = {(double)value, (double)-value};
  switch (types[kind]) {
  case C_INT:
    memcpy(to, &as_int, sizeof as_int);
    break;
  case C_LONG:
    memcpy(to, &value, sizeof value);
    break;
  case C_FLOAT:
  case C_SCPL:
    memcpy(to, as_float, sizes[kind]);
    break;
  default:
    memcpy(to, as_double, sizes[kind]);
  }
}

static bool check_element(long at, long want)
{
  char got[sizeof(DoubleComplex)];
  memcpy(got, elements + (size_t)at * sizes[kind], sizes[kind]);
  put_element(at, want);
  return kit_check(memcmp(got, elements + (size_t)at * sizes[kind], sizes[kind]) == 0,
                   "element %ld is not %ld", at, want);
}

/* --- Sections --- */

static struct section all_of(int count, const int *extents)
{
  struct section section = {.ndim = count};
  for (int d = 0; d < count; d++)
    section.hi[d] = extents[d] - 1;
  return section;
}

/* Draws a section of the array on disk. */
static struct section some(void)
{
  struct section section = {.ndim = ndim};
  for (int d = 0; d < ndim; d++) {
    section.lo[d] = kit_common(dims[d]);
    section.hi[d] = section.lo[d] + kit_common(dims[d] - section.lo[d]);
  }
  return section;
}

/* Returns the index in the model of the element with this number in a section of the disk's array.
 */
static long in_model(const struct section *section, long number)
{
  long place = 0, scale = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    const int extent = section->hi[d] - section->lo[d] + 1;
    place += (section->lo[d] + number % extent) * scale;
    scale *= dims[d];
    number /= extent;
  }
  return place;
}

/* Returns its index in an array that has exactly the section, with its dimensions in reverse order.
 */
static long turned(const struct section *section, long number)
{
  long place = 0, scale = 1;
  int index[DIMENSIONS];
  for (int d = section->ndim - 1; d >= 0; d--) {
    const int extent = section->hi[d] - section->lo[d] + 1;
    index[d] = (int)(number % extent);
    number /= extent;
  }
  for (int d = 0; d < section->ndim; d++) { /* the first dimension of the section is the fastest */
    place += index[d] * scale;
    scale *= section->hi[d] - section->lo[d] + 1;
  }
  return place;
}

/* --- Arrays in memory --- */

static void move(int array, int count, int *extents, bool puts)
{
  struct section all = all_of(count, extents);
  if (puts && GA_Nodeid() == 0)
    NGA_Put(array, all.lo, all.hi, elements, count > 1 ? extents + 1 : NULL);
  if (puts)
    GA_Sync();
  else
    NGA_Get(array, all.lo, all.hi, elements, count > 1 ? extents + 1 : NULL);
}

static void wait_for(int request)
{
  int status = 7;
  kit_check_long(DRA_Probe(request, &status), 0, "probing");
  kit_check_long(status, ELIO_DONE, "the status of what is done");
  kit_check_long(DRA_Wait(request), 0, "waiting");
}

static void check_all(int array)
{
  int request = 0;
  GA_Zero(array);
  kit_check_long(NDRA_Read(array, disk, &request), 0, "reading all");
  wait_for(request);
  move(array, ndim, dims, false);
  const struct section all = all_of(ndim, dims);
  for (long i = 0; i < volume(&all); i++)
    if (!check_element(i, model[i]))
      return;
  GA_Sync();
}

static void write_all(int array)
{
  int request = 0;
  const struct section all = all_of(ndim, dims);
  for (long i = 0; i < volume(&all); i++)
    put_element(i, model[i] = next_value++);
  move(array, ndim, dims, true);
  kit_check_long(NDRA_Write(array, disk, &request), 0, "writing all");
  wait_for(request);
}

/* Array that holds a section of the disk's array: unchanged, transposed, or as one row. */
struct holder {
  int array, count, extents[DIMENSIONS];
  struct section inside; /* place of the section in it */
};

static struct holder hold(const struct section *section, int form)
{
  struct holder holder = {.count = form == 2 ? 1 : ndim};
  for (int d = 0; d < ndim; d++) {
    const int at = form == 1 ? ndim - 1 - d : d;
    holder.extents[at] = section->hi[d] - section->lo[d] + 1;
  }
  if (form == 2)
    holder.extents[0] = (int)volume(section);
  holder.inside = all_of(holder.count, holder.extents);
  holder.array = NGA_Create(types[kind], holder.count, holder.extents, (char *)"held", NULL);
  return holder;
}

static void section_step(void)
{
  const struct section section = some();
  const int form = kit_common(3), writes = kit_common(2);
  const long count = volume(&section);
  int request = 0;
  dra_size_t lo[DIMENSIONS], hi[DIMENSIONS];
  struct holder holder = hold(&section, form);
  for (int d = 0; d < ndim; d++) {
    lo[d] = section.lo[d];
    hi[d] = section.hi[d];
  }
  if (writes) {
    for (long i = 0; i < count; i++)
      put_element(form == 1 ? turned(&section, i) : i, model[in_model(&section, i)] = next_value++);
    move(holder.array, holder.count, holder.extents, true);
    kit_check_long(NDRA_Write_section(form == 1, holder.array, holder.inside.lo, holder.inside.hi,
                                      disk, lo, hi, &request),
                   0, "writing a section");
  } else {
    GA_Zero(holder.array);
    kit_check_long(NDRA_Read_section(form == 1, holder.array, holder.inside.lo, holder.inside.hi,
                                     disk, lo, hi, &request),
                   0, "reading a section");
  }
  wait_for(request);
  move(holder.array, holder.count, holder.extents, false);
  bool right = !writes;
  for (long i = 0; i < count && right; i++)
    right = check_element(form == 1 ? turned(&section, i) : i, model[in_model(&section, i)]);
  GA_Destroy(holder.array);
}

/* --- Rounds --- */

static void choose(bool wide)
{
  if (wide) { /* so that it moves in several parts, and several processes of a node have some of it
               */
    kind = 3;
    ndim = 2;
    dims[0] = 500;
    dims[1] = 701;
    return;
  }
  kind = kit_common((int)(sizeof types / sizeof types[0]));
  ndim = 1 + kit_common(kit_common(8) == 0 ? DIMENSIONS : 4);
  for (int d = 0; d < ndim; d++)
    dims[d] = 1 + kit_common(ndim == 1 ? 300 : ndim <= 3 ? 17 : 4);
}

static void check_inquiry(void)
{
  int type = 0, count = 0;
  dra_size_t dims_on_disk[DIMENSIONS];
  char name[80], file[256];
  kit_check_long(NDRA_Inquire(disk, &type, &count, dims_on_disk, name, file), 0, "asking");
  kit_check_long(type, types[kind], "the type");
  kit_check_long(count, ndim, "dimensions");
  for (int d = 0; d < ndim; d++)
    kit_check_long(dims_on_disk[d], dims[d], "a dimension");
  kit_check(strcmp(name, "some numbers") == 0, "the name is '%s'", name);
  kit_check(strcmp(file, path) == 0, "the file is '%s'", file);
}

static void round_of(bool wide)
{
  dra_size_t large[DIMENSIONS], request[DIMENSIONS];
  choose(wide);
  for (int d = 0; d < ndim; d++) {
    large[d] = dims[d];
    request[d] = -1;
  }
  DRA_Set_default_config(kit_common(4), kit_common(3));
  const int array = NGA_Create(types[kind], ndim, dims, (char *)"whole", NULL);
  kit_check_long(NDRA_Create(types[kind], ndim, large, (char *)"some numbers", path,
                             kit_common(2) ? DRA_RW : DRA_W, request, &disk),
                 0, "creating");
  write_all(array);
  check_all(array);
  for (int i = 0; i < 6; i++)
    section_step();
  check_inquiry();
  kit_check_long(DRA_Close(disk), 0, "closing");
  kit_check_long(DRA_Open(path, DRA_R, &disk), 0, "opening to read");
  check_inquiry();
  check_all(array);
  kit_check_long(DRA_Close(disk), 0, "closing");
  kit_check_long(DRA_Open(path, DRA_RW, &disk), 0, "opening");
  section_step();
  check_all(array);
  kit_check_long(DRA_Delete(disk), 0, "deleting");
  kit_check_long(DRA_Open(path, DRA_R, &disk), -1, "opening what is deleted");
  GA_Destroy(array);
}

/* --- One by one --- */

/* Checks an array of more than 4 GiB, nearly all holes: the last column. */
static void large(void)
{
  dra_size_t extents[] = {3, 250000000}, request[] = {-1, -1}, lo[] = {2, 249999990},
             hi[] = {2, 249999999};
  int small[] = {1, 10}, zero[] = {0, 0}, last[] = {0, 9}, id = 0;
  double values[10], got[10];
  kind = 3;
  DRA_Set_default_config(1, 0);
  const int array = NGA_Create(C_DBL, 2, small, (char *)"end", NULL);
  kit_check_long(NDRA_Create(C_DBL, 2, extents, (char *)"large", path, DRA_RW, request, &disk), 0,
                 "creating");
  for (int i = 0; i < 10; i++)
    values[i] = i + 0.5;
  if (GA_Nodeid() == 0)
    NGA_Put(array, zero, last, values, small + 1);
  kit_check_long(NDRA_Write_section(0, array, zero, last, disk, lo, hi, &id), 0, "writing the end");
  wait_for(id);
  GA_Zero(array);
  kit_check_long(NDRA_Read_section(0, array, zero, last, disk, lo, hi, &id), 0, "reading the end");
  wait_for(id);
  NGA_Get(array, zero, last, got, small + 1);
  kit_check_bytes(got, values, sizeof got, "the end");
  kit_check_long(DRA_Delete(disk), 0, "deleting");
  GA_Destroy(array);
  DRA_Set_default_config(0, 0);
}

/* Opens several arrays. Closing returns handles, and a failed open takes none. */
static void handles(void)
{
  dra_size_t extents[] = {4}, request[] = {-1};
  char name[80];
  int arrays[3], again = 0;
  for (int i = 0; i < 3; i++) {
    sprintf(name, "%s_%d", path, i);
    kit_check_long(DRA_Open(name, DRA_R, &again), -1, "what is not there");
    kit_check_long(NDRA_Create(C_INT, 1, extents, (char *)"", name, DRA_RW, request, &arrays[i]), 0,
                   "creating");
    kit_check_long(arrays[i], i - 5000, "the handle");
  }
  kit_check_long(DRA_Close(arrays[1]), 0, "closing");
  sprintf(name, "%s_1", path);
  kit_check_long(DRA_Open(name, DRA_RW, &again), 0, "opening");
  kit_check_long(again, arrays[1], "the handle that was free");
  for (int i = 0; i < 3; i++)
    kit_check_long(DRA_Delete(arrays[i]), 0, "deleting");
  kit_check_long(DRA_Wait(DRA_REQ_INVALID), 0, "no request");
}

/* Makes more arrays than a job has files of other kinds, each with numbers of its own. */
static void many(void)
{
  enum { ARRAYS = 64 };
  dra_size_t extents[] = {40}, unknown[] = {-1};
  int arrays[ARRAYS], forty = 40, lo = 0, hi = 39, request = 0;
  long numbers[40];
  char name[96];
  const int array = NGA_Create(C_LONG, 1, &forty, (char *)"of many", NULL);
  for (long i = 0; i < ARRAYS; i++) {
    sprintf(name, "%s_%ld", path, i);
    kit_check_long(NDRA_Create(C_LONG, 1, extents, (char *)"", name, DRA_RW, unknown, &arrays[i]),
                   0, "creating");
    GA_Fill(array, &i);
    kit_check_long(NDRA_Write(array, arrays[i], &request), 0, "writing");
    kit_check_long(DRA_Wait(request), 0, "waiting");
  }
  for (int i = ARRAYS - 1; i >= 0; i--) {
    kit_check_long(NDRA_Read(array, arrays[i], &request), 0, "reading");
    kit_check_long(DRA_Wait(request), 0, "waiting");
    NGA_Get(array, &lo, &hi, numbers, NULL);
    for (int k = 0; k < 40; k++)
      kit_check_long(numbers[k], i, "a number of one of many");
    GA_Sync();
    kit_check_long(DRA_Delete(arrays[i]), 0, "deleting");
  }
  GA_Destroy(array);
}

/* Starts five requests and waits for them in any order. leaves: one is left to the end of the job.
 */
static void requests(bool leaves)
{
  enum { AT_ONCE = 5 };
  dra_size_t extents[] = {AT_ONCE}, unknown[] = {-1}, lo[1], hi[1];
  int five = AT_ONCE, first = 0, ids[AT_ONCE], order[AT_ONCE], status = 0;
  const int array = NGA_Create(C_INT, 1, &five, (char *)"numbers", NULL);
  kit_check_long(NDRA_Create(C_INT, 1, extents, (char *)"", path, DRA_RW, unknown, &disk), 0,
                 "creating");
  for (int i = 0; i < AT_ONCE; i++) {
    order[i] = i;
    lo[0] = hi[0] = i;
    first = AT_ONCE - 1 - i;
    kit_check_long(NDRA_Write_section(0, array, &first, &first, disk, lo, hi, &ids[i]), 0,
                   "writing");
    kit_check_long(ids[i], i, "the number of a request");
  }
  for (int left = AT_ONCE; left > (leaves ? 1 : 0); left--) {
    const int chosen = kit_common(left), id = ids[order[chosen]];
    const int probed = ids[order[kit_common(left)]];
    kit_check_long(DRA_Probe(probed, &status), 0, "probing any");
    kit_check_long(DRA_Wait(id), 0, "waiting");
    kit_check_long(DRA_Wait(id), 0, "waiting again");
    order[chosen] = order[left - 1];
    if (left == AT_ONCE) { /* both numbers are free */
      kit_check_long(NDRA_Read(array, disk, &status), 0, "reading");
      kit_check_long(status, id < probed ? id : probed, "the number that was free");
      kit_check_long(DRA_Wait(status), 0, "waiting");
    }
  }
  kit_check_long(DRA_Delete(disk), 0, "deleting");
  GA_Destroy(array);
}

/* Checks that programs that only probe do not run out of requests. */
static void probes(void)
{
  dra_size_t extents[] = {10}, unknown[] = {-1};
  int ten = 10, request = 0, status = 0;
  const int array = NGA_Create(C_INT, 1, &ten, (char *)"numbers", NULL);
  kit_check_long(NDRA_Create(C_INT, 1, extents, (char *)"", path, DRA_RW, unknown, &disk), 0,
                 "creating");
  for (int i = 0; i < 20; i++) {
    kit_check_long(NDRA_Write(array, disk, &request), 0, "writing");
    kit_check_long(DRA_Probe(request, &status), 0, "probing");
    kit_check_long(status, -1, "what a probe says of what is done");
  }
  kit_check_long(DRA_Delete(disk), 0, "deleting");
  GA_Destroy(array);
}

/* Checks that an array that replaced another one stays when the old one is deleted by its handle.
 */
static void replaced(void)
{
  dra_size_t extents[] = {10}, unknown[] = {-1};
  int old = 0;
  kit_check_long(NDRA_Create(C_INT, 1, extents, (char *)"", path, DRA_RW, unknown, &old), 0,
                 "creating");
  extents[0] = 11;
  kit_check_long(NDRA_Create(C_INT, 1, extents, (char *)"", path, DRA_RW, unknown, &disk), 0,
                 "creating in its place");
  kit_check_long(DRA_Delete(old), 0, "deleting the older one");
  kit_check_long(DRA_Close(disk), 0, "closing the newer one");
  kit_check_long(DRA_Open(path, DRA_RW, &disk), 0, "opening it again");
  kit_check_long(DRA_Delete(disk), 0, "deleting it");
}

/* Each process gives a file name of its own; each node uses that of its first process. */
static void own_names(void)
{
  dra_size_t extents[] = {7, 11}, unknown[] = {-1, -1}, dims_on_disk[2];
  char mine[96], name[96], file[300];
  int lengths[] = {7, 11}, request = 0, type = 0, count = 0;
  const int array = NGA_Create(C_INT, 2, lengths, (char *)"own names", NULL);
  sprintf(mine, "%s_of_%d", path, kit_me());
  sprintf(name, "name of %d", kit_me());
  const int value = 41, none = 0;
  GA_Fill(array, (void *)&value);
  kit_about("file names of each process's own");
  kit_check_long(NDRA_Create(C_INT, 2, extents, name, mine, DRA_RW, unknown, &disk), 0, "creating");
  kit_check_long(NDRA_Write(array, disk, &request), 0, "writing");
  kit_check_long(DRA_Wait(request), 0, "waiting");
  kit_check_long(DRA_Close(disk), 0, "closing");
  GA_Fill(array, (void *)&none);
  kit_check_long(DRA_Open(mine, DRA_R, &disk), 0, "opening");
  kit_check_long(NDRA_Inquire(disk, &type, &count, dims_on_disk, name, file), 0, "inquiring");
  kit_check(strcmp(file, mine) == 0, "the file is called %s", file);
  kit_check_long(NDRA_Read(array, disk, &request), 0, "reading");
  kit_check_long(DRA_Wait(request), 0, "waiting");
  GA_Sync();
  kit_check_long(GA_Idot(array, array), 77L * value * value, "sum of squares");
  kit_check_long(DRA_Delete(disk), 0, "deleting");
  kit_check(access(mine, F_OK) != 0, "file %s stays", mine);
  GA_Destroy(array);
}

/* Each half of the processes has an array, and all have one that both halves read. */
static void groups(void)
{
  int members[64], count = 0, ten = 10, request = 0, lo = 0, hi = 9;
  long numbers[10];
  char name[80];
  dra_size_t extents[] = {10}, unknown[] = {-1};
  const int half = GA_Nodeid() % 2;
  for (int p = half; p < GA_Nnodes(); p += 2)
    members[count++] = p;
  const int group = GA_Pgroup_create(members, count);
  GA_Pgroup_set_default(group);
  sprintf(name, "%s_%d", path, half);
  const int array = NGA_Create(C_LONG, 1, &ten, (char *)"of a group", NULL);
  long value = half + 3;
  GA_Fill(array, &value);
  kit_check_long(NDRA_Create(C_LONG, 1, extents, (char *)"", name, DRA_RW, unknown, &disk), 0,
                 "creating");
  kit_check_long(NDRA_Write(array, disk, &request), 0, "writing");
  wait_for(request);
  GA_Zero(array);
  kit_check_long(NDRA_Read(array, disk, &request), 0, "reading");
  wait_for(request);
  NGA_Get(array, &lo, &hi, numbers, NULL);
  kit_check_long(numbers[9], value, "what the group wrote");
  kit_check_long(DRA_Delete(disk), 0, "deleting");
  GA_Destroy(array);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Pgroup_destroy(group);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "pario.dra");
  GA_Initialize();
  kit_use_world(GA_MPI_Comm());
  int pid = (int)getpid();
  MPI_Bcast(&pid, 1, MPI_INT, 0, kit_comm());
  sprintf(path, "dra_%d", pid);
  kit_check_long(DRA_Init(-1, -1, -1, -1), 0, "starting");
  handles();
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 20);
  for (long i = 0; i < rounds; i++)
    round_of(i == 0);
  large();
  groups();
  many();
  requests(false);
  requests(true);
  probes();
  replaced();
  own_names();
  kit_check_long(DRA_Terminate(), 0, "stopping");
  GA_Terminate();
  return kit_finish();
}
