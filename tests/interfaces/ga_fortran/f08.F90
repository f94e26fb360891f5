! Starts MPI by the module mpi_f08, with MPI_THREAD_SINGLE, and then Global Arrays on several nodes: the library has raised
! the level, so that each node has a server. Usage: f08 [thread].
program f08
  use mpi_f08
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer*4 level, error
  integer g
  character(8) how
  call getarg(1_4, how)
  if (how == 'thread') then
    call mpi_init_thread(MPI_THREAD_SINGLE, level, error)
  else
    call mpi_init
    call mpi_query_thread(level)
  end if
  if (level /= MPI_THREAD_MULTIPLE) then
    print *, 'the level of MPI is ', level
    call mpi_abort(MPI_COMM_WORLD, 1_4)
  end if
  call ga_initialize
  if (.not. ga_create(MT_DBL, 10, 10, 'matrix', 0, 0, g)) call ga_error('no memory', 1)
  call ga_fill(g, 1d0)
  if (ga_ddot(g, g) /= 100) call ga_error('wrong product', 1)
  call ga_terminate
  call mpi_finalize
end program f08
