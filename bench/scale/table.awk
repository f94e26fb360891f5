# Milliseconds of one pattern: a row for each number of nodes, a column for each topology.
$4 == pattern {
  if (!($2 in row)) { row[$2] = 1; rows[++row_count] = $2 }
  if (!($1 in column)) { column[$1] = 1; columns[++column_count] = $1 }
  time[$2, $1] = $5 * 1000
}
END {
  printf "| nodes |"
  for (c = 1; c <= column_count; c++) printf " %s |", columns[c]
  printf "\n|---|"
  for (c = 1; c <= column_count; c++) printf "---|"
  printf "\n"
  for (r = 1; r <= row_count; r++) {
    printf "| %d |", rows[r]
    for (c = 1; c <= column_count; c++) printf " %.3f |", time[rows[r], columns[c]]
    printf "\n"
  }
}
