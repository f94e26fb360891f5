# Makes the table of copies from its CSV file, with the ratio to the best of the other ways. An older file may lack one of
# them.
BEGIN {
  FS = ","
  count = split("memcpy forward backward string", ways, " ")
}
NR == 1 {
  print "| bytes | difference | memcpy | forward loop | backward loop | string | copy | get | copy / best |"
  print "|---|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= NF; i++)
    at[$i] = i
  next
}
{
  best = 0
  row = sprintf("| %s | %d |", ($2 > 1 ? $2 " x " $1 : $1), $3)
  for (i = 1; i <= count; i++)
    if ((ways[i] "_ns") in at) {
      time = $at[ways[i] "_ns"]
      best = best == 0 || time < best ? time : best
      row = row sprintf(" %.0f |", time)
    } else
      row = row " - |"
  printf "%s %.0f | %.0f | %.2f |\n", row, $at["copy_ns"], $at["get_ns"], (best > 0 ? $at["copy_ns"] / best : 0)
}
