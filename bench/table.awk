# Writes CSV as bench/csv.awk makes it as Markdown tables and indented lines of text. Columns of numbers are aligned right.
#   awk -f bench/table.awk docs/results/idle-mpich.csv
# Splits a line of CSV into cells and returns their number.
function parse(line, cells,   count, text) {
  count = 0
  line = line ","
  while (line != "") {
    match(line, substr(line, 1, 1) == "\"" ? "^\"([^\"]|\"\")*\"" : "^[^,]*")
    text = substr(line, 1, RLENGTH)
    line = substr(line, RLENGTH + 2)
    if (text ~ /^"/) {
      text = substr(text, 2, length(text) - 2)
      gsub(/""/, "\"", text)
    }
    cells[++count] = text
  }
  return count
}
function finish(   row, column) {
  if (rows == 0)
    return
  if (blocks++)
    print ""
  if (columns == 1)
    for (row = 1; row <= rows; row++)
      print "    " table[row, 1]
  else
    for (row = 1; row <= rows; row++) {
      printf "|"
      for (column = 1; column <= columns; column++)
        printf " %s |", table[row, column]
      if (row == 1) {
        printf "\n|"
        for (column = 1; column <= columns; column++)
          printf column in words || !(column in numbers) ? "---|" : "--:|"
      }
      print ""
    }
  rows = 0
  split("", words)
  split("", numbers)
}
/^$/ { finish(); next }
{
  count = parse($0, cells)
  if (rows++ == 0)
    columns = count
  for (i = 1; i <= columns; i++) {
    table[rows, i] = i <= count ? cells[i] : ""
    if (rows > 1 && table[rows, i] ~ /^[-+]?[0-9][-+.,e0-9]*$/)
      numbers[i] = 1
    else if (rows > 1 && table[rows, i] !~ /^-?$/)
      words[i] = 1
  }
}
END { finish() }
