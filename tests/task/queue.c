/* The queue of a worker, compared with a model after each step; and one owner with several threads
 * as thieves, where every task must run exactly once. One process, which does not start Causeway.
 *
 * usage: task_queue [steps] [tasks] */
#include "kit/kit.h"

#include "worker/task_queue.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { BODY = 24, MOST = 4096 };
#define SLOT_BYTES cwi_slot_bytes(BODY)

struct slot {
  struct cwi_slot_head head;
  int64_t body[BODY / 8 + 1]; /* slots are multiples of 16 bytes */
};

static struct cwi_queue *make_queue(size_t slots, bool one)
{
  struct cwi_queue *queue = kit_alloc(1, sizeof *queue);
  void *memory = aligned_alloc(64, (cwi_queue_bytes(slots, SLOT_BYTES) + 63) / 64 * 64);
  if (memory == NULL)
    abort();
  cwi_queue_begin(queue, memory, slots, SLOT_BYTES);
  queue->one = one;
  return queue;
}

static void end_queue(struct cwi_queue *queue)
{
  free(queue->shared);
  free(queue);
}

static struct cwi_victim victim_of(const struct cwi_queue *queue)
{
  return (struct cwi_victim){queue->shared, 0, true, true};
}

static bool push(struct cwi_queue *queue, int64_t id, int affinity)
{
  const struct cwi_slot_head head = {.affinity = affinity, .bytes = BODY};
  const int64_t body[BODY / 8] = {id, -id, id * 3};
  return cwi_queue_push(queue, head, body);
}

/* Returns the task's id, or -1 if the slot is torn. */
static int64_t id_of(const struct slot *slot)
{
  const int64_t id = slot->body[0];
  return slot->head.bytes == BODY && slot->body[1] == -id && slot->body[2] == id * 3 ? id : -1;
}

/* --- The model ---------------------------------------------------------------------------------*/

struct task {
  int64_t id;
  int affinity;
};

struct model {
  struct task kept[MOST], given[MOST];
  int keeps, gives; /* private; published and not yet claimed */
  int published;    /* in the current publication, claimed or not */
  unsigned phase;   /* of the publication */
};

static void model_push(struct model *model, struct task task)
{
  int place = model->keeps;
  for (int depth = 0;
       depth < CWI_QUEUE_DEPTH && place > 0 && model->kept[place - 1].affinity > task.affinity;
       depth++, place--)
    model->kept[place] = model->kept[place - 1];
  model->kept[place] = task;
  model->keeps++;
}

static void model_release(struct model *model)
{
  const int count = model->keeps / 2;
  memcpy(model->given, model->kept, (size_t)count * sizeof *model->given);
  memmove(model->kept, model->kept + count, (size_t)(model->keeps - count) * sizeof *model->kept);
  model->keeps -= count;
  model->gives = count;
}

static void model_reacquire(struct model *model)
{
  memmove(model->kept + model->gives, model->kept, (size_t)model->keeps * sizeof *model->kept);
  memcpy(model->kept, model->given, (size_t)model->gives * sizeof *model->given);
  model->keeps += model->gives;
  model->gives = 0;
}

static void check_popped(struct cwi_queue *queue, struct model *model)
{
  struct slot slot;
  const bool got = cwi_queue_pop(queue, &slot.head, slot.body);
  kit_check_long(got, model->keeps > 0, "a task at the private end");
  if (got && model->keeps > 0) {
    const struct task want = model->kept[--model->keeps];
    kit_check_long(id_of(&slot), want.id, "the task at the private end");
    kit_check_long(slot.head.affinity, want.affinity, "its affinity");
  }
}

/* A thief takes half, rounded up, from the old end, and passes them on one by one. */
static void check_stolen(struct cwi_queue *queue, struct model *model, struct cwi_queue *thief)
{
  const struct cwi_victim victim = victim_of(queue);
  uint64_t count = 0;
  unsigned phase = 0;
  kit_check(cwi_queue_space(thief, cwi_queue_largest(thief->mask + 1)) >=
                cwi_queue_largest(thief->mask + 1),
            "an empty thief has no room");
  kit_check_long(cwi_queue_steal(thief, &victim, &count, &phase), CW_OK, "the steal");
  const int want = queue->one ? model->gives > 0 : (model->gives + 1) / 2;
  kit_check_long((long)count, want, "the number of stolen tasks");
  kit_check(count == 0 || phase == model->phase % 4, "the phase is %u", phase);
  for (int i = (int)count - 1; i >= 0; i--) {
    struct slot slot;
    kit_check(cwi_queue_pop(thief, &slot.head, slot.body), "a stolen task is missing");
    kit_check_long(id_of(&slot), model->given[i].id, "the stolen task");
  }
  if ((int)count <= model->gives) {
    model->gives -= (int)count;
    memmove(model->given, model->given + count, (size_t)model->gives * sizeof *model->given);
  }
}

