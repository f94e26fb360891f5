# The table of copies from its CSV file, with the ratio to the best of the other ways.
BEGIN { FS = "," }
NR == 1 {
  print "| bytes | difference | memcpy | forward loop | backward loop | copy | get | copy / best |"
  print "|---|---|---|---|---|---|---|---|"
  next
}
{
  best = $4 < $5 ? $4 : $5
  best = $6 < best ? $6 : best
  printf "| %s | %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f |\n", ($2 > 1 ? $2 " x " $1 : $1), $3, $4, $5, $6, $7, $8,
         (best > 0 ? $7 / best : 0)
}
