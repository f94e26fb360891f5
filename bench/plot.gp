# The pictures of docs/performance.md and its details, from the CSV files that bench/run.sh has written.
#   gnuplot -e "results='docs/results'" bench/plot.gp
# results: the folder of the CSV files; the SVG files go there, too. A measurement without results has no picture.
if (!exists("results")) results = 'docs/results'
if (!exists("bench")) bench = 'bench'

set datafile separator ','
set style line 1 lc rgb '#888888' lw 1.5 dt 2
set style line 2 lc rgb '#0060ad' lw 2 pt 7 ps 0.4
set style line 3 lc rgb '#dd181f' lw 2 pt 5 ps 0.4
set style line 4 lc rgb '#118844' lw 2 pt 9 ps 0.4
set style line 5 lc rgb '#b06000' lw 2 pt 11 ps 0.4
set style line 6 lc rgb '#707070' lw 2 pt 13 ps 0.4
set grid lc rgb '#e8e8e8'
set logscale xy

file(name, mpi) = results.'/'.name.'-'.mpi.'.csv'
# Output of a command whose input is the Markdown tables of a CSV file
printed(name, command) = '< awk -f '.bench.'/table.awk '.results.'/'.name.'.csv | '.command
there(name) = int(system('test -s "'.name.'" && echo 1 || echo 0'))
# the rows of one operation: 1 bytes of a transfer, 2 limit, 3 ours, 4 peer (0: not there, -1: waits)
rows(name, mpi, operation) = "< awk -F, '$3 == \"".operation."\" \
  { print $4 * $5 \",\" $6 \",\" $7 \",\" $8 }' ".file(name, mpi)
positive(x) = x > 0 ? x : NaN
bytes_axis = "set format x '%.0b %BB'; set logscale x 2; set xlabel 'bytes of a transfer'"
times_axis = "set format y '%.0s %cs'; set ylabel 'time'"
ratio_axis = "set format y '%g'"
svg(columns, lines) = sprintf("set terminal svg size %d,%d font 'sans,11' background rgb 'white'", \
  350 * columns, 30 + 290 * lines)

both = 'put get acc put-rows'
says(operation) = operation eq 'acc' ? 'accumulate' : operation eq 'put-rows' ? 'put of 256 rows' : operation

# --- How close to the limit -----------------------------------------------------------------------

do for [kind in 'limit peer'] {
  if (!there(file('direct', 'mpich')) || !there(file('server', 'mpich'))) { continue }
  eval(svg(2, 1)); set output results.'/'.kind.'.svg'
  set multiplot layout 1,2 title kind eq 'limit' ? 'Rate of Causeway / rate of the limit (MPICH)' : \
    'How many times faster than ARMCI-MPI (MPICH)'
  eval(bytes_axis); eval(ratio_axis)
  if (kind eq 'limit') { set key bottom right samplen 1.5 font ',9' } else { set key top right samplen 1.5 font ',9' }
  set xrange [4:33554432]
  do for [name in 'direct server'] {
    set title name eq 'direct' ? 'one node' : 'two hosts, TCP'
    set yrange [kind eq 'limit' ? 0.1 : 0.5:kind eq 'limit' ? 10 : 1000]
    plot 1 ls 1 title kind eq 'limit' ? 'the limit' : 'as fast as ARMCI-MPI', \
      for [i = 1:4] rows(name, 'mpich', word(both, i)) using \
        1:(positive($3) > 0 ? positive(kind eq 'limit' ? $2 : $4) / $3 : NaN) \
        with linespoints ls i + 1 title says(word(both, i))
  }
  unset multiplot; unset output
}

# --- Times of transfers ---------------------------------------------------------------------------

