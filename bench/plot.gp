# Rate against size, relative to the limit, for both MPIs.
#   gnuplot -e "results='build/bench'; plots='docs/plots'" bench/plot.gp
# results: folder of CSV files from run.sh; plots: where the SVG files go. For each mode two files:
# contiguous transfers, and 256 rows. An MPI without results is left out.
if (!exists("results")) results = 'build/bench'
if (!exists("plots")) plots = 'docs/plots'

set datafile separator ','
set style line 1 lc rgb '#888888' lw 1.5 dt 2
set style line 2 lc rgb '#0060ad' lw 2 pt 7 ps 0.5
set style line 3 lc rgb '#dd181f' lw 2 pt 5 ps 0.5
set grid lc rgb '#dddddd'
set logscale x 2
set format x '%.0b%B'
set logscale y
set yrange [0.0005:100]
set format y '%g'

file(mode, mpi) = results.'/'.mode.'-'.mpi.'.csv'
there(name) = int(system('test -s "'.name.'" && echo 1 || echo 0'))
# the rows of one operation: bytes, limit, ours, peer (0: not there)
rows(mode, mpi, operation) = \
  "< awk -F, '$3 == \"".operation."\" { print $4 \",\" $6 \",\" $7 \",\" $8 }' ".file(mode, mpi)
positive(x) = x > 0 ? x : NaN
limit(mode) = mode eq 'direct' ? 'limit: loads and stores' : \
  mode eq 'server' ? 'limit: MPI messages' : \
  mode eq 'server-busy' ? 'limit: target waits' : 'limit: MPI one-sided'

modes = 'direct window namespaces server server-busy'
kinds = 'contiguous rows'
contiguous = 'put get acc'
strided = 'put-rows get-rows acc-rows'

do for [mode in modes] {
  lines = there(file(mode, 'mpich')) + there(file(mode, 'openmpi'))
  if (lines == 0) { continue }
  do for [kind in kinds] {
    operations = kind eq 'rows' ? strided : contiguous
    set terminal svg size 1050,20 + 300 * lines font 'sans,12' background rgb 'white'
    set output plots.'/'.mode.'-'.kind.'.svg'
    set multiplot layout lines,3 title sprintf('%s: rate relative to the limit, %s', mode, \
      kind eq 'rows' ? '256 rows' : 'contiguous transfers')
    do for [mpi in 'mpich openmpi'] {
      if (!there(file(mode, mpi))) { continue }
      do for [operation in operations] {
        set title mpi.', '.operation
        set xlabel kind eq 'rows' ? 'bytes of a row' : 'bytes'
        set ylabel 'rate / limit'
        set xrange [4:(kind eq 'rows' ? 8192 : 33554432)]
        set key top left horizontal maxrows 2 samplen 1.5 font ',9'
        plot 1 ls 1 title limit(mode), \
          rows(mode, mpi, operation) using 1:(positive($3) > 0 ? $2 / $3 : NaN) \
            with linespoints ls 2 title 'Causeway', \
          rows(mode, mpi, operation) using 1:(positive($4) > 0 ? $2 / $4 : NaN) \
            with linespoints ls 3 title 'ARMCI-MPI'
      }
    }
    unset multiplot
    unset output
  }
}
