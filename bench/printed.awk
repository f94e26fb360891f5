# What a program has printed, as Markdown: its tables stay tables, other lines are indented.
/^\|/ {
  if (!table) {
    print ""
    heads = $0
    gsub(/[^|]+/, "---", heads)
    table = 1
    print
    next
  }
  if (table == 1 && !/^\|[-: |]*$/) print heads
  table = 2
  print
  next
}
{
  if (table || NR == 1) print ""
  table = 0
  print "    " $0
}
