! MA from Fortran: random blocks of all types on stack and heap, compared with a list of their contents. Each index
! must give MA's address of the block, counted from any of the common blocks, in the program and in routines that it
! calls.
program random
  use, intrinsic :: iso_c_binding
  use kit_fortran
  implicit none
#include "mafdecls.fh"
  integer, parameter :: types = 7, most = 50
  integer, parameter :: codes(types) = [MT_BYTE, MT_INT, MT_LOG, MT_REAL, MT_DBL, MT_SCPL, MT_DCPL]
  integer :: handles(most), kinds(most), bytes(most), fills(most), count = 0
  logical :: stacked(most)

  call kit_check(.not. ma_initialized(), 'MA is initialized before ma_init')
  call kit_check_number(ma_sizeof(MT_DCPL, 3, MT_DBL), 6, 'ma_sizeof before ma_init')
  call kit_check(ma_init(MT_DBL, 100000, 200000), 'ma_init')
  call kit_check(ma_set_numalign(0), 'the least alignment')
  call steps(4000)
  call kit_check(ma_set_numalign(6), 'alignment to 64 bytes')
  call steps(4000)
  call kit_verdict

contains

  subroutine steps(rounds)
    integer, intent(in) :: rounds
    integer :: round
    do round = 1, rounds
      if (count == 0 .or. (count < most .and. kit_random(9) < 5)) then
        call make
      else
        call drop(1 + kit_random(count))
      end if
    end do
    call kit_check(ma_verify_allocator_stuff(), 'blocks are not as they were')
    do while (count > 0)
      call drop(count)
    end do
  end subroutine steps

  subroutine make
    integer :: kind, elements, handle
    integer*8 :: index, again
    logical :: done, on_stack
    kind = 1 + kit_random(types)
    elements = kit_random(300)
    on_stack = kit_random(2) == 0
    if (on_stack) then
      done = ma_push_get(codes(kind), elements, 'pushed', handle, index)
    else
      done = ma_alloc_get(codes(kind), elements, 'allocated', handle, index)
    end if
    call kit_check(done, 'a block is refused')
    call kit_check(ma_get_index(handle, again) .and. again == index, 'ma_get_index says another index')
    call kit_check(address(kind, index) == place(handle), 'the index is not that of the address')
    count = count + 1
    handles(count) = handle
    kinds(count) = kind
    bytes(count) = elements * ma_sizeof(codes(kind), 1, MT_BYTE)
    fills(count) = kit_random(127)
    stacked(count) = on_stack
    call by_index(kind, index, bytes(count), fills(count), .true.)
  end subroutine make

  ! Returns the address that MA reports for the block.
  integer*8 function place(handle)
    integer, intent(in) :: handle
    interface
      function get_pointer(memhandle, pointer) bind(c, name='MA_get_pointer')
        integer, value :: memhandle
        integer*8 :: pointer
        integer :: get_pointer
      end function get_pointer
    end interface
    call kit_check(get_pointer(handle, place) == 1, 'MA_get_pointer')
  end function place

  integer*8 function address(kind, index)
    integer, intent(in) :: kind
    integer*8, intent(in) :: index
    select case (codes(kind))
    case (MT_BYTE); address = loc(byte_mb(index))
    case (MT_INT); address = loc(int_mb(index))
    case (MT_LOG); address = loc(log_mb(index))
    case (MT_REAL); address = loc(real_mb(index))
    case (MT_DBL); address = loc(dbl_mb(index))
    case (MT_SCPL); address = loc(scpl_mb(index))
    case default; address = loc(dcpl_mb(index))
    end select
  end function address

  subroutine by_index(kind, index, length, fill, write)
    integer, intent(in) :: kind, length, fill
    integer*8, intent(in) :: index
    logical, intent(in) :: write
    logical :: right
    interface
      subroutine bytes_of(array, length, fill, write, right)
        type(*) :: array(*)
        integer, intent(in) :: length, fill
        logical, intent(in) :: write
        logical, intent(out) :: right
      end subroutine bytes_of
    end interface
    right = .true.
    select case (codes(kind))
    case (MT_BYTE); call bytes_of(byte_mb(index), length, fill, write, right)
    case (MT_INT); call bytes_of(int_mb(index), length, fill, write, right)
    case (MT_LOG); call bytes_of(log_mb(index), length, fill, write, right)
    case (MT_REAL); call bytes_of(real_mb(index), length, fill, write, right)
    case (MT_DBL); call bytes_of(dbl_mb(index), length, fill, write, right)
    case (MT_SCPL); call bytes_of(scpl_mb(index), length, fill, write, right)
    case default; call bytes_of(dcpl_mb(index), length, fill, write, right)
    end select
    call kit_check(right, 'contents')
  end subroutine by_index

  ! Popping a block of the stack also pops all that were pushed after it.
  subroutine drop(which)
    integer, intent(in) :: which
    integer :: i, left
    integer*8 :: index
    logical :: gone
    call kit_check(ma_get_index(handles(which), index), 'a block is not known')
    call by_index(kinds(which), index, bytes(which), fills(which), .false.)
    if (.not. stacked(which)) then
      call kit_check(ma_free_heap(handles(which)), 'freeing is refused')
    else if (any(stacked(which + 1:count))) then
      call kit_check(.not. quiet_pop(handles(which)), 'a block below the top was popped')
      call kit_check(ma_chop_stack(handles(which)), 'chopping is refused')
    else
      call kit_check(ma_pop_stack(handles(which)), 'popping is refused')
    end if
    left = which - 1
    do i = which + 1, count
      gone = stacked(which) .and. stacked(i)
      if (.not. gone) then
        left = left + 1
        handles(left) = handles(i)
        kinds(left) = kinds(i)
        bytes(left) = bytes(i)
        fills(left) = fills(i)
      end if
    end do
    stacked(which:left) = pack(stacked(which + 1:count), .not. (stacked(which) .and. stacked(which + 1:count)))
    count = left
  end subroutine drop

  logical function quiet_pop(handle)
    integer, intent(in) :: handle
    logical :: before
    before = ma_set_error_print(.false.)
    quiet_pop = ma_pop_stack(handle)
    call kit_check(before .and. .not. ma_set_error_print(.true.), 'errors are printed at first')
  end function quiet_pop
end program random
