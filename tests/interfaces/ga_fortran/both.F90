! Tests calls that have the same arguments under ga_ and nga_. Both versions are made of calls.inc.
module both
  implicit none
  private
  public :: all_calls
contains
#define GA(name) ga_/**/name
#define HERE(name) name/**/_ga
#include "calls.inc"
#undef GA
#undef HERE
#define GA(name) nga_/**/name
#define HERE(name) name/**/_nga
#include "calls.inc"

  subroutine all_calls
    call calls_ga
    call calls_nga
  end subroutine all_calls
end module both

program main
  use both, only: all_calls
  use kit_fortran, only: kit_verdict
  implicit none
  logical, external :: ma_init
  call pbeginf
  call ga_initialize
  call all_calls
  call ga_terminate
  call kit_verdict
  call pend
end program main
