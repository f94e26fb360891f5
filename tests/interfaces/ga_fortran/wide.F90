! Arrays with more elements than an INTEGER of 4 bytes counts. Usage:
!   wide        with INTEGER of 8 bytes: calls return right results
!   wide WHICH  with 4 bytes: one of these calls, which ends the job with the message of wide.txt
!   wide fits   with both: calls whose numbers all have 4 bytes
program wide
  use kit_fortran
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
  integer(8), parameter :: length = 2147483656_8, most = 2147483647_8
  integer, external :: wide_matrix, wide_line, wide_blocks, wide_counter, wide_sparse, wide_disk
  logical, external :: ga_create_bin_range
  character(20) :: which
  call getarg(1_4, which)
  call pbeginf
  call ga_initialize
  if (which == 'fits') then
    call bins
    call locate
    call nlocate
  else
    if (wanted('inquire')) call inquire_matrix
    if (wanted('ninquire')) call inquire_array
    if (wanted('distribution')) call distribution
    if (wanted('ndistribution')) call ndistribution
    if (wanted('access')) call access_ld
    if (wanted('segment')) call segment
    if (wanted('read_inc')) call read_inc
    if (wanted('columns')) call columns
    if (wanted('disk')) call disk
    if (wanted('ndisk')) call ndisk
  end if
  call ga_terminate
  call kit_verdict
  call pend

