! Ends a job from Fortran by TCGMSG. The argument chooses the call.
program ends
  implicit none
#include "tcgmsg.fh"
  character(16) :: what
  external :: parerr, pbginf, llog, pfilecopy, snd
  call get_command_argument(1, what)
  if (what == 'early') call snd(1, [1], 4, 0, 1)
  call pbginf
  select case (what)
  case ('parerr'); call parerr(7)
  case ('node'); call snd(1, [1], 4, nnodes(), 1)
  case ('operation'); call igop(1, [1], 1, 'most')
  case ('twice'); call pbginf
  case ('copy'); call pfilecopy(1, 0, 'file')
  case ('size'); print '(i0)', mdtob(300000000)
  case ('log')
    call llog
    print '(a)', 'in the log'
    call synch(1)
    call pend
  end select
  print '(a)', 'still there'
end program ends
