/* The agreement of src/core/team/survivors.c as a model for spin: MEMBERS members make AGREEMENTS agreements, and at most
 * DEATHS of them fail. A member may fail before each of its steps. A step accesses shared memory, or writes a proposal,
 * which is private until it is decided. Each time a member looks at a failed one, it knows the failure or not. These are
 * more runs than the code has, in which a member that knows a failure does not forget it. A member that would poll without
 * success waits until a poll can succeed.
 *
 * HOME is the agreement of src/core/team/home.c, on several nodes: the word, arrivals and entries are at the home, and what a
 * failed member has sent there may be executed at any time after its failure, or never. A proposal needs no such case: its
 * member sends the compare-and-swap that names it only when the proposal is there.
 *
 * Checked for each agreement: all members that return have the same set of failed members; the set has no living member, and
 * every member that has not arrived; it includes the previous set; proposals and entries are those of this agreement. In the
 * end all survivors have returned, and a search for cycles shows that no run is infinite.
 *
 * Errors that must be found: SINGLE, one buffer instead of two; HASTY, a coordinator that does not wait for arrivals; STORE,
 * a store instead of the compare-and-swap; SHARED, one proposal for all coordinators; EARLY, an arrival before the entry;
 * FIXED, a coordinator that is never replaced; BUSY, a member that polls without success, for ever. */
#define MEMBERS 3
#ifndef AGREEMENTS
#define AGREEMENTS 3
#endif
#ifndef DEATHS
#define DEATHS 2
#endif
#ifdef SINGLE
#define BUFFER(number) 0
#else
#define BUFFER(number) ((number) % 2)
#endif
#define ENTRY(number, rank) entries[BUFFER(number) * MEMBERS + (rank)]
#ifdef SHARED
#define PROPOSAL(number, rank) (BUFFER(number) * MEMBERS)
#else
#define PROPOSAL(number, rank) (BUFFER(number) * MEMBERS + (rank))
#endif
#define HAS(set, rank) (((set) >> (rank)) & 1)

/* In shared memory. An entry is the number of its agreement. Assertions use the numbers of proposals. */
byte decided, decided_by;
byte arrivals[MEMBERS];
byte entries[2 * MEMBERS];
byte proposals[2 * MEMBERS], proposal_number[2 * MEMBERS];

byte dead;     /* set of failed members */
byte returned; /* number of the last agreement that a member has returned from */
byte agreed;   /* its set */

/* A member that fails does not take the step. */
#define STEP(action)                                                                                                 \
  if                                                                                                                 \
  :: atomic { !HAS(dead, me) -> action }                                                                             \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi

/* A step that changes shared memory. */
#ifdef HOME
#define CHANGE(action)                                                                                               \
  if                                                                                                                 \
  :: atomic { !HAS(dead, me) -> action }                                                                             \
  :: atomic { HAS(dead, me) -> action; goto end_dead }                                                               \
  :: HAS(dead, me) -> goto end_dead                                                                                  \
  fi
#else
#define CHANGE(action) STEP(action)
#endif

#ifdef FIXED
#define IS_COORDINATOR (me == 0)
#else
#define IS_COORDINATOR ((dead & ((1 << me) - 1)) == (1 << me) - 1)
#endif
#ifdef HASTY
#define ARRIVED(rank) true
#else
#define ARRIVED(rank) (arrivals[rank] >= number)
#endif
#define FOUND(rank) (rank <= me || HAS(dead, rank) || ARRIVED(rank))
#define CAN_PROPOSE (IS_COORDINATOR && FOUND(0) && FOUND(1) && FOUND(2))

/* The coordinator knows the failures of lower ranks, and of those that have not arrived. */
inline propose() {
  set = 0;
  rank = 0;
  do
  :: rank < MEMBERS && HAS(dead, rank) -> set = set | (1 << rank); rank++
  :: rank < MEMBERS && rank >= me && ARRIVED(rank) -> rank++
  :: rank == MEMBERS -> break
  od;
  proposals[PROPOSAL(number, me)] = set;
  proposal_number[PROPOSAL(number, me)] = number;
  set = 0;
  rank = 0
}

inline decide() {
#ifndef STORE
  if
  :: decided == seen ->
#endif
     decided = number;
     decided_by = me
#ifndef STORE
  :: else
  fi
#endif
}

inline take_decision() {
  assert(proposal_number[PROPOSAL(number, seen)] == number);
  set = proposals[PROPOSAL(number, seen)];
  rank = 0;
  do
  :: rank < MEMBERS ->
     assert(HAS(set, rank) || arrivals[rank] >= number);
     assert(HAS(set, rank) || ENTRY(number, rank) == number);
     rank++
  :: else -> break
  od;
  assert((set & dead) == set);
  assert((set & previous) == previous);
  if
  :: returned < number -> returned = number; agreed = set
  :: else -> assert(returned == number && agreed == set)
  fi;
  previous = set;
  rank = 0;
  seen = 0;
  set = 0
}

proctype member(byte me) {
  byte number, seen, rank, set, previous;
  do
  :: number < AGREEMENTS ->
#ifdef EARLY
     CHANGE(number++; arrivals[me] = number);
     CHANGE(ENTRY(number, me) = number);
#else
     CHANGE(number++; ENTRY(number, me) = number);
     CHANGE(arrivals[me] = number);
#endif
     do
     :: atomic { !HAS(dead, me) && decided >= number -> seen = 0; break }
     :: atomic { !HAS(dead, me) && decided < number -> seen = decided };
        if
        :: atomic { !HAS(dead, me) && CAN_PROPOSE -> propose() };
           CHANGE(decide())
#ifdef BUSY
        :: !HAS(dead, me)
#else
        :: !HAS(dead, me) && decided >= number
#endif
        :: HAS(dead, me) -> goto end_dead
        fi
     :: HAS(dead, me) -> goto end_dead
     od;
     STEP(assert(decided == number);
          seen = decided_by);
     STEP(take_decision())
  :: else -> break
  od;
end_dead:
  atomic { number = 0; seen = 0; set = 0; previous = 0 }
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
