# Writes what a program has printed, which is Markdown tables and lines of text, as CSV. Empty lines separate blocks: a
# table, whose first line names its columns, or a line of text, which has one field.
#   awk -f bench/csv.awk build/bench/idle.txt
function field(text) {
  gsub(/^ +| +$/, "", text)
  if (text ~ /[",]/) {
    gsub(/"/, "\"\"", text)
    text = "\"" text "\""
  }
  return text
}
function separate() {
  if (blocks++)
    print ""
}
# Prints the table's line that is held back, because only the line after it shows whether it names the columns.
function release(heads,   cells, count, i, line) {
  if (held == "")
    return
  if (heads || !inside)
    separate()
  inside = 1
  count = split(held, cells, "|")
  line = field(cells[2])
  for (i = 3; i < count; i++)
    line = line "," field(cells[i])
  print line
  held = ""
}
/^\|[-:| ]*---*[-:| ]*$/ { release(1); next }
/^\|/ { release(0); held = $0; next }
{
  release(0)
  inside = 0
  if ($0 ~ /[^ ]/) {
    separate()
    print field($0)
  }
}
END { release(0) }
