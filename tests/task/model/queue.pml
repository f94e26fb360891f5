/* The queue of a worker, src/work/worker/task_queue.c, as a model for spin: its control word, the owner, and thieves.
 *
 * The owner pushes TASKS tasks into SLOTS slots, pops, publishes the older half of what is private, takes back
 * what nobody has claimed, and uses slots again: in any order that the code allows, and more. Thieves look at the
 * word, add an attempt and copy what that gives them, slot by slot. Checked: every task is executed once, none is
 * lost, and no slot is written while a thief may still read it.
 *
 * Ways to do it wrong: GREEDY, a steal that takes one too many; HASTY, an owner that does not wait until thieves
 * have copied; LOOSE, an owner that takes back what it has seen unclaimed before it closes the word. */
#ifndef TASKS
#define TASKS 6
#endif
#ifndef SLOTS
#define SLOTS 4
#endif
#define THIEVES 2
#define GENERATIONS 2
#define MOST_ATTEMPTS 7
#define LEFT(n, k) ((n) >> (k))

/* The control word. */
bool valid;
byte word_first, word_count, word_generation, attempts;

byte slots[SLOTS];
byte copied[GENERATIONS]; /* by thieves, ever */
byte executed[TASKS];
byte finished;

inline execute(task) {
  d_step {
    executed[task]++;
    assert(executed[task] == 1);
    finished++
  }
}

proctype thief() {
  byte first, count, generation, i;
  byte task[SLOTS];
  do
  :: finished == TASKS -> break
  :: valid && LEFT(word_count, attempts) > 0 -> /* the look */
     atomic {
       count = 0;
       if
       :: valid && attempts < MOST_ATTEMPTS ->
          first = word_first + (word_count - LEFT(word_count, attempts));
          count = LEFT(word_count, attempts) - LEFT(word_count, attempts + 1);
          generation = word_generation
       :: else
       fi;
       if
       :: attempts < MOST_ATTEMPTS -> attempts++
       :: else
       fi;
#ifdef GREEDY
       if
       :: count > 0 -> count++
       :: else
       fi
#endif
     }
     i = 0;
     do
     :: i < count -> task[i] = slots[(first + i) % SLOTS]; i++
     :: else -> break
     od;
     copied[generation] = copied[generation] + count;
     do
     :: i > 0 -> i--; execute(task[i])
     :: else -> break
     od;
     atomic { first = 0; count = 0; generation = 0 }
  od
}

/* The publication is over: `taken` of it are thieves'. */
inline end_publication(taken) {
  claimed[generation % GENERATIONS] = claimed[generation % GENERATIONS] + (taken);
  past_end[generation % GENERATIONS] = start + (taken);
  past_copied[generation % GENERATIONS] = claimed[generation % GENERATIONS];
  split = start + (taken);
  generation++;
  open = false
}

proctype owner() {
  byte reclaimed, start, split, head, next, generation, oldest, seen;
  byte claimed[GENERATIONS], past_end[GENERATIONS], past_copied[GENERATIONS];
  bool open, used_up;
  do
  :: finished == TASKS -> break
  :: next < TASKS && head - reclaimed < SLOTS ->
     slots[head % SLOTS] = next;
     next++;
     head++
  :: head > split -> head--; execute(slots[head % SLOTS])
  :: oldest < generation ->
#ifndef HASTY
     copied[oldest % GENERATIONS] == past_copied[oldest % GENERATIONS];
#endif
     d_step { reclaimed = past_end[oldest % GENERATIONS]; oldest++ }
  :: head - split >= 2 && generation - oldest < GENERATIONS ->
     used_up = !open || !valid || LEFT(word_count, attempts) == 0;
     if
     :: used_up && open -> d_step { end_publication(split - start) }
     :: else
     fi;
     if
     :: used_up && generation - oldest < GENERATIONS ->
        d_step {
          start = split;
          split = split + (head - split) / 2;
          open = true;
          valid = true;
          word_first = start % SLOTS;
          word_count = split - start;
          word_generation = generation % GENERATIONS;
          attempts = 0
        }
     :: else
     fi
  :: head == split && open ->
#ifdef LOOSE
     seen = LEFT(word_count, attempts);
#endif
     d_step {
#ifndef LOOSE
       seen = LEFT(word_count, attempts);
#endif
       valid = false;
       end_publication(split - start - seen)
     }
  od
}

init {
  byte i;
  atomic {
    run owner();
    do
    :: i < THIEVES -> run thief(); i++
    :: else -> break
    od
  }
}
