! What a called routine sees of an array that it is given by dbl_mb(index), whatever its type: in a file of its own, as
! compilers look at arguments within a file.
subroutine bytes_of(array, length, fill, write, right)
  implicit none
  integer, intent(in) :: length, fill
  integer*1 :: array(*)
  logical, intent(in) :: write
  logical, intent(out) :: right
  if (write) array(1:length) = int(fill, 1)
  right = all(array(1:length) == fill)
end subroutine bytes_of
