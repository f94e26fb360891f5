/* Handles of operations in progress. A handle of C has 8 bytes. An INTEGER of 4 bytes holds the
 * number of an entry in a table of handles. */
#include "ga/fortran/convert.h"

#include "base/reserve.h"
#include "ga/array/patch.h"
#include "mpi/mpi_threads.h"

static ga_nbhdl_t *tickets; /* 0 if the entry is free */
static Integer places;
static size_t capacity;

/* Returns the handle with this number, or 0. An INTEGER that the program has never set may be the
 * number of an unrelated operation. A wait then waits for this operation, too, which does no
 * harm. */
ga_nbhdl_t cwi_gaf_handle_of_number(Integer name)
{
  cwi_threads_lock();
  const ga_nbhdl_t slot = name > 0 && name <= places ? tickets[name - 1] : 0;
  cwi_threads_unlock();
  return slot;
}

/* Finds a free entry. Programs may overwrite a handle without a wait, so this function frees the
 * entries of complete operations. */
static Integer find_free(void)
{
  for (Integer i = 0; i < places; i++) {
    if (tickets[i] != 0 && cwi_ga_native_handle(&tickets[i]).index == 0)
      tickets[i] = 0;
    if (tickets[i] == 0)
      return i;
  }
  return places;
}

static Integer find_place(void)
{
  static Integer next; /* the entry after the one that was returned last */
  if (next < places && tickets[next] == 0)
    return next++;
  const Integer place = find_free();
  if (place == places) {
    if (!CWI_RESERVE(tickets, (size_t)places, capacity, 64))
      return -1;
    tickets[places++] = 0;
  }
  next = place + 1;
  return place;
}

Integer cwi_gaf_handle_number(Integer name, ga_nbhdl_t slot)
{
  const bool running = cwi_ga_native_handle(&slot).index != 0;
  cwi_threads_lock();
  Integer place = name > 0 && name <= places && tickets[name - 1] != 0 ? name - 1 : -1;
  if (place < 0 && running)
    place = find_place();
  const bool kept = place >= 0;
  if (kept)
    tickets[place] = running ? slot : 0;
  cwi_threads_unlock();
  if (!kept && running)
    (void)CWI_GA(cwi_outside("no memory for the handles of operations"));
  return running ? place + 1 : 0;
}

void cwi_gaf_store_waited(Integer *name, ga_nbhdl_t before, ga_nbhdl_t slot)
{
  if (cwi_ga_native_handle(&before).index != 0)
    cwi_gaf_store_handle(name, slot);
}

ga_nbhdl_t cwi_gaf_running(ga_nbhdl_t slot)
{
  return cwi_ga_native_handle(&slot).index != 0 ? slot : 0;
}
