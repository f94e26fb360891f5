# Makes Markdown tables of the results of run.sh: milliseconds of each pattern and topology, and the memory and messages of a
# node at the largest number of nodes. Empty fields were not measured.
NR == 1 { next }
{
  if (!($4 in pattern)) { pattern[$4] = 1; patterns[++pattern_count] = $4 }
  if (!($2 in row)) { row[$2] = 1; rows[++row_count] = $2 + 0 }
  if (!($1 in column)) { column[$1] = 1; columns[++column_count] = $1 }
  time[$4, $2, $1] = $5 * 1000
  if ($4 == "start") { started = 1; kept[$2, $1] = $15; serves[$2, $1] = $17 }
  if ($4 == "array") { array[$2, $1] = $16 }
  if ($4 == "chemistry" && $2 + 0 >= largest) {
    largest = $2 + 0
    neighbours[$1] = $13
    buffers[$1] = $12 == "" ? "" : sprintf("%.3g MiB", $12 / 1048576)
    ranks[$1] = $11
    answers[$1] = $14
    messages[$1] = $6 == "" ? "" : sprintf("%.0f", $6 / $3)
    bytes[$1] = $7 == "" ? "" : sprintf("%.2f GB", $7 / 1e9)
  }
  if ($4 == "counter") hot[$2, $1] = $10
}
function heads(first, second) {
  printf "| %s |%s", first, second
  for (c = 1; c <= column_count; c++) printf " %s |", columns[c]
  printf "\n|---|%s", second == "" ? "" : "---|"
  for (c = 1; c <= column_count; c++) printf "---|"
  printf "\n"
}
function line(what, values) {
  printf "| %s |", what
  for (c = 1; c <= column_count; c++) printf " %s |", values[columns[c]]
  printf "\n"
}
END {
  says["start"] = "start: cw_init on all, servers too"
  says["array"] = "array: made with 64 x 64 numbers for each process, a put to the next process, a get, freed"
  says["counter"] = "counter: 10 fetch-and-adds each on process 0"
  says["small"] = "small: 10 accumulates of 1 KiB each to process 0, fenced"
  says["large"] = "large: 4 accumulates of 32 KiB each to process 0"
  says["chemistry"] = "chemistry: 4 tasks of 1 to 3 ms each, drawn from process 0; two accumulates of 10 to 100 KB a task"
  print "Simulated milliseconds:\n"
  heads("pattern", " nodes |")
  for (p = 1; p <= pattern_count; p++)
    for (r = 1; r <= row_count; r++) {
      measured = 0
      for (c = 1; c <= column_count; c++) measured += (patterns[p], rows[r], columns[c]) in time
      if (!measured) continue
      printf "| %s | %d |", r == 1 ? says[patterns[p]] : "", rows[r]
      for (c = 1; c <= column_count; c++)
        printf " %s |", (patterns[p], rows[r], columns[c]) in time ? sprintf("%.3g", time[patterns[p], rows[r], columns[c]]) : ""
      printf "\n"
    }
  if (started) {
    print "\nKiB of memory that the library takes, the most of any; MPI's is not counted, nor windows:\n"
    print "| nodes | topology | a process, after the start | while it makes and uses an array | a server, after the start |"
    print "|---|---|---|---|---|"
    for (r = 1; r <= row_count; r++)
      for (c = 1; c <= column_count; c++)
        if ((rows[r], columns[c]) in kept)
          printf "| %d | %s | %.1f | %.1f | %.1f |\n", rows[r], columns[c], kept[rows[r], columns[c]] / 1024,
                 array[rows[r], columns[c]] / 1024, serves[rows[r], columns[c]] / 1024
  }
  if (!largest) exit
  print ""
  heads("at " largest " nodes", "")
  line("neighbours of a node", neighbours)
  line("request buffers of a server", buffers)
  line("ranks that send requests or credits to one server", ranks)
  line("servers that answer one process (chemistry)", answers)
  for (c = 1; c <= column_count; c++) most[columns[c]] = hot[largest, columns[c]]
  line("requests that reach the hot node (counter)", most)
  line("messages between nodes for each process (chemistry)", messages)
  line("bytes between nodes (chemistry)", bytes)
}
