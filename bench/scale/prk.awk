# Makes a Markdown table of the results of run.sh --prk: rates of each kernel and side.
NR == 1 {
  print "| kernel | nodes | size | rate in | Causeway | two-sided | ratio | one-sided | ratio |"
  print "|---|--:|---|---|--:|--:|--:|--:|--:|"
  next
}
{
  printf "| %s | %d | %s | %s | %.4g | %.4g | %.2f |", $1 == last ? "" : $1, $2, $3, $4, $5, $6, $5 / $6
  printf $7 == "-" ? " - | - |\n" : " %.4g | %.2f |\n", $7, $5 / $7
  last = $1
}