picture(name) = name eq 'direct' ? 'one-node' : name eq 'server' ? 'two-hosts' : name
do for [name in 'direct server window namespaces'] {
  mpis = (there(file(name, 'mpich')) ? 'mpich ' : '').(there(file(name, 'openmpi')) ? 'openmpi' : '')
  if (words(mpis) == 0) { continue }
  eval(svg(3, words(mpis))); set output results.'/'.picture(name).'.svg'
  set multiplot layout words(mpis),3 title name eq 'direct' ? 'Time of a transfer, one node' : \
    name eq 'window' ? 'Time of a transfer through MPI, two virtual nodes' : \
    name eq 'namespaces' ? 'Time of a transfer through MPI, two hosts over TCP' : 'Time of a transfer, two hosts over TCP'
  eval(bytes_axis); eval(times_axis)
  set key top left samplen 1.5 font ',9'
  set xrange [4:33554432]; set autoscale y
  do for [mpi in mpis] {
    do for [operation in 'put get acc'] {
      set title mpi.', '.says(operation)
      plot rows(name, mpi, operation) using 1:(positive($2) * 1e-9) with lines ls 1 \
          title name eq 'direct' ? 'limit: loads and stores' : name eq 'server' ? 'limit: MPI messages' : 'limit: MPI one-sided', \
        rows(name, mpi, operation) using 1:(positive($3) * 1e-9) with linespoints ls 2 title 'Causeway', \
        rows(name, mpi, operation) using 1:(positive($4) * 1e-9) with linespoints ls 3 title 'ARMCI-MPI'
    }
  }
  unset multiplot; unset output
}

# --- The target computes --------------------------------------------------------------------------

if (there(file('server-busy', 'mpich')) && there(file('server-busy', 'openmpi'))) {
  eval(svg(3, 1)); set output results.'/busy.svg'
  set multiplot layout 1,3 title 'Two hosts: the target waits, or computes outside MPI (ARMCI-MPI then takes 100 ms)'
  eval(bytes_axis); eval(times_axis)
  set key top left samplen 1.5 font ',9'
  set xrange [4:33554432]; set autoscale y
  do for [operation in 'put get acc'] {
    set title says(operation)
    plot for [i = 1:2] rows('server-busy', word('mpich openmpi', i), operation) using 1:(positive($2) * 1e-9) \
        with lines ls i + 1 dt 2 title word('mpich openmpi', i).': waits', \
      for [i = 1:2] rows('server-busy', word('mpich openmpi', i), operation) using 1:(positive($3) * 1e-9) \
        with linespoints ls i + 1 title word('mpich openmpi', i).': computes'
  }
  unset multiplot; unset output
}

# --- Many nodes -----------------------------------------------------------------------------------

topologies = 'fcg mfcg cfcg hypercube'
# nodes, time, time relative to FCG's
simulated(pattern, topology) = sprintf("< awk -F, '$4 == \"%s\" && $1 == \"fcg\" { fcg[$2] = $5 } \
  $4 == \"%s\" && $1 == \"%s\" { print $2 \",\" $5 \",\" (fcg[$2] > 0 ? $5 / fcg[$2] : \"NaN\") }' %s", \
  pattern, pattern, topology, results.'/scale.csv')
if (there(results.'/scale.csv')) {
  eval(svg(3, 1)); set output results.'/many-nodes.svg'
  set multiplot layout 1,4 title 'Simulated: time / time with all nodes linked to all (FCG)'
  set format x '%g'; set xlabel 'nodes'; unset ylabel
  set xrange [12:1400]; set xtics (16, 64, 256, 1024)
  unset logscale y; set yrange [0:1.4]; set format y '%g'
  set key bottom left samplen 1.5 font ',9'
  do for [pattern in 'counter small large chemistry'] {
    set title pattern
    plot for [i = 1:4] simulated(pattern, word(topologies, i)) using 1:3 with linespoints ls i + 1 \
      title word(topologies, i)
  }
  unset multiplot; unset output
  set logscale y; set xtics auto
}

# --- A tree on many nodes -------------------------------------------------------------------------

searched(work, way) = sprintf("< awk -F, '$1 == \"%s\" && $4 == %s { print $2 \",\" $6 }' %s", way, work, results.'/search.csv')
if (there(results.'/search.csv')) {
  works = system("awk -F, 'NR > 1 { print $4 }' ".results."/search.csv | sort -rnu")
  eval(svg(words(works) > 1 ? words(works) : 1.5, 1)); set output results.'/search.svg'
  set multiplot layout 1,words(works) title 'Simulated: efficiency of the Unbalanced Tree Search, as many nodes as T1L'
  set format x '%g'; set xlabel 'processes'; unset ylabel
  set logscale x 2; set xrange [12:1400]; set xtics (16, 64, 256, 1024)
  unset logscale y; set yrange [0:1.05]; set format y '%g'
  set key bottom left samplen 1.5 font ',9'
  do for [work in works] {
    set title sprintf('%g ns a node of T1L', work / 25.0)
    plot 0.9 ls 1 title 'aim', searched(work, 'half') using 1:2 with linespoints ls 2 title 'pool, half', \
      searched(work, 'one') using 1:2 with linespoints ls 4 title 'pool, one task', \
      searched(work, 'locks') using 1:2 with linespoints ls 5 title 'locks', \
      searched(work, 'polling') using 1:2 with linespoints ls 3 title 'messages, polling'
  }
  unset multiplot; unset output
  set logscale xy; set xtics auto
}

