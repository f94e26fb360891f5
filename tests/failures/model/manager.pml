/* The manager of src/work/worker/manager.c and the workers of manager_requests.c as a model for spin: one phase of a surviving
 * pool on several nodes. Worker 0 is of process 0, as the manager is, and does not fail; at most DEATHS of the others do. A
 * worker may fail before each of its steps. A request that it has sent may arrive at any time after its failure, or never. The
 * manager learns of a failure at any time.
 *
 * Task 0 commits and continues as task 1, which adds task 2. Each of them has an effect. Before the phase, worker 0 adds task 0
 * and worker 1 task 3. A transaction comes in two requests: a part with the effect, and the request that ends or commits.
 *
 * Checked: no effect happens twice; no task is added after the end of the phase; a worker that returns finds that
 * the tasks of all living workers have been added, and that all tasks that were added have had their effect. In the end all
 * survivors have returned, and a search for cycles shows that no run is infinite.
 *
 * Errors that must be found: PARTIAL, a manager that applies the parts of a transaction as they come; FORGETFUL, one that does not
 * return the task of a failed worker to the queue; TRUSTING, one that reads requests of a worker after it has returned its task
 * to the queue; EARLY, a phase that ends while tasks run; UNENTERED, one that ends before all workers have entered it; SUDDEN,
 * one that ends without a failed worker whose requests are still read. */
#define WORKERS 3
#ifndef DEATHS
#define DEATHS 2
#endif
#define TASKS 4
#define NONE TASKS
#define OVER (TASKS + 1)
#define HAS(set, number) (((set) >> (number)) & 1)

mtype = { PART, ADD, COMMIT, TAKE };

byte dead; /* set of failed workers */

/* In the slice of process 0: a request of each worker. */
mtype kind[WORKERS];
byte effect[WORKERS], task_of[WORKERS];
byte posted; /* set of workers whose request has not been read */
/* In the slice of each worker. */
byte answer[WORKERS], answered;

/* The manager's own memory. */
byte lost, demands, runs, entered; /* sets of workers */
byte slot[WORKERS];                /* the task that runs */
byte received[WORKERS];            /* the effect of the transaction that is being received */
byte waiting;                      /* set of tasks; no task is there twice */
bool over;

byte added, done; /* sets of tasks, for assertions */

/* --- The manager ------------------------------------------------------------------------------ */

inline push(task) {
  assert(!HAS(waiting, task));
  waiting = waiting | (1 << (task))
}

inline apply(task) {
  if
  :: task != NONE ->
     assert(!HAS(done, task));
     done = done | (1 << (task))
  :: else
  fi
}

inline reply(w, what) {
  answer[w] = what;
  answered = answered | (1 << (w))
}

inline serve(w) {
  posted = posted & ~(1 << (w));
  if
  :: effect[w] != NONE -> received[w] = effect[w]
  :: else
  fi;
#ifdef PARTIAL
  apply(received[w]);
  received[w] = NONE;
#endif
  if
  :: kind[w] != PART ->
     apply(received[w]);
     received[w] = NONE;
     if
     :: task_of[w] != NONE && kind[w] == COMMIT -> slot[w] = task_of[w]
     :: task_of[w] != NONE && kind[w] != COMMIT -> assert(!over); added = added | (1 << task_of[w]); push(task_of[w])
     :: else
     fi
  :: else
  fi;
  if
  :: kind[w] == TAKE ->
     runs = runs & ~(1 << (w));
     demands = demands | (1 << (w));
     entered = entered | (1 << (w))
  :: else -> reply(w, NONE)
  fi
}

inline lose(w) {
#ifndef FORGETFUL
  if
  :: HAS(runs, w) -> push(slot[w])
  :: else
  fi;
#endif
  runs = runs & ~(1 << (w));
  demands = demands & ~(1 << (w));
  lost = lost | (1 << (w))
}

