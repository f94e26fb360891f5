! The test kit for Fortran counts failed checks and prints the kit's verdict. It uses no library. A program ends with
! `call kit_verdict`, which sets status 1 if a check has failed.
module kit_fortran
  implicit none
  private
  public :: kit_check, kit_check_number, kit_random, kit_seed, kit_verdict

  integer, parameter :: shown = 10
  integer :: failures = 0
  integer*8 :: state = 88172645463325252_8

contains

  subroutine kit_check(passed, what)
    logical, intent(in) :: passed
    character(*), intent(in) :: what
    if (passed) return
    failures = failures + 1
    if (failures <= shown) write (0, '(2a)') 'check failed: ', what
  end subroutine kit_check

  subroutine kit_check_number(got, want, what)
    integer, intent(in) :: got, want
    character(*), intent(in) :: what
    if (got == want) return
    call kit_check(.false., what)
    if (failures <= shown) write (0, '(a,i0,a,i0)') '  got ', got, ', not ', want
  end subroutine kit_check_number

  ! Another sequence.
  subroutine kit_seed(seed)
    integer, intent(in) :: seed
    integer i, skipped
    state = ieor(state, int(seed, 8) * 2654435761_8)
    do i = 1, 9
      skipped = kit_random(2)
    end do
  end subroutine kit_seed

  ! Returns a number from 0 to count-1; the sequence is the same in each run.
  integer function kit_random(count)
    integer, intent(in) :: count
    state = ieor(state, ishft(state, 13))
    state = ieor(state, ishft(state, -7))
    state = ieor(state, ishft(state, 17))
    kit_random = int(modulo(state, int(count, 8)))
  end function kit_random

  subroutine kit_verdict
    if (failures == 0) return
    write (0, '(a,i0,a)') 'fortran: FAILED: ', failures, ' checks'
    stop 1
  end subroutine kit_verdict
end module kit_fortran