# --- Silence --------------------------------------------------------------------------------------

# The program prints a table: | silence (ms) | answer | slowest tenth | cores |
silent(mpi) = printed('idle-'.mpi, "sed -n 's/^| *\\([0-9.]\\+\\) *| *\\([0-9.]\\+\\) *| *\\([0-9.]\\+\\).*/\\1,\\2,\\3/p'")
if (there(results.'/idle-mpich.csv') && there(results.'/idle-openmpi.csv')) {
  eval(svg(1.5, 1)); set output results.'/idle.svg'
  set title 'An answer after silence (get of 8 bytes, two hosts)'
  set xlabel 'milliseconds of silence'; set ylabel 'microseconds'
  set format xy '%g'; set logscale x 10; set autoscale x; set yrange [5:5000]
  set key top left samplen 1.5 font ',9'
  plot for [i = 1:2] silent(word('mpich openmpi', i)) using 1:2 with linespoints ls i + 1 \
      title word('mpich openmpi', i).': median', \
    for [i = 1:2] silent(word('mpich openmpi', i)) using 1:3 with lines ls i + 1 dt 2 \
      title word('mpich openmpi', i).': slowest tenth'
  unset output
}

# --- Devices --------------------------------------------------------------------------------------

# The program prints, for each back end and kind of nodes, "NAME, one node" and tables
#   | transfer | bytes | limit | naive | ours | ...
devices(where, back_end, name) = printed('device-mpich', "awk -F ' *[|] *' '/^[^|].*node/ { on = index($0, \"".where."\") && \
  (index($0, \"this process\") > 0) == ".back_end." } /list of/ { on = 0 } on && $2 ~ /^".name."$/ { print $3 \",\" $4 \",\" $5 \",\" $6 }'")
latencies(where, back_end) = printed('device-mpich', "awk -F ' *[|] *' '/^[^|].*node/ { on = index($0, \"".where."\") && \
  (index($0, \"this process\") > 0) == ".back_end." } /list of/ { on = 0 } on && $3 == 8 && $2 !~ /^(put|get)$|shared/ { \
  print $2 \",\" $4 \",\" ($5 == \"\" ? 0 : $5) \",\" $6 }'")
back_end(i) = i == 1 ? 'emulated device' : 'PoCL'
if (there(results.'/device-mpich.csv')) {
  eval(svg(4, 2)); set output results.'/device-latency.svg'
  set multiplot layout 2,2 title '8 bytes to and from devices (MPICH)'
  unset logscale; set autoscale xy; set style data histograms; set style fill solid 0.8 border -1
  set yrange [0:*]; set format y '%g'; set ylabel 'microseconds'; unset xlabel; set format x '%s'
  set xtics rotate by -25 font ',8' noenhanced; set key top left samplen 1.5 font ',9'
  do for [i = 1:2] { do for [where in '"one node" "two virtual"'] {
    set title back_end(i).', '.(where eq 'one node' ? 'one node' : 'two virtual nodes')
    plot latencies(where, 2 - i) using 2:xtic(1) lc rgb '#888888' title 'limit', \
      '' using (positive($3)) lc rgb '#dd181f' title 'naive program', '' using 4 lc rgb '#0060ad' title 'Causeway'
  } }
  unset multiplot; unset output
  set xtics norotate font ',11'; set style data lines
  near = '"put to my device" "put a slice to a peer.s device" "put other memory to a peer.s device" "put my device to a peer.s"'
  far = '"put a slice to another node.s device" "put my device to another node.s slice" "put my device to another node.s"'
  near_says = '"to my device" "slice to device" "other memory to device" "device to device"'
  far_says = '"slice to device" "device to slice" "device to device"'
  eval(svg(4, 2)); set output results.'/device-bandwidth.svg'
  set multiplot layout 2,2 title 'Rate of puts by bytes of a transfer; limits dashed (MPICH)'
  eval(bytes_axis); set logscale xy; set logscale x 2; set format y '%g'; set ylabel 'GB/s'
  set xrange [8192:134217728]; set autoscale y; set key bottom right samplen 1.5 font ',8'
  do for [i = 1:2] { do for [where in '"one node" "two virtual"'] {
    set title back_end(i).', '.(where eq 'one node' ? 'one node' : 'two virtual nodes')
    all = where eq 'one node' ? near : far
    says_all = where eq 'one node' ? near_says : far_says
    plot for [k = 1:words(all)] devices(where, 2 - i, word(all, k)) using 1:($1 / $2 * 1e-3) with lines ls k + 1 dt 2 notitle, \
      for [k = 1:words(all)] devices(where, 2 - i, word(all, k)) using 1:($1 / $4 * 1e-3) with linespoints ls k + 1 \
        title word(says_all, k)
  } }
  unset multiplot; unset output; set logscale xy; set xtics auto
}

