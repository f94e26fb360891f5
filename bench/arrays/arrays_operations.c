/* The calls of a Global Arrays program, for arrays.c. Compiled twice: against libcwga and against
 * Debian's library. */
#include "arrays.h"

#include <ga.h>
#include <macdecls.h>

static int handles[ARRAYS_BLOCKS];
static double one = 1;

static int make(int type, int dimensions, int extent)
{
  char name[] = "bench";
  int extents[2] = {extent, extent};
  return NGA_Create(type, dimensions, extents, name, NULL);
}

static void start(void)
{
  double half = 0.5;
  GA_Initialize();
  MA_init(C_DBL, 1 << 20, 1 << 23);
  for (int i = 0; i < ARRAYS_ONE_LINE; i++)
    handles[i] = make(C_DBL, 2, ARRAYS_EXTENT);
  handles[ARRAYS_ONE_LINE] = make(C_DBL, 1, ARRAYS_LINE);
  handles[ARRAYS_COUNTERS] = make(C_LONG, 1, ARRAYS_EXTENT);
  for (int i = 0; i < ARRAYS_BLOCKS; i++)
    GA_Zero(handles[i]);
  GA_Fill(handles[ARRAYS_B], &half);
#ifdef ARRAYS_NATIVE
  arrays_native_parts(handles);
  arrays_native_start();
#endif
}

static void stop(void)
{
#ifdef ARRAYS_NATIVE
  arrays_native_stop();
#endif
  for (int i = 0; i < ARRAYS_BLOCKS; i++)
    GA_Destroy(handles[i]);
  GA_Terminate();
}

/* The arguments of a transfer. GA declares them as int * although it only reads them. */
struct patch {
  int lo[2], hi[2], ld[1];
};

static struct patch patch_of(const struct arrays_work *work)
{
  return (struct patch){
      {work->lo[0], work->lo[1]}, {work->hi[0], work->hi[1]}, {work->hi[1] - work->lo[1] + 1}};
}

static void put(const struct arrays_work *work, size_t times)
{
  struct patch patch = patch_of(work);
  for (size_t i = 0; i < times; i++)
    NGA_Put(handles[work->array], patch.lo, patch.hi, work->local, patch.ld);
}

static void get(const struct arrays_work *work, size_t times)
{
  struct patch patch = patch_of(work);
  for (size_t i = 0; i < times; i++)
    NGA_Get(handles[work->array], patch.lo, patch.hi, work->local, patch.ld);
}

static void acc(const struct arrays_work *work, size_t times)
{
  struct patch patch = patch_of(work);
  for (size_t i = 0; i < times; i++)
    NGA_Acc(handles[work->array], patch.lo, patch.hi, work->local, patch.ld, &one);
}

static void read_inc(const struct arrays_work *work, size_t times)
{
  int index[1] = {work->lo[0]};
  for (size_t i = 0; i < times; i++)
    *work->local = (double)NGA_Read_inc(handles[work->array], index, 1);
}

static void scatter(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++)
    NGA_Scatter(handles[work->array], work->local, work->elements, work->count);
}

static void gather(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++)
    NGA_Gather(handles[work->array], work->local, work->elements, work->count);
}

static void scatter_acc(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++)
    NGA_Scatter_acc(handles[work->array], work->local, work->elements, work->count, &one);
}

static void create_destroy(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    GA_Destroy(make(C_DBL, 2, 16));
}

static void sync_all(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    GA_Sync();
}

static void fill(const struct arrays_work *work, size_t times)
{
  double half = 0.5;
  (void)work;
  for (size_t i = 0; i < times; i++)
    GA_Fill(handles[ARRAYS_C], &half);
}

static void copy(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    GA_Copy(handles[ARRAYS_A], handles[ARRAYS_C]);
}

static void add(const struct arrays_work *work, size_t times)
{
  double two = 2, three = 3;
  (void)work;
  for (size_t i = 0; i < times; i++)
    GA_Add(&two, handles[ARRAYS_A], &three, handles[ARRAYS_B], handles[ARRAYS_C]);
}

static void ddot(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++)
    *work->local = GA_Ddot(handles[ARRAYS_B], handles[ARRAYS_B]);
}

static void transpose(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    GA_Transpose(handles[ARRAYS_A], handles[ARRAYS_C]);
}

const struct arrays_side ARRAYS_SIDE = {
    .start = start,
    .stop = stop,
    .sync = GA_Sync,
    .loops = {[ARRAYS_PUT] = put,
              [ARRAYS_GET] = get,
              [ARRAYS_ACC] = acc,
              [ARRAYS_READ_INC] = read_inc,
              [ARRAYS_SCATTER] = scatter,
              [ARRAYS_GATHER] = gather,
              [ARRAYS_SCATTER_ACC] = scatter_acc,
#ifdef ARRAYS_NATIVE
              [ARRAYS_CYCLIC_PUT] = arrays_cyclic_put,
              [ARRAYS_CYCLIC_GET] = arrays_cyclic_get,
#endif
              [ARRAYS_CREATE_DESTROY] = create_destroy,
              [ARRAYS_SYNC] = sync_all,
              [ARRAYS_FILL] = fill,
              [ARRAYS_COPY] = copy,
              [ARRAYS_ADD] = add,
              [ARRAYS_DDOT] = ddot,
              [ARRAYS_TRANSPOSE] = transpose},
};
