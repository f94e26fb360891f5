! A shared counter hands out tasks: an idle process takes the next one. The results meet in one number.
program shares
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: tasks = 1000
  integer counter, task, mine, sum

  call pbeginf
  call ga_initialize
  if (.not. ga_create(MT_INT, 1, 1, 'next task', 0, 0, counter)) call ga_error('no memory', 1)
  call ga_zero(counter)

  mine = 0
  sum = 0
  task = ga_read_inc(counter, 1, 1, 1)
  do while (task < tasks)
    sum = sum + task
    mine = mine + 1
    task = ga_read_inc(counter, 1, 1, 1)
  end do

  call ga_igop(1, sum, 1, '+')
  print '(a, i0, a, i0, a)', 'process ', ga_nodeid(), ' has done ', mine, ' tasks'
  if (sum /= tasks * (tasks - 1) / 2) call ga_error('a task was lost, or done twice', 1)
  call ga_terminate
  call pend
end program shares