# --- Both kinds of workers ------------------------------------------------------------------------

# The program prints a table: | task (us) | tasks | host | device | limit | both | ...
kinds = printed('kinds-mpich', "sed -n 's/^| *\\([0-9]\\+\\) *| *[0-9]\\+ *| *\\([0-9.]\\+\\) *| *\\([0-9.]\\+\\) *| *\\([0-9.]\\+\\) *| *\\([0-9.]\\+\\) *.*/\\1,\\2,\\3,\\4,\\5/p'")
if (there(results.'/kinds-mpich.csv')) {
  eval(svg(1.5, 1)); set output results.'/device-kinds.svg'
  set title 'Tasks on a host and a device that are equally fast (MPICH)'
  set xlabel 'length of a task, microseconds'; set ylabel 'time / time of the limit'
  set format xy '%g'; unset logscale; set logscale x 10; set xrange [15:2700]; set yrange [0:3]
  set xtics (20, 50, 100, 200, 500, 1000, 2000)
  set key top right samplen 1.5 font ',9'
  plot 1 ls 1 title 'limit: 1 / (1 / host + 1 / device)', 1.15 ls 6 dt 3 title 'aim', \
    kinds using 1:($2 / $4) with linespoints ls 3 title 'host alone', \
    kinds using 1:($3 / $4) with linespoints ls 4 title 'device alone', \
    kinds using 1:($5 / $4) with linespoints ls 2 title 'both'
  unset output; set logscale xy; set xtics auto
}

# --- Threads --------------------------------------------------------------------------------------

# The program prints a table: | operation | threads | thousands a second | against one thread |
threads(mpi, operation) = printed('threads-'.mpi, "sed -n 's/^| *".operation."[^|]*| *\\([0-9]\\+\\) *| *\\([0-9.]\\+\\) *| *\\([0-9.]\\+\\).*/\\1,\\3/p'")
if (there(results.'/threads-mpich.csv') && there(results.'/threads-openmpi.csv')) {
  eval(svg(1.5, 1)); set output results.'/threads.svg'
  set title 'Round trips of several threads together (two hosts)'
  set xlabel 'threads'; set ylabel 'times the rate of one thread'
  set format xy '%g'; unset logscale; set xrange [0.5:8.5]; set yrange [0:*]; set xtics (1, 2, 4, 8)
  set key top left samplen 1.5 font ',9'
  plot for [i = 1:2] threads(word('mpich openmpi', i), 'fetch') using 1:2 with linespoints ls i + 1 \
      title word('mpich openmpi', i).': fetch-and-add', \
    for [i = 1:2] threads(word('mpich openmpi', i), 'get') using 1:2 with linespoints ls i + 3 \
      title word('mpich openmpi', i).': get of 8 bytes'
  unset output
}

# --- Views of memory ------------------------------------------------------------------------------

# The program prints tables that begin with | threads, | stream, | put + flush, bytes, | put + flush while
views(name, begins) = printed(name.'-mpich', "awk -F ' *[|] *' 'substr($2, 1, 1) ~ /[a-z]/ { on = index($2, \"".begins."\") == 1 } \
  on && $2 ~ /^[0-9]+$/ { print $2 \",\" $3 \",\" $4 \",\" $5 \",\" $6 \",\" $7 }'")