contains

  ! All of them if the program has no argument.
  logical function wanted(word)
    character(*), intent(in) :: word
    wanted = which == ' ' .or. which == word
  end function wanted

  subroutine same(got, want, what)
    integer, intent(in) :: got
    integer(8), intent(in) :: want
    character(*), intent(in) :: what
    call kit_check(int(got, 8) == want, what)
  end subroutine same

  subroutine gone(g)
    integer, intent(inout) :: g
    call kit_check(ga_destroy(g), 'ga_destroy')
  end subroutine gone

  subroutine inquire_matrix
    integer g, kind_of, rows, columns
    g = wide_matrix()
    call ga_inquire(g, kind_of, rows, columns)
    call same(rows, length, 'dim1')
    call same(columns, 1_8, 'dim2')
    call gone(g)
  end subroutine inquire_matrix

  subroutine inquire_array
    integer g, kind_of, n, dims(7)
    g = wide_matrix()
    call nga_inquire(g, kind_of, n, dims)
    call same(dims(1), length, 'dims(1)')
    call same(dims(2), 1_8, 'dims(2)')
    call gone(g)
  end subroutine inquire_array

  subroutine distribution
    integer g, ilo, ihi, jlo, jhi
    g = wide_matrix()
    call ga_distribution(g, 0, ilo, ihi, jlo, jhi)
    call same(ilo, 1_8, 'ilo')
    call same(ihi, length, 'ihi')
    call same(jlo, 1_8, 'jlo')
    call same(jhi, 1_8, 'jhi')
    call gone(g)
  end subroutine distribution

  subroutine ndistribution
    integer g, lo(2), hi(2)
    g = wide_matrix()
    call nga_distribution(g, 0, lo, hi)
    call same(lo(1), 1_8, 'lo(1)')
    call same(hi(1), length, 'hi(1)')
    call same(hi(2), 1_8, 'hi(2)')
    call gone(g)
  end subroutine ndistribution

  subroutine locate
    integer g, map(5, 1), np
    g = wide_matrix()
    call kit_check(ga_locate_region(g, 7, int(most), 1, 1, map, np), 'ga_locate_region')
    call same(map(1, 1), 7_8, 'ilo of a piece')
    call same(map(2, 1), most, 'ihi of a piece')
    call same(map(3, 1), 1_8, 'jlo of a piece')
    call same(map(4, 1), 1_8, 'jhi of a piece')
    call same(map(5, 1), 0_8, 'the process of a piece')
    call gone(g)
  end subroutine locate

  subroutine nlocate
    integer g, map(4), procs(1), np
    g = wide_matrix()
    call kit_check(nga_locate_region(g, [7, 1], [int(most), 1], map, procs, np), 'nga_locate_region')
    call same(map(1), 7_8, 'lo(1) of a piece')
    call same(map(2), 1_8, 'lo(2) of a piece')
    call same(map(3), most, 'hi(1) of a piece')
    call same(map(4), 1_8, 'hi(2) of a piece')
    call gone(g)
  end subroutine nlocate

  subroutine access_ld
    integer g, ld(1)
    MA_ACCESS_INDEX_TYPE k
    g = wide_matrix()
    call nga_access(g, [1, 1], [1, 1], k, ld)
    call same(ld(1), length, 'ld(1)')
    call nga_release(g, [1, 1], [1, 1])
    call gone(g)
  end subroutine access_ld

  subroutine segment
    integer g, number
    MA_ACCESS_INDEX_TYPE k
    g = wide_blocks()
    call nga_access_block_segment(g, 0, k, number)
    call same(number, length, 'the elements of a segment')
    call nga_release_block_segment(g, 0)
    call gone(g)
  end subroutine segment

  subroutine read_inc
    integer g
    g = wide_counter()
    call same(nga_read_inc(g, [1], 1), most, 'the value before the first increment')
    call same(nga_read_inc(g, [1], 1), most + 1, 'the value before the second')
    call gone(g)
  end subroutine read_inc

  subroutine columns
    integer s, lo, hi
    s = wide_sparse()
    call nga_sprs_array_row_distribution(s, 0, lo, hi)
    call same(hi, 3_8, 'the last row')
    call nga_sprs_array_column_distribution(s, 0, lo, hi)
    call same(lo, 0_8, 'the first column')
    call same(hi, length - 1, 'the last column')
    call kit_check(nga_sprs_array_destroy(s), 'nga_sprs_array_destroy')
  end subroutine columns

  subroutine disk
    integer d, kind_of, rows, columns
    character(80) :: title, path
    d = wide_disk()
    call kit_check(dra_inquire(d, kind_of, rows, columns, title, path) == 0, 'dra_inquire')
    call same(rows, length, 'dim1 on the disk')
    call same(columns, 1_8, 'dim2 on the disk')
    call kit_check(title == 'wide' .and. path == 'gaf_wide.dra', 'the names on the disk')
    call kit_check(dra_close(d) == 0, 'dra_close')
  end subroutine disk

  subroutine ndisk
    integer d, kind_of, n, dims(7)
    character(80) :: title, path
    d = wide_disk()
    call kit_check(ndra_inquire(d, kind_of, n, dims, title, path) == 0, 'ndra_inquire')
    call same(n, 2_8, 'ndim on the disk')
    call same(dims(1), length, 'dims(1) on the disk')
    call same(dims(2), 1_8, 'dims(2) on the disk')
    call kit_check(dra_close(d) == 0, 'dra_close')
  end subroutine ndisk

  ! One bin, which begins at the last place that 4 bytes count, and continues after it.
  subroutine bins
    integer g, g_cnt, g_off, g_range, range(2)
    character values(4)
    g = wide_line()
    call kit_check(nga_create(MT_INT, 1, [1], 'counts', [0], g_cnt), 'counts')
    call kit_check(nga_create(MT_INT, 1, [1], 'offsets', [0], g_off), 'offsets')
    call ga_fill(g_cnt, 4)
    call ga_fill(g_off, int(most) - 1)
    call ga_bin_index(g, g_cnt, g_off, ['a', 'b', 'c', 'd'], [1, 1, 1, 1], 4, .false.)
    values = ' '
    call nga_get(g, [int(most)], [int(most)], values, [1])
    call kit_check(values(1) == 'a' .and. values(2) == ' ', 'the first value of the bin')
    call kit_check(ga_create_bin_range(g, g_cnt, g_off, g_range), 'ga_create_bin_range')
    call nga_get(g_range, [1, 1], [2, 1], range, [2])
    call same(range(1), 1_8, 'the first bin')
    call same(range(2), 1_8, 'the last bin')
    call gone(g)
  end subroutine bins
end program wide
