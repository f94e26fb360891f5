# Makes a Markdown table of the results of run.sh --proxy: milliseconds of each way.
NR == 1 { next }
{
  key = $2 "," $3
  if (!(key in row)) { row[key] = 1; rows[++count] = key }
  time[key, $1] = 1000 * $4
}
END {
  print "| processes | tasks a process | ORIG | ORIG-NBX | RMA | RMAB | ORIG / ORIG-NBX | ORIG-NBX / RMAB | RMAB / RMA |"
  print "|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
  for (r = 1; r <= count; r++) {
    split(rows[r], of, ",")
    orig = time[rows[r], "ORIG"]; nbx = time[rows[r], "ORIG-NBX"]
    rma = time[rows[r], "RMA"]; rmab = time[rows[r], "RMAB"]
    printf "| %d | %g | %.3g | %.3g | %.3g | %.3g | %.2f | %.2f | %.2f |\n", of[1], of[2], orig, nbx, rma, rmab,
           orig / nbx, nbx / rmab, rmab / rma
  }
}