if (there(results.'/views-mpich.csv') && there(results.'/views-hosts-mpich.csv')) {
  eval(svg(4, 2)); set output results.'/views.svg'
  set multiplot layout 2,4 title 'Puts through views (MPICH)'
  do for [name in 'views views-hosts'] {
    hosts = name eq 'views' ? 'one node' : 'two hosts'
    set logscale xy; set autoscale xy; set format y '%.0s %cs'; set ylabel 'time of a put'
    set key top left samplen 1.5 font ',8'
    set logscale x 2; set format x '%g'; set xlabel 'threads'; set xtics auto; set xrange [0.8:20]
    set title hosts.': put of 8 B + flush'
    plot views(name, 'threads') using 1:($4 * 1e-6) with linespoints ls 3 title 'MPI\_Put + MPI\_Win\_flush', \
      '' using 1:($3 * 1e-6) with linespoints ls 4 title 'process scope', \
      '' using 1:($2 * 1e-6) with linespoints ls 2 title 'thread scope'
    eval(bytes_axis); set autoscale x; set xtics (8, 64, 512, 4096, 32768, 262144); set ylabel 'time of a put'
    set title hosts.': stream of puts'
    plot views(name, 'stream') using 1:($6 * 1e-6) with linespoints ls 3 title 'MPI\_Put + MPI\_Win\_flush', \
      '' using 1:($5 * 1e-6) with linespoints ls 5 title 'MPI\_Put', \
      '' using 1:($4 * 1e-6) with linespoints ls 4 title 'put + flush', \
      '' using 1:($3 * 1e-6) with linespoints ls 2 title 'ordered', \
      '' using 1:($2 * 1e-6) with lines ls 1 title 'not ordered'
    do for [begins in '"put + flush, " "put + flush while"'] {
      set title hosts.(begins eq 'put + flush while' ? ': the target computes' : ': put + flush')
      plot views(name, begins) using 1:($5 * 1e-6) with linespoints ls 3 title 'MPI, dynamic window', \
        '' using 1:($4 * 1e-6) with linespoints ls 5 title 'MPI, allocated window', \
        '' using 1:($3 * 1e-6) with linespoints ls 4 title 'memory handle', \
        '' using 1:($2 * 1e-6) with linespoints ls 2 title 'region'
    }
  }
  unset multiplot; unset output; set xtics auto
}

# --- Patches of arrays ----------------------------------------------------------------------------

# The program prints a table: | operation | n x n, where | limit | ours | GA on our ARMCI | GA on ARMCI-MPI | ...
squares(operation, where) = printed('arrays-mpich', "awk -F '[|]' '$2 ~ /^ *".operation." *$/ && $3 ~ /^ [0-9]+ x [0-9]+".where." $/ \
  { n = $3 + 0; print 8 * n * n \",\" $4 \",\" $5 \",\" $6 \",\" $7 }'")
if (there(results.'/arrays-mpich.csv')) {
  eval(svg(2, 1)); set output results.'/arrays.svg'
  set multiplot layout 1,2 title 'Getting a square of doubles with NGA\_Get, one node (MPICH)'
  eval(bytes_axis); eval(times_axis); set logscale y; set xrange [4:16777216]; set yrange [2e-9:2e-1]
  set xtics auto
  set key bottom right samplen 1.5 font ',9'
  do for [where in '"" ", both"']  {
    set title where eq '' ? 'of the other process' : 'half of it my own'
    plot squares('NGA_Get', where) using 1:($2 * 1e-9) with lines ls 1 title 'memcpy of each row', \
      squares('NGA_Get', where) using 1:($3 * 1e-9) with linespoints ls 2 title 'Causeway', \
      squares('NGA_Get', where) using 1:($4 * 1e-9) with linespoints ls 4 title 'Global Arrays on our libarmci', \
      squares('NGA_Get', where) using 1:($5 * 1e-9) with linespoints ls 3 title 'Global Arrays on ARMCI-MPI'
  }
  unset multiplot; unset output
}

# --- Virtual OpenCL through proxies ---------------------------------------------------------------

