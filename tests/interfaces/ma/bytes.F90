! Routines that get an array as dbl_mb(index), whatever its type. They are in a file of their own, because compilers
! compare arguments within a file.
subroutine bytes_of(array, length, fill, write, right)
  implicit none
  integer, intent(in) :: length, fill
  integer*1 :: array(*)
  logical, intent(in) :: write
  logical, intent(out) :: right
  if (write) array(1:length) = int(fill, 1)
  right = all(array(1:length) == fill)
end subroutine bytes_of
