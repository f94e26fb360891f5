# Simulated time, messages, buffers and connections against the number of nodes, from run.sh.
#   gnuplot -e "results='build/bench/scale/scale.csv'; plots='docs/plots'" bench/scale/plot.gp
if (!exists("results")) results = 'build/bench/scale/scale.csv'
if (!exists("plots")) plots = 'docs/plots'

set datafile separator ','
set style line 1 lc rgb '#888888' lw 2 pt 5 ps 0.5
set style line 2 lc rgb '#0060ad' lw 2 pt 7 ps 0.5
set style line 3 lc rgb '#dd181f' lw 2 pt 9 ps 0.5
set style line 4 lc rgb '#118844' lw 2 pt 11 ps 0.5
set style line 5 lc rgb '#000000' lw 1 dt 2
set grid lc rgb '#dddddd'
set logscale x 2
set logscale y
set format y '%g'
set xlabel 'nodes'
set xrange [12:1400]
set xtics (16, 64, 256, 1024)
set key top left samplen 1.5 font ',10'

topologies = 'fcg mfcg cfcg hypercube'
patterns = 'counter small large chemistry'
rows(pattern, topology) = sprintf("< awk -F, '$4 == \"%s\" && $1 == \"%s\"' %s", pattern, topology, results)

# nodes, time, time relative to FCG's
times(pattern, topology) = sprintf("< awk -F, '$4 == \"%s\" && $1 == \"fcg\" { fcg[$2] = $5 } \
  $4 == \"%s\" && $1 == \"%s\" { print $2 \",\" $5 \",\" (fcg[$2] > 0 ? $5 / fcg[$2] : \"NaN\") }' %s", \
  pattern, pattern, topology, results)

set terminal svg size 1050,560 font 'sans,12' background rgb 'white'
set output plots.'/scale_time.svg'
set multiplot layout 2,4 \
  title 'Simulated time: one process and one server a node, torus of 2 GB/s and 6 us'
set key top left samplen 1 font ',9'
do for [pattern in patterns] {
  set title pattern
  set ylabel 'milliseconds'
  plot for [i = 1:4] times(pattern, word(topologies, i)) using 1:($2 * 1000) with linespoints ls i \
    title word(topologies, i)
}
unset logscale y
set yrange [0:1.4]
unset key
do for [pattern in patterns] {
  unset title
  set ylabel 'time / time with FCG'
  plot for [i = 1:4] times(pattern, word(topologies, i)) using 1:3 with linespoints ls i \
    title word(topologies, i)
}
unset multiplot
unset output
set autoscale y
set logscale y
set key top left samplen 1.5 font ',10'

set terminal svg size 1050,760 font 'sans,12' background rgb 'white'
set output plots.'/scale_messages.svg'
set multiplot layout 2,2 title 'Messages between nodes'
do for [pattern in 'counter chemistry'] {
  set title pattern.': all'
  set ylabel 'messages a process'
  plot for [i = 1:4] rows(pattern, word(topologies, i)) using 2:($6 / $3) with linespoints ls i \
    title word(topologies, i)
  set title pattern.': requests to the node that gets most'
  set ylabel 'messages'
  plot for [i = 1:4] rows(pattern, word(topologies, i)) using 2:10 with linespoints ls i \
    title word(topologies, i)
}
unset multiplot
unset output

set terminal svg size 1050,400 font 'sans,12' background rgb 'white'
set output plots.'/scale_memory.svg'
set multiplot layout 1,2 title 'What a node keeps for others: 8 buffers of 64 KiB for each neighbour'
set title 'request buffers of a server'
set ylabel 'MiB'
plot for [i = 1:4] rows('chemistry', word(topologies, i)) using 2:($12 / 2**20) with linespoints ls i \
    title word(topologies, i), \
  sqrt(x) ls 5 title 'sqrt N'
set title 'ranks that send requests or credits to one server'
set ylabel 'connections'
plot for [i = 1:4] rows('chemistry', word(topologies, i)) using 2:11 with linespoints ls i \
    title word(topologies, i)
unset multiplot
unset output
