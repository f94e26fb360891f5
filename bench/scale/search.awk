# Makes Markdown tables of the results of run.sh --search: the efficiency of each way, and its steals at the largest number of
# processes.
NR == 1 { next }
{
  if (!($4 in work)) { work[$4] = 1; works[++work_count] = $4 }
  if (!($2 in row)) { row[$2] = 1; rows[++row_count] = $2 + 0 }
  if (!($1 in column)) { column[$1] = 1; columns[++column_count] = $1 }
  efficiency[$4, $2, $1] = $6
  if ($2 + 0 > largest[$4]) largest[$4] = $2 + 0
  counts[$4, $2, $1] = sprintf("%.1f of %.1f nodes, %.1f without success", $7 / $2, $7 > 0 ? $8 / $7 : 0, $9 / $2)
}
END {
  for (w = 1; w <= work_count; w++) {
    if (w > 1) print ""
    printf "Efficiency, if a node of the tree takes %g µs:\n\n| processes |", works[w] / 1000
    for (c = 1; c <= column_count; c++) printf " %s |", columns[c]
    printf "\n|---|"
    for (c = 1; c <= column_count; c++) printf "--:|"
    printf "\n"
    for (r = 1; r <= row_count; r++) {
      printf "| %d |", rows[r]
      for (c = 1; c <= column_count; c++) {
        value = efficiency[works[w], rows[r], columns[c]]
        printf "%s", value == "" ? " |" : sprintf(" %.3f |", value)
      }
      printf "\n"
    }
    printf "\nSteals of each process at %d processes:\n\n| way | steals |\n|---|---|\n", largest[works[w]]
    for (c = 1; c <= column_count; c++)
      if ((works[w], largest[works[w]], columns[c]) in counts)
        printf "| %s | %s |\n", columns[c], counts[works[w], largest[works[w]], columns[c]]
  }
}
