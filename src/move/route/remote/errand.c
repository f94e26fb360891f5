/* Errands: lists, waiting and handles for all that is asked of servers and has an answer. */
#include "route/remote/errand.h"

#include "link/await.h"
#include "link/tags.h"
#include "mpi/call.h"

#include <stdio.h>

/* Of each origin; its lock guards this. */
static struct {
  struct cwi_spare *spare CWI_OF_ORIGIN;
} waiters_of[CWI_ORIGINS];

void cwi_errands_stop(const struct cwi_errand_kind *kind)
{
  struct cwi_errand *errand = NULL;
  while ((errand = cwi_spare_find(&cwi_errands(kind)->spare)) != NULL) {
    if (kind->strip != NULL)
      kind->strip(errand);
    free(errand);
  }
}

void cwi_waiters_stop(void)
{
  cwi_spare_free(&waiters_of[cwi_origin].spare);
}

/* --- One errand ------------------------------------------------------------------------------- */

void cwi_errand_end(struct cwi_errand *errand)
{
  struct cwi_errands *book = cwi_errands(errand->kind);
  struct cwi_errand *next = errand->next, *previous = errand->previous;
  errand->done = true;
  if (errand->question.tag != 0)
    cwi_tag_give(errand->question.tag);
  *(previous != NULL ? &previous->next : &book->oldest) = next;
  *(next != NULL ? &next->previous : &book->newest) = previous;
  book->outstanding--;
  cwi_errand_release(errand);
}

void cwi_errand_lose(struct cwi_errand *errand)
{
  char *sentence = errand->question.answer.sentence;
  snprintf(sentence, sizeof errand->question.answer.sentence, "%s", cwi_sentence());
  cwi_mpi_drop(&errand->question.reply.request);
  errand->lost = true;
  cwi_errand_end(errand);
}

static inline cw_error errand_ready(struct cwi_errand *errand, bool wait, bool *ready)
{
  *ready = true;
  return errand->kind->ready != NULL ? errand->kind->ready(errand, wait, ready) : CW_OK;
}

/* Once it is ready: it may then be done already, or there is nothing to be asked. */
static inline cw_error errand_answer(struct cwi_errand *errand, bool wait)
{
  struct cwi_question *question = &errand->question;
  bool here = true;
  if (!errand->done && question->tag != 0)
    CWI_TRY(wait ? cwi_await_unlocked(&question->reply, question->node)
                 : cwi_arrival_look(&question->reply, &here));
  if (errand->done || !here) /* another thread that has waited was the first */
    return CW_OK;
  if (errand->kind->arrived != NULL && errand->kind->arrived(errand) != CW_OK) {
    question->tag = 0; /* more may come by it */
    cwi_errand_lose(errand);
    return CW_OK;
  }
  cwi_errand_end(errand);
  return CW_OK;
}

cw_error cwi_errand_finish(struct cwi_errand *errand, bool wait, bool *done)
{
  bool ready = false;
  *done = errand->done;
  if (errand->done)
    return CW_OK;
  errand->references++;
  cw_error error = errand_ready(errand, wait, &ready);
  if (error == CW_OK && ready)
    error = errand_answer(errand, wait);
  *done = errand->done;
  cwi_errand_release(errand);
  return error;
}

/* Its owners are told, not the thread that happens to find it. */
static inline cw_error errand_outcome(struct cwi_errand *errand)
{
  if (CWI_UNLIKELY(errand->lost))
    return cwi_outside("a request, or what it asked for, was lost: %s",
                       errand->question.answer.sentence);
  return errand->kind->outcome != NULL ? errand->kind->outcome(errand)
                                       : cwi_question_judge(&errand->question);
}

/* Local completion. Not done where MPI fails: it may still use the program's memory. */
static inline cw_error errand_complete(struct cwi_errand *errand, bool wait, bool *done)
{
  bool complete = false;
  *done = false;
  CWI_TRY(errand->sends ? errand_ready(errand, wait, &complete)
                        : cwi_errand_finish(errand, wait, &complete));
  *done = complete;
  return complete && !errand->sends ? errand_outcome(errand) : CW_OK;
}

/* --- Waiters ---------------------------------------------------------------------------------- */

static cw_error waiter_complete(struct cwi_pending *pending, bool wait, bool *done)
{
  return errand_complete(((struct cwi_waiter *)pending)->errand, wait, done);
}

static void waiter_release(struct cwi_pending *pending)
{
  struct cwi_waiter *waiter = (struct cwi_waiter *)pending;
  cwi_errand_release(waiter->errand);
  cwi_spare_give(&waiters_of[cwi_origin].spare, waiter);
}

cw_error cwi_waiters_add(struct cwi_waiters *waiters, struct cwi_errand *errand, int process)
{
  struct cwi_waiter *waiter = cwi_spare_take(&waiters_of[cwi_origin].spare, sizeof *waiter);
  if (waiter == NULL) {
    bool done = false;
    errand->references++;
    const cw_error error = errand_complete(errand, true, &done);
    cwi_errand_release(errand);
    return error;
  }
  waiter->pending.apart = false; /* what else it has, cwi_handle_attach fills in */
  waiter->pending.process = process;
  waiter->pending.complete = waiter_complete;
  waiter->pending.release = waiter_release;
  waiter->errand = errand;
  waiter->next = NULL;
  errand->references++;
  *(waiters->last != NULL ? &waiters->last->next : &waiters->first) = waiter;
  waiters->last = waiter;
  return CW_OK;
}

/* All are waited for, whatever happens: MPI uses the program's memory. */
cw_error cwi_waiters_leave(const struct cwi_waiters *waiters, cw_error error, bool blocking,
                           cw_handle *handle)
{
  const bool wait = blocking || error != CW_OK;
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  for (struct cwi_waiter *waiter = waiters->first; waiter != NULL;) {
    struct cwi_waiter *next = waiter->next;
    bool done = false;
    if (wait || cwi_handle_attach(handle, &waiter->pending) != CW_OK) {
      cwi_first_note(&first, errand_complete(waiter->errand, true, &done));
      waiter_release(&waiter->pending);
    }
    waiter = next;
  }
  return cwi_first_return(&first);
}