# | transfer | bytes | native, GB/s | this node | ratio | another node | MPI's stream | ...
through_proxies(what) = printed('vocl-mpich', "awk -F ' *[|] *' '$2 == \"".what."\" && NF == 10 { \
  print $3 \",\" $4 \",\" $5 \",\" $7 \",\" $8 }'")
if (there(results.'/vocl-mpich.csv') && int(system("grep -c 'another node,MPI' ".results.'/vocl-mpich.csv')) > 0) {
  eval(svg(2, 1)); set output results.'/vocl-bytes.svg'
  set multiplot layout 1,2 title 'Transfers to and from a device by bytes of a blocking call (PoCL, MPICH)'
  eval(bytes_axis); set logscale xy; set logscale x 2; set format y '%g'; set ylabel 'GB/s'
  set xrange [512:536870912]; set autoscale y; set key bottom right samplen 1.5 font ',9'
  do for [what in 'write read'] {
    set title what
    plot through_proxies(what) using 1:5 with lines ls 1 title "MPI's stream", \
      through_proxies(what) using 1:2 with linespoints ls 6 title 'the vendor alone', \
      through_proxies(what) using 1:3 with linespoints ls 2 title 'proxy of this node', \
      through_proxies(what) using 1:4 with linespoints ls 3 title 'proxy of another node'
  }
  unset multiplot; unset output
}

# --- Copies ---------------------------------------------------------------------------------------

copies(machine) = '< awk -f '.bench.'/driver/copy.awk '.results.'/copy-'.machine.".csv | awk -F ' *[|] *' \
  '$2 ~ /^[0-9]+$/ { print $2 \",\" $10 } $2 ~ / x / { split($2, n, \" x \"); print n[1] * n[2] \",,\" $10 }'"
machines = (there(file('copy', 'mpich')) ? 'mpich ' : '').(there(file('copy', 'intel')) ? 'intel' : '')
if (words(machines) > 0) {
  eval(svg(1.5 * words(machines), 1)); set output results.'/copy.svg'
  set multiplot layout 1,words(machines) title "Time of Causeway's copy / time of the best other way"
  eval(bytes_axis); set format y '%g'; unset logscale; set logscale x 2; set xrange [32:33554432]; set yrange [0:2]
  set ylabel 'ratio'; set xtics (64, 1024, 16384, 262144, 4194304); set key top right samplen 1.5 font ',9'
  do for [machine in machines] {
    set title 'copy-'.machine
    plot 1.1 ls 1 title '1.1', copies(machine) using 1:2 with points ls 2 title 'one run of memory', \
      copies(machine) using 1:3 with points ls 3 title 'rows'
  }
  unset multiplot; unset output
}

# --- Derived datatypes ----------------------------------------------------------------------------

# A line of text names the layout; the table is | operation | bytes | copied together | datatypes | ratio |
datatypes(mpi, where, operation) = printed('datatypes-'.mpi, "awk -F ' *[|] *' '/^ / { on = index($0, \"".where."\") } \
  on && $2 == \"".operation."\" { print $3 \",\" $6 }'")
if (there(file('datatypes', 'mpich')) && there(file('datatypes', 'openmpi'))) {
  eval(svg(3, 2)); set output results.'/datatypes.svg'
  set multiplot layout 2,2 title 'Time of pieces that are copied together / time of derived datatypes'
  eval(bytes_axis); set format y '%g'; set logscale xy; set logscale x 2; set xrange [4:4194304]; set yrange [0.05:20]
  set ylabel 'ratio'; set xtics (8, 128, 2048, 32768, 524288); set key top left samplen 1.5 font ',9'
  do for [mpi in 'mpich openmpi'] { do for [where in '"two virtual" "two hosts"'] {
    set title mpi.', '.where.(where eq 'two hosts' ? '' : ' nodes')
    plot 1 ls 1 title 'as fast', for [i = 1:3] datatypes(mpi, where, word('put get accumulate', i)) using 1:2 \
      with linespoints ls i + 1 title word('put get accumulate', i)
  } }
  unset multiplot; unset output
}

# --- Whole arrays ---------------------------------------------------------------------------------

