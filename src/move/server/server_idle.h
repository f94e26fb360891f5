/* Idle server: what it does while there is no work.
 *
 * It spins for a while, then sleeps. MPI has no call that sleeps until a message arrives. But an
 * MPI library that uses sockets waits on epoll descriptors of its own. They become readable when a
 * message has arrived, and polling them removes nothing from MPI. So the server sleeps on these
 * descriptors, and also polls MPI now and then. Some messages do not make a descriptor readable:
 * those by shared memory or InfiniBand, and those that another process, waiting inside MPI, reads
 * first. If the server finds such messages, it polls MPI more often. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Initialise the idle state and log its statistics, in the thread that serves. */
void cwi_server_idle_start(void);
void cwi_server_idle_stop(void);

/* Writes the processor time of this thread to the server's statistics. */
void cwi_server_idle_note_processor(void);

/* Idles after a pass that ended at the time `now`. `busy` is true if the pass did something,
 * `helped` if a process of this node spins and serves meanwhile. `doorbell` is the doorbell's value
 * before the pass; an advance since then ends a sleep on the doorbell. */
void cwi_server_idle(double now, bool busy, bool helped, uint32_t doorbell);
