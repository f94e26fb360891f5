/* The barrier of src/core/team/team_memory.c in a job that survives failures, as a model for spin: MEMBERS members call
 * BARRIERS barriers, and at most DEATHS of them fail. A member may fail before each of its steps, and a step accesses shared
 * memory once. Each time a member looks at a failed one, it knows the failure or not. Some members pass another value. A
 * member that would poll without success waits until a poll can succeed.
 *
 * HOME is the barrier of src/core/team/home.c, on several nodes: what a failed member has sent to the home may be executed at
 * any time after its failure, or never.
 *
 * Checked for each barrier: all members that return have the same result (alike, not alike, broken); a barrier that has ended
 * has the arrivals of all members; the number of arrivals is never negative and never above that of the members, so it does
 * not spill into other bits; a member of one barrier still waits while another one is in the next, so one bit is enough for
 * the number. In the end all survivors have returned, and a search for cycles shows that no run is infinite.
 *
 * Errors that must be found: BLAMING, a member that looks whether the word is broken before it looks whether its own barrier
 * has ended; STAYING, an arrival that remains after a broken barrier; LAST, a barrier that only the last member ends;
 * APART, another word for broken barriers. */
#define MEMBERS 3
#ifndef BARRIERS
#define BARRIERS 3
#endif
#ifndef DEATHS
#define DEATHS 2
#endif
#define HAS(set, rank) (((set) >> (rank)) & 1)
#define NUMBERS 2

/* The word `arrived`. */
typedef word {
  byte count, sum, number;
  bool broken, odd
};
word arrived;

byte dead;               /* set of failed members */
byte entered[BARRIERS];  /* number of members that have arrived in each barrier */
mtype = { ALIKE, ODD, BROKEN };
mtype results[BARRIERS]; /* 0 while no member has returned */

/* A member that fails does not take the step. */
#define STEP(action)                                                                                                 \
  if                                                                                                                 \
  :: d_step { !HAS(dead, me) -> action }                                                                             \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi

/* A step that changes shared memory. */
#ifdef HOME
#define CHANGE(action)                                                                                               \
  if                                                                                                                 \
  :: d_step { !HAS(dead, me) -> action }                                                                             \
  :: d_step { HAS(dead, me) -> action }; goto end_dead                                                               \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi
#else
#define CHANGE(action) STEP(action)
#endif

#define ENDED (arrived.number != number)
#define COMPLETE (arrived.count == MEMBERS)

inline load() {
  count = arrived.count;
  sum = arrived.sum
}

/* The other bits cannot have changed before the number or the count. */
#ifdef APART
#define UNCHANGED (!ENDED && arrived.count == count && arrived.sum == sum)
#else
#define UNCHANGED (!ENDED && !arrived.broken && arrived.count == count && arrived.sum == sum)
#endif

inline end_barrier() {
  if
  :: UNCHANGED ->
     arrived.number = (number + 1) % NUMBERS;
     arrived.odd = (sum != value * MEMBERS);
     arrived.count = 0;
     arrived.sum = 0
  :: else
  fi
}

inline break_barrier() {
  if
#ifndef APART
  :: UNCHANGED -> arrived.broken = true
  :: else
#else
  :: true -> arrived.broken = true
#endif
  fi
}

inline give_back() {
  assert(arrived.count > 0 && arrived.sum >= value);
#ifndef STAYING
  arrived.count--;
  arrived.sum = arrived.sum - value
#endif
}

inline take_result(mine) {
  assert(results[barrier] == 0 || results[barrier] == mine);
  assert(mine == BROKEN || entered[barrier] == MEMBERS);
  results[barrier] = mine;
  barrier++;
  count = 0;
  sum = 0
}

#ifdef BLAMING
#define RETURNS_OK (ENDED && !arrived.broken)
#define RETURNS_BROKEN arrived.broken
#else
#define RETURNS_OK ENDED
#define RETURNS_BROKEN (!ENDED && arrived.broken)
#endif
#ifdef LAST
#define ENDS (COMPLETE && last)
#else
#define ENDS COMPLETE
#endif

proctype member(byte me) {
  byte barrier, number, value, count, sum;
  bool last;
  do
  :: barrier < BARRIERS ->
     if
     :: value = 0
     :: me == 0 -> value = 1
     fi;
     CHANGE(arrived.count++;
            arrived.sum = arrived.sum + value;
            entered[barrier]++;
            number = arrived.number;
            last = (arrived.count == MEMBERS);
            assert(arrived.count <= MEMBERS));
     do
     :: d_step { !HAS(dead, me) && RETURNS_OK -> if :: arrived.odd -> take_result(ODD) :: else -> take_result(ALIKE) fi };
        break
     :: d_step { !HAS(dead, me) && RETURNS_BROKEN -> skip };
        CHANGE(give_back(); take_result(BROKEN));
        break
     :: d_step { !HAS(dead, me) && !RETURNS_OK && !RETURNS_BROKEN && ENDS -> load() };
        CHANGE(end_barrier())
     :: d_step { !HAS(dead, me) && !RETURNS_OK && !RETURNS_BROKEN && !COMPLETE && dead != 0 -> load() };
        CHANGE(break_barrier())
     :: HAS(dead, me) -> goto end_dead
     od
  :: else -> break
  od;
end_dead:
  atomic { barrier = 0; number = 0; value = 0; count = 0; sum = 0; last = 0 }
}

/* Lets members fail, or not. */
proctype failures() {
  byte count;
  do
  :: count < DEATHS ->
     if
     :: break
     :: d_step { !HAS(dead, 0) -> dead = dead | 1; count++ }
     :: d_step { !HAS(dead, 1) -> dead = dead | 2; count++ }
     :: d_step { !HAS(dead, 2) -> dead = dead | 4; count++ }
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