# The table is | operation | shape | limit | ours | GA on our ARMCI | GA on ARMCI-MPI | ...
whole(processes, machine) = printed('whole-'.processes.'-'.machine, "awk -F ' *[|] *' '$5 ~ /^[0-9.]+$/ { \
  print $5 \",\" $6 / $5 \",\" $7 / $5 }'")
do for [processes = 1:2] {
  machines = (there(file('whole-'.processes, 'mpich')) ? 'mpich ' : '').(there(file('whole-'.processes, 'intel')) ? 'intel' : '')
  if (words(machines) == 0) { continue }
  eval(svg(2 * words(machines), 1)); set output results.'/whole-'.processes.'.svg'
  set multiplot layout 1,words(machines) title sprintf('Operations on whole arrays and patches, processes: %d', processes)
  set logscale xy; set format x '%.0s %cs'; set xlabel "Causeway's time of the operation"; set format y '%g'
  set ylabel "its time / Causeway's"; set autoscale xy; set xtics auto; set key top right samplen 1.5 font ',9'
  do for [machine in machines] {
    set title 'whole-'.processes.'-'.machine
    plot 1 ls 1 title 'as fast', whole(processes, machine) using ($1 * 1e-9):3 with points ls 3 title 'Global Arrays on ARMCI-MPI', \
      whole(processes, machine) using ($1 * 1e-9):2 with points ls 2 title 'Global Arrays on our libarmci'
  }
  unset multiplot; unset output
}

# --- Starts ---------------------------------------------------------------------------------------

# The table is | processes | nodes | side | MPI_Init | start | ... | memory with MPI | memory in all | ...; nodes: 1, or 0 for
# as many as processes.
starts(side, nodes) = printed('start-mpich', "awk -F ' *[|] *' '$4 == \"".side."\" && $3 == (".nodes." ? 1 : $2) { \
  print $2 \",\" $6 \",\" $15 }'")
if (there(file('start', 'mpich'))) {
  eval(svg(3, 1)); set output results.'/start.svg'
  set multiplot layout 1,2 title 'A start of many processes on 2 cores (MPICH)'
  set format xy '%g'; set logscale xy; set logscale x 2; set autoscale xy; set xlabel 'processes'; set xtics auto
  set key top left samplen 1.5 font ',9'
  do for [column = 2:3] {
    set title column == 2 ? 'the start after MPI\_Init' : 'memory of a process'
    set ylabel column == 2 ? 'seconds' : 'MiB'
    if (column == 3) { unset logscale y; set yrange [0:*]; set key bottom left }
    plot starts('mpi', 1) using 1:column with linespoints ls 1 title 'MPI alone', \
      starts('causeway', 1) using 1:column with linespoints ls 2 title 'Causeway, one node', \
      starts('causeway', 0) using 1:column with linespoints ls 4 title 'Causeway, a node for each', \
      starts('ga', 1) using 1:column with linespoints ls 3 title 'GA program, one node'
  }
  unset multiplot; unset output
}

# --- NWChem ---------------------------------------------------------------------------------------

# Input, and its time on each layout relative to one process
layouts = '"2 processes" "4 processes" "2 nodes" servers agents windows "2 hosts"'
layout_ratios = printed('nwchem-layouts-mpich', "awk -F ' *[|] *' '$8 ~ /^[0-9.]+$/ { if (!($2 in seen)) { order[++n] = $2; \
  seen[$2] } ratio[$2, $3] = $8 } END { for (i = 1; i <= n; i++) { printf \"%s\", order[i]; \
  k = split(\"2 processes,4 processes,2 nodes,servers,agents,windows,2 hosts\", on, \",\"); \
  for (j = 1; j <= k; j++) printf \",%s\", ratio[order[i], on[j]]; print \"\" } }'")
if (there(file('nwchem-layouts', 'mpich'))) {
  eval(svg(4, 1)); set output results.'/nwchem-layouts.svg'
  set title 'NWChem on libcwga: time on the clock / time of one process (MPICH)'
  unset logscale; set autoscale xy; set yrange [0:*]; set format y '%g'; set ylabel 'ratio'; unset xlabel; set format x '%s'
  set style data histograms; set style fill solid 0.8 border -1; set xtics auto noenhanced
  set key outside right samplen 1.5 font ',9'
  plot 1 with lines ls 1 notitle, for [i = 1:7] layout_ratios using i + 1:xtic(1) title word(layouts, i)
  unset output
}
