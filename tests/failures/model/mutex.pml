/* The mutex of src/move/sync/mutex_survivors.c as a model for spin: MEMBERS members lock and unlock it ROUNDS times each, and
 * at most DEATHS of them fail. A member may fail before each of its steps, and a step accesses shared memory once. A member
 * that loads the word of a failed holder for the first time may not know the failure.
 *
 * HOME is the same mutex of a team on several nodes: its word is at the home, and what a failed member has sent there may be
 * executed at any time after its failure, or never. No member sleeps: it reads the word again after a while.
 *
 * Checked: of the living members at most one holds the mutex; the death of a holder is reported to exactly one member, the
 * next holder. A member that sleeps is woken by the time only if the holder, or the member that unlocked, has failed. In the end all
 * survivors have returned, and a search for cycles shows that no run is infinite.
 *
 * Errors that must be found: STORE, a takeover by a store; SILENT, a takeover that frees the mutex first; FORGETFUL, a holder
 * that clears the bit of sleepers when it takes the mutex; UNCHECKED, a nap that does not compare the word; NEVER, no
 * takeover; with HOME, UNCONDITIONAL, an unlock that does not compare the word. */
#define MEMBERS 3
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef DEATHS
#define DEATHS 2
#endif
#define HAS(set, rank) (((set) >> (rank)) & 1)
#define HELD_BY(word) ((word) & 127)
#define SLEEPERS 128

byte word;   /* 0, or the holder's rank + 1; with SLEEPERS */
byte dead;   /* set of failed members */
byte inside; /* set of members that hold the mutex */
byte asleep; /* set of members that sleep */
byte waking; /* set of members that have unlocked the mutex and will wake the others */
byte late;   /* set of members that sleep although the mutex was unlocked, because the other has failed before it woke them */
byte owed;   /* set of members that failed while they held the mutex, and whose death has not been reported */

#define FAILED(word) (HELD_BY(word) > 0 && HAS(dead, HELD_BY(word) - 1))

/* A member that fails does not take the step. */
#define STEP(action)                                                                                                 \
  if                                                                                                                 \
  :: atomic { !HAS(dead, me) -> action }                                                                             \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi

/* A step that changes the word. */
#ifdef HOME
#define CHANGE(action, late_action)                                                                                  \
  if                                                                                                                 \
  :: atomic { !HAS(dead, me) -> action }                                                                             \
  :: atomic { HAS(dead, me) -> late_action; goto end_dead }                                                          \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi
#else
#define CHANGE(action, late_action) STEP(action)
#endif

inline acquire() {
#if defined(FORGETFUL) || defined(HOME)
  word = me + 1;
#else
  word = (me + 1) | (seen & SLEEPERS) | also;
#endif
  assert((inside & ~dead) == 0);
  inside = 1 << me;
  if
  :: HELD_BY(seen) == 0 -> assert(owed == 0)
  :: else ->
     assert(owed == 1 << (HELD_BY(seen) - 1));
     owed = 0
  fi;
  held = true
}

/* A compare-and-swap of a failed member is executed. Its failure remains to be reported; that of the holder whose mutex it takes
 * over has been reported to it. */
inline acquire_late() {
  if
  :: word == seen -> word = me + 1; owed = 1 << me
  :: else
  fi
}

inline release_late() {
  if
  :: word == me + 1 -> word = 0; owed = 0
#ifdef UNCONDITIONAL
  :: else -> word = 0
#else
  :: else
#endif
  fi
}

inline take() {
#ifdef SILENT
  if
  :: FAILED(seen) -> STEP(if :: word == seen -> word = 0; seen = 0 :: else fi)
  :: else
  fi;
#endif
  CHANGE(if
#ifdef STORE
         :: word == seen || HELD_BY(seen) != 0 -> acquire()
#else
         :: word == seen -> acquire()
#endif
         :: else -> seen = word
         fi, acquire_late())
}

#ifdef UNCHECKED
#define SLEEPS true
#else
#define SLEEPS (word == (seen | SLEEPERS))
#endif

/* Sleeps until it is woken. It wakes by the time only where a failure needs that. */
inline nap() {
  STEP(if :: SLEEPS -> asleep = asleep | (1 << me) :: else fi);
  if
  :: d_step { !HAS(dead, me) && !HAS(asleep, me) }
  :: d_step { !HAS(dead, me) && (FAILED(word) || HAS(late, me)) -> asleep = asleep & ~(1 << me); late = late & ~(1 << me) }
  :: HAS(dead, me) -> goto end_dead
  fi
}

inline lock() {
  do
  :: true ->
     STEP(seen = word);
     if
#ifndef NEVER
     :: FAILED(seen) -> take()
#endif
     :: HELD_BY(seen) == 0 -> take()
     :: HELD_BY(seen) != 0 && !FAILED(seen)
     :: FAILED(seen) && !doubted -> doubted = true
     fi;
     if
     :: held -> break
     :: !held && HELD_BY(seen) == 0
     :: !held && HELD_BY(seen) != 0 ->
#ifdef HOME
        if
        :: !HAS(dead, me) && (word != seen || FAILED(seen))
        :: HAS(dead, me) -> goto end_dead
        fi
#else
        also = SLEEPERS;
        marked = true;
        if
        :: seen & SLEEPERS
        :: else -> STEP(if :: word == seen -> word = word | SLEEPERS :: else -> marked = false fi)
        fi;
        if
        :: marked -> nap()
        :: else
        fi
#endif
     fi
  od
}

proctype member(byte me) {
  byte round, seen, also;
  bool held, marked, doubted;
  do
  :: round < ROUNDS ->
     lock();
     CHANGE(assert((inside & ~dead) == 1 << me);
            inside = 0;
            seen = word;
            waking = (seen & SLEEPERS -> waking | (1 << me) : waking);
            word = 0, release_late());
     if
     :: seen & SLEEPERS -> STEP(asleep = 0; late = 0; waking = waking & ~(1 << me))
     :: else
     fi;
     d_step { round++; seen = 0; also = 0; held = false; marked = false; doubted = false }
  :: else -> break
  od;
end_dead:
  atomic { round = 0; seen = 0; also = 0; held = false; marked = false; doubted = false }
}

#define KILL(rank)                                                                                                   \
  d_step {                                                                                                           \
    !HAS(dead, rank) ->                                                                                              \
    dead = dead | (1 << (rank));                                                                                     \
    asleep = asleep & ~(1 << (rank));                                                                                \
    late = (HAS(waking, rank) -> late | asleep : late) & ~(1 << (rank));                                             \
    waking = waking & ~(1 << (rank));                                                                                \
    count++;                                                                                                         \
    if                                                                                                               \
    :: HELD_BY(word) == (rank) + 1 -> owed = owed | (1 << (rank))                                                    \
    :: else                                                                                                          \
    fi                                                                                                               \
  }

/* Lets members fail, or not. */
proctype failures() {
  byte count;
  do
  :: count < DEATHS ->
     if
     :: break
     :: KILL(0)
     :: KILL(1)
     :: KILL(2)
     fi
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    run failures();
    for (i : 0 .. MEMBERS - 1) {
      run member(i)
    }
    i = 0
  }
}
