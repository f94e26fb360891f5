# The table of copies from its CSV file, with the ratio to the best of the other ways.
BEGIN { FS = "," }
NR == 1 {
  print "| bytes | difference | memcpy | forward loop | backward loop | string | copy | get | copy / best |"
  print "|---|---|---|---|---|---|---|---|---|"
  next
}
{
  best = $4
  for (way = 5; way <= 7; way++)
    best = $way < best ? $way : best
  printf "| %s | %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f |\n", ($2 > 1 ? $2 " x " $1 : $1), $3, $4, $5, $6, $7,
         $8, $9, (best > 0 ? $8 / best : 0)
}
