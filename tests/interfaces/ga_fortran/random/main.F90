! Makes random calls of Global Arrays and compares each result with a serial model. Process 0 also prints the results,
! so that the same program on another library can be compared (same.sh).
! Usage: random SEED ROUNDS [peer]. peer leaves out calls that are wrong in Debian's GA
! (tests/interfaces/ga_peer/differential/known.md).
program main
  use kit_fortran, only: kit_seed, kit_verdict
  use model
  use create
  use moves, only: move
  use whole, only: compute, reduce
  use patches, only: compute_patches
  use copies, only: mirror, update_ghosts
  use sorted, only: put_in_bins
  use equations, only: solve_something
  implicit none
  integer, parameter :: arrays = 3
  type(held) pool(arrays)
  integer seed, rounds, i
  character(20) word
  seed = 1
  rounds = 40
  call getarg(1_4, word)
  if (word /= ' ') read (word, *) seed
  call getarg(2_4, word)
  if (word /= ' ') read (word, *) rounds
  call getarg(3_4, word)
  peer = word == 'peer'
  call kit_seed(seed)
  call pbeginf
  call ga_initialize
  if (.not. ma_init(MT_DBL, 200000, 200000)) call ga_error('no memory for MA', 1)
  me = ga_nodeid()
  processes = ga_nnodes()
  do i = 1, arrays
    call create_array(pool(i))
  end do
  do step = 1, rounds
    i = from_to(1, arrays)
    select case (from_to(1, 13))
    case (1)
      call destroy(pool(i))
      call create_array(pool(i))
      call inquire_array(pool(i))
    case (2:5)
      call move(pool(i))
    case (6, 7)
      call compute(pool(i))
    case (8, 9)
      call compute_patches(pool(i))
    case (10)
      call reduce
    case (11)
      call update_ghosts
      call mirror
    case (12)
      call put_in_bins
    case (13)
      call solve_something
    end select
  end do
  do i = 1, arrays
    call destroy(pool(i))
  end do
  call ga_terminate
  call kit_verdict
  call pend
end program main
