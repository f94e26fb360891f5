/* How a server passes the time when there is nothing to do.
 *
 * It spins for a while, then sleeps. MPI has no call that sleeps until a
 * message comes. Over sockets, though, MPI libraries wait on epoll descriptors of their own: those
 * become readable when a message is there, and looking at them takes nothing from MPI. So the
 * server sleeps on them, and looks by itself now and then; where messages come without them (shared
 * memory, InfiniBand, a process that waits inside MPI and takes them from there) it notices that,
 * and looks more often. */
#ifndef CWI_SERVER_SERVER_IDLE_H
#define CWI_SERVER_SERVER_IDLE_H

#include <stdbool.h>
#include <stdint.h>

void cwi_server_idle_start(void);
void cwi_server_idle_stop(void);

/* How long this thread has had a core, for who looks at what servers take. */
void cwi_server_idle_note_processor(void);

/* After each turn, at the time `now`. busy: it did something. helped: a process of mine spins, and
 * takes turns. doorbell: its value before the turn; a ring since then ends the sleep. */
void cwi_server_idle(double now, bool busy, bool helped, uint32_t doorbell);
#endif
