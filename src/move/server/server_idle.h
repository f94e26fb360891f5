/* Idle server: what it does while there is no work.
 *
 * It spins for a while, then sleeps. MPI has no call that sleeps until a message comes. Over
 * sockets, though, MPI libraries wait on epoll descriptors of their own: those become readable when
 * a message is there, and polling them takes nothing from MPI. So the server sleeps on them, and
 * also polls by itself now and then. If messages come without them (shared memory, InfiniBand, a
 * process that waits inside MPI and takes them from there), it notices that, and polls more often.
 */
#ifndef CWI_SERVER_SERVER_IDLE_H
#define CWI_SERVER_SERVER_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/* Begin and end the idle state, in the thread that serves. */
void cwi_server_idle_start(void);
void cwi_server_idle_stop(void);

/* Updates the processor time of this thread in the server's statistics. */
void cwi_server_idle_note_processor(void);

/* Idles after a pass, which ended at the time `now`. busy: the pass did something. helped: a
 * process of mine spins, and serves. doorbell: its value before the pass; an advance since then
 * ends the sleep. */
void cwi_server_idle(double now, bool busy, bool helped, uint32_t doorbell);
#endif