/* Gives any waiting task, or the end of the phase. */
inline give(w) {
  demands = demands & ~(1 << (w));
  if
  :: over -> reply(w, OVER)
  :: !over && HAS(waiting, 0) -> slot[w] = 0
  :: !over && HAS(waiting, 1) -> slot[w] = 1
  :: !over && HAS(waiting, 2) -> slot[w] = 2
  :: !over && HAS(waiting, 3) -> slot[w] = 3
  fi;
  if
  :: !over ->
     waiting = waiting & ~(1 << slot[w]);
     runs = runs | (1 << (w));
     reply(w, slot[w])
  :: else
  fi
}

#ifdef TRUSTING
#define READS(w) HAS(posted, w)
#else
#define READS(w) (HAS(posted, w) && !HAS(lost, w))
#endif
#ifdef UNENTERED
#define MISSES(w) false
#elif defined(SUDDEN)
#define MISSES(w) (!HAS(entered, w) && !HAS(dead, w))
#else
#define MISSES(w) (!HAS(entered, w) && !HAS(lost, w))
#endif
#ifdef EARLY
#define RUNS 0
#else
#define RUNS runs
#endif
#define ENDS (!over && waiting == 0 && RUNS == 0 && demands != 0 && !MISSES(0) && !MISSES(1) && !MISSES(2))

/* What the manager does for one worker. It does so in a fixed order; here any order is possible. */
#define FOR_WORKER(w)                                                                                                \
  :: d_step { READS(w) -> serve(w) }                                                                                 \
  :: d_step { HAS(dead, w) && !HAS(lost, w) -> lose(w) }                                                             \
  :: d_step { HAS(demands, w) && (over || waiting != 0) -> give(w) }

active proctype manager() {
end_manager:
  do
  FOR_WORKER(0)
  FOR_WORKER(1)
  FOR_WORKER(2)
  :: d_step { ENDS -> over = true }
  od
}

/* --- Workers ---------------------------------------------------------------------------------- */

inline post(what, of_effect, of_task) {
  kind[me] = what;
  effect[me] = of_effect;
  task_of[me] = of_task;
  posted = posted | (1 << me)
}

/* Sends a request and waits for the answer. */
#define REQUEST(what, of_effect, of_task)                                                                            \
  if                                                                                                                 \
  :: d_step { !HAS(dead, me) -> post(what, of_effect, of_task) }                                                     \
  :: d_step { HAS(dead, me) -> post(what, of_effect, of_task) }; goto end_dead                                       \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi;                                                                                                                \
  if                                                                                                                 \
  :: d_step { !HAS(dead, me) && HAS(answered, me) -> answered = answered & ~(1 << me); task = answer[me] }           \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi

#define ADDED(w, initial) (HAS(dead, w) || HAS(added, initial))

proctype worker(byte me) {
  byte task = NONE, ran = NONE;
  if
  :: me == 0 -> REQUEST(ADD, NONE, 0)
  :: me == 1 -> REQUEST(ADD, NONE, 3)
  :: else
  fi;
  do
  :: true ->
     if
     :: ran != NONE -> REQUEST(PART, ran, NONE)
     :: else
     fi;
     if
     :: ran == 0 -> REQUEST(COMMIT, NONE, 1); ran = 1
     :: else ->
        REQUEST(TAKE, NONE, (ran == 1 -> 2 : NONE));
        if
        :: task == OVER -> break
        :: else -> ran = task
        fi
     fi
  od;
  atomic {
    assert(HAS(dead, me) || (ADDED(0, 0) && ADDED(1, 3)));
    assert(HAS(dead, me) || (added & ~done) == 0);
    assert(HAS(dead, me) || !HAS(done, 0) || (HAS(done, 1) && HAS(done, 2)))
  }
end_dead:
  atomic { task = NONE; ran = NONE }
}

/* Lets workers fail, or not. */
proctype failures() {
  byte count;
  do
  :: count < DEATHS ->
     if
     :: break
     :: d_step { !HAS(dead, 1) -> dead = dead | 2; count++ }
     :: d_step { !HAS(dead, 2) -> dead = dead | 4; count++ }
     fi
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. WORKERS - 1) {
      received[i] = NONE;
      run worker(i)
    }
    run failures();
    i = 0
  }
}
