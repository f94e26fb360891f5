/* A ticket lock in shared memory. Processes get it in the order of arrival. The node's server takes
 * it on behalf of remote processes. */
#pragma once

#include "wait/lock.h"

/* All zeros are a free lock. */
struct cwi_ticket_lock {
  uint32_t next;             /* next ticket to be taken */
  int32_t holder;            /* process + 1, or 0 if the holder is not known */
  struct cwi_signal serving; /* ticket of the holder */
  uint32_t padding2[12];     /* gives each lock a cache line of its own */
};

/* Takes a ticket; the caller holds the lock when that ticket is served. */
static inline uint32_t cwi_ticket_take(struct cwi_ticket_lock *lock)
{
  return __atomic_fetch_add(&lock->next, 1, __ATOMIC_SEQ_CST);
}

/* Returns true if the ticket is the one that holds the lock. */
static inline bool cwi_ticket_holds(const struct cwi_ticket_lock *lock, uint32_t ticket)
{
  return cwi_signal_value(&lock->serving) == ticket;
}

/* Takes the lock if it is free; returns true on success. */
static inline bool cwi_ticket_try(struct cwi_ticket_lock *lock)
{
  uint32_t ticket = cwi_signal_value(&lock->serving);
  return __atomic_compare_exchange_n(&lock->next, &ticket, ticket + 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

/* Waits until the ticket holds the lock. */
static inline void cwi_ticket_wait(struct cwi_ticket_lock *lock, uint32_t ticket)
{
  struct cwi_wait wait = {0};
  uint32_t serving = cwi_signal_value(&lock->serving);
  while (serving != ticket) {
    cwi_signal_wait(&wait, &lock->serving, serving);
    serving = cwi_signal_value(&lock->serving);
  }
}

/* Records the holder for the report of long waits. */
static inline void cwi_ticket_note(struct cwi_ticket_lock *lock, int process)
{
  __atomic_store_n(&lock->holder, process + 1, __ATOMIC_RELAXED);
}

static inline void cwi_ticket_release(struct cwi_ticket_lock *lock)
{
  cwi_ticket_note(lock, -1);
  cwi_signal_advance(&lock->serving);
}

/* Returns true if the lock is held or waited for. If this returns false after a release, a process
 * that takes a ticket later finds the lock free. */
static inline bool cwi_ticket_wanted(const struct cwi_ticket_lock *lock)
{
  return __atomic_load_n(&lock->next, __ATOMIC_SEQ_CST) !=
         __atomic_load_n(&lock->serving.value, __ATOMIC_SEQ_CST);
}
