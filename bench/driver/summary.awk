# Makes a table of docs/results: ratios of medians, both MPIs side by side. Missed targets are bold. The last lines count the
# targets that are met:
#   awk -f bench/driver/summary.awk build/bench/direct-mpich.csv build/bench/direct-openmpi.csv
BEGIN { FS = ","; columns = 0 }
FNR == 1 {
  mpi = ""
  next
}
mpi == "" {
  mpi = $1
  names[++columns] = mpi
  limit = $2 ~ /busy/ ? "idle" : "limit"
}
{
  key = $3 "," $4 "," $5
  if (!(key in seen)) {
    seen[key] = 1
    order[++rows] = key
  }
  cell[key, columns] = sprintf(" %s | %s | %s |", time($7), marked(ratio($6, $7), $13), marked(ratio($8, $7), $14))
  count($13)
  count($14)
}
function count(verdict) {
  demanded[columns] += verdict == "ok" || verdict == "UNDER"
  met[columns] += verdict == "ok"
}
function marked(text, verdict) {
  return verdict == "UNDER" ? "**" text "**" : text
}
function time(ns) {
  if (ns < 0)
    return "waits"
  return ns < 1000 ? sprintf("%.1f ns", ns) : ns < 1e6 ? sprintf("%.1f µs", ns / 1000) : sprintf("%.2f ms", ns / 1e6)
}
function ratio(other, ours) {
  if (other < 0)
    return "waits"
  if (ours < 0)
    return other > 0 ? "0" : "-"
  return other > 0 ? sprintf(other / ours < 10 ? "%.2f" : "%.0f", other / ours) : "-"
}
function size(bytes, rows) {
  return rows > 1 ? rows " x " bytes : bytes
}
END {
  printf "| operation | bytes |"
  for (c = 1; c <= columns; c++)
    printf " %s | %s / us | peer / us |", names[c], limit
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
  printf "\n"
  for (c = 1; c <= columns; c++)
    if (demanded[c] > 0)
      printf "%s: %d of %d targets met.\n", names[c], met[c], demanded[c]
}
