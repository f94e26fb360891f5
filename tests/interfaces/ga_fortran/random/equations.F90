! Systems of equations, inverses, factors and eigenvalues of small matrices. The results of the library must be
! solutions.
module equations
  use model
  implicit none
  integer, parameter :: widest = 10
  double precision, parameter :: near = 1d-8

  ! Tests symmetric positive definite matrices, and right-hand sides.
  type problem
    integer :: n = 0, m = 0
    double precision :: a(widest, widest) = 0, s(widest, widest) = 0, b(widest, 3) = 0
  end type problem
contains

  subroutine solve_something
    type(problem) p
    integer what
    call draw_problem(p)
    what = from_to(1, 6)
    call say_numbers('equations', (/what, p%n, p%m/))
    select case (what)
    case (1)
      call solve_general(p)
    case (2)
      call solve_symmetric(p)
    case (3)
      call invert(p)
    case (4)
      call factor(p)
    case (5, 6)
      call diagonalize(p, what == 5)
    end select
  end subroutine solve_something

  subroutine draw_problem(p)
    type(problem), intent(out) :: p
    integer k
    p%n = from_to(1, widest)
    p%m = from_to(1, 3)
    call draw_definite(p%n, p%a)
    call draw_definite(p%n, p%s)
    do k = 1, p%m
      call draw_column(p%b(1:p%n, k))
    end do
  end subroutine draw_problem

  subroutine draw_column(column)
    double precision, intent(out) :: column(:)
    integer i
    do i = 1, size(column)
      column(i) = from_to(-3, 3)
    end do
  end subroutine draw_column

  subroutine draw_definite(n, a)
    integer, intent(in) :: n
    double precision, intent(inout) :: a(:, :)
    double precision half(n, n)
    integer k
    do k = 1, n
      call draw_column(half(:, k))
    end do
    a(1:n, 1:n) = matmul(half, transpose(half))
    do k = 1, n
      a(k, k) = a(k, k) + n
    end do
  end subroutine draw_definite

  integer function matrix_of(numbers) result(g)
    double precision, intent(in) :: numbers(:, :)
    double precision dense(size(numbers, 1), size(numbers, 2))
    integer n, m
    n = size(numbers, 1)
    m = size(numbers, 2)
    dense = numbers
    call kit_check(ga_create(MT_DBL, n, m, 'matrix', 0, 0, g), 'ga_create')
    if (me == 0) call ga_put(g, 1, n, 1, m, dense, n)
    call ga_sync
  end function matrix_of

  function numbers_of(g, n, m) result(numbers)
    integer, intent(in) :: g, n, m
    double precision numbers(n, m)
    call ga_sync
    call ga_get(g, 1, n, 1, m, numbers, n)
    call ga_sync
  end function numbers_of

  ! Tests nonsymmetric matrices. Transposed systems are not compared with Debian's GA.
  subroutine solve_general(p)
    type(problem), intent(inout) :: p
    double precision x(p%n, p%m)
    integer g, h, k
    character trans
    do k = 2, p%n
      p%a(k - 1, k) = p%a(k - 1, k) + from_to(0, 2)
    end do
    trans = merge('t', 'n', chance(50) .and. .not. peer)
    g = matrix_of(p%a(1:p%n, 1:p%n))
    h = matrix_of(p%b(1:p%n, 1:p%m))
    call ga_lu_solve(trans, g, h)
    x = numbers_of(h, p%n, p%m)
    if (trans == 't') p%a = transpose(p%a)
    call check_solution(p, x, 'ga_lu_solve')
    call kit_check(ga_destroy(g) .and. ga_destroy(h), 'ga_destroy')
  end subroutine solve_general

  subroutine check_solution(p, x, what)
    type(problem), intent(in) :: p
    double precision, intent(in) :: x(:, :)
    character(*), intent(in) :: what
    call kit_check(maxval(abs(matmul(p%a(1:p%n, 1:p%n), x) - p%b(1:p%n, 1:p%m))) < near, what)
  end subroutine check_solution

  subroutine solve_symmetric(p)
    type(problem), intent(in) :: p
    integer g, h, info
    logical definite
    definite = chance(50)
    g = matrix_of(p%a(1:p%n, 1:p%n))
    h = matrix_of(p%b(1:p%n, 1:p%m))
    if (.not. definite) info = ga_solve(g, h)
    if (definite) info = ga_llt_solve(g, h)
    call kit_check(info == 0, 'the result of ga_solve and ga_llt_solve')
    call check_solution(p, numbers_of(h, p%n, p%m), 'ga_solve and ga_llt_solve')
    call kit_check(ga_destroy(g) .and. ga_destroy(h), 'ga_destroy')
  end subroutine solve_symmetric

  subroutine invert(p)
    type(problem), intent(in) :: p
    double precision found(p%n, p%n)
    integer g, k
    g = matrix_of(p%a(1:p%n, 1:p%n))
    call kit_check(ga_spd_invert(g) == 0, 'the result of ga_spd_invert')
    found = matmul(numbers_of(g, p%n, p%n), p%a(1:p%n, 1:p%n))
    do k = 1, p%n
      found(k, k) = found(k, k) - 1
    end do
    call kit_check(maxval(abs(found)) < near, 'ga_spd_invert')
    call kit_check(ga_destroy(g), 'ga_destroy')
  end subroutine invert

  subroutine factor(p)
    type(problem), intent(in) :: p
    integer, external :: ga_cholesky
    double precision found(p%n, p%n)
    integer g
    character uplo
    uplo = merge('L', 'U', chance(50))
    g = matrix_of(p%a(1:p%n, 1:p%n))
    call kit_check(ga_cholesky(uplo, g) == 0, 'the result of ga_cholesky')
    found = numbers_of(g, p%n, p%n)
    if (uplo == 'U') found = transpose(found)
    call kit_check(maxval(abs(matmul(found, transpose(found)) - p%a(1:p%n, 1:p%n))) < near, 'ga_cholesky')
    call kit_check(ga_destroy(g), 'ga_destroy')
  end subroutine factor

  ! Solves A v = e S v; standard means S = 1. Debian's GA has only the calls that end in _seq.
  subroutine diagonalize(p, standard)
    type(problem), intent(in) :: p
    logical, intent(in) :: standard
    double precision vectors(p%n, p%n), values(p%n), right(p%n, p%n)
    integer g, s, v, k
    logical sequential
    sequential = peer .or. chance(50)
    g = matrix_of(p%a(1:p%n, 1:p%n))
    s = matrix_of(p%s(1:p%n, 1:p%n))
    v = matrix_of(p%s(1:p%n, 1:p%n))
    if (standard .and. sequential) call ga_diag_std_seq(g, v, values)
    if (standard .and. .not. sequential) call ga_diag_std(g, v, values)
    if (.not. standard .and. sequential) call ga_diag_seq(g, s, v, values)
    if (.not. standard .and. .not. sequential) call ga_diag(g, s, v, values)
    vectors = numbers_of(v, p%n, p%n)
    right = vectors
    if (.not. standard) right = matmul(p%s(1:p%n, 1:p%n), vectors)
    do k = 1, p%n
      right(:, k) = right(:, k) * values(k)
    end do
    call kit_check(maxval(abs(matmul(p%a(1:p%n, 1:p%n), vectors) - right)) < near, 'eigenvectors')
    call kit_check(all(values(2:) >= values(:p%n - 1) - near), 'the order of eigenvalues')
    call kit_check(maxval(abs(vectors)) > 1d-3, 'eigenvectors that are not 0')
    call kit_check(ga_destroy(g) .and. ga_destroy(s) .and. ga_destroy(v), 'ga_destroy')
  end subroutine diagonalize
end module equations