static void step(struct cwi_queue *queue, struct model *model, struct cwi_queue *thief)
{
  static int64_t next;
  bool published = false;
  const uint64_t held = queue->head - queue->reclaimed;
  switch (kit_common(8)) {
  case 0:
  case 1:
  case 2: {
    const struct task task = {++next, kit_common(3) == 0 ? kit_common(5) - 2 : 0};
    const bool fits = push(queue, task.id, task.affinity);
    kit_check(fits || held > queue->mask, "refused, with %d of %u slots in use", (int)held,
              queue->mask + 1);
    kit_check(fits == (model->keeps + model->gives <= (int)queue->mask) || (!fits && queue->open),
              "a task was %s, with %d tasks in %u slots", fits ? "taken" : "refused",
              model->keeps + model->gives, queue->mask + 1);
    if (fits)
      model_push(model, task);
    return;
  }
  case 3:
    check_popped(queue, model);
    return;
  case 4:
    kit_check_long(cwi_queue_exhausted(queue), model->gives == 0, "nothing is published");
    model->phase += model->gives == 0;
    kit_check_long(cwi_queue_release(queue, cwi_queue_private(queue) / 2, model->phase, &published),
                   CW_OK, "the release");
    kit_check_long(published, model->gives == 0 && model->keeps >= 2, "it published");
    if (published)
      model_release(model);
    return;
  case 5:
    if (cwi_queue_private(queue) > 0)
      return; /* only then does an owner take back */
    kit_check_long(cwi_queue_reacquire(queue), CW_OK, "the reacquisition");
    model_reacquire(model);
    return;
  default:
    check_stolen(queue, model, thief);
  }
}

static void against_model(long steps)
{
  static struct model model;
  for (size_t slots = 2; slots <= 512; slots *= 2)
    for (int one = 0; one < 2; one++) {
      struct cwi_queue *queue = make_queue(slots, one), *thief = make_queue(slots, one);
      model = (struct model){0};
      kit_about("%zu slots, %s", slots, one ? "one by one" : "by halves");
      for (long i = 0; i < steps; i++)
        step(queue, &model, thief);
      end_queue(queue);
      end_queue(thief);
    }
}

/* --- Threads -----------------------------------------------------------------------------------*/

struct steal_test {
  struct cwi_queue *victim;
  long tasks;
  long done;       /* by all */
  uint32_t *times; /* [tasks] */
  size_t slots;
  bool one;
};

static void run(struct steal_test *steal_test, const struct slot *slot)
{
  const int64_t id = id_of(slot);
  if (kit_check(id >= 0 && id < steal_test->tasks, "a slot is torn"))
    __atomic_fetch_add(&steal_test->times[id], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&steal_test->done, 1, __ATOMIC_ACQ_REL);
}

static bool is_over(struct steal_test *steal_test)
{
  return __atomic_load_n(&steal_test->done, __ATOMIC_ACQUIRE) >= steal_test->tasks;
}

static void *steal_all(void *context)
{
  struct steal_test *steal_test = context;
  struct cwi_queue *mine = make_queue(steal_test->slots, steal_test->one);
  const struct cwi_victim victim = victim_of(steal_test->victim);
  struct slot slot;
  while (!is_over(steal_test)) {
    uint64_t count = 0;
    unsigned phase = 0;
    kit_check_long(cwi_queue_steal(mine, &victim, &count, &phase), CW_OK, "the steal");
    if (count == 0)
      sched_yield();
    while (cwi_queue_pop(mine, &slot.head, slot.body))
      run(steal_test, &slot);
  }
  end_queue(mine);
  return NULL;
}

/* The operations of a worker, with pauses so that thieves interfere at every point. */
static void own_all(struct steal_test *steal_test, uint32_t random)
{
  struct cwi_queue *queue = steal_test->victim;
  struct slot slot;
  bool published = false;
  for (long added = 0; !is_over(steal_test);) {
    random = random * 1664525u + 1013904223u;
    for (uint32_t i = random >> 28; i > 0 && added < steal_test->tasks && push(queue, added, 0);
         i--)
      added++;
    kit_check_long(cwi_queue_release(queue, cwi_queue_private(queue) / 2, 1, &published), CW_OK,
                   "the release");
    if ((random >> 20 & 7) == 0)
      sched_yield();
    for (uint32_t i = random >> 24 & 3; i > 0 && cwi_queue_pop(queue, &slot.head, slot.body); i--)
      run(steal_test, &slot);
    if (cwi_queue_private(queue) == 0)
      kit_check_long(cwi_queue_reacquire(queue), CW_OK, "the reacquisition");
    if (added == steal_test->tasks && cwi_queue_private(queue) == 0)
      sched_yield();
  }
}

static void stolen(size_t slots, int thieves, bool one, long tasks)
{
  enum { MOST_THIEVES = 4 };
  pthread_t threads[MOST_THIEVES];
  struct steal_test steal_test = {
      .victim = make_queue(slots, one), .tasks = tasks, .slots = slots, .one = one};
  steal_test.times = kit_alloc((size_t)tasks, sizeof *steal_test.times);
  kit_about("%zu slots, %d thieves, %s", slots, thieves, one ? "one by one" : "by halves");
  for (int i = 0; i < thieves; i++)
    if (pthread_create(&threads[i], NULL, steal_all, &steal_test) != 0)
      abort();
  own_all(&steal_test, (uint32_t)kit_common(1 << 30));
  for (int i = 0; i < thieves; i++)
    pthread_join(threads[i], NULL);
  long wrong = 0;
  for (long i = 0; i < tasks; i++)
    wrong += steal_test.times[i] != 1;
  kit_check_long(wrong, 0, "tasks that did not run exactly once");
  kit_check_long(steal_test.done, tasks, "tasks that ran");
  free(steal_test.times);
  end_queue(steal_test.victim);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "task_queue");
  const long steps = argc > 1 ? atol(argv[1]) : 20000, tasks = argc > 2 ? atol(argv[2]) : 20000;
  against_model(steps);
  for (size_t slots = 2; slots <= 256; slots = slots < 8 ? slots * 2 : slots * 4)
    for (int thieves = 1; thieves <= 3; thieves++)
      stolen(slots, thieves, thieves == 3 && slots == 8, tasks);
  return kit_finish();
}
