# Makes a table of the lines of fortran.sh (side;turn;case;limit;C;Fortran;aim): medians over the turns; ratios are of one
# turn.
function median(list, values, count, i, j, swap) {
  count = split(list, values, " ")
  if (count == 0) return "-"
  for (i = 1; i <= count; i++)
    for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; j--) { swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap }
  return values[int((count + 1) / 2)]
}
function shown(value) { return value == "-" ? "-" : sprintf(value < 100 ? "%.1f" : "%.0f", value) }
BEGIN { FS = ";" }
{
  if (!($3 in aim)) { order[++cases] = $3; aim[$3] = $7 }
  if ($4 != "-") { limit[$1, $3] = limit[$1, $3] " " $4; ratio[$1, $3] = ratio[$1, $3] " " $4 / $6 }
  c[$1, $3] = c[$1, $3] " " $5
  fortran[$1, $3] = fortran[$1, $3] " " $6
}
END {
  print "| call | limit, ns | C, ns | Fortran, ns | limit / Fortran | aim | GA from C, ns | GA from Fortran, ns | GA / Fortran | verdict |"
  print "|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|"
  for (i = 1; i <= cases; i++) {
    name = order[i]
    of = median(ratio["causeway", name])
    ours = median(fortran["causeway", name])
    theirs = median(fortran["debian", name])
    missed = aim[name] ~ /^>/ ? of + 0 < substr(aim[name], 2) + 0 : ours + 0 > aim[name] + 0
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, shown(median(limit["causeway", name])),
      shown(median(c["causeway", name])), shown(ours), of == "-" ? "-" : sprintf("%.2f", of),
      aim[name] ~ /^>/ ? ">= " substr(aim[name], 2) : "<= " aim[name] " ns", shown(median(c["debian", name])), shown(theirs),
      theirs == "-" ? "-" : sprintf("%.1f", theirs / ours), missed ? "UNDER" : "ok"
  }
}
