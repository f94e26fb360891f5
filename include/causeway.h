/* Causeway: one address space over all processes of an MPI program.
 *
 * This is the one header a program includes. It maps the API:
 *
 *   causeway/error.h       what a call returns, and the message that explains it
 *   causeway/runtime.h     start, stop, who am I, what was chosen and why
 *   causeway/failure.h     jobs that continue when a process fails
 *   causeway/team.h        ordered sets of processes
 *   causeway/memory.h      regions: memory that every process of a team may reach
 *   causeway/transfer.h    put, get, accumulate: contiguous, strided, vector; handles
 *   causeway/device.h      memory of accelerators in transfers, kernels on it
 *   causeway/atomic.h      atomic updates: fetch-and-op, compare-and-swap, get-accumulate
 *   causeway/handle.h      names for any memory of a process, to send to others
 *   causeway/sync.h        fence, barrier, mutexes
 *   causeway/view.h        views of regions with settings of their own; requests
 *   causeway/collective.h  broadcast, reduce, gather of a team
 *   causeway/array.h       distributed arrays: patches, elements, local data
 *   causeway/protect.h     arrays whose contents survive the failure of processes
 *   causeway/arithmetic.h  operations on whole arrays and patches
 *   causeway/typed.h       types from pointers, so that calls reject elements of another type
 *   causeway/matrix.h      local matrices to and from a distributed one, at any place
 *   causeway/linear.h      matrix multiply, dense solvers
 *   causeway/file.h        arrays in HDF5 files
 *   causeway/profile.h     phases of the program, for its profile; tools that follow calls
 *   causeway/task.h        pools of tasks, which idle processes steal
 *
 * Convention: a call that can fail returns cw_error: CW_OK (0) when it succeeded; otherwise nothing
 * has been changed and cw_error_message() returns the reason to the calling thread. Outputs are the
 * last arguments. "Collective" means: by every process of the team, in the same order. "Local"
 * means: only the calling process makes the call. It may wait for other processes if its comment
 * says so. "Errors: none" means: the call never fails. Processes are named by their rank in the
 * world team unless a call says otherwise. Sizes and strides are bytes.
 *
 * Threads: "Thread level: any" means: with MPI_THREAD_MULTIPLE any thread may make the call at any
 * time. The threads must still make collective calls on one team in one order. With a lower thread
 * level, MPI's own rules apply. */
#ifndef CAUSEWAY_H
#define CAUSEWAY_H

#include <causeway/arithmetic.h>
#include <causeway/array.h>
#include <causeway/atomic.h>
#include <causeway/collective.h>
#include <causeway/device.h>
#include <causeway/error.h>
#include <causeway/failure.h>
#include <causeway/file.h>
#include <causeway/handle.h>
#include <causeway/linear.h>
#include <causeway/matrix.h>
#include <causeway/memory.h>
#include <causeway/profile.h>
#include <causeway/protect.h>
#include <causeway/runtime.h>
#include <causeway/sync.h>
#include <causeway/task.h>
#include <causeway/team.h>
#include <causeway/transfer.h>
#include <causeway/typed.h>
#include <causeway/view.h>

#endif
