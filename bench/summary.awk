# Ratios of medians, both MPIs side by side, as the tables of docs/performance.md:
#   awk -f bench/summary.awk build/bench/direct-mpich.csv build/bench/direct-openmpi.csv
BEGIN { FS = ","; columns = 0 }
FNR == 1 {
  mpi = ""
  next
}
mpi == "" {
  mpi = $1
  names[++columns] = mpi
}
{
  key = $3 "," $4 "," $5
  if (!(key in seen)) {
    seen[key] = 1
    order[++rows] = key
  }
  cell[key, columns] = sprintf(" %s | %s | %s |", time($7), ratio($6, $7), ratio($8, $7))
}
function time(ns) {
  return ns < 1000 ? sprintf("%.1f ns", ns) : ns < 1e6 ? sprintf("%.1f µs", ns / 1000) : sprintf("%.2f ms", ns / 1e6)
}
function ratio(other, ours) {
  return other > 0 ? sprintf(other / ours < 10 ? "%.2f" : "%.0f", other / ours) : "-"
}
function size(bytes, rows) {
  return rows > 1 ? rows " x " bytes / rows : bytes
}
END {
  printf "| operation | bytes |"
  for (c = 1; c <= columns; c++)
    printf " %s | limit / us | peer / us |", names[c]
  printf "\n|---|---|"
  for (c = 1; c <= columns; c++)
    printf "---|---|---|"
  printf "\n"
  for (r = 1; r <= rows; r++) {
    split(order[r], part, ",")
    printf "| %s | %s |", part[1], size(part[2], part[3])
    for (c = 1; c <= columns; c++)
      printf "%s", (order[r], c) in cell ? cell[order[r], c] : " - | - | - |"
    printf "\n"
  }
}
