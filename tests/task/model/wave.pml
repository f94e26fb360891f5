/* The end of a phase, src/work/worker/wave.c, as a model for spin: three processes, the first of them the root.
 *
 * Each process has a worker, which runs tasks of any process's queue (so it steals) and adds others to any queue,
 * and somebody who tends the waves meanwhile: that is more than the code does, where a process that has tasks tells
 * nothing. A worker may plant a task before its process enters. Checked: when the root says that the phase is over,
 * no task is left and none runs, and it says so some time.
 *
 * Ways to do it wrong: BLIND, a root that does not look at what was added; LATE, an adder that counts a task after
 * others can see it; EARLY, a worker that counts a task as done before it has run. */
#define PROCESSES 3
#ifndef TASKS
#define TASKS 3
#endif

byte queue[PROCESSES];
byte added[PROCESSES], done[PROCESSES];
byte all, promised, not_executed; /* tasks: that there were, that are being added, that are left */
bool entered[PROCESSES];

bool told[PROCESSES], down; /* waves, modulo 2 */
byte told_added[PROCESSES], told_done[PROCESSES];
bool over;

/* Add a task to any queue. */
inline add(me) {
#ifdef LATE
  atomic { all++; not_executed++; if :: queue[0]++ :: queue[1]++ :: queue[2]++ fi }
  added[me]++
#else
  added[me]++;
  atomic { all++; not_executed++; if :: queue[0]++ :: queue[1]++ :: queue[2]++ fi }
#endif
}

proctype worker(byte me) {
  if
  :: atomic { all + promised < TASKS -> promised++ }
     add(me);
     promised--
  :: true
  fi;
  entered[me] = true;
end:
  do
  :: over -> break
  :: atomic { queue[0] > 0 -> queue[0]-- } goto execute
  :: atomic { queue[1] > 0 -> queue[1]-- } goto execute
  :: atomic { queue[2] > 0 -> queue[2]-- }
execute:
#ifdef EARLY
     done[me]++;
#endif
     if
     :: atomic { all + promised < TASKS -> promised++ }
        add(me);
        promised--
     :: true
     fi;
     not_executed--;
#ifndef EARLY
     done[me]++
#endif
  od
}

proctype child(byte me) {
  entered[me];
  do
  :: over -> break
  :: told[me] == down && !over ->
     told_added[me] = added[me];
     told_done[me] = done[me];
     told[me] = !told[me];
     (down == told[me] || over)
  od
}

proctype root() {
  byte sum_added, sum_done, last;
  entered[0];
  do
  :: told[1] != down && told[2] != down ->
     sum_added = added[0];
     sum_done = done[0];
     sum_added = sum_added + told_added[1] + told_added[2];
     sum_done = sum_done + told_done[1] + told_done[2];
#ifdef BLIND
     if
     :: last == sum_done ->
#else
     if
     :: last == sum_added ->
#endif
        assert(not_executed == 0);
        over = true;
        break
     :: else
     fi;
     last = sum_done;
     down = !down
  od
}

init {
  atomic {
    run worker(0);
    run worker(1);
    run worker(2);
    run root();
    run child(1);
    run child(2)
  }
}
