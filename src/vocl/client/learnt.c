/* Keeps what the executor has answered once, for queries that are asked again. */
#include "client/learnt.h"

#include <stdlib.h>
#include <string.h>

static const struct cwi_learnt_fact *learnt_find(const struct cwi_learnt *learnt, uint32_t age,
                                                 const struct cwi_native_question *q)
{
  const struct cwi_learnt_fact *fact = __atomic_load_n(&learnt->newest, __ATOMIC_ACQUIRE);
  while (fact != NULL && (fact->what != q->what || fact->index != q->index ||
                          fact->device != q->device || fact->about != q->about || fact->age != age))
    fact = fact->older;
  return fact;
}

/* Two threads may keep the same: the older one is never found. */
static const struct cwi_learnt_fact *learnt_keep(struct cwi_learnt *learnt,
                                                 struct cwi_learnt_fact *fact)
{
  fact->older = __atomic_load_n(&learnt->newest, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&learnt->newest, &fact->older, fact, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    ;
  return fact;
}

static struct cwi_learnt_fact *learnt_room(const struct cwi_native_question *q, uint32_t age,
                                           size_t size)
{
  struct cwi_learnt_fact *fact = malloc(sizeof *fact + size);
  if (fact != NULL)
    *fact = (struct cwi_learnt_fact){NULL, q->about, q->device, q->index, q->what, age, size};
  return fact;
}

cl_int cwi_learn(struct cwi_learnt *learnt, const struct cwi_native_question *question,
                 const struct cwi_learnt_fact **known)
{
  enum { USUAL = 256 }; /* most answers are shorter, and need one question */
  /* Before the question: what is asked while the object changes is true for nobody else. */
  const uint32_t age = __atomic_load_n(&learnt->age, __ATOMIC_ACQUIRE);
  *known = learnt_find(learnt, age, question);
  if (*known != NULL)
    return CL_SUCCESS;
  unsigned char usual[USUAL];
  size_t size = 0;
  cl_int code = cwi_executor_ask(question, sizeof usual, usual, &size);
  const bool fits = code == CL_SUCCESS && size <= sizeof usual;
  if (!fits)
    code = cwi_executor_ask(question, 0, NULL, &size);
  if (code != CL_SUCCESS)
    return code;
  struct cwi_learnt_fact *fact = learnt_room(question, age, size);
  if (fact == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  if (fits)
    memcpy(fact->value, usual, size);
  else
    code = cwi_executor_ask(question, size, fact->value, NULL);
  if (code != CL_SUCCESS) {
    free(fact);
    return code;
  }
  *known = learnt_keep(learnt, fact);
  return CL_SUCCESS;
}

void cwi_learnt_outdate(struct cwi_learnt *learnt)
{
  __atomic_fetch_add(&learnt->age, 1, __ATOMIC_ACQ_REL);
}

void cwi_learnt_end(struct cwi_learnt *learnt)
{
  while (learnt->newest != NULL) {
    struct cwi_learnt_fact *fact = learnt->newest;
    learnt->newest = fact->older;
    free(fact);
  }
}
