/* Updates that wait for company: src/move/link/shared_packet.h, outbox.c and gathered.c as a model, for spin.
 *
 * A process makes UPDATES updates for one neighbour and then computes for ever. It sends packets of up to
 * ROOM updates; or offers one to its node's server while messages of its own are on their way. MPI keeps the
 * messages of the process in order, and those of the server, but not one kind against the other. Checked:
 * the neighbour executes in order, and everything in the end.
 *
 * Two ways to do it wrong: HASTY, who sends behind the server's message at once; FORGETFUL, who does not
 * look at the pipe again after offering. */
#ifndef UPDATES
#define UPDATES 6
#endif
#define ROOM 3

mtype = { MINE, OFFERED, TAKEN, SENT };

mtype tray = MINE;
byte tray_first, tray_count; /* the updates in it */
byte on_way;                 /* messages that are not given back */
bool by_server;              /* sent the last one */

chan of_process = [UPDATES] of {byte, byte};
chan of_server = [UPDATES] of {byte, byte};
chan home = [UPDATES] of {byte};
byte executed;

inline send_packet() {
#ifndef HASTY
  (!by_server || on_way == 0);
#endif
  by_server = false;
  on_way++;
  of_process ! first, count;
  count = 0
}

/* The packet is mine again, or the server has sent it. */
inline take_back() {
  if
  :: atomic { tray == OFFERED -> tray = MINE }
  :: tray == SENT -> count = 0
  fi
}

inline release() {
  if
  :: on_way == 0 -> send_packet()
  :: else ->
     tray_first = first;
     tray_count = count;
     tray = OFFERED;
     offered = true;
#ifndef FORGETFUL
     if
     :: on_way == 0 ->
        take_back();
        offered = false;
        if
        :: count > 0 -> send_packet()
        :: else
        fi
     :: else
     fi
#endif
  fi
}

active proctype process() {
  byte next, first, count;
  bool offered;
  do
  :: next < UPDATES ->
     if
     :: offered -> take_back(); offered = false
     :: else
     fi;
     if
     :: count == 0 -> first = next
     :: else
     fi;
     count++;
     next++;
     if
     :: count == ROOM -> send_packet()
     :: count < ROOM -> send_packet() /* a question */
     :: count < ROOM -> release()
     fi
  :: else -> break
  od;
  (executed == UPDATES)
}

inline send_for() {
  if
  :: on_way == 0 && tray == OFFERED ->
     if
     :: atomic { tray == OFFERED -> tray = TAKEN };
        if
        :: on_way == 0 ->
           of_server ! tray_first, tray_count;
           by_server = true;
           on_way++;
           tray = SENT
        :: else -> tray = OFFERED
        fi
     :: tray != OFFERED
     fi
  :: else
  fi
}

active proctype server() {
  byte count;
end:
  do
  :: home ? count ->
     do
     :: count > 0 ->
        count--;
        on_way--;
        if
        :: on_way == 0 -> send_for()
        :: else
        fi
     :: else -> break
     od
  od
}

active proctype neighbour() {
  byte first, count, free;
end:
  do
  :: of_process ? first, count -> assert(executed == first); executed = executed + count; free++
  :: of_server ? first, count -> assert(executed == first); executed = executed + count; free++
  :: free > 0 -> home ! free; free = 0
  od
}
